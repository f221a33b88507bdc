"""perf/run on a made-up machine: what it checks, measures and reports."""

from __future__ import annotations

import re

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
