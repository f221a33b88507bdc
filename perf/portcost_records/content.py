"""What a report says, before it becomes HTML or Markdown; and what to write: the single changes worth most, each a ratio of two
rows of one algorithm that differ in one thing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .between import Ratio, Timed
from .choose import Group, groups_at_main_size
from .differences import causes, differences
from .headline import CITED, footnotes, prices_table, ratio_cell, sentence, steps_sentence, way_labels, ways_table
from .records import Record, Side
from .tables import Table, problem_heading, times_note
from .ways import BOOK, DIALLED, TUNED, USUAL, Board, Boards, counted_lines, timed_variants
from .why import explain_command
from .words import differing, kokkos_text, native_name, ratio_text, time_text, verdict_sentence

MOST = 4
LEAST_GAIN = 1.02
WAY_WORDS = {"usual": "the usual way", "book": "by the book", "tuned": "tuned"}
NEXT_WAY = {"usual": "book", "book": "tuned"}
METHOD = (
    "Both sides of a pair run in one process on one stream or thread pool, in blocks of one "
    "sample of each; blocks come in pairs, one in each order, and which comes first is drawn from "
    "the recorded seed; a pair during which the processor throttled is dropped whole.",
    "Two clocks time each sample: device time covers the work itself, wall time runs to completion, and their difference is what "
    "a launch costs; very short work is timed in batches, which are marked as such.",
    "In the cold regime a buffer larger than the last cache is overwritten between samples, in the hot regime nothing is.",
    "A ratio is time(Kokkos) / time(native). Small problems are measured in eight allocations, and each gives one number, the "
    "mean of its logarithms; elsewhere each pair of blocks does. The 95 % interval is Student's t on these numbers; fewer than "
    "eight give none. Sampling stops when the blocks are precise enough or at a cap, and the row says which.",
    "Both answers are compared before and after timing, and where they differ no ratio is given; "
    "a verdict is faster or slower (of Kokkos) only where the interval lies outside the noise floor, "
    "found by measuring the fastest native step against itself, and outside half a percent; equal "
    "only where it lies within these and within 2 %; a disturbed machine earns neither.",
)


REPEATED = (
    "Several processes measured the same, one after the other, with seeds of their own, and noise floor and best against "
    "best of the same steps. Each process gives one number, and is the unit; fewer than three give no interval."
)


@dataclass(frozen=True)
class Headline:
    name: str
    size: str
    number: str
    what: str
    """What the number is, in words: "usual form: 3.490 x the time of the best OpenMP code"."""
    sentence: str
    verdict: str


def default_title(records: list[Record]) -> str:
    processors = dict.fromkeys(record.header.processor for record in records)
    return "Cost of portability on " + ", ".join(processors)


def machine_line(record: Record) -> str:
    header = record.header
    parts = [header.processor, kokkos_text(header), f"commit {header.commit}" if header.commit else "",
             header.date.replace("T", " ").replace("Z", " UTC"), record.path.name,
             f"{len(header.processes)} processes" if header.processes else "",
             f"TIMES ARE WORTHLESS: {header.build['falsifying']}" if header.build.get("falsifying") else "",
             "" if record.ended else "INCOMPLETE: the measurement was stopped, rows are missing"]
    return " · ".join(part for part in parts if part)


def all_groups(record: Record) -> list[Group]:
    return [group for name in record.algorithms() for group in groups_at_main_size(record, name)]


def headlines(boards: Boards) -> list[Headline]:
    made = []
    for group in all_groups(boards.record):
        if group.pairs or group.best:
            name = f"{group.algorithm} {group.type}" + (", hot" if group.regime == "hot" else "")
            wrong = any(not pair.agrees for pair in group.pairs)
            here = [one for one in boards.by_algorithm[group.algorithm]
                    if not one.small and (one.type, one.regime) == (group.type, group.regime)]
            board = next((one for one in here if not one.step), None)
            number, what, verdict = price_of(group, board)
            steps = [one for one in here if one.step]
            lead = sentence(board) if board else steps_sentence(steps) if steps else ""
            text = verdict_sentence(group.pairs, group.best, lead)
            made.append(Headline(name, group.problem_text, number, what, text, "wrong" if wrong else verdict))
    return made


FORMS = {USUAL: "usual form", DIALLED: "usual form with dials turned", BOOK: "form by the book", TUNED: "tuned form"}


def price_of(group: Group, board: Board | None) -> tuple[str, str, str]:
    """The number that leads, what it is, and its verdict."""
    # What somebody pays who writes the usual first; without such a row, the tuned way.
    lines = board.kokkos_lines() if board else [None]
    line = next((one for one in lines if one and one.label != TUNED and not one.side.is_peer), lines[0])
    found = line.against_best if line else group.best and group.best.ratio
    if not found:
        return "–", "", ""
    form = FORMS.get(line.label, line.label) if line else "best form"
    native = native_name([*group.pairs, *filter(None, [group.best])])
    number = ratio_text(found.value)
    return number, f"{form}: {number} x the time of the best {native} code", found.verdict if line else group.best.verdict


@dataclass(frozen=True)
class Front:
    algorithm: str
    table: Table
    notes: list[str]
    advice: list[tuple[str, str]]
    """Each with the command that is missing, or none."""
    prices: Table | None
    cited: str
    """What the picture of price against effort is drawn after; empty without that picture."""


def fronts(boards: Boards) -> dict[str, Front]:
    made = {}
    for name, mine in boards.by_algorithm.items():
        if mine:
            main = [one for one in mine if (one.type, one.regime) == (mine[0].type, mine[0].regime) and not one.small]
            found = changes(boards, main)
            cited = CITED if not mine[0].step and counted_lines(mine[0]) else ""
            advice = [(change.sentence(), change.command) for change in found]
            advice += [(text, "") for text in offers(boards, main, found)]
            if not advice and len(way_labels(mine)) > 1:
                advice = [(NOTHING_GAINS, "")]
            advice += [(text, "") for text in not_measured(boards, main)]
            table, notes = ways_table(mine), footnotes(mine, boards.record, [change.ratio for change in found])
            made[name] = Front(name, table, [*notes, *filter(None, [times_note(table)])], advice, prices_table(boards, mine[0]), cited)
    return made


NOTHING_GAINS = (f"No dial and no other way that was measured gains {100 * (LEAST_GAIN - 1):.0f} % or more beyond the noise "
                 "here: the table above shows which step and way is fastest.")


def alarms(record: Record) -> list[tuple[str, list[str]]]:
    """Headings, each with its lines, to be shown before anything else."""
    wrong = [f"{' against '.join(side.variant for side in result.sides)}, {problem_heading(result)}: "
             f"{result.disagreement or 'the answers differ'}" for result in record.results if result.fails and not result.failed]
    found = [("answers differ: these results have no ratio", wrong),
             ("failed: these variants crashed or hung, and results that need them have no ratio",
              [failure.text for failure in record.failures])]
    return [(heading, lines) for heading, lines in found if lines]


def defect_lines(record: Record) -> list[str]:
    return [f"{result.sides[0].variant}, {problem_heading(result)}: {result.defect.text}"
            for result in record.results if result.defect]


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
    there = {side.way for side in sides} | {"dials" for side in sides if side.dials and side.way == "usual"}
    words = {**WAY_WORDS, "dials": "dials"}
    lists = [", ".join(text for way, text in words.items() if (way in there) == measured) for measured in (False, True)]
    return [f"Not measured here: {lists[0]}. Measured: {lists[1]}."] if all(lists) else []


def forms(boards: Boards, board: Board) -> list[Timed]:
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
    for before in kokkos:
        for after in kokkos:
            if (before.side.step, before.side.dials) == (after.side.step, after.side.dials) \
                    and NEXT_WAY.get(before.side.way) == after.side.way:
                yield f"{after.side.step}: {WAY_WORDS[after.side.way]} instead of {WAY_WORDS[before.side.way]}", before, after, 1


def counters_text(record: Record, board: Board, before: Timed, after: Timed) -> tuple[str, str]:
    values = [next((row for row in record.counters if row.is_of(one.side.variant, one.result, board.type)), None)
              for one in (before, after)]
    if values[0] and values[1]:
        return f"Counters: {causes(differences(values[0].values, values[1].values))}.", ""
    if not record.header.is_gpu:
        return "No counters: those are a GPU's.", ""
    return "Not confirmed by counters yet:", explain_command(record, before.result, before.side.variant, after.side.variant)
