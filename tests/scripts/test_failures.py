"""What readers make of variants that crashed or hung: shown first, never priced, and a failure of perf/portcost compare."""

from pathlib import Path

import pytest
from made_up_records import Json, Writer, disagree
from running import report_of, run_tool

from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.tables import details_row, results_row

VARIANT = "sum/shuffle/kokkos"
LINE = f"{VARIANT}, n=67108864, f32, cold: crashed: SIGSEGV, in its first run"


def failure(**changes: object) -> Json:
    """A row as portcost writes it."""
    return {"kind": "failure", "variant": VARIANT, "algorithm": "sum", "step": "shuffle", "model": "kokkos",
            "size": {"n": 2**26}, "size_text": "n=67108864", "parameters": {}, "parameters_text": "", "type": "f32",
            "regime": "cold", "when": "in its first run", "what": "crashed: SIGSEGV", **changes}


def ladder_writer() -> Writer:
    """A ladder of two steps."""
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


def test_a_failure_is_read_with_its_row(tmp_path: Path) -> None:
    record = read_record(failed_writer().write(tmp_path / "r.jsonl"))
    (found,) = record.failures
    assert (found.variant, found.what, found.when) == (VARIANT, "crashed: SIGSEGV", "in its first run")
    (result,) = [result for result in record.results if result.failed]
    assert result.fails and result.failed == (VARIANT,) and result.ratio is None
    row = results_row(result)
    assert row[1] == "FAILED" and row[2] == row[3] == row[4] == "–"
    assert details_row(result, one_clock=False)[1] == f"{VARIANT} crashed: SIGSEGV, in its first run"


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
    assert f"process 2: {LINE}" in report_of(writer.write(tmp_path / "r.jsonl"))[0]


@pytest.mark.parametrize(("change", "said"), [
    ({"failed": ["sum/tree/kokkos"]}, "none of its sides"),
    ({"failed": ["sum/shuffle/cuda"]}, "no row says how"),
    ({"failed": [VARIANT], "agrees": True}, "yet its answers agree"),
    ({"failed": VARIANT}, "'failed' as a list"),
])
def test_a_row_that_contradicts_the_failures_is_refused(tmp_path: Path, change: Json, said: str) -> None:
    writer = failed_writer()
    writer.find("pair", "shuffle").update(change)
    with pytest.raises(RecordError, match=said):
        read_record(writer.write(tmp_path / "r.jsonl"))


@pytest.mark.parametrize("name", ["variant", "size_text", "type", "regime", "what", "when"])
def test_a_failure_that_lacks_a_field_is_refused(tmp_path: Path, name: str) -> None:
    writer = failed_writer()
    del writer.lines[1][name]
    with pytest.raises(RecordError, match=name):
        read_record(writer.write(tmp_path / "r.jsonl"))


def test_a_failure_of_another_problem_explains_nothing(tmp_path: Path) -> None:
    for change in ({"type": "f64"}, {"size_text": "n=8"}, {"regime": "hot"}, {"parameters_text": "skew=1"}):
        writer = failed_writer()
        writer.lines[1].update(change)
        with pytest.raises(RecordError, match="no row says how"):
            read_record(writer.write(tmp_path / "r.jsonl"))
