"""Choices of block sizes: which --blocks names, and what each of them moves, as one estimate.

Theorem 1 divides one loop at a time. A block of several loops needs a little more, and `predict` adds it, all from what is known
of each use of data (its p, its distances, the loops that may be fixed without using fewer data):

- Data that are read at every value of several loops are read once for each combination of their parts: a(k,k) of Gauss
  elimination is read by all Q2 Q3 blocks, where the theorem has Q2 and Q3, one added to the other.
- Reads of the same array that are moved copies of each other (the five of heat2d) share their data: each border is counted once.
- A short distance crosses Q - 1 borders and takes d layers of data with it; the part that holds a value does not read it.
- The first values come from the input, and the last ones are written, once each: the theorem counts neither. No value is written
  more than once, however many reads need it.
- Instead of M^p there stands the product of the extents of p loops that have so many values, times the fraction of this box that
  is filled (1/3 for Gauss elimination).
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import islpy as isl
from portcost_records.records import grouped

from .blocks import Blocks
from .data_used import Use
from .dependences import Distance
from .nest import USAGE, LocalityError, Loop, Nest, Statement
from .sets import counts, executed, fixed
from .theorem1 import Estimate


@dataclass(frozen=True)
class Shape:
    extents: dict[Loop, int]
    """Values that a loop takes, from the first to the last."""
    fill: dict[str, float]
    """By statement: its iterations over the product of the extents of its loops, for large sizes."""
    fill_of_data: dict[int, float]
    """By id of a Use or Result: its data over what values_of says."""

    @property
    def scale(self) -> int:
        return max(self.extents.values())

    def values(self, statement: Statement) -> float:
        """All that a statement writes, one an iteration."""
        return self.fill[statement.name] * math.prod(self.extents[loop] for loop in statement.loops)

    def parts(self, loop: Loop, blocks: Blocks) -> int:
        return -(-self.extents[loop] // blocks[loop])


@dataclass(frozen=True)
class Result:
    """The last values that a statement leaves, which some block must write. `free`: as in Use."""

    statement: Statement
    elements: isl.Set
    free: tuple[frozenset[Loop], ...]


@dataclass(frozen=True)
class Volume:
    reads: float
    writes: float

    @property
    def total(self) -> float:
        return self.reads + self.writes


@dataclass(frozen=True)
class Choice:
    blocks: Blocks
    predicted: Volume
    theorem: Volume


def theorem(found: Sequence[Estimate], shape: Shape, blocks: Blocks) -> Volume:
    def total(side: str) -> int:
        return sum(term.value(shape.parts(one.loop, blocks), shape.scale) for one in found if (term := getattr(one, side)))
    return Volume(total("reads"), total("writes"))


def predict(uses: Sequence[Use], principals: Sequence[Use], results: Sequence[Result], shape: Shape, blocks: Blocks) -> Volume:
    reads = 0.0
    writes: dict[Statement, float] = {result.statement: 0.0 for result in results}
    for group in shared(uses):
        first = group[0]
        if not any(first is one for one in principals):  # at a few values of a loop alone
            reads += values_of(first.loops, first.free, shape.extents) * shape.fill_of_data[id(first)]
            continue
        read, written = moved_by(group, shape, blocks)
        fill = shape.fill[first.flow.statement.name]
        reads += read * fill
        if first.dependence:
            writes[first.dependence.source] += written * fill
    for result in results:
        writes[result.statement] += values_of(result.statement.loops, result.free, shape.extents) * shape.fill_of_data[id(result)]
    return Volume(reads, sum(min(written, shape.values(statement)) for statement, written in writes.items()))


def moved_by(group: Sequence[Use], shape: Shape, blocks: Blocks) -> tuple[float, float]:
    """Reads and writes of uses that share their data, were the loops a full box."""
    first = group[0]
    size, times = values_of(first.loops, first.free, shape.extents), repeated(first, shape, blocks)
    if first.dependence is None:
        return times, 0.0
    reads = writes = 0.0
    for loop in first.loops:
        layers = borders([use.dependence.distance(loop) for use in group if use.dependence])
        crossed = layers * (shape.parts(loop, blocks) - 1) * size / shape.extents[loop]
        reads += crossed
        writes += crossed
    distances = {loop: first.dependence.distance(loop) for loop in first.loops}  # none where the loop is around the read alone
    away = [loop for loop, one in distances.items() if (one is None or one.grows) and shape.parts(loop, blocks) > 1]
    if away:
        apart = any(not any(loop in free for free in first.free) for loop in away)
        reads += times if apart else times - size
        writes += size
    return reads, writes


def shared(uses: Sequence[Use]) -> list[list[Use]]:
    """Reads that are moved copies of each other: the same array from the same place, indices that differ by constants."""
    def key(use: Use) -> tuple[object, ...]:
        linear = tuple(index.coefficients for index in use.flow.access.indices)
        return use.flow.statement.name, use.flow.access.array, linear, use.origin
    return list(grouped(uses, key).values())


def values_of(loops: tuple[Loop, ...], free: Sequence[frozenset[Loop]], extents: dict[Loop, int]) -> float:
    """How many data there are: over each smallest set of loops that has all of them the product of the extents; the largest."""
    return max(math.prod(extents[loop] for loop in loops if loop not in one) for one in free or [frozenset()])


def repeated(use: Use, shape: Shape, blocks: Blocks) -> float:
    """Data times the blocks that read them. For an access F J the data of a box are, but for constants, the sum over the bases
    B of F's columns of the product of the box's extents along B; a box is a block here, and there are the product of all Q."""
    return float(sum(math.prod(shape.parts(loop, blocks) if loop in free else shape.extents[loop] for loop in use.loops)
                     for free in use.free or [frozenset()]))


def borders(distances: Sequence[Distance | None]) -> int:
    """Layers of data that cross a border between two parts: the longest distance forward, and the longest backward."""
    short = [one for one in distances if one and not one.grows]
    forward = max((one.largest or 0 for one in short), default=0)
    backward = max((-(one.least or 0) for one in short), default=0)
    return max(forward, 0) + max(backward, 0)


# ---- which fraction of a box of loops a set fills (1/3 for Gauss elimination), for large sizes: counted at small ones ----

SMALL = 100_000
"""About how many elements are counted."""
MOST = 20_000_000
"""Where constants of the nest ask for more than SMALL."""
ABOVE_CONSTANTS = 4
"""Sizes so many times as large as a constant of the nest hide little of what it cuts off."""


def fill_of(nest: Nest, data: isl.Set, loops: tuple[Loop, ...], free: Sequence[frozenset[Loop]], sizes: dict[str, int]) -> float:
    """How many elements a set has over what values_of says, as the sizes grow in their proportion: counted at two small sizes,
    so that what falls as 1/n cancels; at the sizes themselves where no smaller ones show all of the nest."""
    def shown(at: dict[str, int]) -> bool:
        return executed(nest, at) and not fixed(data, at).is_empty()

    for small in small_sizes(nest, loops, sizes, shown):
        if not all(map(shown, small)):
            continue
        extents = [counts(nest, one) for one in small]
        if max(math.prod(one[loop] for loop in loops) for one in extents) > MOST:
            continue
        found = [fixed(data, at).count_val().to_python() / values_of(loops, free, one) for at, one in zip(small, extents)]
        first, last = (max(one[loop] for loop in loops) for one in (extents[0], extents[-1]))
        return found[-1] if first == last else (last * found[-1] - first * found[0]) / (last - first)
    text = ", ".join(f"{name}={value}" for name, value in sizes.items())
    raise LocalityError(USAGE, f"{nest.path}: a part of the nest is executed at large sizes alone, as its constants or the "
                               f"proportion of {text} make it, and cannot be counted: give smaller --sizes that show all of it")


def small_sizes(nest: Nest, loops: tuple[Loop, ...], sizes: dict[str, int], shown: Callable[[dict[str, int]], bool]
                ) -> Iterator[list[dict[str, int]]]:
    """Growing pairs of sizes with a factor of 2; then a pair just above the smallest that are `shown`; then the sizes."""
    largest = max(sizes.values())
    plain = max(4, int(SMALL ** (1 / len(loops)) / 2), *(nest.least(name) for name in sizes if sizes[name] == largest))
    for start in (max(plain, ABOVE_CONSTANTS * nest.largest_constant()), plain):
        while start < largest:
            scale = most_exact(sizes, start)
            yield [scaled(nest, sizes, scale), scaled(nest, sizes, 2 * scale)]
            start *= 2
    least = bisect_left(range(largest), True, key=lambda scale: shown(scaled(nest, sizes, scale)))
    if least + 2 * plain < largest:
        yield [scaled(nest, sizes, most_exact(sizes, least + plain)), scaled(nest, sizes, most_exact(sizes, least + 2 * plain))]
    yield [sizes]


def most_exact(sizes: dict[str, int], start: int) -> int:
    """A scale from here on at which all sizes are nearly whole numbers."""
    def error(scale: int) -> float:
        parts = [size * scale / max(sizes.values()) for size in sizes.values()]
        return sum(abs(part - round(part)) for part in parts)
    return min(range(start, start + min(start // 2, 100) + 1), key=error)


def scaled(nest: Nest, sizes: dict[str, int], scale: int) -> dict[str, int]:
    return {name: max(nest.least(name), round(size * scale / max(sizes.values()))) for name, size in sizes.items()}
