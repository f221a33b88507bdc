"""The ratio of any two variants' times at one problem, also of two that no row measured together.

Measured: one row has both. Chained: rows that share a variant each, whose ratios are multiplied. From times: each variant's
time in its own row. `portcost derive` multiplies (perf/command/derive.hpp).
"""

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


Step = tuple[Result, int]
"""One row on the way from a variant to another, and -1 where the row has them the other way round, else 1."""
OPPOSITE = {"slower": "faster", "faster": "slower"}


def between(record: Record, a: Timed, b: Timed, rows: Sequence[Result], noise: tuple[float, float] | None) -> Ratio:
    """`rows` are those of one problem, `noise` the noise floor there."""
    chain = shortest_chain(a.side.variant, b.side.variant, rows)
    if len(chain) == 1:
        return measured(*chain[0])
    terms = [term(result.id, sign=sign) for result, sign in chain] or [term(a.result.id, a.index), term(b.result.id, b.index, -1)]
    found = record.derived.product(terms, noise, runs=len(chain) or 1, apart=not chain)
    disturbed = any(row.disturbed for row in rows if row.role != "null" and {s.variant for s in row.sides}
                    & {a.side.variant, b.side.variant})
    verdict = ("unclear" if disturbed else found.verdict or "unclear") if found.interval else ""
    return Ratio(found.value, found.interval, CHAINED if chain else FROM_TIMES, verdict, disturbed)


def measured(result: Result, sign: int) -> Ratio:
    ratio, verdict = result.ratio, result.verdict
    if ratio is None:
        first, second = (side.device.median for side in result.sides[::sign])
        return Ratio(first / second, None, MEASURED)
    if sign < 0:
        ratio, verdict = Interval(1 / ratio.value, 1 / ratio.high, 1 / ratio.low), OPPOSITE.get(verdict, verdict)
    return Ratio(ratio.value, ratio, MEASURED, verdict, bool(result.disturbed))


def shortest_chain(a: str, b: str, rows: Sequence[Result]) -> list[Step]:
    """The fewest rows that lead from one variant to the other; none where more than a few would be needed."""
    edges: dict[str, list[tuple[str, Step]]] = {}
    for result in sorted(rows, key=lambda row: row.role != "pair"):
        if result.role in ("pair", "best") and result.agrees and result.blocks:
            first, second = (side.variant for side in result.sides)
            edges.setdefault(first, []).append((second, (result, 1)))
            edges.setdefault(second, []).append((first, (result, -1)))
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
