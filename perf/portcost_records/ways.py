"""The headline: each way of writing an algorithm in Kokkos against native code, at the main size and at a small one."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .between import Ratio, Timed, between
from .choose import main_size
from .records import Record, Result, Side
from .words import model_name

NATIVE_MODELS = ("cuda", "openmp")
BEST_NATIVE, PLAIN_NATIVE, BEST_AND_PLAIN = "best native", "plain native", "best and plain native"
USUAL, DIALLED, BOOK, TUNED, PEER = ("usual", "usual, dials turned", "by the book", "tuned", "library in Kokkos")
IN_ORDER = (USUAL, DIALLED, BOOK, TUNED, PEER)
TRICKED = "by the book, one trick"
"""Of tables of steps alone: the trick that gains most (the dial trick=NAME)."""
FEWEST_COUNTED = 2
SMALL = 0.25
"""A small size has at most this fraction of the main size's work."""


@dataclass(frozen=True)
class Line:
    """One way of writing, with the variant that stands for it."""

    label: str
    timed: Timed
    out_of: int
    against_best: Ratio | None
    against_plain: Ratio | None
    lines_of_code: int | None

    @property
    def side(self) -> Side:
        return self.timed.side

    @property
    def is_native(self) -> bool:
        return not self.side.portable


@dataclass(frozen=True)
class Board:
    """All ways at one problem; of an algorithm whose steps are different work, those of one step."""

    algorithm: str
    problem_text: str
    type: str
    regime: str
    small: bool
    step: str
    lines: tuple[Line, ...]
    best: Timed
    plain: Timed | None
    tricked: Line | None
    """By the book with the single trick that gains most, of a board of one step."""

    @property
    def title(self) -> str:
        size = f"{self.problem_text}, {self.type}" + (", hot" if self.regime == "hot" else "")
        return f"{self.step}: {size}" if self.step else size

    @property
    def problem_heading(self) -> str:
        """What stands above the steps of a problem, where these are different work."""
        return ", ".join((self.problem_text, self.type, self.regime)) + (" (a small size)" if self.small else "")

    def line(self, label: str) -> Line | None:
        return next((line for line in self.lines if line.label == label), None)

    def kokkos_lines(self) -> list[Line]:
        return [line for line in self.lines if not line.is_native]


def written_as(side: Side) -> str:
    """"plain, index=int64"; of native code with its model: "naive (CUDA)", of a peer "cub (library)"."""
    if side.model == "kokkos":
        return f"{side.step}, {side.dials}" if side.dials else side.step
    return f"{side.step} ({model_name(side.model)})"


def trick_of(side: Side) -> str:
    """The trick that is added to a form by the book; empty where none is."""
    return side.dials.partition("trick=")[2].partition(",")[0] if side.way == "book" else ""


