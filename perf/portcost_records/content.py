"""What a report says, before it becomes HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from .advice import LEAST_GAIN, changes, not_measured, offers
from .choose import Group, groups_at_main_size
from .headline import CITED, first_price, footnotes, prices_table, sentence, steps_sentence, way_labels, ways_table
from .records import Record
from .tables import Table, problem_heading, times_note
from .ways import BOOK, DIALLED, TUNED, USUAL, Board, Boards, counted_lines
from .words import kokkos_text, native_name, ratio_text, verdict_sentence

METHOD = (
    "Both sides of a pair run in one process on one stream or thread pool, in blocks of one "
    "sample of each; blocks come in pairs, one in each order, and which comes first is drawn from "
    "the recorded seed; a pair during which the processor throttled is dropped whole.",
    "Two clocks time each sample: device time covers the work itself, wall time runs to "
    "completion, and their difference is what a launch costs; very short work is timed in "
    "batches, which are marked as such.",
    "In the cold regime a buffer larger than the last cache is overwritten between samples, in "
    "the hot regime nothing is.",
    "A ratio is time(Kokkos) / time(native). Small problems are measured in eight allocations, and "
    "each gives one number, the mean of its logarithms; elsewhere each pair of blocks does. The "
    "95 % interval is Student's t on these numbers; fewer than eight give none. Sampling stops "
    "when the blocks are precise enough or at a cap, and the row says which.",
    "Both answers are compared before and after timing, and where they differ no ratio is given; "
    "a verdict is faster or slower (of Kokkos) only where the interval lies outside the noise floor, "
    "found by measuring the fastest native step against itself, and outside half a percent; equal "
    "only where it lies within these and within 2 %; a disturbed machine earns neither.",
)


REPEATED = (
    "Several processes measured the same, one after the other, with seeds of their own, and noise floor and best against "
    "best of the same steps. Each process gives one number, and is the unit; fewer than three give no interval."
)


def method(records: list[Record]) -> tuple[str, ...]:
    """How these records were measured."""
    return (*METHOD, REPEATED) if any(record.header.processes for record in records) else METHOD


@dataclass(frozen=True)
class Headline:
    """One verdict: of which algorithm, type and regime, as a number and in words."""

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
    """One sentence an algorithm, type and regime, at the main size."""
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
    line = first_price(board) if board else None
    found = line.against_best if line else group.best and group.best.ratio
    if not found:
        return "–", "", ""
    form = FORMS.get(line.label, line.label) if line else "best form"
    native = native_name([*group.pairs, *filter(None, [group.best])])
    number = ratio_text(found.value)
    return number, f"{form}: {number} x the time of the best {native} code", found.verdict if line else group.best.verdict


@dataclass(frozen=True)
class Front:
    """What stands first of an algorithm: the ways of writing it, and what to write."""

    algorithm: str
    table: Table
    notes: list[str]
    advice: list[tuple[str, str]]
    """Each with the command that is missing, or none."""
    prices: Table | None
    """The price of each step in each way of writing, at the main size."""
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
    """The known defects of peers, and those that are listed and did not show."""
    return [f"{result.sides[0].variant}, {problem_heading(result)}: {result.defect.text}"
            for result in record.results if result.defect]
