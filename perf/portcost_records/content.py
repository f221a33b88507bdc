"""What a report says, before it becomes HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from .choose import Group, defects, disagreements, groups_at_main_size
from .failures import failure_lines
from .records import Record, Result
from .words import kokkos_text, ratio_text, verdict_sentence

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
             "" if record.ended else "INCOMPLETE: the measurement was stopped, rows are missing"]
    return " · ".join(part for part in parts if part)


def all_groups(record: Record) -> list[Group]:
    return [group for name in record.algorithms() for group in groups_at_main_size(record, name)]


def headlines(record: Record) -> list[Headline]:
    """One sentence an algorithm, type and regime, at the main size."""
    made = []
    for group in all_groups(record):
        if group.pairs or group.best:
            name = f"{group.algorithm} {group.type}" + (", hot" if group.regime == "hot" else "")
            wrong = any(not pair.agrees for pair in group.pairs)
            verdict = group.best.verdict if group.best else ""
            ratio = group.best.ratio if group.best else None
            number = ratio_text(ratio.value) if ratio else "–"
            made.append(Headline(name, group.problem_text, number, verdict_sentence(group.pairs, group.best),
                                 "wrong" if wrong else verdict))
    return made


def disagreement_lines(record: Record) -> list[str]:
    """What is wrong, to be shown before anything else."""
    return [disagreement_line(result) for result in disagreements(record) if not result.failed]


def alarms(record: Record) -> list[tuple[str, list[str]]]:
    """Headings, each with its lines, to be shown before anything else."""
    found = [("answers differ: these results have no ratio", disagreement_lines(record)),
             ("failed: these variants crashed or hung, and results that need them have no ratio",
              failure_lines(record))]
    return [(heading, lines) for heading, lines in found if lines]


def defect_lines(record: Record) -> list[str]:
    """The known defects of peers, and those that are listed and did not show."""
    return [f"{result.sides[0].variant}, {result.problem_text}, {result.type}, {result.regime}: "
            f"{result.defect.text}" for result in defects(record) if result.defect]


def disagreement_line(result: Result) -> str:
    sides = " against ".join(side.variant for side in result.sides)
    return (f"{sides}, {result.problem_text}, {result.type}, {result.regime}: "
            f"{result.disagreement or 'the answers differ'}")
