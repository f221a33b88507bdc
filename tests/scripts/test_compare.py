"""perf/portcost compare: what it finds between two made-up records, and its exit status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_up_records import Writer, disagree
from running import run_tool


SIZE = {"n": 2**20}
STEPS = {"tree": (0.5, 1.2), "shuffle": (0.9, 1.02)}
SLOW = {"sum/tree/kokkos": 1.1}


def record(path: Path, **options: object) -> Path:
    return writer(**options).write(path)


def writer(**options: object) -> Writer:
    made = Writer(samples=16, **options)  # type: ignore[arg-type]
    made.ladder("sum", STEPS, SIZE, "f32", "cold", 4.0 * 2**20)
    return made


def test_a_record_equals_itself(tmp_path: Path) -> None:
    old = record(tmp_path / "old.jsonl")
    done = run_tool("compare", old, old)
    assert done.returncode == 0, done.stderr
    assert "4 variants: 0 faster, 4 equal, 0 slower, 0 unclear" in done.stdout
    assert re.search(r"\n  4 rows, which differ by 0\.\d % in the median\n", done.stdout)


def test_other_samples_of_the_same_speed_are_equal(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl", seed=1), record(tmp_path / "new.jsonl", seed=2)
    done = run_tool("compare", old, new)
    assert done.returncode == 0 and "4 equal" in done.stdout
    assert "NOTE: the seed differs: 1 -> 2" in done.stdout


def test_a_regression_is_found_and_named(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl"), record(tmp_path / "new.jsonl", slow=SLOW, seed=2)
    done = run_tool("compare", old, new)
    assert done.returncode == 1
    assert "FAIL: sum/tree/kokkos n=1048576 f32 cold is 1.1" in done.stdout
    assert done.stdout.count("FAIL") == 1
    assert done.stdout.count(" slower\n") == 2, "the pair's cost of portability rose as well"
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_regression_within_the_allowance_passes_but_is_named(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl"), record(tmp_path / "new.jsonl", slow=SLOW)
    done = run_tool("compare", old, new, "--fail-above", "1.2")
    assert done.returncode == 0 and "1 slower" in done.stdout


def test_faster_is_not_a_failure(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl", slow=SLOW), record(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 0 and "1 faster" in done.stdout


def test_filters_choose_variants_and_types(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl"), record(tmp_path / "new.jsonl", slow=SLOW)
    assert run_tool("compare", old, new, "--filter", "sum/shuffle/*").returncode == 0
    assert run_tool("compare", old, new, "--filter", "*/kokkos").returncode == 1
    nothing = run_tool("compare", old, new, "--type", "f64")
    assert nothing.returncode == 2 and "no result in common" in nothing.stderr


def test_a_new_disagreement_fails_loudly(tmp_path: Path) -> None:
    made = writer()
    disagree(made.find("pair", "tree"))
    old, new = record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 1
    assert "ANSWERS DIFFER in the new record: sum/tree/kokkos" in done.stdout
    assert "index 17" in done.stdout


def test_rows_of_one_record_only_are_listed(tmp_path: Path) -> None:
    made = writer()
    made.result("solo", "cub", SIZE, "f32", "cold", {"sum/cub/library": 1e-5}, 1e-6)
    old, new = record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert "only in the new record\n  sum/cub/library n=1048576 f32 cold" in done.stdout
    assert "only in the old record" not in done.stdout


def test_another_processor_is_refused_unless_asked_for(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl"), record(tmp_path / "new.jsonl", processor="Other")
    done = run_tool("compare", old, new)
    assert done.returncode == 2 and "--across-machines" in done.stderr
    allowed = run_tool("compare", old, new, "--across-machines")
    assert allowed.returncode == 0 and "NOTE: the processor differs" in allowed.stdout


def test_another_compiler_is_noted(tmp_path: Path) -> None:
    made = writer()
    made.lines[0]["build"]["compiler"] = "Clang 19"
    old, new = record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert "NOTE: the compiler differs: GNU 12.2.0 -> Clang 19" in done.stdout


def test_samples_that_were_dropped_do_not_count(tmp_path: Path) -> None:
    made = Writer(samples=20)
    made.ladder("sum", STEPS, SIZE, "f32", "cold", 4.0 * 2**20)
    for line in made.lines:
        if line["kind"] == "sample" and line["block"] >= 16:
            line |= {"kept": False, "device_s": 1.0}
    for line in made.lines:
        if line["kind"] == "result":
            made.settle(line)
    old, new = record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 0 and "4 equal" in done.stdout


def test_rows_that_are_missing_are_no_pass(tmp_path: Path) -> None:
    made = writer()
    made.result("solo", "cub", SIZE, "f32", "cold", {"sum/cub/library": 1e-5}, 1e-6)
    old, new = made.write(tmp_path / "old.jsonl"), record(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 4
    assert "UNKNOWN: sum/cub/library n=1048576 f32 cold is not in the new record" in done.stdout
    assert "\nok:" not in done.stdout
    assert run_tool("compare", old, new, "--filter", "sum/tree/*").returncode == 0


def test_an_interval_beyond_what_is_allowed_is_no_pass(tmp_path: Path) -> None:
    made = writer()
    for block in made.blocks_of(made.find("pair", "tree"))[:6]:
        block[0]["device_s"] *= 1.3  # three of eight pairs are slow: nobody knows which are right
    for line in made.lines:
        if line["kind"] == "result":
            made.settle(line)
    old, new = record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 4, done.stdout
    assert "UNKNOWN: sum/tree/kokkos n=1048576 f32 cold is up to 1.2" in done.stdout
    assert run_tool("compare", old, new, "--fail-above", "1.5").returncode == 0


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_record_without_its_end_is_no_pass(tmp_path: Path, which: str) -> None:
    paths = {name: record(tmp_path / f"{name}.jsonl") for name in ("old", "new")}
    paths[which].write_text(writer().text(ended=False), encoding="utf-8")
    done = run_tool("compare", paths["old"], paths["new"])
    assert done.returncode == 4
    assert f"UNKNOWN: {paths[which]}: the end line is missing" in done.stdout


def test_a_regression_counts_more_than_what_is_missing(tmp_path: Path) -> None:
    old, new = record(tmp_path / "old.jsonl"), tmp_path / "new.jsonl"
    new.write_text(writer(slow=SLOW).text(ended=False), encoding="utf-8")
    done = run_tool("compare", old, new)
    assert done.returncode == 1 and "UNKNOWN" in done.stdout


def test_a_row_of_too_few_units_is_no_pass(tmp_path: Path) -> None:
    short = Writer(samples=14)
    short.ladder("sum", STEPS, SIZE, "f32", "cold", 4.0 * 2**20)
    old, new = record(tmp_path / "old.jsonl"), short.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 4
    assert ("UNKNOWN: sum/tree/kokkos n=1048576 f32 cold has too few units for an interval in one of the records"
            in done.stdout)


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_disturbed_row_is_no_pass(tmp_path: Path, which: str) -> None:
    made = {"old": writer(), "new": writer(seed=2)}
    made[which].find("pair", "tree")["disturbed"] = "other processes took 1.0 of 2 processors"
    paths = [made[name].write(tmp_path / f"{name}.jsonl") for name in ("old", "new")]
    done = run_tool("compare", *paths)
    assert done.returncode == 4
    assert (f"UNKNOWN: sum/tree/kokkos n=1048576 f32 cold was disturbed: {which} record: other processes took 1.0 of 2 "
            f"processors" in done.stdout)
    assert "2 unclear" in done.stdout and "sum/shuffle/kokkos n=1048576 f32 cold was" not in done.stdout
    assert run_tool("compare", *paths, "--filter", "sum/shuffle/*").returncode == 0


def test_a_disturbed_regression_is_not_known_to_be_one(tmp_path: Path) -> None:
    made = writer(slow=SLOW, seed=2)
    made.find("pair", "tree")["disturbed"] = "3 threads on 2 processors"
    done = run_tool("compare", record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl"))
    assert done.returncode == 4 and "FAIL" not in done.stdout
