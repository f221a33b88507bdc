"""perf/setup/tool: the subcommands of perf/portcost that need no build, and the Python that runs them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_records import small_writer
from running import ROOT, run_tool

@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    return tmp_path / "bare/bin/python3"


def own_python(project: Path, text: str) -> None:
    fake = project / ".venv/bin/python3"
    fake.parent.mkdir(parents=True)
    fake.write_text(f"#!/bin/sh\n{text}\n")
    fake.chmod(0o755)


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
    own_python(project, 'echo "project: $*"')
    done = run(bare_python, project, tool, "a b", "--help")
    assert done.stdout == f"project: {project}/perf/setup/tool {tool} a b --help\n", done.stderr


def test_a_python_that_has_matplotlib_is_kept(project: Path):
    own_python(project, "exit 9")
    assert run(sys.executable, project, "report", "--help").stdout.startswith("usage: perf/portcost report")


def test_without_both_the_remedy_is_named(bare_python: Path, project: Path):
    small_writer().write(project / "record.jsonl")
    done = run(bare_python, project, "report", str(project / "record.jsonl"))
    assert done.returncode == 3 and "nothing is built yet" in done.stderr and "perf/prepare builds it" in done.stderr
    (project / "build").symlink_to(ROOT / "build")
    done = run(bare_python, project, "report", str(project / "record.jsonl"))
    assert done.returncode == 2
    assert "the Python module matplotlib is missing; perf/prepare brings it" in done.stderr


TOOLS = re.findall(r'^    "([a-z-]+)": \(', (ROOT / "perf/setup/tool").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("tool", TOOLS)
def test_each_subcommand_has_help(tool: str) -> None:
    assert run_tool(tool, "--help").stdout.startswith(f"usage: perf/portcost {tool} ")


def test_all_are_listed_with_a_summary_and_an_unknown_one_is_named() -> None:
    listed = [line.split()[0] for line in run_tool("--list").stdout.splitlines()[1:] if len(line.split()) > 2]
    assert len(listed) > 8 and listed == TOOLS
    done = run_tool("reprot", status=2)
    assert "no subcommand 'reprot'" in done.stderr and "report" in done.stderr


def test_none_has_the_name_of_a_subcommand_of_the_program_which_suggests_them_for_a_mistyped_name() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "perf").glob("*/*.cpp"))
    commands = set(re.findall(r'add_subcommand\(\s*"(\w+)"', text))
    assert {"list", "check", "bench", "timeline"} <= commands and not commands & set(TOOLS)
    known = re.search(r"known = \{(.*?)\};", (ROOT / "perf/command/portcost.cpp").read_text(encoding="utf-8"), re.S)
    assert known and re.findall(r'"([a-z-]+)"', known[1]) == TOOLS
