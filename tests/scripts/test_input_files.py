"""Files that parameters named: what readers of records make of them."""

from pathlib import Path
from typing import Any

import pytest
from made_up_records import tree_writer
from running import report_of, run_tool

A, B = "a" * 64, "b" * 64
UNKNOWN = {"sha256": None, "sha256_missing": "this was built without OpenSSL"}


def record(at: Path, **changes: Any) -> Path:
    writer = tree_writer(n=2**20)
    writer.lines[0]["files"] = [{"path": "in.gr", "bytes": 7, "sha256": A} | changes]
    return writer.write(at)


def test_the_report_shows_them(tmp_path: Path):
    assert f"| file in.gr | 7 bytes, SHA-256 {A} |" in report_of(record(tmp_path / "r.jsonl"))[0]


@pytest.mark.parametrize("changes", [{"sha256": B}, {"bytes": 8}, {"bytes": 8} | UNKNOWN])
def test_work_on_another_file_is_not_compared(tmp_path: Path, changes: dict[str, Any]):
    done = run_tool("compare", record(tmp_path / "old.jsonl"), record(tmp_path / "new.jsonl", **changes), status=2)
    assert len(done.stderr.splitlines()) == 1
    assert "measured with another in.gr" in done.stderr and f"7 bytes, SHA-256 {A}" in done.stderr


def test_work_on_the_same_file_is_compared(tmp_path: Path):
    old = record(tmp_path / "old.jsonl")
    run_tool("compare", old, old)
    done = run_tool("compare", old, record(tmp_path / "new.jsonl", **UNKNOWN))
    assert "whether both measured with the same in.gr is not known: this was built without OpenSSL" in done.stdout


@pytest.mark.parametrize("changes, said", [
    ({"sha256": "abc"}, "the SHA-256 of 'in.gr' is 'abc', which is none"), ({"sha256": A.upper()}, "which is none"),
    ({"bytes": -1}, "'in.gr' has -1 bytes"), ({"bytes": "7"}, "needs 'bytes' as a whole number"),
    ({"sha256": None}, "needs 'sha256_missing' as text"), ({"path": None}, "needs 'path' as text")])
def test_a_header_that_cannot_be_right_is_refused(tmp_path: Path, changes: dict[str, Any], said: str):
    done = run_tool("report", record(tmp_path / "r.jsonl", **changes), "--out", tmp_path / "out", status=2)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
