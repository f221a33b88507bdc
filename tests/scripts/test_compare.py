"""perf/portcost compare: what it finds between two made-up records, its exit status and arithmetic, and how many rows agree."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_records import Writer, disagree
from running import run_tool

from portcost_records.changes import Change, Measured, Wanted, compare_records
from portcost_records.derived import Estimate
from portcost_records.reading import read_record
from portcost_records.records import Interval
from portcost_records.compare import repeat_lines

SIZE = {"n": 2**20}
STEPS = {"tree": (0.5, 1.2), "shuffle": (0.9, 1.02)}
SLOW = {"sum/tree/kokkos": 1.1}
ROW = "sum/tree/kokkos n=1048576 f32 cold"
KEY = ("sum/tree", "n=8", "f32", "cold")


def writer(**options: object) -> Writer:
    made = Writer(**options)  # type: ignore[arg-type]
    made.ladder("sum", STEPS, SIZE, "f32", "cold", 4.0 * 2**20)
    return made


def with_peer() -> Writer:
    """With a row that the others do not have."""
    made = writer()
    made.result("solo", "cub", SIZE, "f32", "cold", {"sum/cub/library": 1e-5}, 1e-6)
    return made


def compare(folder: Path, old: Writer, new: Writer, *words: object, status: int = 0, unended: str = "") -> str:
    """What is said of two records, of which one may lack its end."""
    paths = {"old": folder / "old.jsonl", "new": folder / "new.jsonl"}
    for made, (name, path) in zip((old, new), paths.items()):
        path.write_text(made.text(ended=name != unended), encoding="utf-8")
    done = run_tool("compare", *paths.values(), *words, status=status)
    return done.stderr if status == 2 else done.stdout


def test_a_record_equals_itself(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(), writer())
    assert "4 variants: 0 faster, 4 equal, 0 slower, 0 unclear" in said
    assert re.search(r"\n  4 rows, which differ by 0\.\d % in the median\n", said)


@pytest.mark.parametrize("old, new, words, status, said", [
    ({}, {"slow": SLOW}, ["--fail-above", "1.2"], 0, "1 slower"),
    ({"slow": SLOW}, {}, [], 0, "1 faster"),
    ({}, {"slow": SLOW, "seed": 2}, ["--filter", "sum/shuffle/*"], 0, "2 of 2 rows (100 %)"),
    ({}, {"slow": SLOW}, ["--filter", "*/kokkos"], 1, ""),
    ({}, {"slow": SLOW}, ["--type", "f64"], 2, "no result in common"),
    ({}, {"processor": "Other"}, [], 2, "--across-machines"),
    ({}, {"processor": "Other"}, ["--across-machines"], 0, "NOTE: the processor differs"),
    ({}, {"samples": 14}, [], 4, f"UNKNOWN: {ROW} has too few units for an interval in one of the records"),
], ids=["a regression within the allowance", "faster", "without the slow variant", "with the slow variant", "another type",
        "another processor", "another processor that is asked for", "too few units"])
def test_what_is_said_and_how_it_ends(tmp_path: Path, old: dict, new: dict, words: list[str], status: int, said: str) -> None:
    assert said in compare(tmp_path, writer(**old), writer(**new), *words, status=status)


def test_other_samples_of_the_same_speed_are_equal_and_another_compiler_is_noted(tmp_path: Path) -> None:
    other = writer(seed=2)
    other.lines[0]["build"]["compiler"] = "Clang 19"
    said = compare(tmp_path, writer(seed=1), other)
    assert "NOTE: the compiler differs: GNU 12.2.0 -> Clang 19" in said
    assert "4 equal" in said and "NOTE: the seed differs: 1 -> 2" in said
    assert "3 of 3 rows (100 %) differ by less" in said
    assert re.search(r"\n  [0-3] of them if s held only what a run sees in itself\n", said)


def test_a_regression_is_found_and_named(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(), writer(slow=SLOW, seed=2), status=1)
    assert f"FAIL: {ROW} is 1.1" in said and said.count("FAIL") == 1
    assert len(re.findall("(?<!not) slower\n", said)) == 2, "the pair's cost of portability rose as well"
    assert "2 of 3 rows (67 %)" in said and "OUTSIDE: sum/tree n=1048576 f32 cold" in said
    assert max(map(len, said.splitlines())) <= 100


def test_a_new_disagreement_fails_loudly(tmp_path: Path) -> None:
    made = writer()
    disagree(made.find("pair", "tree"))
    said = compare(tmp_path, writer(), made, status=1)
    assert "ANSWERS DIFFER in the new record: sum/tree/kokkos" in said and "index 17" in said


def test_rows_of_one_record_only_are_listed(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(), with_peer())
    assert "only in the new record\n  sum/cub/library n=1048576 f32 cold" in said
    assert "only in the old record" not in said


def test_samples_that_were_dropped_do_not_count(tmp_path: Path) -> None:
    made = writer(samples=20)
    for line in made.lines:
        if line["kind"] == "sample" and line["block"] >= 16:
            line |= {"kept": False, "device_s": 1.0}
    assert "4 equal" in compare(tmp_path, writer(), made)


def test_rows_that_are_missing_are_no_pass(tmp_path: Path) -> None:
    said = compare(tmp_path, with_peer(), writer(), status=4)
    assert "UNKNOWN: sum/cub/library n=1048576 f32 cold is not in the new record" in said
    assert "\nok:" not in said
    compare(tmp_path, with_peer(), writer(), "--filter", "sum/tree/*")


def test_an_interval_beyond_what_is_allowed_is_no_pass(tmp_path: Path) -> None:
    made = writer()
    pair = made.find("pair", "tree")["id"]
    for line in made.lines:
        if (line.get("result"), line.get("side")) == (pair, 0) and line["block"] < 6:
            line["device_s"] *= 1.3  # three of eight pairs are slow: nobody knows which are right
    assert f"UNKNOWN: {ROW} is up to 1.2" in compare(tmp_path, writer(), made, status=4)
    compare(tmp_path, writer(), made, "--fail-above", "1.5")


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_record_without_its_end_is_no_pass(tmp_path: Path, which: str) -> None:
    said = compare(tmp_path, writer(), writer(), status=4, unended=which)
    assert f"UNKNOWN: {tmp_path}/{which}.jsonl: the end line is missing" in said
    assert "UNKNOWN" in compare(tmp_path, writer(), writer(slow=SLOW), status=1, unended=which), "a regression counts more"


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_disturbed_row_is_no_pass(tmp_path: Path, which: str) -> None:
    made = {"old": writer(), "new": writer(seed=2)}
    made[which].find("pair", "tree")["disturbed"] = "other processes took 1.0 of 2 processors"
    said = compare(tmp_path, *made.values(), status=4)
    assert f"UNKNOWN: {ROW} was disturbed: {which} record: other processes took 1.0 of 2 processors" in said
    assert "2 unclear" in said and "sum/shuffle/kokkos n=1048576 f32 cold was" not in said
    compare(tmp_path, *made.values(), "--filter", "sum/shuffle/*")


def test_a_disturbed_regression_is_not_known_to_be_one(tmp_path: Path) -> None:
    made = writer(slow=SLOW, seed=2)
    made.find("pair", "tree")["disturbed"] = "3 threads on 2 processors"
    assert "FAIL" not in compare(tmp_path, writer(), made, status=4)


# ---- How many rows of two records agree.


ERROR = 0.003
"""Standard error of a log ratio."""


def estimate(log: float, error: float = ERROR) -> Estimate:
    interval = Interval(math.exp(log), math.exp(log - 2 * error), math.exp(log + 2 * error))
    return Estimate(math.exp(log), interval, "", abs(log), error, error, {})


def row(new: float, verdicts: tuple[str, str] = ("", "")) -> Change:
    """A log ratio of 0, and then this one."""
    sides = [Measured(estimate(log), (1.0, 1.0), "", verdict) for log, verdict in zip((0.0, new), verdicts)]
    return Change(KEY, *sides, (1.0, 1.0), estimate(new, ERROR * 2**0.5))


def test_rows_outside_are_listed_and_counted() -> None:
    lines = repeat_lines([row(0.001)] * 9 + [row(0.02)])
    assert "  9 of 10 rows (90 %) differ by less than 1.96 sqrt(s1^2 + s2^2)" in lines
    assert [line for line in lines if "OUTSIDE" in line] == [
        "  OUTSIDE: sum/tree n=8 f32 cold: 1.000 -> 1.020, 4.7 standard errors"]
    assert lines[-1] == "  no verdict turned from slower to faster or back"
    assert repeat_lines([]) == []


def test_best_against_best_of_other_steps_says_so() -> None:
    one = row(0.02)
    other = replace(one, before=replace(one.before, sides=("a/x/kokkos", "a/x/cuda")),
                    after=replace(one.after, sides=("a/y/kokkos", "a/x/cuda")))
    line = next(line for line in repeat_lines([other]) if "OUTSIDE" in line)
    assert line.endswith("standard errors (of a/x/kokkos and a/x/cuda, then a/y/kokkos and a/x/cuda)")


@pytest.mark.parametrize(("verdicts", "turned"), [
    (("slower", "faster"), True), (("faster", "slower"), True), (("slower", "equal"), False),
    (("", ""), False), (("unclear", "slower"), False), (("slower", "slower"), False)])
def test_a_verdict_that_turned_is_said(verdicts: tuple[str, str], turned: bool) -> None:
    lines = repeat_lines([row(0.0, verdicts)])
    assert ("  TURNED: sum/tree n=8 f32 cold: {} -> {}".format(*verdicts) in lines) is turned
    assert ("  no verdict turned from slower to faster or back" in lines) is not turned


def test_standard_errors_come_from_the_samples(tmp_path: Path) -> None:
    old, new = (read_record(writer(seed=seed).write(tmp_path / f"{seed}.jsonl")) for seed in (1, 2))
    rows = compare_records(old, new, Wanted()).pairs
    assert [row.key[0] for row in rows] == ["sum/tree", "sum/shuffle", "sum/best"]
    for one, *results in zip(rows, old.results[1:], new.results[1:]):  # behind the noise floor
        halves = []
        for measured, result in zip((one.before, one.after), results):
            assert measured.estimate.interval and result.ratio
            assert vars(measured.estimate.interval) == pytest.approx(vars(result.ratio))
            assert measured.verdict == result.verdict
            halves.append(measured.estimate.error)
        assert one.quotient.error == pytest.approx(math.hypot(*halves)) and one.quotient.seen < one.quotient.error
        assert one.ratio.value == pytest.approx(results[1].ratio.value / results[0].ratio.value)
