"""perf/run --resume, and a perf/run that is stopped, on a made-up machine."""

import re
import shlex
import subprocess

import pytest
from machine import GPU, ROOT, Machine, presets, starting


def leave_stopped(ready: Machine, header: str = '{"kind":"header"}') -> str:
    """The folder of a run that was stopped."""
    folder = ready.repo / "out/20260102-030405"
    folder.mkdir(parents=True)
    (folder / "record.jsonl.part").write_text(header + "\n")
    return str(folder)


@pytest.mark.parametrize("name", ["", "/record.jsonl.part", "/record.jsonl"])
def test_resume_goes_on_and_reports(ready: Machine, name: str):
    folder = leave_stopped(ready)
    assert starting(ready.calls_of("perf/run", "--resume", folder + name), "portcost", "report") == [
        f"portcost bench --resume {folder}/record.jsonl", f"report {folder}/record.jsonl --out {folder}"]


def test_resume_knows_the_one_table_and_the_preset(ready: Machine):
    folder = leave_stopped(ready, '{"arguments":["heat2d","--size","nx=14400,ny=14400,steps=100","--sync","phase"],'
                                  '"build":{"kokkos_backend":"Cuda"}}')
    ready.stub("nvcc", "")
    ready.stub("nvidia-smi", GPU)
    calls = ready.calls_of("perf/run", "--resume", folder)
    assert presets(calls) == ["cuda"]
    assert starting(calls, "report")[0] == f"report --table1 {folder}/record.jsonl"


@pytest.mark.parametrize("words", [["--full"], ["--filter", "sum"], ["--seconds=2"], ["--table1"], ["--out", "x"],
                                   ["--repeat=3"]])
def test_resume_takes_no_other_measurements(ready: Machine, words: list[str]):
    assert "leave the other options away" in ready.refusal("perf/run", "--resume", leave_stopped(ready), *words)


def test_resume_of_nothing_is_found_before_anything_is_built(ready: Machine):
    told = ready.refusal("perf/run", "--resume", "nowhere/20260102-030405")
    assert "--resume nowhere/20260102-030405: no record was begun" in told


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
