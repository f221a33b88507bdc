"""What to write: the single changes worth most, each a ratio of two rows of one algorithm that differ in one thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .between import Ratio, Timed
from .differences import causes, differences
from .headline import ratio_cell
from .records import Record, Side
from .ways import Board, Boards, timed_variants
from .why import explain_command
from .words import differing, time_text

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
        faster = f"{ratio_cell(self.ratio)} times as fast{disagreeing(self.ratio, self.before, self.after)}"
        return (f"{self.what}{best}: {faster}, {time_text(self.before.seconds)} to {time_text(self.after.seconds)} "
                f"({self.before.side.variant} to {self.after.side.variant}). {self.counters}")


def disagreeing(ratio: Ratio, before: Timed, after: Timed) -> str:
    said = differing(ratio.value, ratio.interval, before.seconds, after.seconds)
    return f" ({said.removeprefix('; ')})" if said else ""


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
    kokkos, found = forms(boards, board), []
    for what, before, after, out_of in [*dial_changes(kokkos), *way_changes(kokkos)]:
        ratio = boards.ratio(board, before, after)
        if ratio.verdict == "slower" and ratio.value >= LEAST_GAIN:
            found.append(Change(what, before, after, ratio, out_of, *counters_text(boards.record, board, before, after)))
    return found


def offers(boards: Boards, where: Sequence[Board], found: Sequence[Change]) -> list[str]:
    """For whoever writes the usual way: the fastest form measured, of any step, where no single change leads as far."""
    faster = [offer for board in where if (offer := offer_of(boards, board, found))]
    faster.sort(key=lambda offer: -offer[0])
    return [text for _, text in faster[:MOST]]


def offer_of(boards: Boards, board: Board, found: Sequence[Change]) -> tuple[float, str] | None:
    kokkos = forms(boards, board)
    usual = [one for one in kokkos if one.side.way == "usual" and not one.side.dials]
    others = [one for one in kokkos if one.side.way != "usual"]
    if not usual or not others:
        return None
    before, after = (min(group, key=lambda one: one.seconds) for group in (usual, others))
    ratio, a, b = boards.ratio(board, before, after), before.side, after.side
    told = max((change.ratio.value for change in found if change.before.side.variant == a.variant), default=0.0)
    if ratio.value < LEAST_GAIN * told or not is_faster(ratio, before, after):
        return None
    there = {one.side.way for one in kokkos if one.side.step == a.step}
    missing = ", ".join(words for way, words in WAY_WORDS.items() if way not in there)
    lacks = f" Of {a.step} not measured here: {missing}." if missing else ""
    faster = f"{ratio_cell(ratio)} times as fast{'' if ratio.verdict == 'slower' else ', without a verdict'}"
    return ratio.value, (f"{b.step}, {WAY_WORDS[b.way]}, instead of {a.step}, {WAY_WORDS[a.way]}: {faster}"
                         f"{disagreeing(ratio, before, after)}, {time_text(before.seconds)} to {time_text(after.seconds)} "
                         f"({a.variant} to {b.variant}).{lacks}")


def is_faster(ratio: Ratio, before: Timed, after: Timed) -> bool:
    """Beyond doubt to whoever reads the times: by the interval, or, without one, with the middle halves of the times apart."""
    if ratio.value < LEAST_GAIN or ratio.verdict == "slower":
        return ratio.verdict == "slower" and ratio.value >= LEAST_GAIN
    if ratio.interval:
        return ratio.interval.low >= LEAST_GAIN
    return before.side.device.q1 > after.side.device.q3


def not_measured(boards: Boards, where: Sequence[Board]) -> list[str]:
    """The ways of writing without a time, and those with one."""
    sides = [one.side for board in where for one in forms(boards, board)]
    there = {side.way for side in sides} | {"dials" for side in sides if side.dials}
    words = {**WAY_WORDS, "dials": "dials"}
    lists = [", ".join(text for way, text in words.items() if (way in there) == measured) for measured in (False, True)]
    return [f"Not measured here: {lists[0]}. Measured: {lists[1]}."] if all(lists) else []


def forms(boards: Boards, board: Board) -> list[Timed]:
    """The Kokkos variants of a board."""
    return [one for one in timed_variants(boards.rows(board))
            if one.side.model == "kokkos" and board.step in ("", one.side.step)]


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
    values = [next((row for row in record.counters if row.is_of(one.side.variant, one.result, board.type)), None)
              for one in (before, after)]
    if values[0] and values[1]:
        return f"Counters: {causes(differences(values[0].values, values[1].values))}.", ""
    if not record.header.is_gpu:
        return "No counters: those are a GPU's.", ""
    return "Not confirmed by counters yet:", explain_command(record, before.result, before.side.variant, after.side.variant)
