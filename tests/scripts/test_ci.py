"""Continuous integration, .ci/run, on a made-up machine."""

import re
import shutil
from pathlib import Path

import pytest
from machine import ROOT, Machine, installed_kokkos, presets, starting

GIT = r"""
case "$*" in
  *rev-parse*) echo abc123 ;;
  *cpp*) echo src/a.cpp ;;
  *bash*) echo perf/setup/common.bash ;;
  *.py*) ;;
  *ls-files*) printf '%s\n' src/a.cpp perf/prepare perf/setup/common.bash perf/portcost report ;;
esac
"""

PLANT_FAULTS = """\
import os, sys
open(os.environ["CALLS"], "a").write("plant_faults " + " ".join(sys.argv[1:]) + "\\n")
sys.exit(int(open(os.environ["STUBS"] + "/faults-status").read()))
"""

@pytest.fixture
def ci(ready: Machine) -> Machine:
    (ready.repo / "src").mkdir()
    (ready.repo / "src/a.cpp").touch()
    ready.stub("git", GIT)
    shutil.copytree(ROOT / "perf/setup/template", ready.repo / "perf/setup/template")
    ready.put("faults-status", "0")
    ready.put("front-door", "0")
    ready.script(ready.repo / "tests/fresh_root", 'echo "fresh_root $1" >>"$CALLS"; exit "$(cat "$STUBS/front-door")"\n')
    ready.script(ready.repo / "tests/plant_faults", "")
    (ready.repo / "tests/plant_faults").write_text(PLANT_FAULTS)
    for tool in ("clang-format", "shellcheck"):
        ready.stub(tool, f'echo "{tool} $*" >>"$CALLS"\n')
    return ready


def test_ci_sums_both_builds(ci: Machine):
    result = ci.run(".ci/run")
    assert result.stdout.splitlines()[-1] == "5 passed, 0 failed, 3 skipped"
    assert "CUDA compile: skipped, no nvcc" in result.stdout
    assert "the distribution's sources of Kokkos: skipped, the archive at mirror.example holds no source package" in result.stdout
    calls = ci.take_calls()
    assert [line for line in calls if not line.startswith("apt-get")][0] == "fresh_root bash"
    assert presets(calls) == ["openmp", "openmp-checked"]
    outside = ci.repo / "build/ci-outside/own_kernel"
    assert "namespace portcost::own_kernel {" in (outside / "problem.hpp").read_text()
    assert [f"-DPORTCOST_ALGORITHMS={outside}" in line for line in calls if "--preset" in line] == [False, True]
    own = [line.removeprefix("portcost ") for line in starting(calls, "portcost") if "own_kernel" in line]
    assert own == ["list own_kernel/plain/openmp", "list own_kernel/plain/kokkos", "list own_kernel/plain/kokkos.book",
                   "list own_kernel/plain/kokkos.usual", "check own_kernel",
                   f"bench own_kernel --size n=10007 --seconds 0.05 --out {outside}.jsonl"]
    assert f"report {outside}.jsonl" in calls
    assert all("-DPORTCOST_WERROR=ON" in line for line in calls if "--preset" in line)
    assert [line.split("/")[-1] for line in starting(calls, "clang-format")] == ["a.cpp"]
    assert starting(calls, "plant_faults") == ["plant_faults --place host --draw 3 --seed abc123"]
    assert re.search(r"prepare \S+common.bash$", starting(calls, "shellcheck")[0])


@pytest.mark.parametrize("tool", ["clang-format", "shellcheck"])
def test_ci_goes_on_after_a_failed_stage(ci: Machine, tool: str):
    ci.stub(tool, "exit 1\n")
    result = ci.run(".ci/run", status=1)
    assert "failed stages: " in result.stdout
    assert result.stdout.splitlines()[-1] == "5 passed, 0 failed, 3 skipped"


@pytest.mark.parametrize(("stage", "status", "told"), [
    ("front-door", "1", "failed stages: front door"), ("front-door", "3", "failed stages: front door"),
    ("front-door", "77", "front door: skipped, no fresh root can be made here"),
    ("faults-status", "1", "failed stages: planted faults")])
def test_ci_fails_where_the_front_door_is_shut_or_a_planted_fault_lives(ci: Machine, stage: str, status: str, told: str):
    ci.put(stage, status)
    assert told in ci.run(".ci/run", status=1 if told.startswith("failed") else 0).stdout


def test_ci_compiles_cuda_with_the_kokkos_in_the_environment(ci: Machine):
    prefix = installed_kokkos(ci, "SERIAL;CUDA")
    ci.stub("nvcc", "")
    configured = [line.split() for line in ci.calls_of(".ci/run", Kokkos_ROOT=prefix) if "--preset" in line]
    assert ["cuda" in words for words in configured] == [False, False, True]
    assert [f"-DKokkos_ROOT={prefix}" in words for words in configured] == [False, False, True]


def test_ci_brings_a_browser_and_what_drives_it(ci: Machine):
    calls = ci.calls_of(".ci/run")
    assert any(line.endswith("install -y --no-install-recommends chromium chromium-driver") for line in starting(calls, "apt-get"))
    for name in ("tests/browser", "tests/source", "perf/setup/locality"):
        brought = [line for line in starting(calls, "pip") if f"{Path(name).name}_requirements" in line]
        assert len(brought) == 1 and brought[0].endswith(f"-r {ci.repo}/{name}_requirements.txt")
    for program in ("chromium", "chromedriver"):
        ci.stub(program, "")
    ci.put("has-modules", "")
    ci.run(".ci/run")
    assert not [line for line in starting(ci.take_calls(), "apt-get", "pip") if "chromium" in line or "browser_req" in line]
