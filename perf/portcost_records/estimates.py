"""The estimate of a ratio as portcost defines it (src/statistics.hpp), computed again to verify records.

A pair of blocks gives the mean of its two log ratios. With several allocations each gives one number, the trimmed mean of
its pairs; else each pair does. The interval is Student's t on the trimmed mean of these numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .records import Interval

FEWEST_UNITS = 8
SMALLEST_CLAIM = 0.005
WIDEST_EQUAL = 0.02


def estimate(logs: Sequence[Sequence[float]]) -> tuple[float, Interval | None]:
    """The ratio, and its 95 % interval unless there are too few units; `logs` holds a list of pairs an allocation."""
    units = list(logs[0]) if len(logs) == 1 else [trimmed_mean(part)[0] for part in logs if part]
    mean, error, degrees = trimmed_mean(units)
    if len(units) < FEWEST_UNITS:
        return math.exp(mean), None
    half = student_t(degrees) * error
    return math.exp(mean), Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


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
