"""What brings the Python modules of perf/portcost locality, on a made-up machine."""

import pytest
from machine import Machine, starting

OF_LOCALITY = "-r {}/perf/setup/locality_requirements.txt"
WITHOUT_PIP = """case "$*" in
  "-m pip --version") [ -e "$STUBS/pip-added" ] ;;
  "-m ensurepip") : >"$STUBS/pip-added" ;;
  *) exec "$STUBS/python3" "$@" ;;
esac
"""
WITH_MODULES = 'case "$*" in "- "*locality_requirements.txt) ;; *) exec "$STUBS/python3" "$@" ;; esac\n'


def brought(machine: Machine, calls: list[str]) -> int:
    return sum(line.endswith(OF_LOCALITY.format(machine.repo)) for line in starting(calls, "pip"))


def test_prepare_brings_the_modules_and_builds_nothing(bare: Machine):
    result = bare.run("perf/prepare", "--locality")
    calls = bare.take_calls()
    assert starting(calls, "apt-get")[1].endswith("--no-install-recommends python3-venv")
    assert starting(calls, "python3 -m venv") == [f"python3 -m venv --system-site-packages {bare.repo}/.venv"]
    assert brought(bare, calls) == 1 and starting(calls, "cmake") == []
    assert "installing islpy into .venv" in result.stderr and "has what it needs" in result.stderr


def test_prepare_uses_the_environment_that_is_there(ready: Machine):
    calls = ready.calls_of("perf/prepare", "--locality")
    assert brought(ready, calls) == 1 and starting(calls, "apt-get", "python3 -m venv") == []
    ready.script(ready.repo / ".venv/bin/python3", WITH_MODULES)
    assert ready.calls_of("perf/prepare", "--locality") == []


def test_an_environment_without_pip_gets_it(ready: Machine):
    ready.script(ready.repo / ".venv/bin/python3", WITHOUT_PIP)
    assert brought(ready, ready.calls_of("perf/prepare", "--locality")) == 1 and (ready.stubs / "pip-added").exists()


@pytest.mark.parametrize(("words", "named"), [([], "name a mirror of it in PIP_INDEX_URL"),
                                              (["--no-install"], "nothing is installed (--no-install)")])
def test_where_pypi_is_not_reached(ready: Machine, words: list[str], named: str):
    ready.put("no-pypi", "")
    assert named in ready.run("perf/prepare", "--locality", *words, status=3).stderr.splitlines()[-1]
    assert brought(ready, ready.take_calls()) == 0  # the requirements of the tests, of which the stub has none, fail first


def test_neither_root_nor_python_venv(bare: Machine):
    bare.stub("id", "echo 1000\n")
    assert "missing packages: python3-venv" in bare.run("perf/prepare", "--locality", status=3).stderr.splitlines()[-1]


def test_tests_run_brings_them(ready: Machine):
    assert "will be skipped" not in ready.run("tests/run", "--all").stderr
    assert brought(ready, ready.take_calls()) == 1
    assert brought(ready, ready.calls_of("tests/run", "--all", "--ctest-only")) == 0


@pytest.mark.parametrize("words", [[], ["--no-install"]])
def test_tests_run_goes_on_without_them(ready: Machine, words: list[str]):
    ready.put("no-pypi", "")
    result = ready.run("tests/run", "--all", *words)
    assert "most tests of perf/portcost locality will be skipped (perf/prepare --locality brings them" in result.stderr


def test_a_new_environment_has_them_again(ready: Machine):
    ready.script(ready.repo / ".venv/bin/python3", WITH_MODULES)
    (ready.repo / "perf/setup/requirements.txt").write_text("matplotlib>=3.8\n")
    calls = ready.calls_of("perf/prepare")
    assert len(starting(calls, "python3 -m venv --clear")) == 1 and brought(ready, calls) == 1
    (ready.repo / "perf/setup/requirements.txt").write_text("matplotlib>=3.9\n")
    assert brought(ready, ready.calls_of("perf/prepare")) == 0  # none were there
