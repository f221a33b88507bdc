"""Unequal work: what is said where the counters of a pair's sides differ, and where nothing is."""

import json
from pathlib import Path

import pytest
from portcost_records.differences import unequal
from portcost_records.reading import read_record
from portcost_records.why import explained
from profiler import Tools, counters_of, one_line, record_of
from running import report_of, run_tool

BASE = {"dram_bytes": 1e9, "instructions": 1e7, "loads": 4e6, "barriers": 12e6, "atomic_operations": 1e6, "kernels": 3.0}


@pytest.mark.parametrize(("key", "word"), [("dram_bytes", "bytes"), ("loads", "loads"), ("barriers", "barriers"),
                                           ("atomic_operations", "atomic operations"), ("kernels", "launches")])
def test_more_than_five_percent_is_unequal_in_either_direction(key: str, word: str) -> None:
    for factor in (1.06, 1 / 1.06):
        assert [work.word for work in unequal(BASE | {key: factor * BASE[key]}, BASE)] == [word]
    for factor in (1.04, 1 / 1.04, 1.0):
        assert not unequal(BASE | {key: factor * BASE[key]}, BASE)


def test_what_is_small_against_the_work_is_no_difference() -> None:
    small = BASE | {"instructions": 1e8, "dram_bytes": 5e3, "barriers": 0.0, "loads": 0.0, "atomic_operations": 0.0}
    assert not unequal(small | {"dram_bytes": 9e5, "barriers": 9e4}, small)
    assert [work.word for work in unequal(small | {"dram_bytes": 2e6, "barriers": 2e5, "atomic_operations": 2e5}, small)] == [
        "bytes", "barriers", "atomic operations"]


def said(done: str) -> str:
    return " ".join(done.split())


def test_explain_says_it_of_pairs_and_keeps_the_reason(tools: Tools, tmp_path: Path) -> None:
    text = said(tools.explain("sum/strided", "--out", tmp_path, mode="unequal").stdout)
    assert text.count("Unequal work: barriers (warps) 144 against 36 (4.000 x), because it is made up.") == 1
    assert "atomic operations" in text and "loads of global memory" in text
    row = next(row for row in counters_of(tmp_path / "counters.jsonl") if row["variant"] == "sum/strided/kokkos")
    assert row["reasons"] == {"barriers": "it is made up"}
    assert row["values"]["loads"] == 2 * 24 and row["values"]["atomic_operations"] == 2 * 8
    assert "reasons" not in next(row for row in counters_of(tmp_path / "counters.jsonl") if row["variant"] == "sum/strided/cuda")


@pytest.mark.parametrize(("way", "told"), [("usual", False), ("book", True)])
def test_usual_forms_are_free_to_do_other_work_and_those_by_the_book_are_not(tools: Tools, way: str, told: bool) -> None:
    text = said(tools.explain(f"sum/strided.{way}", "--only", mode="unequal").stdout)
    assert "barriers (warps)" in text
    assert (("Unequal work" in text), ("because it is made up" in text)) == (told, told)


def test_the_report_says_it(tools: Tools, tmp_path: Path) -> None:
    record = record_of(tmp_path / "run.jsonl")
    tools.explain("sum/strided", "--only", "--record", record, mode="unequal")
    (group,) = explained(read_record(record).counters)
    assert [pair.equal_work for pair in group.pairs()] == [True]
    for text in report_of(record):
        assert "Unequal work: barriers" in text and "because it is made up" in text
    lines = record.read_text().splitlines()
    record.write_text("\n".join(json.dumps(json.loads(line) | {"reasons": {"barriers": 7}}) if '"reasons"' in line else line
                                for line in lines) + "\n")
    assert "'reasons' needs 'barriers' as text" in run_tool("report", record, "--out", tmp_path / "again", status=2).stderr


def test_reasons_are_renewed_and_nothing_is_counted(tools: Tools, tmp_path: Path) -> None:
    record = record_of(tmp_path / "run.jsonl")
    tools.explain("sum/strided", "--only", "--record", record, mode="unequal")
    counted = counters_of(record)
    without = [{key: value for key, value in row.items() if key != "reasons"} for row in counted]
    assert without != counted
    rows = [json.loads(line) for line in record.read_text().splitlines()]
    record.write_text("".join(json.dumps({key: value for key, value in row.items() if key != "reasons"}) + "\n" for row in rows))
    assert counters_of(record) == without
    for said in ("other reasons: 1", "other reasons: 0"):
        assert said in tools.explain("--reasons", "--record", record).stdout
        assert counters_of(record) == counted
    one_line(tools.explain("--reasons", status=2), "--record")
    one_line(tools.explain("sum/strided", "--reasons", "--record", record, status=2), "PAIR")
    one_line(tools.explain("--record", record, status=2), "PAIR")
