"""Running the tools of perf, and the golden files that their output is compared with.

Run `PORTCOST_UPDATE_GOLDEN=1 pytest tests/scripts` to rewrite the golden files after a wanted
change, and read their diff before committing it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).resolve().parent / "golden"


def run_tool(tool: str, *arguments: object, status: int = 0, text: bool = True, **options: Any) -> subprocess.CompletedProcess:
    """Runs a subcommand of perf/portcost that needs no build, which must end so. `options` are those of subprocess.run."""
    command = [sys.executable, str(ROOT / "perf/setup/tool"), tool, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=text, timeout=300, check=False, **options)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def report_of(record: Path, *options: object) -> tuple[str, str]:
    """report.md and report.html of a record, which are written beside it."""
    run_tool("report", record, *options)
    text, page = (record.with_name(f"report.{ending}").read_text(encoding="utf-8") for ending in ("md", "html"))
    return text, page


class Main:
    """Calls a subcommand's main function in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def printed(self, main: Callable[[list[str]], int], *words: object) -> list[str]:
        assert main([*map(str, words)]) == 0
        return self.capsys.readouterr().out.splitlines()

    def refused(self, main: Callable[[list[str]], int], *words: object) -> str:
        """The one line with which it ends."""
        assert main([*map(str, words)]) == 2
        (line,) = self.capsys.readouterr().err.splitlines()
        return line


def check_golden(name: str, text: str) -> None:
    """Compares with the committed file, or rewrites it when asked to."""
    path = GOLDEN / name
    if os.environ.get("PORTCOST_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
