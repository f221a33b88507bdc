"""Records that were cut off, of which what is whole is read, and full disks and outputs: one line, and no half-written file."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_records import small_writer
from running import ROOT, report_of, run_tool



def test_the_report_says_that_the_end_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.part"
    path.write_text(small_writer().text(ended=False))
    done = run_tool("report", path)
    assert "the end line is missing" in done.stderr and done.stderr.count("\n") == 1
    assert all("INCOMPLETE" in page for page in report_of(path))
    whole = small_writer().write(tmp_path / "whole.jsonl")
    assert run_tool("report", whole).stderr == "" and "INCOMPLETE" not in report_of(whole)[0]


def no_file_above_300_bytes() -> None:
    """What a full disk looks like."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))


@pytest.mark.parametrize("arguments", [["report", "--table1"], ["report"], ["compare"]])
def test_a_full_output_is_one_line(arguments: list[str], small: Path, tmp_path: Path) -> None:
    tool, *options = arguments
    records = [small, small] if tool == "compare" else [small, "--out", tmp_path / "out"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, ROOT / "perf/setup/tool", tool, *records, *options],
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stderr == (f"perf/portcost {tool}: the output could not be written (No space left on " f"device)\n")


@pytest.mark.parametrize("options", [[], ["--table1"]])
def test_a_report_to_a_full_disk_is_one_line(options: list[str], tmp_path: Path) -> None:
    record, out = small_writer().write(tmp_path / "run.jsonl"), tmp_path / "out"
    done = subprocess.run([sys.executable, "-B", ROOT / "perf/setup/tool", "report", record, "--out", out,
                           *options], capture_output=True, text=True, check=False,
                          preexec_fn=no_file_above_300_bytes)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(f"perf/portcost report: {out}/") and "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(out.iterdir()) == []
