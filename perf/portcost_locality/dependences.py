"""Dependences of a nest, exactly: flow, anti and output, and their distances.

A flow dependence is value-based, as the paper defines it: from the operation that writes a value to one that reads it, with no
write of the same element in between. An anti dependence goes from a read to the next write of the element, an output
dependence from a write to the next. Operations of parallel loops happen at once: all read before one of them writes.
"""

from dataclasses import dataclass

import islpy as isl

from .affine import Reference, affine
from .nest import Loop, Nest, Statement
from .sets import IN, OUT, PARAM, SET, access_of, domain_of, maps_of, schedule_of, union


@dataclass(frozen=True)
class Distance:
    """One loop's component of sink minus source: the least and the largest value, None where it grows with the sizes."""

    loop: Loop
    least: int | None
    largest: int | None

    @property
    def grows(self) -> bool:
        return self.least is None or self.largest is None

    @property
    def most(self) -> int | None:
        """The largest absolute value; None where it grows with the sizes. The paper's d max."""
        return None if self.least is None or self.largest is None else max(abs(self.least), abs(self.largest))

    @property
    def direction(self) -> str:
        """"0", "2", "1..2"; where it grows "<" (the source comes first), ">", "<=", ">=" or "*"."""
        if self.least is not None and self.least == self.largest:
            return str(self.least)
        if self.least is not None and self.largest is not None:
            return f"{self.least}..{self.largest}"
        if self.least is not None and self.least >= 0:
            return "<" if self.least > 0 else "<="
        if self.largest is not None and self.largest <= 0:
            return ">" if self.largest < 0 else ">="
        return "*"


@dataclass(frozen=True)
class Dependence:
    """Of one access of the sink (of an anti dependence: of the source)."""

    kind: str
    source: Statement
    sink: Statement
    access: Reference
    pairs: isl.Map
    distances: tuple[Distance, ...]
    vectors: tuple[str, ...]
    """"(1,0,j-k)", in variables of the sink (of an anti dependence: of the source), a text for each part of the domain."""

    def distance(self, loop: Loop) -> Distance | None:
        return next((one for one in self.distances if one.loop == loop), None)


@dataclass(frozen=True)
class Flow:
    """What one read uses: values of these statements, and elements that no statement has written before."""

    statement: Statement
    number: int
    """Of the access on the right side, from 0."""
    access: Reference
    dependences: tuple[Dependence, ...]
    inputs: isl.Map


def flows_of(nest: Nest, parallel: bool = True, silent: bool = True) -> list[Flow]:
    """Of every read. `parallel`: parallel loops happen at once. `silent`: writes that change nothing count as writes."""
    writes = union(effective(nest, one, silent) for one in nest.statements)
    schedule = union(schedule_of(nest, one, parallel) for one in nest.statements)
    found = []
    for statement in nest.statements:
        for number, access in enumerate(statement.reads):
            reads = access_of(nest, statement, access)
            flow = flow_into(reads, writes, schedule)
            pairs, missing = filled(flow.get_must_dependence()), filled(flow.get_must_no_source())
            inputs = missing[0] if missing else isl.Map.empty(reads.get_space())
            found.append(Flow(statement, number, access, tuple(dependence(nest, "flow", one, access) for one in pairs), inputs))
    return found


def others_of(nest: Nest, parallel: bool = True) -> list[Dependence]:
    writes = union(effective(nest, one, False) for one in nest.statements)
    schedule = union(schedule_of(nest, one, parallel) for one in nest.statements)
    found = []
    for statement in nest.statements:
        for access in dict.fromkeys(statement.reads):
            # The next write: in reversed time it is the last one before the read.
            flow = flow_into(access_of(nest, statement, access), writes, union(map(isl.Map.neg, maps_of(schedule))))
            found += [dependence(nest, "anti", one, access) for one in filled(flow.get_must_dependence().reverse())]
    for statement in nest.statements:
        flow = flow_into(effective(nest, statement, False), writes, schedule)
        found += [dependence(nest, "output", one, statement.writes) for one in filled(flow.get_must_dependence())]
    return found


def flow_into(sink: isl.Map, writes: isl.UnionMap, schedule: isl.UnionMap) -> isl.UnionFlow:
    access = isl.UnionAccessInfo.from_sink(isl.UnionMap.from_map(sink))
    return access.set_must_source(writes).set_schedule_map(schedule).compute_flow()


def filled(several: isl.UnionMap) -> list[isl.Map]:
    return [one for one in maps_of(several) if not one.is_empty()]


def effective(nest: Nest, statement: Statement, silent: bool) -> isl.Map:
    writes = access_of(nest, statement, statement.writes)
    for condition in () if silent else statement.silent:
        writes = writes.subtract_domain(domain_of(nest, statement, [condition]))
    return writes


def dependence(nest: Nest, kind: str, pairs: isl.Map, access: Reference) -> Dependence:
    by_name = {statement.name: statement for statement in nest.statements}
    source, sink = by_name[pairs.get_tuple_name(IN)], by_name[pairs.get_tuple_name(OUT)]
    pairs = pairs.coalesce()
    common = common_loops(source, sink)
    distances = tuple(distance_of(loop, pairs, at) for at, loop in enumerate(common))
    return Dependence(kind, source, sink, access, pairs, distances, vectors_of(kind, pairs, distances))


def common_loops(source: Statement, sink: Statement) -> tuple[Loop, ...]:
    return tuple(one for one, other in zip(source.loops, sink.loops) if one == other)


