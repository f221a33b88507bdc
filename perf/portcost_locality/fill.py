"""Which fraction of a box of loops a set fills (1/3 for Gauss elimination), for large sizes: counted at small ones."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

import islpy as isl

from .choices import values_of
from .nest import USAGE, LocalityError, Loop, Nest
from .sets import executed, extents_of, fixed

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


def counts(nest: Nest, sizes: dict[str, int]) -> dict[Loop, int]:
    return {loop: high - low + 1 for loop, (low, high) in extents_of(nest, sizes).items()}