class Boards:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.by_algorithm = {name: self.boards_of(name) for name in record.algorithms()}

    def rows(self, board: Board) -> list[Result]:
        return [r for r in self.record.results if (r.algorithm, r.problem_text, r.type, r.regime)
                == (board.algorithm, board.problem_text, board.type, board.regime)]

    def ratio(self, board: Board, before: Timed, after: Timed) -> Ratio:
        rows = self.rows(board)
        return between(self.record, before, after, rows, next((r.noise for r in rows if r.noise), None))

    def all(self) -> list[Board]:
        return [board for boards in self.by_algorithm.values() for board in boards]

    def boards_of(self, algorithm: str) -> list[Board]:
        results = [r for r in self.record.results if r.algorithm == algorithm]
        main = main_size(results)
        at_main = [r for r in results if r.problem_text == main]
        made: list[Board] = []
        for kind in dict.fromkeys((r.type, r.regime) for r in at_main):
            found = self.boards_at([r for r in at_main if (r.type, r.regime) == kind], results, small=False)
            if found and not made:
                rows = rows_at_small_size([r for r in results if (r.type, r.regime) == kind], main)
                found += self.boards_at(rows, results, small=True) if rows else []
            made += found
        return made

    def boards_at(self, rows: list[Result], results: Sequence[Result], small: bool) -> list[Board]:
        if any(r.role == "best" for r in results):  # else its steps are different work: nothing is the best of them
            return list(filter(None, [self.board([r for r in rows if not r.own_answer], "", small)]))
        steps = dict.fromkeys(side.step for row in rows if row.role in ("pair", "solo")  # those are in the ladder's order
                              for side in row.sides if side.model != "library")
        return list(filter(None, (self.board([r for r in rows if any(s.step == step for s in r.sides)], step, small)
                                  for step in steps)))

    def board(self, rows: list[Result], step: str, small: bool) -> Board | None:
        timed = timed_variants(rows)
        natives = [one for one in timed if not one.side.portable]
        if not natives or len(natives) == len(timed):
            return None
        best = min(natives, key=lambda one: one.seconds)
        plain = next((one for one in natives if one.side.model in NATIVE_MODELS), None)
        noise = next((r.noise for r in rows if r.noise), None)

        def line(label: str, one: Timed, out_of: int = 1) -> Line:
            to = [None if other is None or other.side.variant == one.side.variant
                  else between(self.record, one, other, rows, noise) for other in (best, plain)]
            return Line(label, one, out_of, to[0], to[1], self.record.header.lines.get(one.side.variant))

        lines = [line(*found) for found in chosen_kokkos(timed)]
        if plain and plain is not best:
            lines.append(line(PLAIN_NATIVE, plain))
        label = BEST_AND_PLAIN if plain is best else BEST_NATIVE
        lines.append(line(label, best, len(natives)))
        first, tricked = rows[0], [one for one in timed if step and trick_of(one.side)]
        return Board(first.algorithm, first.problem_text, first.type, first.regime, small, step, tuple(lines), best, plain,
                     line(TRICKED, min(tricked, key=lambda one: one.seconds), len(tricked)) if tricked else None)


def rows_at_small_size(results: list[Result], main: str) -> list[Result]:
    """Those at the smallest size, of those where the most variants were timed; none without a size that is much smaller."""
    at_main = next(r for r in results if r.problem_text == main)
    small = [r for r in results if r.parameters_text == at_main.parameters_text and work(r) <= SMALL * work(at_main)]
    if not small:
        return []
    variants: dict[str, set[str]] = {}
    for r in small:
        variants.setdefault(r.problem_text, set()).update(side.variant for side in r.sides)
    most = max(map(len, variants.values()))
    size = min((r for r in small if len(variants[r.problem_text]) == most), key=work).problem_text
    return [r for r in small if r.problem_text == size]


def work(result: Result) -> float:
    return result.floor.floor_s if result.floor else float(math.prod(max(1, n) for n in result.size.values()))


def timed_variants(rows: Iterable[Result]) -> list[Timed]:
    """Each variant once, in the order of the ladder: from its pair or its row alone, not from one measured again as the best."""
    found: dict[str, Timed] = {}
    for result in rows:
        if result.role in ("pair", "solo") and result.agrees:
            for index, side in enumerate(result.sides):
                if side.device:
                    found.setdefault(side.variant, Timed(result, index))
    return list(found.values())


def chosen_kokkos(timed: Sequence[Timed]) -> list[tuple[str, Timed, int]]:
    """What stands for each way: every usual form as it comes, and the fastest of the others."""
    kokkos = [one for one in timed if one.side.model == "kokkos"]
    usual = [one for one in kokkos if one.side.way == "usual"]
    chosen = [(USUAL, one, 1) for one in usual if not one.side.dials]
    for label, group in ((DIALLED, [one for one in usual if one.side.dials]),
                         (BOOK, [one for one in kokkos if one.side.way == "book" and not trick_of(one.side)]),
                         (TUNED, [one for one in kokkos if one.side.way == "tuned"])):
        if group:
            chosen.append((label, min(group, key=lambda one: one.seconds), len(group)))
    return chosen + [(PEER, one, 1) for one in timed if one.side.portable and one.side.is_peer]


def counted_lines(board: Board) -> list[Line]:
    found = [line for line in board.lines if line.lines_of_code]
    return found if len(found) >= FEWEST_COUNTED and any(not line.is_native for line in found) else []


def price(line: Line) -> float:
    return line.against_best.value if line.against_best else 1.0
