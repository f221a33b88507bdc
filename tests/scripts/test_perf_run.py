"""perf/run and perf/portcost on a made-up machine: what is checked, measured, reported and refused, and by which program."""

import re

import pytest
from machine import Machine, presets, starting


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


def test_unequal_answers_are_reported_and_fail(ready: Machine):
    ready.put("bench-status", "1")
    assert "unequal" in ready.run("perf/run", status=1).stderr
    assert starting(ready.take_calls(), "report")


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


def test_broken_bench_ends_the_run(ready: Machine):
    ready.put("bench-status", "3")
    assert starting(ready.calls_of("perf/run", status=3), "report") == []


@pytest.mark.parametrize("filter_, named", [
    ("heat3d", "no algorithm fits the filter 'heat3d'; known: atomics block_vote"),
    ("heat/*", "no algorithm fits the filter 'heat/*'"),
    ("x*/naive/*", "no algorithm fits the filter 'x*/naive/*'"),
    ("heat2d/naive/cud", "model 'cud'"),
    ("heat2d/naive/cuda", "asks for CUDA, and the host is measured"),
    ("heat2d/naive/reference", "never measured"),
    ("", "--filter needs a value"),
])
def test_filter_that_can_match_nothing_is_refused_before_anything_is_brought(bare: Machine, filter_: str, named: str):
    assert named in bare.refusal("perf/run", "--filter", filter_)


def test_filter_of_the_host_is_refused_where_the_gpu_is_measured(bare: Machine):
    assert "--preset openmp" in bare.refusal("perf/run", "--preset", "cuda", "--filter", "heat2d/naive/openmp")


@pytest.mark.parametrize("filter_", ["heat2d", "heat2d/*", "*/naive/*", "h*naive/kokkos",
                                     "?eat2d/*/openmp", "sum/cub/library", "sum/*/kokkos.usual", "sum/tree/kokkos:tile=4"])
def test_filter_that_may_match_is_passed_on(ready: Machine, filter_: str):
    assert all(filter_ in line for line in starting(ready.calls_of("perf/run", "--filter", filter_), "portcost"))


def test_portcost_is_the_built_one(ready: Machine):
    result = ready.run("perf/portcost", "list", "--json")
    assert "command not found" not in result.stdout + result.stderr
    assert ready.take_calls() == ["portcost list --json"]


def test_portcost_of_a_preset(ready: Machine):
    assert "perf/run --preset cuda" in ready.run("perf/portcost", "list", PORTCOST_PRESET="cuda", status=3).stderr


def test_portcost_before_anything_is_built(bare: Machine):
    assert "nothing is built yet: run perf/run" in bare.run("perf/portcost", "list", status=3).stderr


def test_commands_work_through_a_link_from_any_folder(ready: Machine, tmp_path):
    link = tmp_path / "bin" / "portcost"
    link.parent.mkdir()
    link.symlink_to(ready.repo / "perf/portcost")
    assert ready.calls_of(str(link), "machine") == ["portcost machine"]
