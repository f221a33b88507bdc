"""All that is found out about a nest, in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import islpy as isl

from .blocks import Blocks
from .choices import Choice, Result, Shape, choice_of, values_of
from .data_used import Use, principal, uses_of
from .dependences import Dependence, Flow, check_claims, flows_of, others_of
from .nest import Loop, Nest, Statement
from .sets import access_of, check_bounded, domain_of, extents_of, fixed, growth, growth_at_fixed
from .theorem1 import Estimate, Rank, estimates, ranking
from .threads import Advice, advice

SMALL = 100_000
"""About how many elements are counted for the fraction of a box that is filled."""


@dataclass(frozen=True)
class Analysis:
    nest: Nest
    flows: tuple[Flow, ...]
    others: tuple[Dependence, ...]
    """Anti and output."""
    uses: tuple[Use, ...]
    principals: tuple[Use, ...]
    """Those that the paper's estimates are of."""
    results: tuple[Result, ...]
    estimates: tuple[Estimate, ...]
    ranks: tuple[Rank, ...]
    advice: tuple[Advice, ...]

    @property
    def scale(self) -> str:
        """How M is called: the one parameter, or M."""
        return next(iter(self.nest.parameters)) if len(self.nest.parameters) == 1 else "M"

    def shape(self, sizes: dict[str, int]) -> Shape:
        extents = {loop: high - low + 1 for loop, (low, high) in extents_of(self.nest, sizes).items()}
        of_data = {id(use): fill_of(self.nest, use.relation.range(), use.loops, use.free) for use in self.uses}
        of_data |= {id(one): fill_of(self.nest, one.elements, one.statement.loops, one.free) for one in self.results}
        return Shape(extents, {one.name: fill_of(self.nest, domain_of(self.nest, one), one.loops, ()) for one in
                               self.nest.statements}, of_data)

    def choice(self, shape: Shape, blocks: Blocks) -> Choice:
        return choice_of(self.uses, self.principals, self.results, shape, blocks)


def analyse(nest: Nest, line_elements: int) -> Analysis:
    """`line_elements`: how many elements a line of the cache holds, theorem 2's L. A nest that claims what is not so is a
    LocalityError that names the place."""
    check_bounded(nest)
    check_claims(nest)
    flows = flows_of(nest)
    uses = [use for flow in flows for use in uses_of(flow)]
    principals = [use for flow in flows for use in principal([one for one in uses if one.flow is flow])]
    found = estimates(principals)
    threads = [advice(statement, access, line_elements) for statement in nest.statements for access in statement.reads]
    threads += [advice(statement, statement.writes, line_elements, written=True) for statement in nest.statements]
    return Analysis(nest, tuple(flows), tuple(others_of(nest)), tuple(uses), tuple(principals),
                    tuple(result_of(nest, statement) for statement in nest.statements), tuple(found),
                    tuple(ranking(found, nest.statements)), tuple(threads))


def result_of(nest: Nest, statement: Statement) -> Result:
    relation = access_of(nest, statement, statement.writes)
    if statement.wanted:
        relation = relation.intersect_domain(domain_of(nest, statement, statement.wanted))
    elements, loops = relation.range(), range(len(statement.loops))
    free = [frozenset(kept) for size in range(len(loops), 0, -1) for kept in combinations(loops, size)
            if growth_at_fixed(relation, kept)[0] == growth(elements)]
    largest = [kept for kept in free if not any(kept < other for other in free)]
    return Result(statement, elements, tuple(frozenset(statement.loops[at] for at in kept) for kept in largest))


def fill_of(nest: Nest, data: isl.Set, loops: tuple[Loop, ...], free: Sequence[frozenset[Loop]]) -> float:
    """How many elements a set has over what values_of says, as sizes grow: counted at two small sizes, of which the second is
    twice the first, so that what falls as 1/n cancels."""
    small = max(4, int(SMALL ** (1 / len(loops)) / 2), *(about.get("least", 1) for about in nest.parameters.values()))
    found = []
    for size in (small, 2 * small):
        sizes = {name: size for name in nest.parameters}
        extents = {loop: high - low + 1 for loop, (low, high) in extents_of(nest, sizes).items()}
        found.append(fixed(data, sizes).count_val().to_python() / values_of(loops, free, extents))
    return 2 * found[1] - found[0]
