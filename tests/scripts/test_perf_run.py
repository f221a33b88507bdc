"""perf/run, tests/run and perf/portcost on a made-up machine: what they check, measure, report, count and refuse, and by which
program; runs that are stopped; and the options that the shell commands have in common."""

import re
import shlex
import subprocess

import pytest
from machine import COMMANDS, CTEST_XML, GPU, NOT_STARTED, ROOT, Machine, presets, starting


def test_perf_run_checks_measures_and_reports(ready: Machine):
    result = ready.run("perf/run", "--filter", "heat2d/*", "--full", "--seconds", "2", "--out", str(ready.repo / "out"))
    calls = ready.take_calls()
    check, bench, report = starting(calls, "portcost", "report")
    assert check == "portcost check heat2d/*"
    assert bench.startswith("portcost bench heat2d/* --campaign full --seconds 2 ")
    assert re.search(rf"{ready.repo}/out/\d+-\d+/\S+\.jsonl", bench) and report.startswith("report ")
    assert "report.html" in result.stderr and ".csv" in result.stderr
    assert presets(calls) == []  # what perf/prepare built with tests is not configured again
    assert calls[0].endswith("--target portcost_command")


def test_perf_run_first_needs_no_catch2(bare: Machine):
    calls = bare.calls_of("perf/run")
    assert not any("catch2" in line for line in starting(calls, "apt-get"))
    assert any("-DPORTCOST_TESTS=OFF" in line for line in calls)


def test_unequal_answers_are_reported_and_fail_and_a_broken_bench_ends_the_run(ready: Machine):
    ready.put("bench-status", "1")
    assert "unequal" in ready.run("perf/run", status=1).stderr
    assert starting(ready.take_calls(), "report")
    ready.put("bench-status", "3")
    assert starting(ready.calls_of("perf/run", status=3), "report") == []


def test_a_gpu_that_is_asked_for_and_not_there(bare: Machine):
    """Nothing is built for what cannot be measured."""
    assert "needs the CUDA toolkit" in bare.run("perf/run", "--preset", "cuda", status=3).stderr.splitlines()[-1]
    bare.stub("nvcc", "")
    assert "none is visible here" in bare.run("perf/run", "--preset", "cuda", status=3).stderr.splitlines()[-1]
    assert presets(bare.take_calls()) == []


def test_login_node_is_said_aloud(ready: Machine):
    ready.stub("sbatch", "")
    assert "THIS LOOKS LIKE A LOGIN NODE" in ready.run("perf/run").stderr
    assert "LOGIN NODE" not in ready.run("perf/run", SLURM_JOB_ID="7").stderr


@pytest.mark.parametrize("words, named", [
    (["heat3d"], "no algorithm fits the filter 'heat3d'; known: atomics block_vote"),
    (["heat/*"], "no algorithm fits the filter 'heat/*'"),
    (["x*/naive/*"], "no algorithm fits the filter 'x*/naive/*'"),
    (["heat2d/naive/cud"], "model 'cud'"),
    (["heat2d/naive/cuda"], "asks for CUDA, and the host is measured"),
    (["heat2d/naive/openmp", "--preset", "cuda"], "--preset openmp"),
    (["heat2d/naive/reference"], "never measured"),
    ([""], "--filter needs a value"),
    ([], "--filter needs a value"),
])
def test_filter_that_can_match_nothing_is_refused_before_anything_is_brought(bare: Machine, words: list[str], named: str):
    assert named in bare.refusal("perf/run", "--filter", *words)


@pytest.mark.parametrize("filter_", ["heat2d", "heat2d/*", "*/naive/*", "h*naive/kokkos",
                                     "?eat2d/*/openmp", "sum/cub/library", "sum/*/kokkos.usual", "sum/tree/kokkos:tile=4"])
def test_filter_that_may_match_is_passed_on(ready: Machine, filter_: str):
    assert all(filter_ in line for line in starting(ready.calls_of("perf/run", "--filter", filter_), "portcost"))


def test_portcost_is_the_built_one_also_through_a_link_from_any_folder(ready: Machine, tmp_path):
    result = ready.run("perf/portcost", "list", "--json")
    assert "command not found" not in result.stdout + result.stderr
    assert ready.take_calls() == ["portcost list --json"]
    link = tmp_path / "bin" / "portcost"
    link.parent.mkdir()
    link.symlink_to(ready.repo / "perf/portcost")
    assert ready.calls_of(str(link), "machine") == ["portcost machine"]


def test_portcost_of_a_preset_or_before_anything_is_built(bare: Machine):
    assert "nothing is built yet: run perf/run" in bare.run("perf/portcost", "list", status=3).stderr
    bare.run("perf/prepare")
    assert "perf/run --preset cuda" in bare.run("perf/portcost", "list", PORTCOST_PRESET="cuda", status=3).stderr


# ---- perf/run --resume, and a perf/run that is stopped.


@pytest.mark.parametrize("name", ["", "/record.jsonl.part", "/record.jsonl"])
def test_resume_goes_on_and_reports(ready: Machine, name: str):
    folder = ready.leave_stopped()
    assert starting(ready.calls_of("perf/run", "--resume", folder + name), "portcost", "report") == [
        f"portcost bench --resume {folder}/record.jsonl", f"report {folder}/record.jsonl --out {folder}"]


