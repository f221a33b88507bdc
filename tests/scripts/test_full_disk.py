"""Full disks and outputs: one line and exit status 3, and no half-written file."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_records import small_writer
from running import ROOT


def no_file_above(size: int):
    """What a full disk looks like: files may not grow beyond `size` bytes."""
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


@pytest.mark.parametrize("arguments", [["report", "--table1"], ["report"], ["compare"]])
def test_a_full_output_is_one_line(arguments: list[str], small: Path, tmp_path: Path) -> None:
    tool, *options = arguments
    records = [small, small] if tool == "compare" else [small, "--out", tmp_path / "out"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, ROOT / "perf/setup/tool", tool, *records, *options],
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stderr == (f"perf/portcost {tool}: the output could not be written (No space left on "
                           f"device)\n")


@pytest.mark.parametrize("options", [[], ["--table1"]])
def test_a_report_to_a_full_disk_is_one_line(options: list[str], tmp_path: Path) -> None:
    record, out = small_writer().write(tmp_path / "run.jsonl"), tmp_path / "out"
    done = subprocess.run([sys.executable, "-B", ROOT / "perf/setup/tool", "report", record, "--out", out,
                           *options], capture_output=True, text=True, check=False,
                          preexec_fn=no_file_above(300))
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(f"perf/portcost report: {out}/") and "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(out.iterdir()) == []
