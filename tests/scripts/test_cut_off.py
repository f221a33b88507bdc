"""Records that were cut off: what is whole is read, and the missing end is said."""

from pathlib import Path

from made_up_records import small_writer, tree_writer
from running import report_of, run_tool

from portcost_records.reading import read_record


def test_wherever_a_record_is_cut_its_whole_results_are_read(tmp_path: Path) -> None:
    text, path = tree_writer(samples=2).text(), tmp_path / "run.jsonl.part"
    ends = [0]  # where each result is whole
    for line in text.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    first, second = ends[6], ends[11]
    for size in range(first, len(text) - 1):
        path.write_text(text[:size])
        record = read_record(path)
        assert len(record.results) == (2 if size >= second - 1 else 1)
        assert not record.ended and len(record.samples) == 4 * len(record.results)
        assert f"{path}: the end line is missing" in record.missing_end()
        assert record.name == "run"


def test_the_report_says_that_the_end_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.part"
    path.write_text(small_writer().text(ended=False))
    done = run_tool("report", path)
    assert "the end line is missing" in done.stderr and done.stderr.count("\n") == 1
    assert all("INCOMPLETE" in page for page in report_of(path))
    whole = small_writer().write(tmp_path / "whole.jsonl")
    assert run_tool("report", whole).stderr == "" and "INCOMPLETE" not in report_of(whole)[0]
