"""What changed between two records: estimates with intervals, and verdicts. No output here."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from statistics import median

from .records import Interval, Record, Result

RESAMPLES = 1000
MOST_RESAMPLED_VALUES = 2_000_000
"""Long records resample less often, so that comparing stays a matter of seconds."""
EQUAL_WITHIN = 0.01
"""An interval that touches the noise and stays within this is called equal, a wider one unclear."""

Key = tuple[str, str, str, str]
"""(variant or algorithm/step, size, type, regime)"""


@dataclass(frozen=True)
class Change:
    """One line: new against old, for a variant's time or a pair's cost of portability."""

    key: Key
    old: float
    new: float
    ratio: Interval | None
    noise: tuple[float, float]
    verdict: str


@dataclass(frozen=True)
class Timing:
    """One variant in one record."""

    median_s: float
    samples: tuple[float, ...]
    noise: tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    variants: list[Change]
    pairs: list[Change]
    only_old: list[Key]
    only_new: list[Key]
    wrong: list[tuple[str, Result]]
    """("old" or "new", result) for every answer that differs, known defects apart."""


@dataclass(frozen=True)
class Wanted:
    """Which results are compared."""

    types: Sequence[str] = ()
    pattern: str = "*"

    def result(self, result: Result) -> bool:
        return not self.types or result.type in self.types

    def variant(self, name: str) -> bool:
        return fnmatchcase(name, self.pattern)

    def pair(self, result: Result) -> bool:
        return self.result(result) and any(self.variant(side.variant) for side in result.sides)


def compare_records(old: Record, new: Record, wanted: Wanted) -> Comparison:
    before, after = timings(old, wanted), timings(new, wanted)
    costs_before, costs_after = costs(old, wanted), costs(new, wanted)
    wrong = [(name, result) for name, record in (("old", old), ("new", new))
             for result in record.results if result.fails and wanted.pair(result)]
    return Comparison(
        [time_change(key, before[key], after[key]) for key in before if key in after],
        [cost_change(key, costs_before[key], costs_after[key])
         for key in costs_before if key in costs_after],
        [key for key in before if key not in after], [key for key in after if key not in before],
        wrong)


def timings(record: Record, wanted: Wanted) -> dict[Key, Timing]:
    """Each variant once: from its pair or solo result rather than a repetition in another role."""
    samples = kept_samples(record)
    made: dict[Key, Timing] = {}
    for result in sorted(record.results, key=lambda r: r.role not in ("pair", "solo")):
        if not wanted.result(result) or result.role == "null":
            continue
        for side in result.sides:
            key = (side.variant, result.problem_text, result.type, result.regime)
            if side.device and key not in made and wanted.variant(side.variant):
                values = samples.get((result.id, side.variant), ())
                made[key] = Timing(side.device.median, tuple(values), noise_of(record, result))
    return made


def kept_samples(record: Record) -> dict[tuple[int, str], list[float]]:
    made: dict[tuple[int, str], list[float]] = {}
    for sample in record.samples:
        if sample.kept:
            made.setdefault((sample.result, sample.variant), []).append(sample.device_s)
    return made


def noise_of(record: Record, result: Result) -> tuple[float, float]:
    """The result's own noise floor, else the widest of the record (a solo has none of its own)."""
    if result.noise:
        return result.noise
    bands = [r.noise for r in record.results if r.noise]
    return (min((b[0] for b in bands), default=1.0), max((b[1] for b in bands), default=1.0))


def costs(record: Record, wanted: Wanted) -> dict[Key, Result]:
    made: dict[Key, Result] = {}
    for result in record.results:
        if result.role in ("pair", "best") and result.ratio and wanted.pair(result):
            name = f"{result.algorithm}/{result.step}"
            made.setdefault((name, result.problem_text, result.type, result.regime), result)
    return made


def time_change(key: Key, old: Timing, new: Timing) -> Change:
    noise = widen(old.noise, new.noise)
    if not old.samples or not new.samples:
        return Change(key, old.median_s, new.median_s, None, noise, "unclear")
    ratio = bootstrap(old.samples, new.samples, seed=repr(key))
    return Change(key, old.median_s, new.median_s, ratio, noise, judge(ratio, noise))


def widen(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Both runs bring their noise, so the bands multiply; 1 always lies within."""
    return min(1.0, a[0] * b[0]), max(1.0, a[1] * b[1])


def bootstrap(old: Sequence[float], new: Sequence[float], seed: str) -> Interval:
    """Median(new) / median(old) with a 95 % percentile interval; the same seed, the same answer."""
    source = random.Random(seed)
    times = max(200, min(RESAMPLES, MOST_RESAMPLED_VALUES // (len(old) + len(new))))
    ratios = sorted(median(source.choices(new, k=len(new))) / median(source.choices(old, k=len(old)))
                    for _ in range(times))
    last = len(ratios) - 1
    return Interval(median(new) / median(old), ratios[math.floor(0.025 * last)],
                    ratios[math.ceil(0.975 * last)])


def cost_change(key: Key, old: Result, new: Result) -> Change:
    """The change of a cost of portability; independent intervals add in squares of logarithms."""
    assert old.ratio and new.ratio
    log = math.log(new.ratio.value / old.ratio.value)
    down = math.hypot(math.log(new.ratio.value / new.ratio.low),
                      math.log(old.ratio.high / old.ratio.value))
    up = math.hypot(math.log(new.ratio.high / new.ratio.value),
                    math.log(old.ratio.value / old.ratio.low))
    ratio = Interval(math.exp(log), math.exp(log - down), math.exp(log + up))
    noise = widen(old.noise or (1.0, 1.0), new.noise or (1.0, 1.0))
    return Change(key, old.ratio.value, new.ratio.value, ratio, noise, judge(ratio, noise))


def judge(ratio: Interval, noise: tuple[float, float]) -> str:
    """Better or worse only with the whole interval outside the noise."""
    if ratio.high < noise[0]:
        return "faster"
    if ratio.low > noise[1]:
        return "slower"
    low, high = min(noise[0], 1 - EQUAL_WITHIN), max(noise[1], 1 + EQUAL_WITHIN)
    return "equal" if low <= ratio.low and ratio.high <= high else "unclear"


def regressions(comparison: Comparison, fail_above: float) -> Iterator[Change]:
    """Variants that became slower by more than is allowed, beyond doubt and noise."""
    for change in comparison.variants:
        if change.verdict == "slower" and change.ratio and change.ratio.value > fail_above:
            yield change


def undecided(comparison: Comparison, fail_above: float) -> Iterator[Change]:
    """Variants that no regression is found for, but whose interval does not rule one out."""
    found = list(regressions(comparison, fail_above))
    for change in comparison.variants:
        if change not in found and (change.ratio is None or change.ratio.high > fail_above):
            yield change
