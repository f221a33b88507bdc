"""The table "what to write" of a README, made of a record of made-up numbers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from portcost_records.advice import changes
from portcost_records.change_table import HEADINGS, NOTHING, change_rows, marked
from portcost_records.chosen_rows import Records
from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.ways import Boards
from running import ROOT, run_tool

H200 = Records(ROOT / "perf/results")


def test_the_rows_are_the_changes_of_the_report() -> None:
    record = read_record(ROOT / "perf/results/h200.jsonl.gz")
    boards = Boards(record)
    mine = [board for board in boards.by_algorithm["heat2d"] if not board.small and (board.type, board.regime) == ("f32", "cold")]
    found = changes(boards, mine)
    rows = change_rows({"record": "h200", "algorithm": "heat2d"}, H200)
    assert [float(row[1].split()[0]) for row in rows] == [round(change.ratio.value, 3) for change in found]
    assert rows[0][0] == marked(found[0].what) and "occupancy" in " ".join(row[4] for row in rows)
    assert change_rows({"record": "h200", "algorithm": "heat2d", "most": "2"}, H200) == rows[:2]


def test_counters_may_lie_in_another_record(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in gzip.decompress((ROOT / "perf/results/h200.jsonl.gz").read_bytes()).splitlines()]
    counters = [line for line in lines if line["kind"] == "counters"]
    for name, kept in (("times", [line for line in lines if line["kind"] != "counters"]),
                       ("counted", [lines[0], *counters, {"kind": "end", "results": 0}])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
    records = Records(tmp_path)
    without = change_rows({"record": "times", "algorithm": "heat2d"}, records)
    assert {row[4] for row in without} == {"not counted"}
    assert change_rows({"record": "times", "algorithm": "heat2d", "counters": "counted"}, records) == change_rows(
        {"record": "h200", "algorithm": "heat2d"}, H200)


def test_where_nothing_gains_it_says_so() -> None:
    assert change_rows({"record": "h200_histogram", "algorithm": "histogram"}, H200) == [[NOTHING, "", "", "", ""]]


def test_names_of_code_are_marked() -> None:
    assert marked("naive, the usual way: set tile=64x4") == "`naive`, the usual way: set `tile=64x4`"
    assert marked("naive: by the book instead of the usual way") == "`naive`: by the book instead of the usual way"


@pytest.mark.parametrize(("words", "named"), [
    ({"record": "h200", "algorithm": "heat3d"}, "no ways of writing"),
    ({"record": "h200", "algorithm": "heat2d", "type": "i64"}, "no ways of writing"),
    ({"record": "h200", "algorithm": "heat2d", "step": "naive"}, "and not step"),
    ({"record": "h201", "algorithm": "heat2d"}, "there is no record h201"),
])
def test_a_wrong_choice_is_named(words: dict[str, str], named: str) -> None:
    with pytest.raises(RecordError, match=named):
        change_rows(words, H200)


def declared(folder: Path, *lines: str) -> Path:
    page = folder / "README.md"
    page.write_text("\n".join(["# Made up", "", "<!-- figures", *lines, "-->", ""]))
    return page


def test_a_declaration_of_changes_is_a_whole_table(tmp_path: Path) -> None:
    results = tmp_path / "perf/results"
    results.mkdir(parents=True)
    (results / "h200.jsonl.gz").write_bytes((ROOT / "perf/results/h200.jsonl.gz").read_bytes())
    page = declared(tmp_path, "changes | record=h200 algorithm=heat2d most=1", "changes | record=h200 algorithm=sum most=1")
    assert run_tool("readme_tables", "--write", "--root", tmp_path).returncode == 0
    table = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert table[:2] == ["| " + " | ".join(HEADINGS) + " |", "|---|---:|---:|---:|---|"] and len(table) == 4
    assert run_tool("readme_tables", "--check", "--root", tmp_path).returncode == 0
    declared(tmp_path, "label | algorithm", "changes | record=h200 algorithm=heat2d most=1")
    assert run_tool("readme_tables", "--write", "--root", tmp_path).returncode == 0
    named = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert named[:2] == [f"| algorithm {table[0]}", f"|---{table[1]}"] and named[2] == f"| `heat2d` {table[2]}"
    declared(tmp_path, "changes | record=h200 algorithm=heat2d", "row | a | step=naive")
    done = run_tool("readme_tables", "--check", "--root", tmp_path)
    assert done.returncode == 2 and "'changes' makes a whole table" in done.stderr


def test_every_algorithm_says_what_to_write() -> None:
    pages = sorted((ROOT / "variants").glob("*/README.md"))
    assert len(pages) > 10
    assert [page.parent.name for page in pages if "\n## What to write\n" not in page.read_text()] == []
