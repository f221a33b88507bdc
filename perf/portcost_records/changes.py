"""What changed between two records: estimates with intervals, and verdicts. No output here."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .between import OPPOSITE
from .derived import Estimate, term
from .records import Failure, Interval, Record, Result

Key = tuple[str, str, str, str]
"""(variant or algorithm/step, size, type, regime)"""


@dataclass(frozen=True)
class Measured:
    """A variant's time or a pair's cost of portability in one record."""

    estimate: Estimate
    noise: tuple[float, float]
    disturbed: str
    verdict: str = ""
    """Of a cost of portability, as its record says."""
    sides: tuple[str, ...] = ()
    """Of a cost of portability the variants: best against best may be of other steps in another record."""


@dataclass(frozen=True)
class Change:
    key: Key
    before: Measured
    after: Measured
    noise: tuple[float, float]
    quotient: Estimate
    """after / before."""

    old = property(lambda self: self.before.estimate.value)
    new = property(lambda self: self.after.estimate.value)

    @property
    def ratio(self) -> Interval | None:
        """None where one of the records has too few units for an interval."""
        return self.quotient.interval

    @property
    def disturbed(self) -> str:
        """What others did to the machine meanwhile, in either record."""
        return "; ".join(f"{name} record: {one.disturbed}" for name, one in (("old", self.before), ("new", self.after)) if one.disturbed)

    @property
    def verdict(self) -> str:
        return self.quotient.verdict if self.ratio and not self.disturbed else "unclear"

    @property
    def errors(self) -> float:
        """The difference of the logarithms in standard errors of that difference."""
        distance, error = self.quotient.distance, self.quotient.error
        return distance / error if error > 0 else math.inf if distance > 0 else 0.0

    @property
    def turned(self) -> bool:
        return OPPOSITE.get(self.before.verdict) == self.after.verdict


@dataclass(frozen=True)
class Comparison:
    variants: list[Change]
    pairs: list[Change]
    only_old: list[Key]
    only_new: list[Key]
    wrong: list[tuple[str, Result]]
    """("old" or "new", result) for every answer that differs, known defects apart."""
    failed: list[tuple[str, Failure]]


@dataclass(frozen=True)
class Wanted:
    types: Sequence[str] = ()
    pattern: str = "*"

    def result(self, result: Result) -> bool:
        return not self.types or result.type in self.types

    def variant(self, name: str) -> bool:
        return fnmatchcase(name, self.pattern)

    def failure(self, failure: Failure) -> bool:
        return (not self.types or failure.type in self.types) and self.variant(failure.variant)

    def pair(self, result: Result) -> bool:
        return self.result(result) and any(self.variant(side.variant) for side in result.sides)


def compare_records(old: Record, new: Record, wanted: Wanted) -> Comparison:
    before, after = times(old, wanted), times(new, wanted)
    costs_before, costs_after = costs(old, wanted), costs(new, wanted)
    wrong = [(name, result) for name, record in (("old", old), ("new", new))
             for result in record.results if result.fails and not result.failed and wanted.pair(result)]
    failed = [(name, failure) for name, record in (("old", old), ("new", new))
              for failure in record.failures if wanted.failure(failure)]
    return Comparison(
        [change_of(new, key, before[key], after[key]) for key in before if key in after],
        [change_of(new, key, costs_before[key], costs_after[key]) for key in costs_before if key in costs_after],
        [key for key in before if key not in after], [key for key in after if key not in before],
        wrong, failed)


def times(record: Record, wanted: Wanted) -> dict[Key, Measured]:
    """Each variant once: from its pair or solo result rather than a repetition in another role."""
    made: dict[Key, Measured] = {}
    for result in sorted(record.results, key=lambda r: r.role not in ("pair", "solo")):
        if not wanted.result(result) or result.role == "null":
            continue
        for index, side in enumerate(result.sides):
            key = (side.variant, result.problem_text, result.type, result.regime)
            if side.device and key not in made and wanted.variant(side.variant):
                made[key] = Measured(record.derived.product([term(result.id, index)]), noise_of(record, result), result.disturbed)
    return made


def noise_of(record: Record, result: Result) -> tuple[float, float]:
    """The result's own noise floor, else the widest of the record (a solo has none of its own)."""
    if result.noise:
        return result.noise
    bands = [r.noise for r in record.results if r.noise]
    return (min((b[0] for b in bands), default=1.0), max((b[1] for b in bands), default=1.0))


def costs(record: Record, wanted: Wanted) -> dict[Key, Measured]:
    made: dict[Key, Measured] = {}
    for result in record.results:
        priced = result.agrees and result.blocks > 0
        if result.role in ("pair", "best") and priced and wanted.pair(result):
            key = (f"{result.algorithm}/{result.step}", result.problem_text, result.type, result.regime)
            made.setdefault(key, Measured(record.derived.product([term(result.id)], runs=1), noise_of(record, result),
                                          result.disturbed, result.verdict, tuple(side.variant for side in result.sides)))
    return made


def change_of(record: Record, key: Key, old: Measured, new: Measured) -> Change:
    noise = widen(old.noise, new.noise)
    return Change(key, old, new, noise, record.derived.product([new.estimate.term(1), old.estimate.term(-1)], noise))


def widen(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Both runs bring their noise, so the bands multiply; 1 always lies within."""
    return min(1.0, a[0] * b[0]), max(1.0, a[1] * b[1])


def regressions(comparison: Comparison, fail_above: float) -> Iterator[Change]:
    for change in comparison.variants:
        if change.verdict == "slower" and change.ratio and change.ratio.value > fail_above:
            yield change


def undecided(comparison: Comparison, fail_above: float) -> Iterator[Change]:
    """Variants that may hide a regression: without an interval, with one beyond what is allowed, or disturbed."""
    found = list(regressions(comparison, fail_above))
    for change in comparison.variants:
        open_ = change.ratio is None or change.ratio.high > fail_above or change.disturbed
        if change not in found and open_:
            yield change
