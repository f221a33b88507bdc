"""What a report shows of rows that decide nothing, of intervals of limits, and of times and ratios that disagree."""

import re
from pathlib import Path

import pytest
from made_up_records import Writer, small_writer
from running import report_of, run_tool

from portcost_records.records import Interval
from portcost_records.words import THESE_TIMES, differing


@pytest.mark.parametrize("value, ends, a, b, said", [
    (1.162, (1.1, 1.22), 677e-6, 700e-6, "; these times: 0.967"),
    (1.792, (1.7, 1.9), 11.1e-6, 7.13e-6, "; these times: 1.557"),
    (1.162, (1.1, 1.3), 1.3, 1.0, ""),
    (2.0, (1.999, 2.001), 2.0004, 1.0, ""),
    (2.0, (1.999, 2.001), 2.003, 1.0, "; these times: 2.003"),
    (2.0, None, 2.03, 1.0, ""),
    (2.0, None, 2.05, 1.0, "; these times: 2.050"),
    (2.0, (1.9, 2.1), None, 1.0, "")])
def test_times_that_are_not_the_ratio_are_told(value: float, ends: tuple[float, float] | None, a: float | None, b: float,
                                               said: str) -> None:
    assert differing(value, Interval(value, *ends) if ends else None, a, b) == said


def two_levels() -> Writer:
    """Kokkos takes 1 ms; of each pair of native blocks one takes 1 ms and one 2 ms. By hand: the ratio is 1/sqrt(2), the native
    median 1.5 ms, and the quotient of both medians 0.667."""
    writer = Writer()
    for role, step in (("pair", "tree"), ("best", "best")):
        result = writer.result(role, step, {"n": 64}, "f32", "cold", {"sum/tree/kokkos": 1e-3, "sum/tree/cuda": 1e-3}, 1e-4)
        for line in [line for line in writer.lines if line.get("result") == result["id"]]:
            line["device_s"] = 2e-3 if line["variant"].endswith("cuda") and line["block"] % 2 else 1e-3
            line["wall_s"] = 2 * line["device_s"]
    return writer


def test_every_table_says_so_and_why(tmp_path: Path) -> None:
    done = run_tool("report", two_levels().write(tmp_path / "r.jsonl"))
    text, page = ((tmp_path / name).read_text(encoding="utf-8") for name in ("report.md", "report.html"))
    cell = "0.707 (0.705 to 0.709); these times: 0.667"
    for told in (text, page):
        # The ways, best against best with both clocks, the results, and their details with the wall times.
        assert told.count(cell) >= 6 and told.count(THESE_TIMES) == 4
    assert re.search(r"\| tree \|.*\| 1\.00 ms \| 1\.50 ms \| 0\.707 \(0\.705 to 0\.709\); these times: 0\.667 \|", text)
    assert "0.707 [0.705, 0.709] §" in done.stdout and "§ the times of these lines have another quotient" in done.stdout


def test_best_against_best_of_other_forms_is_told(tmp_path: Path) -> None:
    writer = small_writer()
    sides = {"heat2d/plain/kokkos.usual": 1e-3, "heat2d/naive/cuda": 1e-3}
    told = "Best against best is of the forms that were measured at its size"
    assert told not in report_of(writer.write(tmp_path / "same.jsonl"))[0]
    writer.result("pair", "plain.usual", {"nx": 256, "ny": 256, "steps": 1}, "f32", "cold", sides, 1e-4)
    for page in report_of(writer.write(tmp_path / "other.jsonl")):
        assert told in page and "f32, cold: nx=256,ny=256,steps=1 3 and 2; nx=2048,ny=2048,steps=1 2 and 2; " in page
