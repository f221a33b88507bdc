"""Holds what a result says against its samples, so that a record that was changed is noticed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

from .estimates import estimate, verdict
from .records import Interval, Record, RecordError, Result, Sample, Side, Spread

CLOCKS: tuple[tuple[str, Callable[[Sample], float], Callable[[Side], Spread | None]], ...] = (
    ("device", lambda sample: sample.device_s, lambda side: side.device),
    ("wall", lambda sample: sample.wall_s, lambda side: side.wall))
ALLOWED = 1e-8
"""Relative difference that rounding may make."""


def check_against_samples(record: Record) -> None:
    """Raises RecordError, naming the row, where a result and its samples contradict each other."""
    samples: dict[int, list[Sample]] = {result.id: [] for result in record.results}
    for sample in record.samples:
        samples[sample.result].append(sample)
    for result in record.results:
        ResultCheck(record, result, samples[result.id]).run()


class ResultCheck:
    """One result and its samples."""

    def __init__(self, record: Record, result: Result, samples: list[Sample]) -> None:
        self.record, self.result, self.samples = record, result, samples

    def fail(self, what: str) -> NoReturn:
        r = self.result
        raise RecordError(
            f"{self.record.path}: result {r.id} ({r.role} {r.algorithm}/{r.step} {r.problem_text} "
            f"{r.type} {r.regime}): {what}: the record was changed; measure again with perf/run")

    def run(self) -> None:
        result = self.result
        if not result.agrees:
            if self.samples:
                self.fail("its answers differ, and yet it has samples")
            return
        self.check_counts()
        if result.blocks == 0:
            if result.ratio or any(side.device or side.wall for side in result.sides):
                self.fail("it has times or a ratio, and no block was kept")
            return
        sides = self.kept_by_side()
        if sides is not None:
            for index, side in enumerate(result.sides):
                self.check_side(side, sides[index])
            if len(sides) == 2:
                self.check_ratios(*sides)

    def check_counts(self) -> None:
        """Every block has one sample of each side, and is kept or dropped whole."""
        result, width = self.result, len(self.result.sides)
        blocks: dict[tuple[int, int], list[Sample]] = {}
        for sample in self.samples:
            blocks.setdefault((sample.allocation, sample.block), []).append(sample)
        for (_, number), block in blocks.items():
            if len(block) != width or len({sample.kept for sample in block}) != 1:
                self.fail(f"block {number} is not one sample of each side, kept or dropped together")
        kept = sum(block[0].kept for block in blocks.values())
        if (kept, len(blocks) - kept) != (result.blocks, result.dropped):
            self.fail(f"it counts {result.blocks} kept and {result.dropped} dropped blocks, and its "
                      f"samples make {kept} and {len(blocks) - kept}")

    def kept_by_side(self) -> list[list[Sample]] | None:
        """The kept samples of each side in the order of their blocks; None where rows do not say
        which side they are of (a null without it)."""
        names = [side.variant for side in self.result.sides]
        sides: list[list[Sample]] = [[] for _ in names]
        for sample in sorted(self.samples, key=lambda sample: (sample.allocation, sample.block)):
            if sample.variant not in names:
                self.fail(f"a sample is of {sample.variant}, which is none of its sides")
            index = sample.side
            if index is None and names.count(sample.variant) == 1:
                index = names.index(sample.variant)
            if index is None:
                return None
            if not 0 <= index < len(names) or names[index] != sample.variant:
                self.fail(f"a sample of {sample.variant} says that it is of side {index}")
            if sample.kept:
                sides[index].append(sample)
        if any(len(side) != self.result.blocks for side in sides):
            self.fail("a block has two samples of one side")
        return sides

    def check_side(self, side: Side, samples: list[Sample]) -> None:
        for clock, time, stated in CLOCKS:
            spread = stated(side)
            if spread is None:
                self.fail(f"{side.variant} has samples, and no {clock} times")
            times = sorted(time(sample) for sample in samples)
            for name, share in (("min", 0.0), ("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
                self.compare(f"the {name} of the {clock} times of {side.variant}",
                             getattr(spread, name), quantile(times, share))
        if self.result.floor and side.device:
            self.compare(f"the share of the limit of {side.variant}", side.limit_fraction or 0.0,
                         self.result.floor.floor_s / side.device.median)

    def check_ratios(self, first: list[Sample], second: list[Sample]) -> None:
        for clock, time, _ in CLOCKS:
            logs = pair_logs(first, second, time)
            value, interval = estimate(logs)
            name = "ratio" if clock == "device" else "wall_ratio"
            stated = getattr(self.result, name)
            if interval is None:
                if stated is not None:
                    self.fail(f"its samples are too few for an interval of {clock} times")
                continue
            if stated is None:
                self.fail(f"it has samples of two sides, and no ratio of {clock} times")
            for part in ("value", "low", "high"):
                self.compare(f"the ratio of {clock} times ({part})", getattr(stated, part), getattr(interval, part))
            if clock == "device":
                self.check_verdict(interval)

    def check_verdict(self, interval: Interval) -> None:
        result = self.result
        if result.role == "null" and result.noise:
            self.compare("the noise floor", result.noise[0], interval.low)
        if result.noise and result.verdict and not result.undecided:
            # An end that lies on an edge, as a null's on its own floor, may be rounded to either side.
            found = {verdict(stretched(interval, by), result.noise) for by in (-ALLOWED, ALLOWED)}
            if result.verdict not in found:
                self.fail(f"its verdict is {result.verdict}, and its samples say {' or '.join(sorted(found))}")

    def compare(self, what: str, stated: float, found: float) -> None:
        if not math.isclose(stated, found, rel_tol=ALLOWED):
            self.fail(f"{what} is said to be {stated:.6g}, and its samples give {found:.6g}")


def stretched(interval: Interval, by: float) -> Interval:
    return Interval(interval.value, interval.low * (1 - by), interval.high * (1 + by))


def pair_logs(first: list[Sample], second: list[Sample],
              time: Callable[[Sample], float]) -> list[list[float]]:
    """For each allocation the mean log ratio of each pair of blocks, 2k and 2k + 1."""
    sums: dict[int, dict[int, float]] = {}
    for a, b in zip(first, second):
        pairs = sums.setdefault(a.allocation, {})
        pairs[a.block // 2] = pairs.get(a.block // 2, 0.0) + math.log(time(a) / time(b)) / 2
    return [list(pairs.values()) for pairs in sums.values()]


def quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolated linearly between order statistics (type 7), as portcost does."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    weight = position - below
    above = min(below + 1, len(ordered) - 1)
    return (1 - weight) * ordered[below] + weight * ordered[above]