def distance_of(loop: Loop, pairs: isl.Map, at: int) -> Distance:
    """Of this loop alone, because isl's deltas need equal spaces, and the statements may differ."""
    for side in (IN, OUT):
        pairs = pairs.project_out(side, at + 1, pairs.dim(side) - at - 1).project_out(side, 0, at).reset_tuple_id(side)
    values = pairs.deltas().project_out(PARAM, 0, pairs.dim(PARAM))
    least = values.dim_min_val(0).to_python() if values.dim_has_lower_bound(SET, 0) else None
    largest = values.dim_max_val(0).to_python() if values.dim_has_upper_bound(SET, 0) else None
    return Distance(loop, least, largest)


# ---- vectors in words --------------------------------------------------------------------------------------------------------

def vectors_of(kind: str, pairs: isl.Map, distances: tuple[Distance, ...]) -> tuple[str, ...]:
    """As the paper writes them, where the other end is a function of the one that has the access; else the directions."""
    other, sign = (pairs, -1) if kind == "anti" else (pairs.reverse(), 1)
    plain = f"({','.join(one.direction for one in distances)})"
    if not other.is_single_valued():
        return (plain,)
    found: list[tuple[Part, ...]] = []
    pieces: list[tuple[isl.Set, isl.MultiAff]] = []
    isl.PwMultiAff.from_map(other).foreach_piece(lambda piece, values: pieces.append((piece, values)))
    for piece, values in pieces:
        here = other.intersect_domain(piece)
        exact = [distance_of(one.loop, here if sign < 0 else here.reverse(), at) for at, one in enumerate(distances)]
        found.append(tuple(component(values.get_aff(at), at, sign, piece) or one if one.grows else one
                           for at, one in enumerate(exact)))
    vectors = [f"({','.join(part if isinstance(part, str) else part.direction for part in one)})" for one in merged(found)]
    return tuple(dict.fromkeys(vectors)) if len(vectors) <= 4 else (plain,)


Part = Distance | str


def merged(vectors: list[tuple[Part, ...]]) -> list[tuple[Part, ...]]:
    """With those that differ in one bounded component alone made one: (1,0,0) and (2..3,0,0) are (1..3,0,0)."""
    found: list[tuple[Part, ...]] = []
    for vector in vectors:
        for at, other in enumerate(found):
            unequal = [place for place, (a, b) in enumerate(zip(vector, other)) if a != b]
            if not unequal:
                break
            a, b = vector[unequal[0]], other[unequal[0]]
            if len(unequal) == 1 and not any(isinstance(one, str) or one.grows for one in (a, b)):
                joined = Distance(a.loop, min(a.least, b.least), max(a.largest, b.largest))
                del found[at]
                whole = (*vector[:unequal[0]], joined, *vector[unequal[0] + 1:])
                return merged([*found, whole, *vectors[vectors.index(vector) + 1:]])
        else:
            found.append(vector)
    return found


def component(other_end: isl.Aff, at: int, sign: int, piece: isl.Set) -> str | None:
    """sign * (this loop's variable - the other end's), such as "j-k"; None where it holds quotients."""
    here = isl.Aff.var_on_domain(other_end.get_domain_local_space(), SET, at)
    difference = here.sub(other_end) if sign > 0 else other_end.sub(here)
    difference = difference.gist(piece)
    if difference.dim(isl.dim_type.div) or not difference.get_denominator_val().is_one():
        return None
    factors = {difference.get_dim_name(kind, place): difference.get_coefficient_val(kind, place).to_python()
               for kind in (IN, PARAM) for place in range(difference.dim(kind))}
    # "j-k" rather than "-k+j"
    ordered = dict(sorted(factors.items(), key=lambda one: one[1] < 0))
    return str(affine(ordered, difference.get_constant_val().to_python())).replace(" ", "")


# ---- the claim of parallel loops ---------------------------------------------------------------------------------------------

def check_parallel(nest: Nest) -> None:
    """Executed as written, no parallel loop may carry a dependence of a write that changes something."""
    if not any(loop.parallel for loop in nest.loops):
        return
    every = [one for flow in flows_of(nest, parallel=False, silent=False) for one in flow.dependences]
    for one in [*every, *others_of(nest, parallel=False)]:
        for depth, loop in enumerate(common_loops(one.source, one.sink)):
            if loop.parallel and carries(one.pairs, depth):
                what = f"{one.kind} dependence of {one.access} from {one.source.name} to {one.sink.name}"
                raise nest.error(one.sink.pointer, f"the loop {loop.name} is called parallel, but carries the {what} with the "
                                 f"distance {' or '.join(one.vectors)}: leave \"parallel\" away, or say in "
                                 "\"changes_nothing_where\" which writes change nothing")


def carries(pairs: isl.Map, depth: int) -> bool:
    """Two ends that agree in all loops around this one, and not in this one."""
    for at in range(depth):
        pairs = pairs.equate(IN, at, OUT, at)
    size_in, size_out = pairs.dim(IN), pairs.dim(OUT)
    same = pairs.equate(IN, depth, OUT, depth) if depth < min(size_in, size_out) else pairs
    return not pairs.is_subset(same)


def check_single_writes(nest: Nest) -> None:
    """Iterations that happen at once must not write the same element: which value stays would be left open."""
    schedule = union(schedule_of(nest, one, True) for one in nest.statements)
    writes = union(effective(nest, one, True) for one in nest.statements)
    at_once = schedule.apply_range(schedule.reverse())
    same = writes.apply_range(writes.reverse()).intersect(at_once)
    for one in maps_of(same):
        source, sink = one.get_tuple_name(IN), one.get_tuple_name(OUT)
        if source != sink or not one.is_subset(isl.Map.identity(one.get_space())):
            statement = next(s for s in nest.statements if s.name == sink)
            raise nest.error(f"{statement.pointer}/writes", f"iterations that happen at the same time ({source}, {sink}) write "
                             f"the same element of {statement.writes.array}: one of the loops around them is not parallel")
