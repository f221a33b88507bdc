"""What has been found out about a nest as plain data: for --json, and for the tables in the terminal.

--json prints one object: format (1), nest, title, source, M (its name), and

- loops: loop, block, parallel; proportion: of sizes, and the statements that it matters_to;
- dependences: kind, source, sink, access, vectors, and by loop distances: least, largest (null: grows),
  direction;
- data: of each access and origin (from: a statement, or "input") p, used, p_at_fixed by loop, and the loops of which only
  a few values have this p; left_out: what theorem 1 leaves out;
- theorem1: by loop (block), statement, access and origin reads, writes, case, doubtful;
- ranking: blocks and loops of each place, and terms: the reads and writes with Q M^exponent;
- threads: of each access written, s, S, sizes by loop (column, size, reason, or_any_with_barriers), broadcast,
  spatial, theorem2_applies, why_not; thread_sizes: by loop, for all reads;
- numbers (with --blocks): sizes, type, M, choices (rank, blocks; reads, writes, bytes as predicted and by
  the theorem), of a single choice by_loop (Q).

With --measured: nest, sizes, type, processor; points in bytes: variant, blocks, predicted, predicted_writes,
theorem, order, l2, l2_written, dram, dram_written, deep; spearman; statements.
"""

from typing import Any

from .analysis import Analysis
from .choices import Choice, Shape, Volume
from .data_used import Use
from .dependences import Dependence
from .nest import TYPE_BYTES
from .theorem1 import CASES, Estimate, estimates, power
from .threads import Advice, together

FORMAT = 1
TIE = 0.005
"""Predictions that differ by less are no different: what they leave out is larger."""


def content_of(found: Analysis) -> dict[str, Any]:
    nest = found.nest
    lower = [use for use in found.uses if not any(use is one for one in found.principals)]
    return {
        "format": FORMAT, "nest": nest.name, "title": nest.title, "source": nest.source, "M": found.scale,
        "loops": [{"loop": loop.name, "block": loop.block, "parallel": loop.parallel} for loop in nest.loops],
        "proportion": {"sizes": found.proportion, "matters_to": [statement.name for statement in found.by_proportion]},
        "dependences": [dependence(one) for one in (*(one for flow in found.flows for one in flow.dependences), *found.others)],
        "data": [data(use, found.scale) for use in found.principals],
        "left_out": [data(use, found.scale) for use in lower],
        "theorem1": [theorem(one, found.scale) for one in found.estimates],
        "ranking": [{"blocks": [loop.block for loop in rank.loops], "loops": [loop.name for loop in rank.loops],
                     "terms": [dict(zip(("exponent", "reads", "writes"), term)) for term in rank.terms]}
                    for rank in found.ranks],
        "threads": [thread(one) for one in found.advice],
        "thread_sizes": {loop.name: together(list(found.advice), loop) for loop in nest.loops},
    }


def dependence(one: Dependence) -> dict[str, Any]:
    return {"kind": one.kind, "source": one.source.name, "sink": one.sink.name, "access": str(one.access),
            "vectors": list(one.vectors),
            "distances": [{"loop": each.loop.name, "least": each.least, "largest": each.largest, "direction": each.direction}
                          for each in one.distances]}


def data(use: Use, scale: str) -> dict[str, Any]:
    """`p_at_fixed` by loop; `few` are the loops of which a few values alone use that many."""
    return {"statement": use.flow.statement.name, "access": str(use.flow.access), "from": use.origin, "p": use.p,
            "used": f"O({power(scale, use.p) or 1})",
            "p_at_fixed": {loop.name: value for loop, value in zip(use.loops, use.at_fixed)},
            "few": [loop.name for loop, every in zip(use.loops, use.everywhere) if not every]}


def theorem(one: Estimate, scale: str) -> dict[str, Any]:
    return {"loop": one.loop.name, "block": one.loop.block, "statement": one.use.flow.statement.name,
            "access": str(one.use.flow.access), "from": one.use.origin, "reads": one.reads and one.reads.text(one.loop, scale),
            "writes": one.writes and one.writes.text(one.loop, scale), "case": CASES[one.case], "doubtful": one.doubtful}


def thread(one: Advice) -> dict[str, Any]:
    return {"statement": one.statement.name, "access": str(one.access), "written": one.written, "s": one.last,
            "S": list(one.independent), "theorem2_applies": one.holds, "why_not": one.why_not,
            "broadcast": [each.loop.name for each in one.sizes if each.broadcast],
            "spatial": [each.loop.name for each in one.sizes if each.spatial],
            "sizes": [{"loop": each.loop.name, "column": list(each.column), "size": each.size, "reason": each.reason,
                       "or_any_with_barriers": each.with_barriers} for each in one.sizes]}


# ---- numbers -----------------------------------------------------------------------------------------------------------------

def numbers_of(found: Analysis, sizes: dict[str, int], shape: Shape, choices: list[Choice]) -> dict[str, Any]:
    """The choices in the order of what is predicted of them, the best first. Those within TIE of the first of a rank share it."""
    size = TYPE_BYTES[found.nest.type]
    ordered = sorted(choices, key=lambda one: one.predicted.total)
    ranks: list[int] = []
    for at, one in enumerate(ordered):
        tie = at > 0 and one.predicted.total <= (1 + TIE) * ordered[ranks[-1] - 1].predicted.total
        ranks.append(ranks[-1] if tie else at + 1)
    result: dict[str, Any] = {
        "sizes": sizes, "type": found.nest.type, "M": shape.scale,
        "choices": [{"rank": rank, "blocks": {loop.block: value for loop, value in one.blocks.items()},
                     "predicted": volume(one.predicted, size), "theorem": volume(one.theorem, size)} for rank, one in zip(ranks, ordered)]}
    if len(choices) == 1:
        blocks, result["by_loop"] = choices[0].blocks, []
        for one in estimates(found.principals, blocks):
            parts = shape.parts(one.loop, blocks)
            reads, writes = (term.value(parts, shape.scale) if term else 0 for term in (one.reads, one.writes))
            result["by_loop"].append(
                {"loop": one.loop.name, "Q": parts, "statement": one.use.flow.statement.name, "access": str(one.use.flow.access),
                 "from": one.use.origin, "case": CASES[one.case], "reads": reads, "writes": writes,
                 "bytes": (reads + writes) * size})
    return result


def volume(one: Volume, size: int) -> dict[str, float]:
    return {"reads": round(one.reads), "writes": round(one.writes), "bytes": round(one.total * size)}
