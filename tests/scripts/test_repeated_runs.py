"""The rule of repeated runs: how many rows of two records of the same work say the same."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_records import Writer
from running import run_tool

from portcost_records.changes import Measured, Wanted
from portcost_records.estimates import RUN_TO_RUN, Estimate
from portcost_records.reading import read_record
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
    other = run_tool("compare", old, slow)
    assert "2 of 3 rows (67 %)" in other.stdout and "OUTSIDE: sum/tree n=1048576 f32 cold" in other.stdout
    assert max(map(len, other.stdout.splitlines())) <= 100
    assert "2 of 2 rows (100 %)" in run_tool("compare", old, slow, "--filter", "sum/shuffle/*").stdout
