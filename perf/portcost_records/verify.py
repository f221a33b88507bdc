"""Holds what a result says against its samples, so that a record that was changed is noticed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from .estimates import Estimate, estimate_of, interval_of, trimmed_mean, verdict
from .records import Interval, RankTimes, Record, RecordError, Result, Sample, Side

CLOCKS = ("device", "wall")
ALLOWED = 1e-8
"""Relative difference that rounding may make."""
ROUNDING = 1e-9
"""Relative difference that adding up in another order may make."""


def refuse(record: Record, what: str) -> NoReturn:
    raise RecordError(f"{record.path}: {what}: the record was changed; measure again with perf/run")


def check_against_samples(record: Record) -> None:
    """Raises RecordError, naming the row, where a result and its samples contradict each other."""
    samples, processes = record.samples_by_result(), max(1, len(record.header.processes))
    for sample in record.samples:
        if not 0 <= sample.process < processes:
            refuse(record, f"a sample of result {sample.result} is of process {sample.process}, and the header names {processes}")
    floors: dict[tuple[str, ...], list[Interval]] = {}
    for result in record.results:
        if result.role == "null" and result.ratio:
            floors.setdefault(problem_of(result), []).append(result.ratio)
    for result in record.results:
        check = ResultCheck(record, result, samples[result.id])
        check.run()
        check.check_noise(floors.get(problem_of(result), ()))


def problem_of(result: Result) -> tuple[str, ...]:
    return result.algorithm, result.problem_text, result.type, result.regime


def check_limits(record: Record) -> None:
    """Raises RecordError where the limit of a combined record does not follow from its processes."""
    for limit in (limit for limit in record.limits if len(limit.processes) > 1):
        found = interval_of(*trimmed_mean([math.log(value) for value in limit.processes]))
        stated = (limit.value, *(limit.interval or ()))
        if len(stated) != 3 or not all(map(close, stated, (found.value, found.low, found.high))):
            refuse(record, f"the limit {limit.name} is said to be {limit.value:.6g}, and its processes give {found.value:.6g}, or "
                           "its interval is another")


def check_failures(record: Record) -> None:
    """Raises RecordError where a result has failed and nothing says why."""
    known = {(one.variant, one.problem_text, one.type, one.regime) for one in record.failures}
    for result in record.results:
        for variant in result.failed:
            said = f"result {result.id}: {variant} is said to have failed, and"
            if variant not in (side.variant for side in result.sides):
                refuse(record, f"{said} is none of its sides")
            if (variant, result.problem_text, result.type, result.regime) not in known:
                refuse(record, f"{said} no row says how")


def check_ranks(record: Record) -> None:
    """Raises RecordError where a sample has not the seconds of its slowest rank; of a batch, where it has fewer."""
    def place(row: Sample | RankTimes) -> tuple[int, ...]:
        return row.result, row.process, row.allocation, row.block, row.side or 0

    samples = {place(sample): sample.device_s for sample in record.samples}
    batches = {(result.id, index): side.batch for result in record.results for index, side in enumerate(result.sides)}
    for times in record.rank_times:
        if len(times.device_s) != record.header.ranks:
            refuse(record, f"result {times.result}: a sample has the seconds of {len(times.device_s)} processes, and the header "
                           f"counts {record.header.ranks}")
        slowest, found = max(times.device_s), samples.get(place(times))
        alone = batches[times.result, times.side] == 1
        if found is None or slowest > found * (1 + ROUNDING) or alone and slowest != found:
            refuse(record, f"result {times.result}: the seconds of a sample (block {times.block}) are not those of its slowest "
                           "process")


def close(stated: float, found: float) -> bool:
    return math.isclose(stated, found, rel_tol=ALLOWED)


class ResultCheck:
    """One result and its samples."""

    def __init__(self, record: Record, result: Result, samples: list[Sample]) -> None:
        self.record, self.result, self.samples = record, result, samples

    def fail(self, what: str) -> NoReturn:
        r = self.result
        refuse(self.record, f"result {r.id} ({r.role} {r.algorithm}/{r.step} {r.problem_text} {r.type} {r.regime}): {what}")

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
                self.check_ratios()

    def check_counts(self) -> None:
        """Every block has one sample of each side, and is kept or dropped completely."""
        result, width = self.result, len(self.result.sides)
        blocks: dict[tuple[int, int, int], list[Sample]] = {}
        for sample in self.samples:
            blocks.setdefault((sample.process, sample.allocation, sample.block), []).append(sample)
        for (*_, number), block in blocks.items():
            if len(block) != width or len({sample.kept for sample in block}) != 1:
                self.fail(f"block {number} is not one sample of each side, kept or dropped together")
        kept = sum(block[0].kept for block in blocks.values())
        if (kept, len(blocks) - kept) != (result.blocks, result.dropped):
            self.fail(f"it counts {result.blocks} kept and {result.dropped} dropped blocks, and its "
                      f"samples make {kept} and {len(blocks) - kept}")

    def kept_by_side(self) -> list[list[Sample]] | None:
        """The kept samples of each side; None where rows do not say which side they are of (a null without it)."""
        names = [side.variant for side in self.result.sides]
        sides: list[list[Sample]] = [[] for _ in names]
        for sample in self.samples:
            if sample.variant not in names:
                self.fail(f"a sample is of {sample.variant}, which is none of its sides")
            index = self.result.side_index(sample)
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
        for clock in CLOCKS:
            spread = getattr(side, clock)
            if spread is None:
                self.fail(f"{side.variant} has samples, and no {clock} times")
            times = sorted(getattr(sample, f"{clock}_s") for sample in samples)
            for name, fraction in (("min", 0.0), ("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
                self.compare(f"the {name} of the {clock} times of {side.variant}",
                             getattr(spread, name), quantile(times, fraction))
        if self.result.floor and side.device:
            self.compare(f"the fraction of the limit of {side.variant}", side.limit_fraction or 0.0,
                         self.result.floor.floor_s / side.device.median)

    def check_ratios(self) -> None:
        result = self.result
        for clock in CLOCKS:
            found = self.ratio(f"{clock}_s")
            interval = found.interval
            stated = getattr(result, "ratio" if clock == "device" else "wall_ratio")
            if (result.units, result.unit) != (found.units, found.unit):
                self.fail(f"it is said to be of {result.units} units (each a {result.unit}), and its samples make {found.units} "
                          f"(each a {found.unit})")
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

    def ratio(self, time: str) -> Estimate:
        """The ratio of both sides by a field of the samples."""
        found = estimate_of(self.samples, lambda s: math.log(getattr(s, time)) * (-1 if self.result.side_index(s) else 1))
        return found if self.result.role == "null" else replace(found, unseen=self.record.header.run_to_run)

    def check_verdict(self, interval: Interval) -> None:
        result = self.result
        if result.role == "null" and result.noise:
            for end, found in zip(result.noise, (interval.low, interval.high)):
                self.compare("the noise floor", end, found)
        if result.noise and result.verdict and not result.undecided:
            # An end that lies on an edge, as a null's on its own floor, may be rounded to either side.
            found = {verdict(Interval(interval.value, interval.low * (1 - by), interval.high * (1 + by)), result.noise)
                     for by in (-ALLOWED, ALLOWED)}
            if result.verdict not in found:
                self.fail(f"its verdict is {result.verdict}, and its samples say {' or '.join(sorted(found))}")

    def check_noise(self, floors: Sequence[Interval]) -> None:
        """The noise floor of a row is a null's interval at its problem."""
        noise = self.result.noise
        if noise and floors and not any(close(noise[0], one.low) and close(noise[1], one.high) for one in floors):
            self.fail(f"its noise floor is said to be {noise[0]:.6g} to {noise[1]:.6g}, and A against A gives "
                      f"{floors[0].low:.6g} to {floors[0].high:.6g}")

    def compare(self, what: str, stated: float, found: float) -> None:
        if not close(stated, found):
            self.fail(f"{what} is said to be {stated:.6g}, and its samples give {found:.6g}")


def quantile(ordered: Sequence[float], fraction: float) -> float:
    """Interpolated linearly between order statistics (type 7), as portcost does."""
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    weight = position - below
    above = min(below + 1, len(ordered) - 1)
    return (1 - weight) * ordered[below] + weight * ordered[above]
