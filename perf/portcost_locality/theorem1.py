"""Theorem 1 of Likhoded and Paliashchuk (2016), whose table is in perf/nests/README.md: what dividing a loop into blocks moves, by
loop and access, and the ranking of block sizes that follows. Where no block sizes are given, r is taken to be larger than every
distance that does not grow with the sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from .data_used import Use
from .dependences import Distance
from .nest import Loop, Statement


def power(scale: str, exponent: int) -> str:
    return "" if exponent == 0 else scale if exponent == 1 else f"{scale}^{exponent}"


@dataclass(frozen=True)
class Term:
    """O(M^exponent), or O(Q M^exponent) with the parts of a loop."""

    parts: bool
    exponent: int

    def text(self, loop: Loop, scale: str) -> str:
        """"O(Q1 n^2)"; `scale` is the name of M."""
        words = " ".join(filter(None, [f"Q{loop.number}" if self.parts else "", power(scale, self.exponent)]))
        return f"O({words or '1'})"

    def value(self, parts: int, scale: int) -> int:
        """With the factor that O leaves open taken as 1, in elements."""
        return (parts if self.parts else 1) * scale**self.exponent


@dataclass(frozen=True)
class Estimate:
    """What dividing this loop moves for this use of data, in elements; None where it moves nothing."""

    use: Use
    loop: Loop
    distance: Distance | None
    """None: there is no dependence, or the loop is around the read alone."""
    case: str
    reads: Term | None
    writes: Term | None

    @property
    def doubtful(self) -> bool:
        """The proof takes p = p at the fixed value for granted where the distance is short."""
        return self.case == "short" and self.use.fixed(self.loop) != self.use.p


CASES = {
    "none": "written and read at the same value of the loop",
    "short": "short distance: what is used across the border of two parts",
    "shared": "long distance, and every part reads the same data",
    "apart": "long distance, and every part reads data of its own",
    "input shared": "no dependence along the loop, and every part reads the same data",
    "input apart": "no dependence along the loop, and every part reads data of its own",
}


def estimate(use: Use, loop: Loop, block: int | None = None) -> Estimate:
    """`block` is the loop's r; None: larger than each distance that does not grow."""
    p, same = use.p, use.fixed(loop) == use.p
    distance = use.dependence.distance(loop) if use.dependence else None
    if distance is None:
        case = "input apart" if same else "input shared"
        return Estimate(use, loop, None, case, Term(not same, p), None)
    if distance.most == 0:
        return Estimate(use, loop, distance, "none", None, None)
    if distance.most is not None and (block is None or distance.most <= block):
        return Estimate(use, loop, distance, "short", Term(True, p - 1), Term(True, p - 1))
    if same:
        return Estimate(use, loop, distance, "apart", Term(False, p), Term(False, p))
    return Estimate(use, loop, distance, "shared", Term(True, p), Term(False, p))


def estimates(uses: Sequence[Use], blocks: dict[Loop, int] | None = None) -> list[Estimate]:
    return [estimate(use, loop, blocks[loop] if blocks else None) for use in uses for loop in use.loops]


# ---- ranking -----------------------------------------------------------------------------------------------------------------

NO_MORE = (1, 0)
"""Behind each term, whose first number is negative or 0."""


@dataclass(frozen=True)
class Rank:
    """Loops whose block sizes it pays alike to enlarge; the earlier, the more."""

    loops: tuple[Loop, ...]
    terms: tuple[tuple[int, int, int], ...]
    """(exponent of M, how many reads have it, how many writes), the largest exponent first; terms with Q alone."""


def ranking(found: Sequence[Estimate], statements: Sequence[Statement]) -> list[Rank]:
    """Only terms with Q count: loops are compared by the largest exponent, by how many terms have it, then by the next one."""
    loops = list(dict.fromkeys(loop for statement in statements for loop in statement.loops))
    terms = {loop: terms_of([one for one in found if one.loop == loop]) for loop in loops}
    key = {loop: [*((-exponent, -reads - writes) for exponent, reads, writes in terms[loop]), NO_MORE] for loop in loops}
    groups = [list(same) for _, same in groupby(sorted(loops, key=lambda loop: key[loop]), key=lambda loop: key[loop])]
    return [Rank(tuple(group), terms[group[0]]) for group in groups]


def terms_of(found: Sequence[Estimate]) -> tuple[tuple[int, int, int], ...]:
    exponents = {term.exponent for one in found for term in (one.reads, one.writes) if term and term.parts}
    return tuple((exponent, sum(one.reads == Term(True, exponent) for one in found),
                  sum(one.writes == Term(True, exponent) for one in found)) for exponent in sorted(exponents, reverse=True))
