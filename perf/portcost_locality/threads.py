"""Lemma 1 and theorem 2 of Likhoded and Paliashchuk (2016): how many values of a loop a thread takes, and which data threads
share.

An access reads the element F J + (what does not depend on the loops J around it). Its columns, one a loop, say which loops move
it. s is the last column that is not zero; S a largest set of independent columns, here with s in it.

Lemma 1: where threads take one value (r = 1) of each loop before s whose column is not in S, a thread uses another element in
each iteration of the loops up to s.

Theorem 2: let that hold, and let at most one loop x have a column (0, .., 0, f) with 0 < |f| < L, L elements being a line of
the cache. If threads take one value of x, x is parallel, and loops whose columns are not in S and not zero are sequential, then
all threads together have the fewest misses of the cache, whatever the other sizes are.
"""

from dataclasses import dataclass

import numpy

from .affine import Reference
from .nest import Loop, Statement

Column = tuple[int, ...]


@dataclass(frozen=True)
class ThreadSize:
    loop: Loop
    column: Column
    size: int | None
    """1, or None: any size."""
    reason: str
    with_barriers: bool = False
    """Any size will do, too, where threads meet after each iteration of this sequential loop."""
    broadcast: bool = False
    spatial: bool = False


@dataclass(frozen=True)
class Advice:
    statement: Statement
    access: Reference
    written: bool
    """The left side: the paper speaks of reads, and where they lie in memory holds for writes, too."""
    last: int
    """s, counted from 1; 0 where no loop moves the access."""
    independent: tuple[int, ...]
    """S, counted from 1."""
    sizes: tuple[ThreadSize, ...]
    holds: bool
    """Whether theorem 2's conditions can be met; `why_not` says which cannot."""
    why_not: str


def independent(columns: tuple[Column, ...]) -> tuple[int, ...]:
    """A largest set of independent columns, counted from 1, chosen from the last to the first, so that s is in it: with another
    choice lemma 1 asks too little (two loops of a(i+j) read the same element, see perf/nests/README.md)."""
    chosen: list[int] = []
    for at in reversed(range(len(columns))):
        if numpy.linalg.matrix_rank([columns[one] for one in [*chosen, at]]) > len(chosen):
            chosen.append(at)
    return tuple(sorted(at + 1 for at in chosen))


def advice(statement: Statement, access: Reference, line_elements: int, written: bool = False) -> Advice:
    columns = tuple(tuple(index.of(loop.name) for index in access.indices) for loop in statement.loops)  # of F
    last = max((at + 1 for at, column in enumerate(columns) if any(column)), default=0)
    chosen = independent(columns)
    along = [at for at, column in enumerate(columns) if is_along_a_row(column, line_elements)]
    sizes = tuple(thread_size(loop, columns[at], at + 1, last, chosen, line_elements) for at, loop in enumerate(statement.loops))
    why_not = ""
    dependent = [one.loop.name for at, one in enumerate(sizes) if any(columns[at]) and at + 1 not in chosen and one.loop.parallel]
    if len(along) > 1:
        why_not = f"several loops run along a row of {access.array}: {', '.join(statement.loops[at].name for at in along)}"
    elif dependent:
        why_not = f"the loop {dependent[0]} is parallel, and its column depends on the others"
    return Advice(statement, access, written, last, chosen, sizes, not why_not, why_not)


def is_along_a_row(column: Column, line_elements: int) -> bool:
    """(0, .., 0, f) with 0 < |f| < L."""
    return not any(column[:-1]) and 0 < abs(column[-1]) < line_elements


def thread_size(loop: Loop, column: Column, at: int, last: int, chosen: tuple[int, ...], line_elements: int) -> ThreadSize:
    zero = not any(column)
    broadcast = zero and loop.parallel
    if zero and at > last:
        return ThreadSize(loop, column, None, "the same element in each iteration, one after the other", broadcast=broadcast)
    if at not in chosen:
        reason = "the same element, with others in between" if zero else "its column depends on those of other loops"
        return ThreadSize(loop, column, 1, reason, not loop.parallel, broadcast)
    if is_along_a_row(column, line_elements):
        if loop.parallel:
            return ThreadSize(loop, column, 1, "neighbours along a row: threads side by side share lines", spatial=True)
        return ThreadSize(loop, column, None, "along a row, but sequential: theorem 2 says nothing")
    return ThreadSize(loop, column, None, "another row or line in each iteration")


def together(found: list[Advice], loop: Loop) -> int | None:
    """The size that all reads ask for: 1 where one of them does."""
    return 1 if any(one.size == 1 for each in found if not each.written for one in each.sizes if one.loop == loop) else None
