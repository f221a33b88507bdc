"""A nest as integer sets and maps of isl (S. Verdoolaege, "isl: An Integer Set Library for the Polyhedral Model", 2010), through
islpy; and how the number of their elements grows.

Iterations of a statement S1 in loops k, i are elements S1[k, i]; elements of an array a(i, j) are a[i, j].
"""

from collections.abc import Iterable, Mapping
from functools import reduce

import islpy as isl

from .affine import Condition, Reference
from .nest import Loop, Nest, Statement

SET, PARAM, IN, OUT = isl.dim_type.set, isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


def text_of(nest: Nest, left: str, conditions: Iterable[object]) -> str:
    """isl's way to write a set or a map."""
    least = [f"{name} >= {about.get('least', 1)}" for name, about in nest.parameters.items()]
    return f"[{', '.join(nest.parameters)}] -> {{ {left} : {' and '.join([*least, *map(str, conditions)])} }}"


def tuple_of(statement: Statement) -> str:
    return f"{statement.name}[{', '.join(loop.name for loop in statement.loops)}]"


def domain_of(nest: Nest, statement: Statement, where: Iterable[Condition] = ()) -> isl.Set:
    """The iterations of a statement, the paper's V; `where`: those for which all of these hold."""
    return isl.Set(text_of(nest, tuple_of(statement), [*statement.conditions(), *where]))


def access_of(nest: Nest, statement: Statement, access: Reference) -> isl.Map:
    """From iterations to the element that this access touches."""
    indices = ", ".join(str(index) for index in access.indices)
    return isl.Map(text_of(nest, f"{tuple_of(statement)} -> {access.array}[{indices}]", statement.conditions()))


def schedule_of(nest: Nest, statement: Statement, parallel: bool) -> isl.Map:
    """From iterations to times: place, loop, place, loop, .. With `parallel`, parallel loops happen at one time."""
    depth = max(len(one.loops) for one in nest.statements)
    times: list[str] = []
    for place, loop in zip(statement.place, statement.loops):
        times += [str(place), "0" if parallel and loop.parallel else loop.name]
    times.append(str(statement.place[-1]))
    times += ["0"] * (2 * depth + 1 - len(times))
    return isl.Map(text_of(nest, f"{tuple_of(statement)} -> [{', '.join(times)}]", statement.conditions()))


def union(maps: Iterable[isl.Map]) -> isl.UnionMap:
    return reduce(isl.UnionMap.union, map(isl.UnionMap.from_map, maps))


def maps_of(several: isl.UnionMap) -> list[isl.Map]:
    found: list[isl.Map] = []
    several.foreach_map(found.append)
    return found


# ---- growth --------------------------------------------------------------------------------------------------------------------

NOTHING = -1


def growth(one: isl.Set, proportion: Mapping[str, int]) -> int:
    """The exponent e of the number of elements, O(M^e), for parameters of this proportion; NOTHING where a set gets empty."""
    return max((growth_of_piece(piece, proportion) for piece in one.compute_divs().get_basic_sets()), default=NOTHING)


def growth_of_piece(piece: isl.BasicSet, proportion: Mapping[str, int]) -> int:
    """Seen from afar constants vanish: P(M) / M tends to a polytope, and O(M^e) has e its dimension. isl finds it as the
    affine hull of the cone of all (x, M) that the constraints without their constants allow, with M one dimension more."""
    flat = isl.Set.from_basic_set(piece).lift()  # quotients become dimensions of their own, which others determine
    return max((growth_of_cone(part, proportion) for part in flat.compute_divs().get_basic_sets()), default=NOTHING)


