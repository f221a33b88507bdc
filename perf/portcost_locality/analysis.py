"""All that is found out about a nest, in one place."""

from dataclasses import dataclass

from .blocks import Blocks
from .choices import Choice, Result, Shape, fill_of, predict, theorem
from .data_used import Use, free_loops, principal, uses_of
from .dependences import Dependence, Flow, check_parallel, check_single_writes, flows_of, others_of
from .nest import Nest, Statement
from .sets import access_of, check_bounded, counts, domain_of, growth, of_proportion
from .theorem1 import Estimate, Rank, estimates, ranking
from .threads import Advice, advice


@dataclass(frozen=True)
class Analysis:
    nest: Nest
    proportion: dict[str, int]
    """Of the sizes, as they grow."""
    by_proportion: tuple[Statement, ...]
    """Those whose iterations would grow otherwise in another proportion."""
    flows: tuple[Flow, ...]
    others: tuple[Dependence, ...]
    uses: tuple[Use, ...]
    principals: tuple[Use, ...]
    """Those that the paper's estimates are of."""
    results: tuple[Result, ...]
    estimates: tuple[Estimate, ...]
    ranks: tuple[Rank, ...]
    advice: tuple[Advice, ...]

    @property
    def scale(self) -> str:
        return next(iter(self.nest.parameters)) if len(self.nest.parameters) == 1 else "M"

    def shape(self, sizes: dict[str, int]) -> Shape:
        nest = self.nest
        extents = counts(nest, sizes)
        of_data = {id(use): fill_of(nest, use.relation.range(), use.loops, use.free, sizes) for use in self.uses}
        of_data |= {id(one): fill_of(nest, one.elements, one.statement.loops, one.free, sizes) for one in self.results}
        return Shape(extents, {one.name: fill_of(nest, domain_of(nest, one), one.loops, (), sizes) for one in nest.statements},
                     of_data)

    def choice(self, shape: Shape, blocks: Blocks) -> Choice:
        predicted = predict(self.uses, self.principals, self.results, shape, blocks)
        return Choice(blocks, predicted, theorem(estimates(self.principals, blocks), shape, blocks))


def analyse(nest: Nest, line_elements: int, given: dict[str, int] | None = None) -> Analysis:
    """`line_elements` are in a line of the cache (L of theorem 2). Sizes `given` set the proportion in which sizes grow."""
    proportion = nest.proportion(given or {})
    check_bounded(nest)
    by_proportion = of_proportion(nest, proportion)
    check_single_writes(nest)
    check_parallel(nest)
    flows = flows_of(nest)
    uses = [use for flow in flows for use in uses_of(flow, proportion)]
    principals = [use for flow in flows for use in principal([one for one in uses if one.flow is flow])]
    found = estimates(principals)
    threads = [advice(statement, access, line_elements) for statement in nest.statements for access in statement.reads]
    threads += [advice(statement, statement.writes, line_elements, written=True) for statement in nest.statements]
    return Analysis(nest, proportion, tuple(by_proportion), tuple(flows), tuple(others_of(nest)), tuple(uses), tuple(principals),
                    tuple(result_of(nest, statement, proportion) for statement in nest.statements), tuple(found),
                    tuple(ranking(found, nest.statements)), tuple(threads))


def result_of(nest: Nest, statement: Statement, proportion: dict[str, int]) -> Result:
    relation = access_of(nest, statement, statement.writes)
    if statement.wanted:
        relation = relation.intersect_domain(domain_of(nest, statement, statement.wanted))
    elements = relation.range()
    return Result(statement, elements, free_loops(relation, statement.loops, growth(elements, proportion), proportion))
