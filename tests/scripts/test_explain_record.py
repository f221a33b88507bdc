"""perf/portcost explain: what follows from the counters, what of them goes into a record, and what the report says of them."""

import gzip
import json
from pathlib import Path

import pytest
from made_up_records import tree_writer
from profiler import Tools, counters_of, one_line, record_of
from running import report_of, run_tool

from portcost_records.differences import differences, unequal
from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.why import explained


def test_counters_go_into_a_copy_of_a_record(tools: Tools, tmp_path: Path) -> None:
    record = record_of(tmp_path / "run.jsonl")
    before = record.read_text()
    tools.explain("sum/strided", "--record", record, "--out", tmp_path / "out")
    copy = tmp_path / "out" / "run.jsonl"
    assert record.read_text() == before
    assert len(read_record(copy).results) == len(read_record(record).results)
    assert read_record(copy).ended, "counters stand before the end line"
    assert [row["variant"] for row in counters_of(copy)] == [
        "sum/interleaved/kokkos", "sum/interleaved/cuda", "sum/strided/kokkos", "sum/strided/cuda"]
    row = counters_of(copy)[2]
    assert row["size_text"] == "n=1024" and row["type"] == "f32" and row["rung"] == 1
    assert row["units"].keys() == row["values"].keys()
    assert sum(kernel["launches"] for kernel in row["kernels"]) == 2
    assert list(copy.parent.iterdir()) == [copy]
    run_tool("compare", record, copy)


def test_a_stop_keeps_what_was_counted(tools: Tools, tmp_path: Path) -> None:
    done = tools.explain("sum/strided", "--out", tmp_path, mode="stopped", status=128 + 15)
    assert done.stderr.splitlines()[-1] == "perf/portcost explain: stopped by SIGTERM: 2 of 4 variants are counted"
    names = ["sum/interleaved/kokkos", "sum/interleaved/cuda"]
    assert [row["variant"] for row in counters_of(tmp_path / "counters.jsonl")] == names
    assert all(name in done.stdout for name in names) and "sum/strided" not in done.stdout


def test_values_add_up_or_are_the_longest_kernels(tools: Tools, tmp_path: Path) -> None:
    tools.explain("sum/strided", "--only", "--out", tmp_path)
    values = counters_of(tmp_path / "counters.jsonl")[0]["values"]
    assert values["seconds"] == pytest.approx(15e-6)
    assert values["registers"] == 24 and values["kernels"] == 2
    assert values["instructions"] == 3200 and values["instructions_per_element"] == 100
    assert values["dram_bytes"] == 2 * 4160 and values["barriers"] == 144
    assert values["stall_long_scoreboard"] == pytest.approx(60)
    assert "local_loads" not in values


def test_counters_taken_again_replace_the_old(tools: Tools, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl.gz"
    record.write_bytes(gzip.compress(record_of(tmp_path / "plain.jsonl").read_bytes()))
    for _ in range(2):
        tools.explain("sum/strided", "--only", "--record", record)
    assert len(counters_of(record)) == 2
    tools.explain("sum/strided", "--only", "--size", "n=2048", "--record", record)
    assert len(counters_of(record)) == 4


def test_a_record_that_takes_no_counters_is_named_before_anything_runs(tools: Tools, tmp_path: Path) -> None:
    cut = record_of(tmp_path / "cut.jsonl")
    cut.write_text("".join(cut.read_text().splitlines(keepends=True)[:-1]))
    for record, named in ((cut, "the end line is missing"), (tmp_path / "no.jsonl", "no such file")):
        one_line(tools.explain("sum/strided", "--record", record, status=2), named)
        assert not tools.called()
    record = tree_writer(processor="Another GPU").write(tmp_path / "run.jsonl")
    before = record.read_text()
    one_line(tools.explain("sum/strided", "--record", record, status=2), "Another GPU")
    assert record.read_text() == before


def test_a_record_of_counters_alone_makes_a_report(tools: Tools, tmp_path: Path) -> None:
    tools.explain("sum/strided", "--out", tmp_path)
    text, _ = report_of(tmp_path / "counters.jsonl")
    assert "## sum: why" in text and "## All results" not in text


@pytest.mark.parametrize(("field", "value", "message"), [
    ("kernels", "none", "'kernels' as a list"),
    ("values", {"seconds": -1}, "not a positive number"),
    ("values", {"lanes": "many"}, "needs 'lanes'"),
])
def test_broken_counters_are_refused(tmp_path: Path, field: str, value: object, message: str) -> None:
    row = {"kind": "counters", "variant": "sum/a/cuda", "size_text": "n=1", "type": "f32",
           "kernels": [], "values": {}} | {field: value}
    path = record_of(tmp_path / "run.jsonl")
    *lines, end = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, json.dumps(row), end, ""]), encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        read_record(path)


# ---- What follows from the counters, and which of them are named as different.


def test_the_largest_three_come_first_and_no_zero_divides() -> None:
    a = {"dram_bytes": 2e9, "instructions_per_element": 30.0, "working_lanes": 16.0,
         "registers": 64.0, "bank_conflicts": 5e6, "shared_wavefronts": 6e6}
    b = {"dram_bytes": 1e9, "instructions_per_element": 10.0, "working_lanes": 32.0,
         "registers": 32.0, "bank_conflicts": 0.0, "shared_wavefronts": 1e6}
    found = differences(a, b)
    assert [d.key for d in found] == ["bank_conflicts", "dram_bytes", "instructions_per_element"]
    assert "bank conflicts 5.00 M against 0" in found[0].text()


def test_without_those_an_element_all_instructions_of_as_many_launches_are_compared() -> None:
    a, b = {"instructions": 1.5e8, "kernels": 12.0}, {"instructions": 5.3e7, "kernels": 12.0}
    assert [d.text() for d in differences(a, b)] == ["warp instructions 150 M against 53.0 M (2.830 x)"]
    assert [d.key for d in differences(a, b | {"kernels": 24.0})] == ["kernels"], "of other launches"
    each = {"instructions_per_element": 10.0}
    assert differences(a | each, b | each) == []


def test_a_counter_that_speaks_for_the_slower_side_counts_half() -> None:
    fast, slow = {"occupancy": 50.0, "seconds": 1.0}, {"occupancy": 90.0, "seconds": 1.5}
    (excuse,) = differences(slow, fast)
    (cause,) = differences(fast | {"seconds": 2.0}, slow)
    assert excuse.score == pytest.approx(cause.score / 2)


# ---- Unequal work: what is said where the counters of a pair's sides differ, and where nothing is.


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
