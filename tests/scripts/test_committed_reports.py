"""The committed reports are what perf/portcost report makes of their records."""

from __future__ import annotations

from pathlib import Path

import pytest
from portcost_records.content import default_title
from portcost_records.markdown import markdown_page
from portcost_records.reading import read_record
from portcost_records.ways import Boards
from running import ROOT

RESULTS = ROOT / "perf/results"
REPORTS = [path for path in sorted(RESULTS.glob("*/*.md"))]


def record_of(report: Path) -> Path:
    found = [report.with_suffix(ending) for ending in (".jsonl.gz", ".jsonl.part", ".jsonl.part.gz")]
    return next((path for path in found if path.exists()), found[0])


def test_there_are_reports():
    assert REPORTS


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_report_is_of_its_record(report: Path):
    records = [read_record(record_of(report))]
    drawn = markdown_page([Boards(record) for record in records], default_title(records), {})
    told = f"perf/portcost report {record_of(report).relative_to(ROOT)} --out FOLDER makes another report.md: put it in place of it"
    assert report.read_text(encoding="utf-8") == drawn, told
