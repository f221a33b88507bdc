"""What every test of the scripts may ask for, and where it finds the modules under test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "perf"), str(Path(__file__).parent)]
from machine import bare, ready  # noqa: E402, F401  (fixtures)
from profiler import tools  # noqa: E402, F401  (a fixture)
from running import GOLDEN  # noqa: E402


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A copy of the committed golden record."""
    path = tmp_path / "made_up.jsonl"
    path.write_bytes((GOLDEN / "made_up.jsonl").read_bytes())
    return path
