"""perf/portcost compare: what it finds between two made-up records, and its exit status."""

import re
from pathlib import Path

import pytest
from made_up_records import Writer, disagree
from running import run_tool


SIZE = {"n": 2**20}
STEPS = {"tree": (0.5, 1.2), "shuffle": (0.9, 1.02)}
SLOW = {"sum/tree/kokkos": 1.1}
ROW = "sum/tree/kokkos n=1048576 f32 cold"


def writer(samples: int = 16, **options: object) -> Writer:
    made = Writer(samples=samples, **options)  # type: ignore[arg-type]
    made.ladder("sum", STEPS, SIZE, "f32", "cold", 4.0 * 2**20)
    return made


def with_peer() -> Writer:
    """With a row that the others do not have."""
    made = writer()
    made.result("solo", "cub", SIZE, "f32", "cold", {"sum/cub/library": 1e-5}, 1e-6)
    return made


def resettled(made: Writer) -> Writer:
    """After its samples have been changed."""
    for line in made.lines:
        if line["kind"] == "result":
            made.settle(line)
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


def test_other_samples_of_the_same_speed_are_equal(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(seed=1), writer(seed=2))
    assert "4 equal" in said and "NOTE: the seed differs: 1 -> 2" in said


def test_a_regression_is_found_and_named(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(), writer(slow=SLOW, seed=2), status=1)
    assert f"FAIL: {ROW} is 1.1" in said
    assert said.count("FAIL") == 1
    assert said.count(" slower\n") == 2, "the pair's cost of portability rose as well"
    assert max(map(len, said.splitlines())) <= 100


def test_a_regression_within_the_allowance_passes_but_is_named(tmp_path: Path) -> None:
    assert "1 slower" in compare(tmp_path, writer(), writer(slow=SLOW), "--fail-above", "1.2")


def test_faster_is_not_a_failure(tmp_path: Path) -> None:
    assert "1 faster" in compare(tmp_path, writer(slow=SLOW), writer())


def test_filters_choose_variants_and_types(tmp_path: Path) -> None:
    old, new = writer(), writer(slow=SLOW)
    compare(tmp_path, old, new, "--filter", "sum/shuffle/*")
    compare(tmp_path, old, new, "--filter", "*/kokkos", status=1)
    assert "no result in common" in compare(tmp_path, old, new, "--type", "f64", status=2)


def test_a_new_disagreement_fails_loudly(tmp_path: Path) -> None:
    made = writer()
    disagree(made.find("pair", "tree"))
    said = compare(tmp_path, writer(), made, status=1)
    assert "ANSWERS DIFFER in the new record: sum/tree/kokkos" in said and "index 17" in said


def test_rows_of_one_record_only_are_listed(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(), with_peer())
    assert "only in the new record\n  sum/cub/library n=1048576 f32 cold" in said
    assert "only in the old record" not in said


def test_another_processor_is_refused_unless_asked_for(tmp_path: Path) -> None:
    old, new = writer(), writer(processor="Other")
    assert "--across-machines" in compare(tmp_path, old, new, status=2)
    assert "NOTE: the processor differs" in compare(tmp_path, old, new, "--across-machines")


def test_another_compiler_is_noted(tmp_path: Path) -> None:
    made = writer()
    made.lines[0]["build"]["compiler"] = "Clang 19"
    assert "NOTE: the compiler differs: GNU 12.2.0 -> Clang 19" in compare(tmp_path, writer(), made)


def test_samples_that_were_dropped_do_not_count(tmp_path: Path) -> None:
    made = writer(samples=20)
    for line in made.lines:
        if line["kind"] == "sample" and line["block"] >= 16:
            line |= {"kept": False, "device_s": 1.0}
    assert "4 equal" in compare(tmp_path, writer(), resettled(made))


def test_rows_that_are_missing_are_no_pass(tmp_path: Path) -> None:
    said = compare(tmp_path, with_peer(), writer(), status=4)
    assert "UNKNOWN: sum/cub/library n=1048576 f32 cold is not in the new record" in said
    assert "\nok:" not in said
    compare(tmp_path, with_peer(), writer(), "--filter", "sum/tree/*")


def test_an_interval_beyond_what_is_allowed_is_no_pass(tmp_path: Path) -> None:
    made = writer()
    for block in made.blocks_of(made.find("pair", "tree"))[:6]:
        block[0]["device_s"] *= 1.3  # three of eight pairs are slow: nobody knows which are right
    assert f"UNKNOWN: {ROW} is up to 1.2" in compare(tmp_path, writer(), resettled(made), status=4)
    compare(tmp_path, writer(), made, "--fail-above", "1.5")


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_record_without_its_end_is_no_pass(tmp_path: Path, which: str) -> None:
    said = compare(tmp_path, writer(), writer(), status=4, unended=which)
    assert f"UNKNOWN: {tmp_path}/{which}.jsonl: the end line is missing" in said


def test_a_regression_counts_more_than_what_is_missing(tmp_path: Path) -> None:
    assert "UNKNOWN" in compare(tmp_path, writer(), writer(slow=SLOW), status=1, unended="new")


def test_a_row_of_too_few_units_is_no_pass(tmp_path: Path) -> None:
    said = compare(tmp_path, writer(), writer(samples=14), status=4)
    assert f"UNKNOWN: {ROW} has too few units for an interval in one of the records" in said


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
