"""What a report shows of rows that decide nothing, and of intervals of limits and their fractions."""

from pathlib import Path
from typing import Any

import pytest
from made_up_records import small_writer

from portcost_records.forest import right_words
from portcost_records.reading import read_record
from portcost_records.records import MachineLimit, Record, RecordError, Result
from portcost_records.tables import details_row, remarks, results_row
from portcost_records.words import rate_text


def changed(path: Path, role: str = "pair", samples: int = 16, **fields: Any) -> tuple[Record, Result]:
    """The made-up record with one result's fields changed."""
    writer = small_writer(samples=samples)
    line = writer.find(role, "naive")
    line |= fields
    record = read_record(writer.write(path / "r.jsonl"))
    return record, next(result for result in record.results if result.id == line["id"])


def test_too_few_units_show_no_ratio_and_say_why(tmp_path: Path) -> None:
    why = "7 of 8 pairs of blocks: --seconds 2 would do"
    _, result = changed(tmp_path, samples=14, undecided=why)
    row = results_row(result)
    assert (result.unit, result.units) == ("block", 7)
    assert row[1] == "–, undecided" and row[4] == "–"
    assert remarks(result) == why
    assert right_words(result, narrow=False) == ["undecided: no interval"]
    assert right_words(None, narrow=False) == ["not measured"]


def test_a_disturbed_row_says_so(tmp_path: Path) -> None:
    what = "other processes took 1.0 of 2 processors"
    _, result = changed(tmp_path, verdict="unclear", disturbed=what, undecided=f"disturbed: {what}")
    assert results_row(result)[1] == "□ unclear, disturbed"
    assert details_row(result, one_clock=False)[-1] == f"disturbed: {what}"
    _, solo = changed(tmp_path, disturbed=what)
    assert results_row(solo)[1].endswith(", disturbed") and remarks(solo) == f"disturbed: {what}"


def test_launch_gaps_are_among_the_remarks(tmp_path: Path) -> None:
    _, result = changed(tmp_path, launch_gaps="the device time of x/cuda holds gaps")
    assert remarks(result) == "the device time of x/cuda holds gaps"


def test_a_null_that_excludes_one_says_so(tmp_path: Path) -> None:
    _, result = changed(tmp_path, excludes_one=True)
    assert "excludes 1" in results_row(result)[1] and "by more than chance" in remarks(result)
    _, result = changed(tmp_path, excludes_one=False)
    assert "excludes 1" not in results_row(result)[1] and remarks(result) == "–"
    with pytest.raises(RecordError, match="'excludes_one' as true or false"):
        changed(tmp_path, excludes_one="yes")


def test_a_fraction_of_the_limit_shows_its_interval(tmp_path: Path) -> None:
    writer = small_writer()
    line = writer.find("pair", "naive", size_text="nx=16384,ny=16384,steps=1")
    fraction = line["sides"][1]["limit_fraction"]
    line["sides"][1] |= {"limit_fraction_low": fraction - 0.02, "limit_fraction_high": fraction + 0.02}
    record = read_record(writer.write(tmp_path / "r.jsonl"))
    row = results_row(next(result for result in record.results if result.id == line["id"]))
    low, middle, high = (f"{100 * x:.0f}" for x in (fraction - 0.02, fraction, fraction + 0.02))
    assert row[6] == f"{middle} % ({low} to {high})"
    assert "(" not in row[5]


def test_a_limit_shows_its_interval(tmp_path: Path) -> None:
    writer = small_writer()
    writer.lines[1] |= {"low": 1.9e12, "high": 2.1e12}
    limits = read_record(writer.write(tmp_path / "r.jsonl")).limits
    assert limits[0].interval == (1.9e12, 2.1e12)
    assert rate_text(limits[0]) == "2.00 TB/s (1.90 TB/s to 2.10 TB/s)"
    assert rate_text(MachineLimit("launch", 5e-6, "s")) == "5.00 µs"
