"""What readers make of variants that crashed or hung, of known defects of peers, and of files that parameters named."""

from pathlib import Path
from typing import Any

import pytest
from made_up_records import Json, Writer, disagree, tree_writer
from running import report_of, run_tool

from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.tables import details_row, remarks, results_row

VARIANT = "sum/shuffle/kokkos"
LINE = f"{VARIANT}, n=67108864, f32, cold: crashed: SIGSEGV, in its first run"


def failure(**changes: object) -> Json:
    return {"kind": "failure", "variant": VARIANT, "algorithm": "sum", "step": "shuffle", "model": "kokkos",
            "size": {"n": 2**26}, "size_text": "n=67108864", "parameters": {}, "parameters_text": "", "type": "f32",
            "regime": "cold", "when": "in its first run", "what": "crashed: SIGSEGV", **changes}


def ladder_writer() -> Writer:
    writer = Writer()
    writer.ladder("sum", {"tree": (0.55, 1.46), "shuffle": (0.9, 1.04)}, {"n": 2**26}, "f32", "cold", 4.0 * 2**26)
    return writer


def failed_writer() -> Writer:
    """The same, and the Kokkos side of one step has crashed."""
    writer = ladder_writer()
    pair = writer.find("pair", "shuffle")
    disagree(pair)
    pair |= {"failed": [VARIANT], "disagreement": f"{VARIANT} crashed: SIGSEGV, in its first run"}
    writer.lines.insert(1, failure())
    return writer


def test_a_report_shows_it_before_anything_else(tmp_path: Path) -> None:
    text, page = report_of(failed_writer().write(tmp_path / "r.jsonl"))
    assert ">failed: no ratio<" in page
    for text in (text, page):
        assert text.index(LINE) < text.index("Made-up GPU ·")
        assert "1 pair NOT priced because a side crashed or hung" in text
        assert "nswers differ" not in text and "ANSWERS DIFFER" not in text


def test_compare_fails_for_it_in_the_new_record_alone(tmp_path: Path) -> None:
    failed = failed_writer().write(tmp_path / "failed.jsonl")
    whole = ladder_writer().write(tmp_path / "whole.jsonl")
    done = run_tool("compare", whole, failed, status=1)
    assert f"FAILED in the new record: {LINE}\n" in done.stdout
    assert f"FAIL: in the new record {LINE}\n" in done.stdout
    done = run_tool("compare", failed, whole)
    assert f"FAILED in the old record: {LINE}\n" in done.stdout and "FAIL:" not in done.stdout
    assert "FAIL" not in run_tool("compare", whole, failed, "--filter", "sum/tree/*").stdout


def test_a_failure_of_a_combined_record_names_its_process(tmp_path: Path) -> None:
    writer = failed_writer()
    writer.lines[0]["processes"] = [{"seed": seed, "date": ""} for seed in (1, 2)]
    writer.lines[1]["process"] = 1
    for line in [line for line in writer.lines if line["kind"] == "result"]:
        line["processes"] = 2
    assert f"process 2: {LINE}" in report_of(writer.write(tmp_path / "r.jsonl"))[0]


@pytest.mark.parametrize(("pair", "failed", "said"), [
    ({"failed": ["sum/tree/kokkos"]}, {}, "none of its sides"),
    ({"failed": ["sum/shuffle/cuda"]}, {}, "no row says how"),
    ({"failed": [VARIANT], "agrees": True}, {}, "yet its answers agree"),
    ({"failed": VARIANT}, {}, "it is damaged"),
    *(({}, {name: None}, name) for name in ("variant", "size_text", "type", "regime", "what", "when")),
    *(({}, change, "no row says how")
      for change in ({"type": "f64"}, {"size_text": "n=8"}, {"regime": "hot"}, {"parameters_text": "skew=1"})),
])
def test_rows_that_contradict_each_other_or_lack_a_field_are_refused(tmp_path: Path, pair: Json, failed: Json, said: str) -> None:
    writer = failed_writer()
    writer.find("pair", "shuffle").update(pair)
    writer.lines[1] = {name: value for name, value in (writer.lines[1] | failed).items() if value is not None}
    with pytest.raises(RecordError, match=said):
        read_record(writer.write(tmp_path / "r.jsonl"))


# ---- Known defects of peers: shown, never priced, and no failure.

WHAT = "Adder.add adds only the first half"
DEFECT = {"what": WHAT, "reason": "line 7 counts in 16 bits", "reproducer": "variants/sum/reproducers/adder"}


def with_peer(path: Path, seen: bool, listed: bool = True) -> Path:
    """A ladder of sum and the peers "adder", wrong if `seen`, and "cub"."""
    writer = tree_writer(2**26)
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
    text, _ = report_of(with_peer(path, seen=True, listed=False))
    assert "ANSWERS DIFFER: these results" in text and "known defect" not in text


def test_a_listed_defect_that_does_not_show_is_told_beside_the_time(tmp_path: Path) -> None:
    path = with_peer(tmp_path / "r.jsonl", seen=False)
    result = read_record(path).results[-1]
    row = results_row(result)
    assert f"listed defect not seen: remove it? ({WHAT})" in remarks(result)
    assert row[1] == "–, defect not seen"
    assert row[3] == "150 µs"
    assert f"sum/adder/library, n=67108864, f32, cold: listed defect not seen: remove it? ({WHAT})" in report_of(path)[0]


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
    with pytest.raises(RecordError, match="known_defect.seen is said to be false"):
        read_record(path)


# ---- Files that parameters named.

A, B = "a" * 64, "b" * 64
UNKNOWN = {"sha256": None, "sha256_missing": "this was built without OpenSSL"}


def with_file(at: Path, **changes: Any) -> Path:
    writer = tree_writer(2**20)
    writer.lines[0]["files"] = [{"path": "in.gr", "bytes": 7, "sha256": A} | changes]
    return writer.write(at)


def test_the_report_shows_files(tmp_path: Path) -> None:
    assert f"| file in.gr | 7 bytes, SHA-256 {A} |" in report_of(with_file(tmp_path / "r.jsonl"))[0]


@pytest.mark.parametrize("changes", [{"sha256": B}, {"bytes": 8}, {"bytes": 8} | UNKNOWN])
def test_work_on_another_file_is_not_compared(tmp_path: Path, changes: dict[str, Any]):
    done = run_tool("compare", with_file(tmp_path / "old.jsonl"), with_file(tmp_path / "new.jsonl", **changes), status=2)
    assert len(done.stderr.splitlines()) == 1
    assert "measured with another in.gr" in done.stderr and f"7 bytes, SHA-256 {A}" in done.stderr


def test_work_on_the_same_file_is_compared(tmp_path: Path):
    old = with_file(tmp_path / "old.jsonl")
    run_tool("compare", old, old)
    done = run_tool("compare", old, with_file(tmp_path / "new.jsonl", **UNKNOWN))
    assert "whether both measured with the same in.gr is not known: this was built without OpenSSL" in done.stdout


@pytest.mark.parametrize("changes, said", [
    ({"bytes": "7"}, "needs 'bytes' as a whole number"),
    ({"sha256": None}, "needs 'sha256_missing' as text"), ({"path": None}, "needs 'path' as text")])
def test_a_header_that_cannot_be_right_is_refused(tmp_path: Path, changes: dict[str, Any], said: str):
    done = run_tool("report", with_file(tmp_path / "r.jsonl", **changes), "--out", tmp_path / "out", status=2)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