def test_resume_knows_the_one_table_and_the_preset(ready: Machine):
    folder = ready.leave_stopped('{"arguments":["heat2d","--size","nx=14400,ny=14400,steps=100","--sync","phase"],'
                                 '"build":{"kokkos_backend":"Cuda"}}')
    ready.stub("nvcc", "")
    ready.stub("nvidia-smi", GPU)
    calls = ready.calls_of("perf/run", "--resume", folder)
    assert presets(calls) == ["cuda"]
    assert starting(calls, "report")[0] == f"report --table1 {folder}/record.jsonl"


@pytest.mark.parametrize("words", [["--full"], ["--filter", "sum"], ["--seconds=2"], ["--table1"], ["--out", "x"],
                                   ["--repeat=3"]])
def test_resume_takes_no_other_measurements(ready: Machine, words: list[str]):
    assert "leave the other options away" in ready.refusal("perf/run", "--resume", ready.leave_stopped(), *words)


def test_resume_of_nothing_is_found_before_anything_is_built(ready: Machine):
    assert "--resume nowhere/x: no record was begun" in ready.refusal("perf/run", "--resume", "nowhere/x")


def test_a_run_that_is_stopped_says_how_to_go_on(ready: Machine):
    """When stopped, perf/run stops what it runs, and returns its status."""
    program = ready.repo / "build/openmp/bin/portcost"
    text = """case $1 in bench)
  for out in "$@"; do :; done
  : >"$out.part"; trap 'echo "stopped" >>"$CALLS"; exit 143' TERM; kill -s TERM $PPID; while :; do sleep 0.1; done ;;
esac
"""
    ready.script(program, text)
    result = ready.run("perf/run", "--out", str(ready.repo / "out"), status=143)
    assert re.search(rf"go on with: perf/run --resume {ready.repo}/out/\d+-\d+\n", result.stderr)
    calls = ready.take_calls()
    assert "stopped" in calls and starting(calls, "report") == []


def test_a_signal_is_passed_on_however_early_it_comes():
    """Twenty commands that have the shell told to stop as soon as they run: each is told by it, and none outlives it."""
    function = re.search(r"^passing_signals\(\) {\n.*?^}\n", (ROOT / "perf/run").read_text(), re.DOTALL | re.MULTILINE)[0]
    command = "trap 'exit 7' TERM; kill -s TERM $PPID; for i in {1..100}; do sleep 0.05; done"
    text = f"passing_signals bash -c {shlex.quote(command)} || exit $?"
    statuses = [subprocess.run(["bash", "-c", function + text], timeout=60).returncode for _ in range(20)]
    assert statuses == [7] * 20
    # A shell that is slow finds the command ended, and its status is that of the command still.
    slow = 'kill() { local status=0; builtin kill "$@" || status=$?; sleep 0.3; return "$status"; }\n'
    assert subprocess.run(["bash", "-c", function + slow + text], timeout=60).returncode == 7


# ---- tests/run: what it counts, and what is a failure.


def test_tests_run_sums_both_runners(ready: Machine):
    result = ready.run("tests/run", "--no-skip")
    assert result.stdout.splitlines()[-3:] == [
        "ctest: 2 passed, 0 failed, 1 skipped",
        "pytest: 1 passed, 0 failed, 1 skipped",
        "3 passed, 0 failed, 2 skipped",
    ]
    assert any(line.startswith("ctest") and line.endswith("no_skip=1") for line in ready.take_calls())


def test_no_tests_and_one_that_could_not_start_are_failures(ready: Machine):
    ready.put("ctest.xml", CTEST_XML.format(NOT_STARTED))
    ready.put("ctest-status", "8")
    assert ready.run("tests/run", status=1).stdout.splitlines()[-1] == "3 passed, 1 failed, 2 skipped"
    (ready.stubs / "ctest.xml").unlink()
    for status in ("0", "8"):
        ready.put("ctest-status", status)
        assert ready.run("tests/run", "--ctest-only", status=1).stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


# ---- Options that the commands have in common.


def options_taken(command: str) -> set[str]:
    """The long options in a command's `case` branches, and in those that it shares."""
    alone = command in (".ci/run", "perf/setup/kokkos_source")
    files = [ROOT / command] if alone else [ROOT / command, ROOT / "perf/setup/common.bash"]
    branches = [line for file in files for line in file.read_text().splitlines() if re.match(r"\s+-[-\w |]+\)", line)]
    return {option for line in branches for option in re.findall(r"--[a-z][a-z0-9-]*", line.split(")")[0])}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option(bare: Machine, command: str):
    result = bare.run(command, "--help")
    assert result.stderr == ""
    assert result.stdout.startswith(f"usage: {command}")
    assert bare.take_calls() == []
    taken = options_taken(command)
    assert "--help" in taken
    assert {option for option in taken if not re.search(rf"{option}\b", result.stdout)} == set()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["--colour", "colour"])
def test_unknown_argument_is_named_in_one_line(bare: Machine, command: str, word: str):
    line = bare.refusal(command, word)
    assert word in line and command in line


@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_unknown_preset_is_refused_before_anything_is_brought(bare: Machine, command: str):
    assert bare.refusal(command, "--preset", "opemp") == (
        f"{command}: unknown preset 'opemp'; known: cuda cuda-checked openmp openmp-checked openmp-quick openmp-tsan (see {command} --help)")


def test_hidden_presets_are_unknown_and_the_users_own_are_known(ready: Machine):
    ready.run("perf/prepare", "--preset", "base", status=2)
    (ready.repo / "CMakeUserPresets.json").write_text('{"configurePresets": [\n{ "name": "mine" }\n]}')
    assert presets(ready.calls_of("perf/prepare", "--preset", "mine")) == ["mine"]
