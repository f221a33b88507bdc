"""Figures of records as the READMEs show them. All are what the report shows, too; this only writes them shorter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .between import Ratio, Step, measured
from .chosen_rows import Records, board_line, kokkos_side, native_side, one_row, rows_where
from .counter_words import UNITS, value_text
from .records import Interval, RecordError, Result, Side
from .table_declaration import Mark, Where, where_of
from .tables import verdict_words
from .ways import Line, written_as
from .words import percent_text, ratio_text, side_median, significant, time_text

REFERENCE = re.compile(r"\{([^{}]*)\}")
QUANTITIES = ("time", "rate", "limit", "cost", "verdict", "counter", "lines", "step")
MODES = ("interval", "range", "each", "least", "most")
SIDES = ("kokkos", "native")
FLAGS = ("plain", "wall")
UNITS_OF = {"s": ("s", 1.0), "ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9), "GB/s": ("B/s", 1e9), "TB/s": ("B/s", 1e12),
            "GFLOP/s": ("FLOP/s", 1e9), "TFLOP/s": ("FLOP/s", 1e12), "G/s": ("op/s", 1e9), "T/s": ("op/s", 1e12)}
"""What a figure is written in: the unit that a row must have, and how many of these it is."""
FEW = " *"
"""Behind a ratio that has no interval."""
NO_INTERVAL = "–"
"""A cost by the caller's clock without an interval, which the readers do not calculate."""
ABSENT = "absent"
"""The cost of a step that Kokkos cannot express."""


@dataclass(frozen=True)
class Figure:
    value: float
    text: str
    """Behind which a unit may stand."""
    unit: str = ""
    mark: str = ""
    bold: bool = False

    @property
    def whole(self) -> str:
        text = f"{self.text}{self.unit}"
        return (f"**{text}**" if self.bold else text) + self.mark


@dataclass(frozen=True)
class Reference:
    """"{kokkos time us}" with what it says of the row."""

    quantity: str
    side: str
    mode: str
    unit: str
    plain: bool
    """Against the plain native code."""
    wall: bool
    """By the caller's clock."""
    counter: str
    where: Where


def reference_of(text: str, where: Where) -> Reference:
    words = text.split()
    own = where_of(" ".join(word for word in words if "=" in word))
    found = {"quantity": "", "side": "", "mode": "", "unit": "", "plain": "", "wall": "", "counter": ""}
    for word in (word for word in words if "=" not in word):
        name, _, counter = word.partition(":")
        kind = ("quantity" if name in QUANTITIES else "mode" if word in MODES else "side" if word in SIDES else
                "unit" if word in UNITS_OF else word if word in FLAGS else "")
        if not kind or found[kind]:
            known = (*QUANTITIES, *SIDES, *MODES, *FLAGS, *UNITS_OF)
            raise RecordError(f"'{{{text}}}': '{word}' is not understood; known are {', '.join(known)}")
        found[kind], found["counter"] = name, counter or found["counter"]
    if not found["quantity"]:
        raise RecordError(f"'{{{text}}}' names none of {', '.join(QUANTITIES)}")
    if (found["quantity"] == "counter") != (found["counter"] in UNITS):
        raise RecordError(f"'{{{text}}}': a counter is named as in counter:occupancy; known are {', '.join(UNITS)}")
    if found["wall"] and found["quantity"] not in ("time", "cost") or found["wall"] and "line" in where | own:
        raise RecordError(f"'{{{text}}}': 'wall' goes with time and cost, and without line=")
    return Reference(found["quantity"], found["side"], found["mode"], found["unit"], bool(found["plain"]), bool(found["wall"]),
                     found["counter"], where | own)


