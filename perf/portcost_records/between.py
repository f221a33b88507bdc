"""The ratio of any two variants' times at one problem, also of two that no row measured together.

Measured: one row has both. Chained: rows that share a variant each, whose ratios are multiplied. From times: each variant's
time in its own row. Errors add in squares; where several processes measured all rows involved, each process gives one number
instead, and is the unit. Two times of different rows also differ by what differs from row to row in one process: that is
taken from variants that the record timed in several rows.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .estimates import FEWEST_UNITS, Estimate, estimate_of, numbers_of, total, total_by_process
from .estimates import verdict as verdict_of
from .records import Interval, Record, Result, Sample

MEASURED, CHAINED, FROM_TIMES = "measured", "chained", "from times"
LONGEST_CHAIN = 3


@dataclass(frozen=True)
class Ratio:
    """time(a) / time(b)."""

    value: float
    interval: Interval | None
    how: str
    verdict: str = ""


@dataclass(frozen=True)
class Timed:
    """A variant in the row that its time is taken from."""

    result: Result
    index: int

    @property
    def side(self):
        return self.result.sides[self.index]

    @property
    def seconds(self) -> float:
        return self.side.device.median


@dataclass(frozen=True)
class Step:
    """One row on the way from a variant to another; `sign` is -1 where the row has them the other way round."""

    result: Result
    sign: int


class Ratios:
    """Ratios within one record. Samples are looked up once."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.samples = record.samples_by_result()

    def between(self, a: Timed, b: Timed, rows: Sequence[Result], noise: tuple[float, float] | None) -> Ratio:
        """`rows` are those of one problem, `noise` the noise floor there."""
        if chain := shortest_chain(a.side.variant, b.side.variant, rows):
            if len(chain) == 1:
                return measured(chain[0])
            found, how = self.sum_of([self.row_terms(step) for step in chain], len(chain)), CHAINED
        else:
            found, how = self.from_times(a, b), FROM_TIMES
        interval = found.interval
        if interval is None:
            return Ratio(found.value, None, how)
        disturbed = any(row.disturbed for row in rows if row.role != "null" and {s.variant for s in row.sides}
                        & {a.side.variant, b.side.variant})
        known = interval and noise and not disturbed
        return Ratio(found.value, interval, how, verdict_of(interval, noise) if known else "unclear")

    def row_terms(self, step: Step) -> tuple[list[Sample], Callable[[Sample], float]]:
        def log(sample: Sample) -> float:
            return math.log(sample.device_s) * step.sign * (-1 if step.result.side_index(sample) else 1)
        return self.samples[step.result.id], log

    def time_terms(self, timed: Timed, sign: int) -> tuple[list[Sample], Callable[[Sample], float]]:
        mine = [s for s in self.samples[timed.result.id] if timed.result.side_index(s) == timed.index]
        return mine, lambda sample: sign * math.log(sample.device_s)

    def sum_of(self, terms: Sequence[tuple[list[Sample], Callable[[Sample], float]]], ratios: int) -> Estimate:
        """`ratios` rows are multiplied, and each has in it what differs from run to run."""
        numbers = [numbers_of(samples, log) for samples, log in terms]
        if len(numbers[0]) > 1 and all(part.keys() == numbers[0].keys() for part in numbers):
            found = total_by_process(numbers)
        else:
            found = total([estimate_of(samples, log) for samples, log in terms])
        return replace(found, unseen=self.record.header.run_to_run * math.sqrt(ratios))

    def from_times(self, a: Timed, b: Timed) -> Estimate:
        found = self.sum_of([self.time_terms(a, 1), self.time_terms(b, -1)], 1)
        if found.unit == "process" or a.result is b.result:
            return found
        spreads = [self.row_spreads.get(timed.result.unit) or self.row_spreads.get("") for timed in (a, b)]
        if not all(spreads):
            return replace(found, units=0)  # Nothing says how far two rows differ, so there is no interval.
        between_rows = Estimate(0.0, math.hypot(*(s.error for s in spreads if s)),
                                min(s.degrees for s in spreads if s), found.unit, FEWEST_UNITS[found.unit])
        return replace(total([found, between_rows]), units=found.units, unseen=found.unseen)

    @cached_property
    def row_spreads(self) -> dict[str, Estimate]:
        """For each unit, and for all (""), by how much the log time of one variant differs between rows."""
        squares: dict[str, float] = {}
        degrees: dict[str, int] = {}
        for of_unit, logs in self.repeated_times():
            for unit in {of_unit, ""}:
                mean = math.fsum(logs) / len(logs)
                squares[unit] = squares.get(unit, 0.0) + math.fsum((x - mean) ** 2 for x in logs)
                degrees[unit] = degrees.get(unit, 0) + len(logs) - 1
        return {unit: Estimate(0.0, math.sqrt(squares[unit] / degrees[unit]), degrees[unit], "block", 8)
                for unit in squares}

    def repeated_times(self) -> list[tuple[str, list[float]]]:
        """The unit and the log times of each variant that several rows of one problem timed."""
        logs: dict[tuple[str, ...], list[float]] = {}
        for result in self.record.results:
            if not result.agrees or not result.blocks:
                continue
            # A row without a ratio does not say what its unit is.
            unit = result.unit or ("allocation" if any(one.allocation for one in self.samples[result.id]) else "block")
            names = dict.fromkeys(side.variant for side in result.sides)
            for name in names:
                mine = [s for s in self.samples[result.id] if s.variant == name]
                twice = len(result.sides) - len(names) + 1  # of a null both sides are one variant
                key = (unit, name, result.problem_text, result.type, result.regime)
                logs.setdefault(key, []).append(estimate_of(mine, lambda s: math.log(s.device_s) / twice).log)
        return [(key[0], found) for key, found in logs.items() if len(found) > 1]


def measured(step: Step) -> Ratio:
    result = step.result
    if result.ratio is None:
        times = [side.device.median for side in result.sides if side.device]
        value = times[0] / times[1] if step.sign > 0 else times[1] / times[0]
        return Ratio(value, None, MEASURED)
    if step.sign > 0:
        return Ratio(result.ratio.value, result.ratio, MEASURED, result.verdict)
    value, low, high = result.ratio.value, result.ratio.low, result.ratio.high
    opposite = {"slower": "faster", "faster": "slower"}
    return Ratio(1 / value, Interval(1 / value, 1 / high, 1 / low), MEASURED, opposite.get(result.verdict, result.verdict))


def shortest_chain(a: str, b: str, rows: Sequence[Result]) -> list[Step]:
    """The fewest rows that lead from one variant to the other; none where more than a few would be needed."""
    edges: dict[str, list[tuple[str, Step]]] = {}
    for result in sorted(rows, key=lambda row: row.role != "pair"):
        if result.role in ("pair", "best") and result.agrees and result.blocks:
            first, second = (side.variant for side in result.sides)
            edges.setdefault(first, []).append((second, Step(result, 1)))
            edges.setdefault(second, []).append((first, Step(result, -1)))
    seen, waiting = {a}, deque([(a, [])])
    while waiting:
        here, steps = waiting.popleft()
        if here == b and steps:
            return steps
        for there, step in edges.get(here, []) if len(steps) < LONGEST_CHAIN else []:
            if there not in seen:
                seen.add(there)
                waiting.append((there, [*steps, step]))
    return []
