"""What perf/portcost report advises whoever writes the usual way, and what it says was not measured."""

from pathlib import Path

import pytest
from made_up_records import Json, Writer, variant_of, ways_writer

from portcost_records.content import fronts
from portcost_records.reading import read_record
from portcost_records.ways import Boards


def advice(writer: Writer, tmp_path: Path, algorithm: str = "heat") -> list[str]:
    return [text for text, _ in fronts(Boards(read_record(writer.write(tmp_path / "r.jsonl"))))[algorithm].advice]


def rows(kokkos: dict[str, float], samples: int = 16, **change: object) -> Writer:
    """A host's pairs of one native step, of 1 ms, and the best of them."""
    writer = Writer(native="openmp", processor="Made-up CPU", samples=samples)
    for row, seconds in kokkos.items():
        add(writer, "pair", row, {variant_of(row): seconds, "heat/a/openmp": 1e-3}).update(change)
    best = min(kokkos, key=lambda row: kokkos[row])
    add(writer, "best", "best", {variant_of(best): kokkos[best], "heat/a/openmp": 1e-3})
    return writer


def add(writer: Writer, role: str, step: str, sides: dict[str, float]) -> Json:
    return writer.result(role, step, {"n": 64}, "f32", "cold", sides, 1e-4)


def test_another_way_is_offered_where_blocks_are_too_few_for_a_verdict(tmp_path: Path) -> None:
    first, *_ = advice(rows({"a.usual": 3.4e-3, "a.book": 1e-3}, samples=4), tmp_path)
    assert first.startswith("a, by the book, instead of a, the usual way: 3.")
    assert "(no interval) † times as fast, without a verdict, 3.4" in first
    assert first.endswith(" to 1.00 ms (heat/a/kokkos.usual to heat/a/kokkos.book). Of a not measured here: tuned.")
    assert "gains 2 %" not in first


def test_nothing_is_offered_without_an_interval_whose_times_overlap(tmp_path: Path) -> None:
    texts = advice(rows({"a.usual": 1.001e-3, "a.book": 1e-3}, samples=4), tmp_path)
    assert texts[0].startswith("No dial and no other way that was measured gains 2 %") and len(texts) == 2


def test_another_step_is_offered_with_what_was_not_measured_of_this_one(tmp_path: Path) -> None:
    texts = advice(rows({"a.usual": 3e-3, "b": 1e-3}), tmp_path)
    assert texts[0].startswith("b, tuned, instead of a, the usual way: ")
    assert texts[0].endswith(" Of a not measured here: by the book, tuned.") and " a verdict" not in texts[0]
    assert texts[1:] == ["Not measured here: by the book, dials. Measured: the usual way, tuned."]


def test_a_faster_step_is_offered_beside_a_change_that_leads_less_far(tmp_path: Path) -> None:
    texts = advice(ways_writer(), tmp_path)
    assert texts[0].startswith("plain, the usual way: set tile=64x4") and not any("Not measured" in text for text in texts)
    assert texts[-1].startswith("tile, tuned, instead of plain, the usual way: 8.6")


@pytest.mark.parametrize("kokkos, told", [
    ({"a": 1.2e-3}, "Not measured here: the usual way, by the book, dials. Measured: tuned."),
    ({"a.usual": 1.2e-3, "a.usual:tile=8": 1.2e-3}, "Not measured here: by the book, tuned. Measured: the usual way, dials.")])
def test_what_was_not_measured_is_said(kokkos: dict[str, float], told: str, tmp_path: Path) -> None:
    assert advice(rows(kokkos), tmp_path)[-1] == told
