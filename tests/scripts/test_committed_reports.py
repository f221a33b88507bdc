"""The committed reports are what perf/portcost report makes of their records."""

from pathlib import Path

import pytest
from portcost_records.content import default_title
from portcost_records.markdown import markdown_page
from portcost_records.overview import records_on
from portcost_records.reading import read_record
from portcost_records.ways import Boards
from running import ROOT

RESULTS = ROOT / "perf/results"
REPORTS = [path for path in sorted(RESULTS.glob("*/*.md"))]


def records_of(report: Path) -> list[Path]:
    return [report.parent / name for name in records_on(report.read_text(encoding="utf-8"))]


def test_there_are_reports_and_a_record_is_in_one():
    shown = [record for report in REPORTS for record in records_of(report)]
    assert len(shown) == len(set(shown)) > 100


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_report_is_of_its_record(report: Path):
    paths = records_of(report)
    records = [read_record(path) for path in paths]
    drawn = markdown_page([Boards(record) for record in records], default_title(records), {})
    told = (f"perf/portcost report {' '.join(str(path.relative_to(ROOT)) for path in paths)} --out FOLDER makes another report.md: "
            "put it in place of it")
    assert report.read_text(encoding="utf-8") == drawn, told