class Cited:
    """Fills the texts of one table."""

    def __init__(self, records: Records, marks: Sequence[Mark], bold: tuple[float, float] | None) -> None:
        self.records, self.marks, self.bold = records, marks, bold

    def filled(self, text: str, where: Where) -> str:
        """Empty where a figure of it does not exist: a library has no cost."""
        if "moved" in where:
            found = [self.records.moved.filled(match[1], where) for match in REFERENCE.finditer(text)]
        else:
            found = [self.cited(reference_of(match[1], where)) for match in REFERENCE.finditer(text)]
        if "" in found:
            return ""
        left = iter(found)
        return REFERENCE.sub(lambda _: next(left), text)

    def cited(self, asked: Reference) -> str:
        if "line" in asked.where:
            line = board_line(self.records.of(asked.where), asked.where)
            figure = self.of_line(asked, line)
            return figure if isinstance(figure, str) else figure.whole
        boards = self.records.of(asked.where)
        if asked.mode in ("", "interval"):
            figure = self.of_row(asked, one_row(boards.record, asked.where))
            return figure if isinstance(figure, str) else figure.whole
        found = [self.of_row(asked, row) for row in rows_where(boards.record, asked.where)]
        if words := [one for one in found if isinstance(one, str) and one]:
            return ", ".join(dict.fromkeys(words))
        return several(asked.mode, [one for one in found if isinstance(one, Figure)])

    def of_line(self, asked: Reference, line: Line) -> Figure | str:
        if asked.quantity == "cost":
            return self.cost(asked, line.against_plain if asked.plain else line.against_best)
        if asked.quantity == "lines":
            return str(line.lines_of_code or "")
        return self.of_side(asked, line.timed.result, line.side)

    def of_row(self, asked: Reference, result: Result) -> Figure | str:
        if not result.agrees:
            return "FAILED" if result.failed else "ANSWERS DIFFER"
        if asked.quantity == "verdict":
            return verdict_words(result)
        if asked.quantity == "cost":
            return self.cost_of_row(asked, result)
        if not asked.side:
            raise RecordError(f"{asked.quantity} needs 'kokkos' or 'native' beside it")
        side = (kokkos_side if asked.side == "kokkos" else native_side)(result)
        return self.of_side(asked, result, side) if side else ""

    def cost_of_row(self, asked: Reference, result: Result) -> Figure | str:
        if result.role == "solo":
            without = native_side(result) and not result.sides[0].is_peer and asked.where.get("way") != "usual"
            return ABSENT if without else ""
        if asked.wall and result.wall_ratio is None:
            return NO_INTERVAL
        ratio = measured(Step(result, 1))
        if asked.wall and result.wall_ratio:
            ratio = Ratio(result.wall_ratio.value, result.wall_ratio, ratio.how)
        figure = self.cost(asked, ratio)
        found = "".join(f" {mark.text}" for mark in self.marks if result in self.marked(mark, asked.where))
        return figure if isinstance(figure, str) else Figure(figure.value, figure.text, "", figure.mark + found, figure.bold)

    def marked(self, mark: Mark, where: Where) -> list[Result]:
        try:
            return rows_where(self.records.of(where).record, where | mark.where)
        except RecordError:
            return []

    def cost(self, asked: Reference, ratio: Ratio | None) -> Figure | str:
        if ratio is None:
            return ""
        written = decimals_of(asked.where) or ratio_text
        text = written(ratio.value)
        if asked.mode == "interval" and ratio.interval:
            text += bounds(ratio.interval, written)
        outside = self.bold is not None and not self.bold[0] <= ratio.value <= self.bold[1]
        return Figure(ratio.value, text, "", "" if ratio.interval else FEW, outside)

    def of_side(self, asked: Reference, result: Result, side: Side) -> Figure | str:
        if asked.quantity == "step":
            return written_as(side)
        if asked.quantity == "lines":
            return str(self.records.of(asked.where).record.header.lines.get(side.variant, ""))
        if asked.quantity == "counter":
            return self.counter(asked, result, side)
        seconds = side_median(side, "wall" if asked.wall else "device")
        if seconds is None:
            return ""
        if asked.quantity == "limit":
            return Figure(side.limit_fraction or 0.0, percent_text(side.limit_fraction).removesuffix(" %"), " %")
        if asked.quantity == "rate":
            return rate(asked, result, seconds)
        if asked.unit:
            return in_unit(asked, seconds, "s")
        number, _, unit = (time_text(seconds)).partition(" ")
        return Figure(seconds, number, " " + unit.replace("µ", "u"))

    def counter(self, asked: Reference, result: Result, side: Side) -> Figure | str:
        counted = asked.where.get("counters")
        counters = (self.records.boards(counted) if counted else self.records.of(asked.where)).record.counters
        found = next((c for c in counters if c.is_of(side.variant, result, result.type)), None)
        if found is None or asked.counter not in found.values:
            return ""
        value = found.values[asked.counter]
        text, _, unit = value_text(asked.counter, value).partition(" ")
        if unit == "%" and (written := decimals_of(asked.where)):
            text = written(value)
        return Figure(value, text, f" {unit}" if unit else "")


def rate(asked: Reference, result: Result, seconds: float) -> Figure:
    """What the limit counts, over the time."""
    if result.floor is None:
        raise RecordError(f"{result.step} of {result.algorithm} has no limit, so it has no rate")
    return in_unit(asked, result.floor.work / seconds, result.floor.unit)


def in_unit(asked: Reference, value: float, unit: str) -> Figure:
    """Without the unit, which the heading names."""
    of, size = UNITS_OF.get(asked.unit, ("a unit that is named", 1.0))
    if of != unit:
        raise RecordError(f"the row's unit is {unit}, and {asked.unit or 'none'} is asked for")
    return Figure(value, (decimals_of(asked.where) or significant)(value / size))


def decimals_of(where: Where) -> Callable[[float], str] | None:
    """How a number is rounded, where the declaration says so."""
    for key, write in (("decimals", lambda value, count: f"{value:.{count}f}"), ("digits", significant)):
        if key in where:
            if not re.fullmatch("[0-9]", where[key]):
                raise RecordError(f"{key}={where[key]} is no number from 0 to 9")
            return lambda value, key=key, write=write: write(value, int(where[key]))
    return None


def bounds(interval: Interval, written: Callable[[float], str]) -> str:
    return f" [{written(interval.low)}, {written(interval.high)}]"


def several(mode: str, figures: Sequence[Figure]) -> str:
    """Of several rows: their range, each (once, where all are the same), the least or the greatest."""
    if not figures:
        return ""
    if mode == "each":
        texts = [figure.whole for figure in figures]
        return texts[0] if len(set(texts)) == 1 else ", ".join(texts)
    low, high = min(figures, key=lambda one: one.value), max(figures, key=lambda one: one.value)
    if mode in ("least", "most"):
        return (low if mode == "least" else high).whole
    bold = "**" if any(one.bold for one in figures) else ""
    text = low.text if low.text == high.text and low.unit == high.unit else f"{low.text} to {high.text}"
    if low.unit != high.unit:
        text = f"{low.text}{low.unit} to {high.text}"
    return f"{bold}{text}{high.unit}{bold}" + (FEW if any(FEW in one.mark for one in figures) else "")
