"""Two records of the same work: the arithmetic of perf/portcost compare, and how many rows say the same."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_records import Writer
from running import run_tool

from portcost_records.changes import Measured, Wanted, widen
from portcost_records.estimates import RUN_TO_RUN, Estimate, difference, student_t, verdict, welch_degrees
from portcost_records.reading import read_record
from portcost_records.records import Interval
from portcost_records.repeats import Repeat, repeat_lines, repeats

SIZE = {"n": 2**20}
STEPS = {"tree": (0.5, 1.2), "shuffle": (0.9, 1.02)}
KEY = ("sum/tree", "n=8", "f32", "cold")


def row(old: float, new: float, error: float = 0.003, verdicts: tuple[str, str] = ("", ""),
        units: int = 8) -> Repeat:
    """Two log ratios, each with this standard error."""
    sides = [Measured(Estimate(log, error, 7, "allocation", units), (1.0, 1.0), "", verdict)
             for log, verdict in zip((old, new), verdicts)]
    return Repeat(KEY, *sides)


def writer(**options: object) -> Writer:
    made = Writer(**options)  # type: ignore[arg-type]
    made.ladder("sum", STEPS, SIZE, "f32", "cold", 4.0 * 2**20)
    return made


def test_the_rule_counts_standard_errors_of_the_difference() -> None:
    error = 0.003 * 2**0.5
    assert row(0.0, 1.95 * error).within and row(1.95 * error, 0.0).within
    assert not row(0.0, 1.97 * error).within
    assert row(0.01, 0.04).errors == pytest.approx(0.03 / error)
    assert row(0.01, 0.01, error=0).within and not row(0.01, 0.02, error=0).within


def test_rows_outside_are_listed_and_counted() -> None:
    lines = repeat_lines([row(0.0, 0.001)] * 9 + [row(0.0, 0.02)])
    assert "  9 of 10 rows (90 %) differ by less than 1.96 sqrt(s1^2 + s2^2)" in lines
    assert [line for line in lines if "OUTSIDE" in line] == [
        "  OUTSIDE: sum/tree n=8 f32 cold: 1.000 -> 1.020, 4.7 standard errors"]
    assert lines[-1] == "  no verdict turned from slower to faster or back"
    assert repeat_lines([]) == []


def test_best_against_best_of_other_steps_says_so() -> None:
    one = row(0.0, 0.02)
    other = Repeat(KEY, replace(one.old, sides=("a/x/kokkos", "a/x/cuda")),
                   replace(one.new, sides=("a/y/kokkos", "a/x/cuda")))
    line = next(line for line in repeat_lines([other]) if "OUTSIDE" in line)
    assert line.endswith("standard errors (of a/x/kokkos and a/x/cuda, then a/y/kokkos and a/x/cuda)")


@pytest.mark.parametrize(("verdicts", "turned"), [
    (("slower", "faster"), True), (("faster", "slower"), True), (("slower", "equal"), False),
    (("", ""), False), (("unclear", "slower"), False), (("slower", "slower"), False)])
def test_a_verdict_that_turned_is_said(verdicts: tuple[str, str], turned: bool) -> None:
    lines = repeat_lines([row(0.0, 0.0, verdicts=verdicts)])
    assert ("  TURNED: sum/tree n=8 f32 cold: {} -> {}".format(*verdicts) in lines) is turned
    assert ("  no verdict turned from slower to faster or back" in lines) is not turned


def test_rows_without_an_interval_are_not_judged() -> None:
    lines = repeat_lines([row(0.0, 0.5, units=7)])
    assert "  1 row without an interval in one of the records" in lines
    assert not any("differ by less" in line or "OUTSIDE" in line for line in lines)


def test_what_a_run_sees_is_told_apart() -> None:
    """A difference of 0.003 is 1.8 standard errors with what no run sees, and infinitely many without."""
    one = replace(row(0.0, 0.003), old=replace(row(0.0, 0.0).old, estimate=Estimate(0.0, 0.0, 7, "allocation", 8, 0.0015)),
                  new=replace(row(0.0, 0.0).new, estimate=Estimate(0.003, 0.0, 7, "allocation", 8, 0.0015)))
    assert one.within and not one.within_seen
    assert "  0 of them if s held only what a run sees in itself" in repeat_lines([one])


def test_standard_errors_come_from_the_samples(tmp_path: Path) -> None:
    old, new = (read_record(writer(seed=seed).write(tmp_path / f"{seed}.jsonl")) for seed in (1, 2))
    rows = repeats(old, new, Wanted())
    assert [row.key[0] for row in rows] == ["sum/tree", "sum/shuffle", "sum/best"]
    for one, result in zip(rows, old.results):
        interval = one.old.estimate.interval
        assert interval and result.ratio
        seen, whole = (math.log(one.high / one.low) / 2 for one in (result.ratio, interval))
        assert interval.value == pytest.approx(result.ratio.value)
        assert whole == pytest.approx(math.hypot(seen, 1.959964 * RUN_TO_RUN))
        assert one.old.verdict == result.verdict


def test_compare_prints_the_rule(tmp_path: Path) -> None:
    old = writer(seed=1).write(tmp_path / "old.jsonl")
    same = run_tool("compare", old, writer(seed=2).write(tmp_path / "same.jsonl"))
    assert "3 of 3 rows (100 %) differ by less" in same.stdout
    assert re.search(r"\n  [0-3] of them if s held only what a run sees in itself\n", same.stdout)
    slow = writer(seed=2, slow={"sum/tree/kokkos": 1.1}).write(tmp_path / "slow.jsonl")
    other = run_tool("compare", old, slow, status=1)
    assert "2 of 3 rows (67 %)" in other.stdout and "OUTSIDE: sum/tree n=1048576 f32 cold" in other.stdout
    assert max(map(len, other.stdout.splitlines())) <= 100
    assert "2 of 2 rows (100 %)" in run_tool("compare", old, slow, "--filter", "sum/shuffle/*").stdout


@pytest.mark.parametrize(("interval", "expected"), [
    ((0.95, 0.94, 0.96), "faster"), ((1.1, 1.09, 1.11), "slower"), ((1.0, 0.998, 1.002), "equal"),
    ((1.004, 1.001, 1.008), "unclear"), ((1.02, 0.99, 1.05), "unclear")])
def test_verdicts_are_those_of_a_measurement(interval: tuple[float, float, float], expected: str) -> None:
    assert verdict(Interval(*interval), (0.995, 1.005)) == expected


def test_errors_of_two_records_add_in_squares() -> None:
    old, new = Estimate(0.02, 0.003, 7, "allocation", 8), Estimate(0.05, 0.004, 7, "allocation", 8)
    ratio = difference(new, old)
    assert ratio and ratio.value == pytest.approx(math.exp(0.03))
    half = student_t(12) * 0.005  # (9 + 16)^2 / ((81 + 256) / 7) = 12.98
    assert math.log(ratio.high) == pytest.approx(0.03 + half)
    assert math.log(ratio.low) == pytest.approx(0.03 - half)
    assert difference(new, Estimate(0.02, 0.003, 6, "allocation", 7)) is None
    assert difference(Estimate(0.02, 0.003, 1, "process", 2), old) is None


def test_degrees_of_freedom_of_a_difference() -> None:
    exact, loose = Estimate(0, 1e-9, 2, "process", 3), Estimate(0, 0.01, 7, "allocation", 8)
    assert welch_degrees(exact, loose) == 7  # the other adds nothing
    assert welch_degrees(loose, loose) == 14
    still = Estimate(0, 0, 5, "block", 8)
    assert welch_degrees(still, Estimate(0, 0, 7, "block", 8)) == 5


def test_noise_of_two_runs_widens_and_holds_one() -> None:
    assert widen((0.99, 1.01), (0.98, 1.0)) == pytest.approx((0.9702, 1.01))
    assert widen((1.01, 1.02), (1.01, 1.02))[0] == 1.0
