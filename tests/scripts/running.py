"""Running the tools of perf, and the golden files that their output is compared with.

Run `PORTCOST_UPDATE_GOLDEN=1 pytest tests/scripts` to rewrite the golden files after a wanted
change, and read their diff before committing it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).resolve().parent / "golden"


def run_tool(tool: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a subcommand of perf/portcost that needs no build."""
    command = [sys.executable, str(ROOT / "perf/setup/tool"), tool, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def check_golden(name: str, text: str) -> None:
    """Compares with the committed file, or rewrites it when asked to."""
    path = GOLDEN / name
    if os.environ.get("PORTCOST_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
