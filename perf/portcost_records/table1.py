"""The lecture's Table 1 for heat2d, with this machine's columns beside it."""

from __future__ import annotations

from dataclasses import dataclass

from .records import Record, RecordError, Result, Side
from .tables import Table
from .words import interval_text, model_name, native_name, side_median, significant

# Seconds and speed-up as the lecture prints them (its speed-ups come from unrounded seconds).
LECTURE = {"naive": ("7.41", "1"), "full_halo": ("6.26", "1.17"), "inner_halo": ("5.96", "1.23"),
           "sliding_strip": ("4.03", "1.85")}
LECTURE_TRANSFER_S = 0.6
BEYOND_LECTURE = "register_march"
SIZE = {"nx": 14400, "ny": 14400, "steps": 100}
HOW = ("portcost bench 'heat2d/{step}/*' --size nx=14400,ny=14400,steps=100 "
       "--type f32 --sync phase")


@dataclass(frozen=True)
class Way:
    """One row: the lecture's seconds and speed-up, and this machine's result, where either exists."""

    label: str
    step: str
    lecture: tuple[str, str]
    result: Result | None

    def side(self, kokkos: bool) -> Side | None:
        """Kokkos's, or the hand-written one; a step that one of them lacks has the other alone."""
        sides = self.result.sides if self.result else ()
        return next((side for side in sides if (side.model == "kokkos") == kokkos), None)

    def seconds(self, kokkos: bool) -> float | None:
        return side_median(self.side(kokkos), "wall")


def table1(record: Record) -> str:
    """The whole table as Markdown."""
    found = {r.step: r for r in reversed(record.results) if belongs(r)}
    if not any(step in found for step in LECTURE):
        raise RecordError(
            f"{record.path}: no way of heat2d with {size_text()}, f32; run: "
            + HOW.format(step="*"))
    ways = [Way(f"Way {number}: {step}", step, printed, found.get(step))
            for number, (step, printed) in enumerate(LECTURE.items(), start=1)]
    if BEYOND_LECTURE in found:
        ways.append(Way(f"{BEYOND_LECTURE} (not in the lecture)", BEYOND_LECTURE, ("–", "–"),
                        found[BEYOND_LECTURE]))
    native = native_name(list(found.values()))
    return "\n".join([
        "# Table 1: the heat equation, four ways\n",
        f"14400 x 14400 float, 100 steps, tiles of 32 x 16; wall time. Lecture: GTX 260. "
        f"This machine: {record.header.processor}.\n",
        ways_table(ways, native).markdown(), *notes(record, ways)])


def belongs(result: Result) -> bool:
    return (result.algorithm == "heat2d" and result.role in ("pair", "solo")
            and result.type == "f32" and result.size == SIZE)


def size_text() -> str:
    return ",".join(f"{key}={value}" for key, value in SIZE.items())


def ways_table(ways: list[Way], native: str) -> Table:
    first = ways[0]
    rows = []
    for way in ways:
        rows.append([
            way.label, *way.lecture,
            seconds_text(way.seconds(kokkos=False)), speedup(first.seconds(False), way.seconds(False)),
            seconds_text(way.seconds(kokkos=True)), speedup(first.seconds(True), way.seconds(True)),
            price(way.result)])
    return Table(["way", "lecture, s", "speed-up", f"{native}, s", "speed-up", "Kokkos, s",
                  "speed-up", f"Kokkos / {native}, wall (95 %)"], rows)


def seconds_text(seconds: float | None) -> str:
    return "–" if seconds is None else significant(seconds)


def speedup(first: float | None, this: float | None) -> str:
    return "–" if first is None or this is None else f"{first / this:.2f}"


def price(result: Result | None) -> str:
    if result and not result.agrees:
        return "FAILED" if result.failed else "ANSWERS DIFFER"
    return interval_text(result.wall_ratio) if result else "–"


def lone_model(way: Way) -> str:
    """The model of a way that was measured without its twin; empty when it has both sides."""
    sides = way.result.sides if way.result else ()
    return model_name(sides[0].model) if len(sides) == 1 else ""


def notes(record: Record, ways: list[Way]) -> list[str]:
    made = [f"Speed-up is over Way 1 in the same column. The lecture reports {LECTURE_TRANSFER_S} s for "
            "the transfers between host and device; this machine's columns include none.\n"]
    if (sync := record.header.settings.get("sync")) != "phase":
        made.append(f"The lecture synchronises the host once a step; this record was measured with "
                    f"sync = {sync}.\n")
    regimes = dict.fromkeys(way.result.regime for way in ways if way.result)
    made.append(f"Cache regime: {', '.join(regimes)}.\n")
    for way in ways:
        alone = lone_model(way)
        if not way.result:
            made.append(f"Not in this record: {way.step}. To measure it: "
                        f"`{HOW.format(step=way.step)}`\n")
        elif way.result.failed:
            made.append(f"{way.step} has no times: {way.result.disagreement}\n")
        elif not way.result.agrees:
            made.append(f"{way.step} has no times: the answers of {model_name('kokkos')} and the "
                        f"native variant differ: {way.result.disagreement}\n")
        elif alone:
            made.append(f"{way.step} was measured with {alone} alone, so it has no ratio.\n")
    return made
