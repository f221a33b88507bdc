"""The shell commands on a made-up machine: their options, perf/portcost, tests/run and perf/run."""

from __future__ import annotations

import re

import pytest
from machine import COMMANDS, CTEST_XML, NOT_STARTED, ROOT, Machine, presets, starting

# ---- options


def options_taken(command: str) -> set[str]:
    """The long options in a command's `case` branches, and in those that it shares."""
    alone = command in (".ci/run", "perf/setup/kokkos_source")
    files = [ROOT / command] if alone else [ROOT / command, ROOT / "perf/setup/common.bash"]
    branches = [line for file in files for line in file.read_text().splitlines() if re.match(r"\s+-[-\w |]+\)", line)]
    return {option for line in branches for option in re.findall(r"--[a-z][a-z0-9-]*", line.split(")")[0])}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option(bare: Machine, command: str):
    result = bare.run(command, "--help")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.startswith(f"usage: {command}")
    assert bare.take_calls() == []
    taken = options_taken(command)
    assert "--help" in taken
    assert {option for option in taken if not re.search(rf"{option}\b", result.stdout)} == set()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["--colour", "colour"])
def test_unknown_argument_is_named_in_one_line(bare: Machine, command: str, word: str):
    result = bare.run(command, word)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1 and word in result.stderr and command in result.stderr


def test_option_without_its_value(bare: Machine):
    result = bare.run("perf/run", "--filter")
    assert result.returncode == 2 and "--filter needs a value" in result.stderr


# ---- perf/portcost


def test_portcost_is_the_built_one(ready: Machine):
    assert ready.run("perf/portcost", "list", "--json").returncode == 0
    assert ready.take_calls() == ["portcost list --json"]


def test_portcost_of_a_preset(ready: Machine):
    result = ready.run("perf/portcost", "list", PORTCOST_PRESET="cuda")
    assert result.returncode == 3 and "perf/run --preset cuda" in result.stderr


def test_portcost_before_anything_is_built(bare: Machine):
    result = bare.run("perf/portcost", "list")
    assert result.returncode == 3 and "nothing is built yet: run perf/run" in result.stderr


def test_commands_work_through_a_link_from_any_folder(ready: Machine, tmp_path):
    link = tmp_path / "bin" / "portcost"
    link.parent.mkdir()
    link.symlink_to(ready.repo / "perf/portcost")
    assert ready.run(str(link), "machine").returncode == 0
    assert ready.take_calls() == ["portcost machine"]


# ---- tests/run


def test_tests_run_sums_both_runners(ready: Machine):
    result = ready.run("tests/run", "--no-skip")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-3:] == [
        "ctest: 2 passed, 0 failed, 1 skipped",
        "pytest: 1 passed, 0 failed, 1 skipped",
        "3 passed, 0 failed, 2 skipped",
    ]
    assert any(line.startswith("ctest") and line.endswith("no_skip=1") for line in ready.take_calls())


def test_test_that_could_not_start_is_a_failure(ready: Machine):
    ready.put("ctest.xml", CTEST_XML.format(NOT_STARTED))
    ready.put("ctest-status", "8")
    result = ready.run("tests/run")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "3 passed, 1 failed, 2 skipped"


@pytest.mark.parametrize("status", ["0", "8"])
def test_no_tests_is_a_failure(ready: Machine, status: str):
    (ready.stubs / "ctest.xml").unlink()
    ready.put("ctest-status", status)
    result = ready.run("tests/run", "--ctest-only")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


# ---- perf/run


def test_perf_run_checks_measures_and_reports(ready: Machine):
    result = ready.run("perf/run", "--filter", "heat2d/*", "--full", "--seconds", "2", "--out", str(ready.repo / "out"))
    assert result.returncode == 0, result.stderr
    calls = ready.take_calls()
    check, bench, report = starting(calls, "portcost", "report")
    assert check == "portcost check heat2d/*"
    assert bench.startswith("portcost bench heat2d/* --campaign full --seconds 2 ")
    assert re.search(rf"{ready.repo}/out/\d+-\d+/\S+\.jsonl", bench) and report.startswith("report ")
    assert "report.html" in result.stderr and ".csv" in result.stderr
    assert presets(calls) == []  # what perf/prepare built with tests is not configured anew
    assert calls[0].endswith("--target portcost_command")


def test_perf_run_first_needs_no_catch2(bare: Machine):
    result = bare.run("perf/run")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    assert not any("catch2" in line for line in starting(calls, "apt-get"))
    assert any("-DPORTCOST_TESTS=OFF" in line for line in calls)


def test_unequal_answers_are_reported_and_fail(ready: Machine):
    ready.put("bench-status", "1")
    result = ready.run("perf/run")
    assert result.returncode == 1 and "unequal" in result.stderr
    assert starting(ready.take_calls(), "report")


def test_a_gpu_that_is_asked_for_and_not_there(bare: Machine):
    """Nothing is built for what cannot be measured."""
    result = bare.run("perf/run", "--preset", "cuda")
    assert result.returncode == 3 and "needs the CUDA toolkit" in result.stderr.splitlines()[-1]
    bare.stub("nvcc", "")
    result = bare.run("perf/run", "--preset", "cuda")
    assert result.returncode == 3 and "none is visible here" in result.stderr.splitlines()[-1]
    assert presets(bare.take_calls()) == []


def test_login_node_is_said_aloud(ready: Machine):
    ready.stub("sbatch", "")
    assert "THIS LOOKS LIKE A LOGIN NODE" in ready.run("perf/run").stderr
    assert "LOGIN NODE" not in ready.run("perf/run", SLURM_JOB_ID="7").stderr


def test_broken_bench_ends_the_run(ready: Machine):
    ready.put("bench-status", "3")
    assert ready.run("perf/run").returncode == 3
    assert starting(ready.take_calls(), "report") == []
