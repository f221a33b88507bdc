"""perf/compare: what it finds between two made-up records, and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Writer, disagree, run_tool

from portcost_records.changes import bootstrap, judge, widen
from portcost_records.records import Interval

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
    made = writer()
    for line in made.lines:
        if line["kind"] == "sample" and line["block"] >= 14:
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
    for block in made.blocks_of(made.find("pair", "tree"))[:10]:
        block[0]["device_s"] *= 1.3  # half of the samples are slow: nobody knows which half is right
    for line in made.lines:
        if line["kind"] == "result":
            made.settle(line)
    old, new = record(tmp_path / "old.jsonl"), made.write(tmp_path / "new.jsonl")
    done = run_tool("compare", old, new)
    assert done.returncode == 4, done.stdout
    assert "UNKNOWN: sum/tree/kokkos n=1048576 f32 cold is up to 1.3" in done.stdout
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


@pytest.mark.parametrize(("interval", "verdict"), [
    ((0.95, 0.94, 0.96), "faster"), ((1.1, 1.09, 1.11), "slower"), ((1.0, 0.998, 1.002), "equal"),
    ((1.004, 1.001, 1.008), "equal"), ((1.02, 0.99, 1.05), "unclear")])
def test_verdicts_need_the_whole_interval_outside_the_noise(
        interval: tuple[float, float, float], verdict: str) -> None:
    assert judge(Interval(*interval), (0.995, 1.005)) == verdict


def test_the_bootstrap_is_seeded_and_holds_the_truth() -> None:
    old, new = [1.0 + i / 1000 for i in range(40)], [1.2 + i / 1000 for i in range(40)]
    first = bootstrap(old, new, "seed")
    assert first == bootstrap(old, new, "seed") != bootstrap(old, new, "other")
    assert first.low <= 1.2195 / 1.0195 <= first.high
    assert first.low > 1.17 and first.high < 1.22


def test_noise_of_two_runs_widens_and_holds_one() -> None:
    assert widen((0.99, 1.01), (0.98, 1.0)) == pytest.approx((0.9702, 1.01))
    assert widen((1.01, 1.02), (1.01, 1.02))[0] == 1.0
