"""perf/setup/tool: the subcommands of perf/portcost that need no build."""

import re

import pytest
from running import ROOT, run_tool

TOOLS = re.findall(r'^    "([a-z-]+)": \(', (ROOT / "perf/setup/tool").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("tool", TOOLS)
def test_each_subcommand_has_help(tool: str) -> None:
    assert run_tool(tool, "--help").stdout.startswith(f"usage: perf/portcost {tool} ")


def test_all_are_listed_with_a_summary() -> None:
    listed = [line.split()[0] for line in run_tool("--list").stdout.splitlines()[1:] if len(line.split()) > 2]
    assert len(listed) > 8 and listed == TOOLS


def test_none_has_the_name_of_a_subcommand_of_the_program() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "perf").glob("*/*.cpp"))
    commands = set(re.findall(r'add_subcommand\(\s*"(\w+)"', text))
    assert {"list", "check", "bench", "timeline"} <= commands and not commands & set(TOOLS)


def test_the_program_suggests_them_for_a_mistyped_name() -> None:
    text = (ROOT / "perf/command/portcost.cpp").read_text(encoding="utf-8")
    known = re.search(r"known = \{(.*?)\};", text, re.S)
    assert known and re.findall(r'"([a-z-]+)"', known[1]) == TOOLS


def test_an_unknown_subcommand_is_named() -> None:
    done = run_tool("reprot", status=2)
    assert "no subcommand 'reprot'" in done.stderr and "report" in done.stderr
