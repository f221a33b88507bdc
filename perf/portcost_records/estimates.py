"""Estimates of ratios and times as portcost defines them (src/statistics/statistics.hpp), computed from samples: to verify records
and to compare them.

A pair of blocks gives the mean of its two logarithms. With several allocations each gives one number, the trimmed mean of
its pairs; else each pair does. With several processes each process gives one, the trimmed mean of its numbers. The interval
is Student's t on the trimmed mean of what there is. A ratio of two variants has in it, too, what differs from run to run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .records import Interval, Sample

FEWEST_UNITS = {"allocation": 8, "process": 3, "block": 8}
SMALLEST_CLAIM = 0.005
WIDEST_EQUAL = 0.02
RUN_TO_RUN = 0.0015
"""Standard deviation of a run's log ratio beyond what the run sees in itself."""
NORMAL = 1.959963984540054
"""95 % of a normal distribution lie within so many standard deviations."""


@dataclass(frozen=True)
class Estimate:
    """A ratio or a time as a logarithm with its standard error: of what the run sees, and of what it does not."""

    log: float
    error: float
    degrees: int
    unit: str
    units: int
    unseen: float = 0.0

    @property
    def whole_error(self) -> float:
        return math.hypot(self.error, self.unseen)

    @property
    def value(self) -> float:
        return math.exp(self.log)

    @property
    def decided(self) -> bool:
        return self.units >= FEWEST_UNITS[self.unit]

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval, unless there are too few units."""
        return interval_of(self.log, self.error, self.degrees, self.unseen) if self.decided else None


def interval_of(log: float, error: float, degrees: int, unseen: float = 0.0) -> Interval:
    half = math.hypot(student_t(degrees) * error, NORMAL * unseen)
    return Interval(math.exp(log), math.exp(log - half), math.exp(log + half))


def estimate(logs: Sequence[Sequence[float]], several: str = "allocation") -> Estimate:
    """`logs` holds a list of numbers an allocation or process; `several` says which where there are more."""
    alone = len(logs) == 1
    units = list(logs[0]) if alone else [trimmed_mean(part)[0] for part in logs if part]
    return Estimate(*trimmed_mean(units), "block" if alone else several, len(units))


def estimate_of(samples: Sequence[Sample], log: Callable[[Sample], float]) -> Estimate:
    """From the samples of one result, `log` giving what each adds to its block: the logarithm of a time, with the sign that
    its side has in a ratio. Dropped samples say only that their allocation was there."""
    numbers = numbers_of(samples, log)
    if len(numbers) == 1:
        return estimate(next(iter(numbers.values())))
    return estimate([numbers_of_process(parts, numbers) for parts in numbers.values()], "process")


Numbers = dict[int, list[list[float]]]
"""Of each process a list of numbers an allocation: one for each pair of blocks."""


def numbers_of(samples: Sequence[Sample], log: Callable[[Sample], float]) -> Numbers:
    lists: dict[tuple[int, int], dict[int, float]] = {}
    for sample in samples:
        pairs = lists.setdefault((sample.process, sample.allocation), {})
        if sample.kept:
            pair = sample.block // 2
            pairs[pair] = pairs.get(pair, 0.0) + log(sample) / 2
    made: Numbers = {process: [] for process in sorted({process for process, _ in lists})}
    for (process, _), pairs in lists.items():
        made[process].append(list(pairs.values()))
    return made


def numbers_of_process(parts: list[list[float]], of_all: Numbers) -> list[float]:
    """The numbers of one process: of each allocation, or of each pair of blocks where no process has more than one."""
    if all(len(other) < 2 for other in of_all.values()):
        return [number for part in parts for number in part]
    return [trimmed_mean(part)[0] for part in parts if part]


def total(parts: Sequence[Estimate]) -> Estimate:
    """The sum of independent logarithms: errors add in squares, degrees of freedom are Welch's; decided where each part is."""
    least = min(parts, key=lambda part: part.units / FEWEST_UNITS[part.unit])
    return Estimate(math.fsum(part.log for part in parts), math.hypot(*(part.error for part in parts)),
                    welch_degrees(*parts), least.unit, least.units, math.hypot(*(part.unseen for part in parts)))


def total_by_process(parts: Sequence[Numbers]) -> Estimate:
    """The sum of logarithms that the same processes measured: each process gives one number, the sum of its own."""
    numbers = [math.fsum(trimmed_mean(numbers_of_process(part[process], part))[0] for part in parts) for process in parts[0]]
    return estimate([[number] for number in numbers], "process")


def difference(new: Estimate, old: Estimate) -> Interval | None:
    """new / old where both are decided."""
    return total([new, replace(old, log=-old.log)]).interval


def welch_degrees(*estimates: Estimate) -> int:
    parts = sum(e.error ** 4 / e.degrees for e in estimates if e.degrees)
    if parts == 0:
        return min(e.degrees for e in estimates)
    return math.floor(sum(e.error ** 2 for e in estimates) ** 2 / parts * (1 + 1e-12))


def trimmed_mean(values: Sequence[float]) -> tuple[float, float, int]:
    """Mean without a tenth at each end, standard error (Tukey and McLaughlin 1963), degrees of freedom."""
    ordered = sorted(values)
    cut = len(ordered) // 10
    kept = ordered[cut:len(ordered) - cut]
    mean = math.fsum(kept) / len(kept)
    if len(kept) < 2:
        return mean, 0.0, 0
    winsorized = [min(max(value, kept[0]), kept[-1]) for value in ordered]
    middle = math.fsum(winsorized) / len(winsorized)
    squares = math.fsum((value - middle) ** 2 for value in winsorized)
    return mean, math.sqrt(squares / (len(kept) * (len(kept) - 1))), len(kept) - 1


def student_t(degrees: int, confidence: float = 0.95) -> float:
    """The point that |T| stays below with this probability."""
    low, high = 0.0, 1.0
    while probability_within(high, degrees) < confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if probability_within(middle, degrees) < confidence else (low, middle)
    return high


def probability_within(t: float, degrees: int) -> float:
    """P(|T| <= t) as a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    odd = degrees % 2 == 1
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for i in range(1 if odd else 0, degrees - 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (i + 1) / (i + 2)
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def verdict(ratio: Interval, noise: tuple[float, float]) -> str:
    """What the interval says beside the noise floor, which is taken to both sides of 1."""
    low = min(noise[0], 1 / noise[1], 1 - SMALLEST_CLAIM)
    high = max(noise[1], 1 / noise[0], 1 + SMALLEST_CLAIM)
    if ratio.low > high:
        return "slower"
    if ratio.high < low:
        return "faster"
    low, high = max(low, 1 - WIDEST_EQUAL), min(high, 1 + WIDEST_EQUAL)
    return "equal" if low <= ratio.low and ratio.high <= high else "unclear"
