"""Which Python runs the scripts: one that has what they need."""

import importlib.util
import io
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = "matplotlib"


def take_no_settings() -> None:
    """Neither the terminal's encoding nor a user's drawing settings stop a script after the measuring."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    os.environ.pop("MPLBACKEND", None)  # A backend that matplotlib does not know would end its import.
    os.environ["MATPLOTLIBRC"] = str(Path(__file__).with_name("matplotlibrc"))  # A file that is not UTF-8 would, too.


def use_project_environment(*needed: str) -> None:
    """Goes on in the project's own environment, .venv, where this Python lacks one of these modules (default: NEEDED)."""
    take_no_settings()
    python = ROOT / ".venv/bin/python3"
    inside = Path(sys.prefix).resolve() == python.parent.parent.resolve()
    lacking = [name for name in needed or (NEEDED,) if importlib.util.find_spec(name) is None]
    if lacking and not inside and os.access(python, os.X_OK):
        os.execv(python, [str(python), *sys.argv])
