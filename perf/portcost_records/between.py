"""The ratio of any two variants' times at one problem, also of two that no row measured together.

Measured: one row has both. Chained: rows that share a variant each, whose ratios are multiplied. From times: each variant's
time in its own row. `portcost derive` multiplies (perf/command/ratios.hpp).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from .derived import term
from .records import Interval, Record, Result

MEASURED, CHAINED, FROM_TIMES = "measured", "chained", "from times"
LONGEST_CHAIN = 3


@dataclass(frozen=True)
class Ratio:
    """time(a) / time(b)."""

    value: float
    interval: Interval | None
    how: str
    verdict: str = ""
    disturbed: bool = False


@dataclass(frozen=True)
class Timed:
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
    def __init__(self, record: Record) -> None:
        self.record = record

    def between(self, a: Timed, b: Timed, rows: Sequence[Result], noise: tuple[float, float] | None) -> Ratio:
        """`rows` are those of one problem, `noise` the noise floor there."""
        chain = shortest_chain(a.side.variant, b.side.variant, rows)
        if len(chain) == 1:
            return measured(chain[0])
        terms = [term(step.result.id, sign=step.sign) for step in chain]
        how = CHAINED if chain else FROM_TIMES
        if not chain:
            terms = [term(a.result.id, a.index), term(b.result.id, b.index, -1)]
        found = self.record.derived.product(terms, noise, runs=len(chain) or 1, apart=not chain)
        disturbed = any(row.disturbed for row in rows if row.role != "null" and {s.variant for s in row.sides}
                        & {a.side.variant, b.side.variant})
        return Ratio(found.value, found.interval, how, ("unclear" if disturbed else found.verdict or "unclear") if found.interval else "",
                     disturbed)


def measured(step: Step) -> Ratio:
    result = step.result
    if result.ratio is None:
        times = [side.device.median for side in result.sides if side.device]
        value = times[0] / times[1] if step.sign > 0 else times[1] / times[0]
        return Ratio(value, None, MEASURED)
    if step.sign > 0:
        return Ratio(result.ratio.value, result.ratio, MEASURED, result.verdict, bool(result.disturbed))
    value, low, high = result.ratio.value, result.ratio.low, result.ratio.high
    opposite = {"slower": "faster", "faster": "slower"}
    return Ratio(1 / value, Interval(1 / value, 1 / high, 1 / low), MEASURED, opposite.get(result.verdict, result.verdict),
                 bool(result.disturbed))


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
