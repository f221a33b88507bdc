"""How many data an access uses: the paper's p, and p at a fixed value of a loop.

A datum is the unchanged content of an element: a value that one operation has written, or an element of the input. An access
uses O(M^p) of them, and O(M^(q - 1)) of them while a loop keeps one value; q is what the paper calls p of the loop. It is
either p (one dimension less) or p + 1 (at every value of the loop the same data). M is the largest number of iterations of a
loop; all sizes are taken to grow in one proportion.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import islpy as isl

from .dependences import Dependence, Flow
from .nest import Loop
from .sets import NOTHING, growth, growth_at_fixed


@dataclass(frozen=True)
class Use:
    """What an access uses from one place: values of one statement, or input data."""

    flow: Flow
    dependence: Dependence | None
    """None: of input data."""
    relation: isl.Map
    """From iterations to the data: to the operation that wrote a value, or to the element."""
    p: int
    at_fixed: tuple[int, ...]
    """For each loop around the access, the p at its fixed value (at the values that use most)."""
    everywhere: tuple[bool, ...]
    """For each loop, whether most of its values use as many data as at_fixed says; false where a few do alone."""
    free: tuple[frozenset[Loop], ...]
    """The largest sets of loops that may all be fixed without using fewer data: O(M^p) at each combination of their values."""

    @property
    def loops(self) -> tuple[Loop, ...]:
        return self.flow.statement.loops

    @property
    def origin(self) -> str:
        return self.dependence.source.name if self.dependence else "input"

    def fixed(self, loop: Loop) -> int:
        return self.at_fixed[self.loops.index(loop)]


def uses_of(flow: Flow, proportion: Mapping[str, int]) -> list[Use]:
    """Of one read: from each statement that has written what it reads, and of the input. `proportion` is that of the sizes."""
    found = [use_of(flow, one, one.pairs.reverse(), proportion) for one in flow.dependences]
    if not flow.inputs.is_empty():
        found.append(use_of(flow, None, flow.inputs, proportion))
    return [use for use in found if use.p != NOTHING]


def use_of(flow: Flow, dependence: Dependence | None, relation: isl.Map, proportion: Mapping[str, int]) -> Use:
    p = growth(relation.range(), proportion)
    fixed = [growth_at_fixed(relation, (at,), proportion) for at in range(len(flow.statement.loops))]
    return Use(flow, dependence, relation, p, tuple(1 + most for most, _ in fixed), tuple(most == usual for most, usual in fixed),
               free_loops(relation, flow.statement.loops, p, proportion))


def free_loops(relation: isl.Map, loops: tuple[Loop, ...], p: int, proportion: Mapping[str, int]) -> tuple[frozenset[Loop], ...]:
    """The largest sets of loops that may all be fixed with O(M^p) data still."""
    places = range(len(loops))
    free = [frozenset(kept) for size in range(len(places), 0, -1) for kept in combinations(places, size)
            if growth_at_fixed(relation, kept, proportion)[0] == p]
    return tuple(frozenset(loops[at] for at in kept) for kept in free if not any(kept < other for other in free))


def principal(uses: list[Use]) -> list[Use]:
    """Those that the paper's estimate is of: what statements have written, and input data where they are not fewer."""
    most = max((use.p for use in uses if use.dependence), default=NOTHING)
    return [use for use in uses if use.dependence or use.p >= most]
