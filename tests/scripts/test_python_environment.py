"""perf/prepare on a made-up machine: the project's Python environment, and where its modules come from."""

import sys

import pytest
from machine import APT_GET, Machine, starting


def put_system_python(machine: Machine) -> None:
    """The distribution's own Python, which has the modules once they are installed as packages."""
    machine.stub("system-python3", """case "$*" in
  "- "*requirements.txt) [ -e "$STUBS/has-packages" ] ;;
  "-m venv"*) echo "system $*" >>"$CALLS"; mkdir -p "$REPO/.venv/bin"; : >"$REPO/.venv/bin/python3" ;;
esac
""")
    machine.stub("apt-get", APT_GET + """case "$*" in *python3-matplotlib*) : >"$STUBS/has-packages" ;; esac\n""")


def test_python_modules_come_from_packages_where_pypi_is_not_reached(bare: Machine):
    bare.put("no-pypi", "")
    put_system_python(bare)
    assert "PyPI was not reached: taking the modules from the distribution" in bare.run("perf/prepare").stderr
    calls = bare.take_calls()
    assert any(line.endswith("python3-matplotlib python3-pytest") for line in starting(calls, "apt-get"))
    assert "--system-site-packages --without-pip" in starting(calls, "system")[0]
    assert starting(bare.calls_of("perf/prepare"), "apt-get", "pip", "system") == []


def test_packages_of_the_system_python_are_used_where_they_are(bare: Machine):
    put_system_python(bare)
    bare.put("has-packages", "")
    calls = bare.calls_of("perf/prepare")
    assert starting(calls, "pip") == [] and len(starting(calls, "system -m venv")) == 1
    assert "python3-venv" not in " ".join(calls)


def test_neither_pypi_nor_packages(ready: Machine):
    (ready.repo / ".venv/portcost-stamp").unlink()
    ready.put("no-pypi", "")
    ready.stub("id", "echo 1000\n")
    result = ready.run("perf/prepare", status=3)
    assert "matplotlib" in result.stderr.splitlines()[-1] and "PIP_INDEX_URL" in result.stderr.splitlines()[-1]
    assert not (ready.repo / ".venv").exists()


def test_no_python_environment_where_modules_are_here(bare: Machine):
    bare.put("has-modules", "")
    assert "python3-venv" not in bare.run("perf/prepare").stderr
    assert starting(bare.take_calls(), "pip", "python3") == [] and not (bare.repo / ".venv").exists()


def test_python_environment_is_remade_when_requirements_change(ready: Machine):
    (ready.repo / "perf/setup/requirements.txt").write_text("matplotlib>=3.8\n")
    assert len(starting(ready.calls_of("perf/prepare"), "python3 -m venv")) == 1


@pytest.mark.parametrize("wanted, there", [("pytest>=1.0", True), ("pytest>=999", False), ("no-such-package", False)])
def test_modules_are_looked_for_in_their_versions(bare: Machine, wanted: str, there: bool):
    bare.script(bare.stubs / "python3", f'exec {sys.executable} "$@"\n')
    (bare.repo / "perf/setup/requirements.txt").write_text(f"{wanted}  # why\n")
    result = bare.function('has_modules "$root/tests/requirements.txt" && echo there || true')
    assert (result.stdout == "there\n") is there, result.stderr
