"""What to write: the single changes worth most, each a ratio of two rows of one algorithm that differ in one thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .between import Ratio, Timed
from .differences import causes, differences
from .headline import ratio_cell
from .records import Counters, Record, Side
from .ways import Board, Boards, timed_variants
from .why import explain_command
from .words import time_text

MOST = 4
LEAST_GAIN = 1.02
"""A change worth less is not worth a line here."""
WAY_WORDS = {"usual": "the usual way", "book": "by the book", "tuned": "tuned"}
NEXT_WAY = {"usual": "book", "book": "tuned"}


@dataclass(frozen=True)
class Change:
    """One variant instead of another; `ratio` is the time before over the time after."""

    what: str
    before: Timed
    after: Timed
    ratio: Ratio
    out_of: int
    counters: str
    command: str
    """What would count on both sides; empty where that is done, or cannot be."""

    def sentence(self) -> str:
        best = f" (the best of {self.out_of} values)" if self.out_of > 1 else ""
        return (f"{self.what}{best}: {ratio_cell(self.ratio)} times as fast, {time_text(self.before.seconds)} to "
                f"{time_text(self.after.seconds)} ({self.before.side.variant} to {self.after.side.variant}). {self.counters}")


def dials_of(side: Side) -> dict[str, str]:
    """{"tile": "64x4"}; a dial without a value is its own."""
    return dict((part.partition("=")[0], part.partition("=")[2]) for part in side.dials.split(",") if part)


def changes(boards: Boards, where: Sequence[Board]) -> list[Change]:
    """Those that gain beyond the noise, the largest first."""
    largest: dict[str, Change] = {}
    found = [change for board in where for change in changes_of(boards, board)]
    for change in sorted(found, key=lambda change: -change.ratio.value):
        largest.setdefault(change.what, change)
    return list(largest.values())[:MOST]


def changes_of(boards: Boards, board: Board) -> list[Change]:
    record = boards.record
    rows = [r for r in record.results if (r.algorithm, r.problem_text, r.type, r.regime)
            == (board.algorithm, board.problem_text, board.type, board.regime)]
    noise = next((r.noise for r in rows if r.noise), None)
    kokkos = [one for one in timed_variants(rows) if one.side.model == "kokkos" and board.step in ("", one.side.step)]
    found = []
    for what, before, after, out_of in [*dial_changes(kokkos), *way_changes(kokkos)]:
        ratio = boards.ratios.between(before, after, rows, noise)
        if ratio.verdict == "slower" and ratio.value >= LEAST_GAIN:
            found.append(Change(what, before, after, ratio, out_of, *counters_text(record, board, before, after)))
    return found


def dial_changes(kokkos: Sequence[Timed]) -> Iterable[tuple[str, Timed, Timed, int]]:
    """One dial set where it was not, all else alike; of several values the fastest."""
    for before in kokkos:
        groups: dict[str, list[Timed]] = {}
        without = dials_of(before.side)
        for after in kokkos:
            with_it = dials_of(after.side)
            added = with_it.keys() - without.keys()
            if (after.side.step, after.side.way) == (before.side.step, before.side.way) and len(added) == 1 \
                    and without.items() <= with_it.items():
                groups.setdefault(added.pop(), []).append(after)
        for dial, group in groups.items():
            after = min(group, key=lambda one: one.seconds)
            value = dials_of(after.side)[dial]
            setting = f"{dial}={value}" if value else dial
            yield f"{before.side.step}, {WAY_WORDS[before.side.way]}: set {setting}", before, after, len(group)


def way_changes(kokkos: Sequence[Timed]) -> Iterable[tuple[str, Timed, Timed, int]]:
    """The next way of the same step with the same dials."""
    for before in kokkos:
        for after in kokkos:
            if (before.side.step, before.side.dials) == (after.side.step, after.side.dials) \
                    and NEXT_WAY.get(before.side.way) == after.side.way:
                yield f"{after.side.step}: {WAY_WORDS[after.side.way]} instead of {WAY_WORDS[before.side.way]}", before, after, 1


def counters_text(record: Record, board: Board, before: Timed, after: Timed) -> tuple[str, str]:
    """What the hardware counted on both sides, or the command that counts."""
    values = [find(record.counters, one, board) for one in (before, after)]
    if values[0] and values[1]:
        return f"Counters: {causes(differences(values[0].values, values[1].values))}.", ""
    if not record.header.is_gpu:
        return "No counters: those are a GPU's.", ""
    return "Not confirmed by counters yet:", explain_command(record, before.result, before.side.variant, after.side.variant)


def find(counters: Sequence[Counters], timed: Timed, board: Board) -> Counters | None:
    return next((row for row in counters if row.is_of(timed.side.variant, timed.result, board.type)), None)
