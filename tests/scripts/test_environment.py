"""perf/portcost report, compare and explain find the project's own Python where the one at hand lacks matplotlib."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_records import small_writer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A Python without matplotlib."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    return tmp_path / "bare/bin/python3"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "perf/setup").mkdir(parents=True)
    shutil.copy(ROOT / "perf/setup/tool", tmp_path / "perf/setup/tool")
    shutil.copytree(ROOT / "perf/portcost_records", tmp_path / "perf/portcost_records")
    return tmp_path


def run(python: Path | str, project: Path, tool: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([python, project / "perf/setup/tool", tool, *words], cwd="/", capture_output=True, text=True, check=False)


@pytest.mark.parametrize("tool", ["report", "compare", "explain"])
def test_the_projects_environment_goes_on(bare_python: Path, project: Path, tool: str):
    fake = project / ".venv/bin/python3"
    fake.parent.mkdir(parents=True)
    fake.write_text('#!/bin/sh\necho "project: $*"\n')
    fake.chmod(0o755)
    done = run(bare_python, project, tool, "a b", "--help")
    assert done.stdout == f"project: {project}/perf/setup/tool {tool} a b --help\n", done.stderr


def test_a_python_that_has_matplotlib_is_kept(project: Path):
    fake = project / ".venv/bin/python3"
    fake.parent.mkdir(parents=True)
    fake.write_text("#!/bin/sh\nexit 9\n")
    fake.chmod(0o755)
    assert run(sys.executable, project, "report", "--help").stdout.startswith("usage: perf/portcost report")


def test_without_both_the_remedy_is_named(bare_python: Path, project: Path):
    small_writer().write(project / "record.jsonl")
    done = run(bare_python, project, "report", str(project / "record.jsonl"))
    assert done.returncode == 2
    assert "the Python module matplotlib is missing; perf/prepare brings it" in done.stderr