def growth_of_cone(piece: isl.BasicSet, proportion: Mapping[str, int]) -> int:
    size = piece.dim(SET)
    names = [*(f"x{at}" for at in range(size)), "M"]
    conditions = ["M >= 1"]
    for constraint in piece.get_constraints():
        factors = [constraint.get_coefficient_val(SET, at) for at in range(size)]
        factors.append(sum(proportion[piece.get_dim_name(PARAM, at)] * constraint.get_coefficient_val(PARAM, at).to_python()
                           for at in range(piece.dim(PARAM))))
        left = " + ".join(f"{factor}*{name}" for factor, name in zip(factors, names))
        conditions.append(f"{left} {'=' if constraint.is_equality() else '>='} 0")
    cone = isl.BasicSet(f"{{ [{', '.join(names)}] : {' and '.join(conditions)} }}")
    if cone.is_empty():
        return NOTHING
    return size - sum(constraint.is_equality() for constraint in cone.affine_hull().get_constraints())


def growth_at_fixed(relation: isl.Map, kept: tuple[int, ...], proportion: Mapping[str, int]) -> tuple[int, int]:
    """Of a relation from iterations to data: the exponent of how many data belong to fixed values of the loops at the
    positions `kept`. First at the values that have most, then at most values (NOTHING where most have none)."""
    size = relation.dim(IN)
    for at in reversed([at for at in range(size) if at not in kept]):
        relation = relation.project_out(IN, at, 1)
    most, usual = NOTHING, NOTHING
    for piece in relation.compute_divs().get_basic_maps():
        whole = isl.Map.from_basic_map(piece)
        total, base = growth(whole.wrap().flatten(), proportion), growth(whole.domain(), proportion)
        if total == NOTHING:
            continue
        most = max(most, total - base)
        if base == len(kept):
            usual = max(usual, total - base)
    return most, usual


FAR = 1000
"""So many times as large one parameter is made as the others."""


def of_proportion(nest: Nest, proportion: Mapping[str, int]) -> list[Statement]:
    """The statements whose iterations grow otherwise in another proportion. A statement that vanishes in this one is an error."""
    plain = dict.fromkeys(proportion, 1)
    others = [plain, *({**plain, name: FAR} for name in plain)] if len(plain) > 1 else []
    found = []
    for statement in nest.statements:
        domain = domain_of(nest, statement)
        here = growth(domain, proportion)
        if here == NOTHING:
            sizes = ", ".join(f"{name}={value}" for name, value in proportion.items())
            raise nest.error(statement.pointer, f"the statement {statement.name} is not executed at large sizes in the proportion "
                                                f"of {sizes}: give others with --sizes")
        if any(growth(domain, other) != here for other in others):
            found.append(statement)
    return found


def check_bounded(nest: Nest) -> None:
    """Every loop must end, and some iteration must be there."""
    for statement in nest.statements:
        domain = domain_of(nest, statement)
        if domain.is_empty():
            raise nest.error(statement.pointer, f"the statement {statement.name} is never executed: its bounds and conditions "
                                                "exclude each other")
        if not domain.is_bounded():
            raise nest.error(statement.pointer, f"the loops around {statement.name} do not end for all sizes")


def executed(nest: Nest, sizes: dict[str, int]) -> bool:
    return not any(fixed(domain_of(nest, statement), sizes).is_empty() for statement in nest.statements)


def counts(nest: Nest, sizes: dict[str, int]) -> dict[Loop, int]:
    """How many values each loop takes, from the first to the last of any of its statements, at these sizes."""
    found: dict[Loop, tuple[int, int]] = {}
    for statement in nest.statements:
        domain = fixed(domain_of(nest, statement), sizes)
        if domain.is_empty():
            raise nest.error(statement.pointer, f"the statement {statement.name} is not executed at {sizes}")
        for at, loop in enumerate(statement.loops):
            low, high = domain.dim_min_val(at).to_python(), domain.dim_max_val(at).to_python()
            before = found.get(loop, (low, high))
            found[loop] = min(low, before[0]), max(high, before[1])
    return {loop: high - low + 1 for loop, (low, high) in found.items()}


def fixed(one: isl.Set, sizes: dict[str, int]) -> isl.Set:
    for name, value in sizes.items():
        at = one.find_dim_by_name(PARAM, name)
        if at >= 0:
            one = one.fix_val(PARAM, at, value)
    return one
