"""A made-up installation of Nsight Compute, and a made-up portcost, for the tests of perf/portcost explain.

Every number in them is invented.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_up_records import Writer
from running import one_error, run_tool

STAND_INS = Path(__file__).resolve().parent / "nsight_compute"
READER = "extras/python/ncu_report.py"


class Tools:
    """A PATH with a made-up ncu, its module ncu_report, and a made-up portcost."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.reader = self.folder / READER
        self.reader.parent.mkdir(parents=True)
        shutil.copy(STAND_INS / "ncu_report.py", self.reader)
        for name in ("ncu", "portcost"):
            path = self.folder / name
            path.write_text(f"#!{sys.executable}\n" + (STAND_INS / f"{name}.py").read_text())
            path.chmod(0o755)

    def explain(self, *words: object, mode: str = "", status: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        settings = {**os.environ, "FAKE_NCU": mode, "PORTCOST_NCU_PLACES": "", "PATH": str(self.folder), **environment}
        return run_tool("explain", *words, "--command", self.folder / "portcost", status=status, env=settings,
                        cwd=self.folder.parent)

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]

    def called(self) -> bool:
        return (self.folder / "calls").exists()

    def profiled(self) -> list[str]:
        return [call[call.index("run") + 1] for call in self.calls()]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def counters_of(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return [row for line in text.splitlines() if (row := json.loads(line))["kind"] == "counters"]


def record_of(path: Path) -> Path:
    writer = Writer(processor="Made-up GPU")
    writer.ladder("sum", {"strided": (0.5, 1.2)}, {"n": 1024}, "f32", "cold", 4096.0)
    return writer.write(path)


def one_line(done: subprocess.CompletedProcess[str], named: str) -> None:
    one_error(done, "explain", named)
