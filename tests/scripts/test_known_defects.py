"""What readers make of known defects of peers: shown, never priced, and no failure."""

from pathlib import Path

import pytest
from made_up_records import Json, Writer, disagree, tree_writer
from running import report_of, run_tool

from portcost_records.choose import groups_at_main_size
from portcost_records.figures import ladder
from portcost_records.ladder import rungs
from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.tables import details_row, remarks, results_row

WHAT = "Adder.add adds only the first half"
DEFECT = {"what": WHAT, "reason": "line 7 counts in 16 bits", "reproducer": "variants/sum/reproducers/adder"}


def with_peer(path: Path, seen: bool, listed: bool = True) -> Path:
    """A ladder of sum and the peers "adder", wrong if `seen`, and "cub"."""
    writer = tree_writer(n=2**26)
    peer: Json = {}
    for name in ("cub", "adder"):
        peer = writer.result("solo", name, {"n": 2**26}, "f32", "cold", {f"sum/{name}/library": 1.5e-4}, 4.0 * 2**26 / 2e12)
    if seen:
        disagree(peer)
    if listed:
        peer["known_defect"] = {**DEFECT, "seen": seen}
    return writer.write(path)


def test_a_known_defect_is_told_in_its_row_and_above_the_tables(tmp_path: Path) -> None:
    path = with_peer(tmp_path / "r.jsonl", seen=True)
    result = read_record(path).results[-1]
    row = results_row(result)
    assert row[1] == "known defect: no time" and row[2] == row[3] == row[4] == "–"
    agreement = details_row(result, one_clock=False)[1]
    assert "index 17: 1.5 against 1.25" in agreement and WHAT in agreement
    for text in report_of(path):
        line = (f"sum/adder/library, n=67108864, f32, cold: known defect: {WHAT}. Reason: {DEFECT['reason']}. "
                f"Reproducer: {DEFECT['reproducer']}")
        assert text.index(line) < text.index("known defect: no time")
        assert "ANSWERS DIFFER" not in text and "Answers differ" not in text


def test_a_wrong_answer_that_is_not_listed_is_an_alarm(tmp_path: Path) -> None:
    text, _ = report_of(with_peer(tmp_path / "r.jsonl", seen=True, listed=False))
    assert "ANSWERS DIFFER: these results" in text and "known defect" not in text


def test_a_listed_defect_that_does_not_show_is_told_beside_the_time(tmp_path: Path) -> None:
    path = with_peer(tmp_path / "r.jsonl", seen=False)
    result = read_record(path).results[-1]
    row = results_row(result)
    assert f"listed defect not seen: remove it? ({WHAT})" in remarks(result)
    assert row[1] == "–, defect not seen"
    assert row[3] == "150 µs"
    assert f"sum/adder/library, n=67108864, f32, cold: listed defect not seen: remove it? ({WHAT})" in report_of(path)[0]


def test_the_ladder_has_a_rung_for_it_without_a_bar(tmp_path: Path) -> None:
    record = read_record(with_peer(tmp_path / "r.jsonl", seen=True))
    (group,) = groups_at_main_size(record, "sum")
    made = {rung.step: rung for rung in rungs(group)}
    assert [side.variant for side in made["adder"].broken] == ["sum/adder/library"]
    assert made["adder"].sides == () and made["cub"].broken == ()
    picture = ladder(record, "sum")
    assert picture and "sum/adder/library has no time: a known defect" in picture.alt
    for figure in (picture.wide, picture.narrow):
        texts = [text.get_text() for ax in figure.axes for text in ax.texts]
        assert texts.count("known defect: no time") == 1 and "adder" in texts
    record = read_record(with_peer(tmp_path / "right.jsonl", seen=False))
    assert all(not rung.broken for rung in rungs(groups_at_main_size(record, "sum")[0]))


def test_a_record_of_a_known_defect_alone_still_makes_a_page(tmp_path: Path) -> None:
    writer = Writer()
    peer = writer.result("solo", "adder", {"n": 64}, "f32", "cold", {"sum/adder/library": 1.5e-4}, 1e-9)
    disagree(peer)
    peer["known_defect"] = {**DEFECT, "seen": True}
    assert WHAT in report_of(writer.write(tmp_path / "alone.jsonl"))[0]


def test_compare_shows_it_and_does_not_fail_for_it(tmp_path: Path) -> None:
    old, new = (with_peer(tmp_path / name, seen=True) for name in ("old.jsonl", "new.jsonl"))
    done = run_tool("compare", old, new)
    assert "KNOWN DEFECT in the new record: sum/adder/library" in done.stdout
    assert "ANSWERS DIFFER" not in done.stdout
    unlisted = with_peer(tmp_path / "unlisted.jsonl", seen=True, listed=False)
    run_tool("compare", old, unlisted, status=1)


def test_a_row_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    path = with_peer(tmp_path / "r.jsonl", seen=True)
    path.write_text(path.read_text(encoding="utf-8").replace('"seen": true', '"seen": false'), encoding="utf-8")
    with pytest.raises(RecordError, match="a known defect is seen where an answer is wrong"):
        read_record(path)
