"""Versions of Kokkos that were measured in turn on one machine: what each changed in time, and what the compiler made of the
kernels. No output here but words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .changes import Change, Comparison, Wanted, compare_records, noise_of, widen
from .estimates import verdict
from .lines import read_objects
from .reading import Rows, read_record
from .records import Counters, Interval, Record, RecordError, Result
from .ways import NATIVE_MODELS, PEER, USUAL, Board, Boards, Line
from .words import count_text, ratio_text

MORE, LESS = "▲", "▼"
MARKS = {"slower": MORE, "faster": LESS}
WHY = {"registers": "registers", "local_accesses": "spills", "instructions": "instructions", "occupancy": "occupancy"}
"""Counters of perf/portcost explain that tell why a time changed."""


@dataclass(frozen=True)
class Compiled:
    """A kernel as the compiler left it: registers a thread, bytes of spills stored and loaded."""

    registers: int
    spills: int


@dataclass
class Version:
    """One Kokkos; without a record where nothing was measured."""

    name: str
    where: str = ""
    left_out: str = ""
    """Why, where it was not configured, built or run to the end."""
    record: Record | None = None
    kernels: dict[str, Compiled] = field(default_factory=dict)
    """By their symbols."""


def read_versions(paths: Sequence[str | Path]) -> list[Version]:
    """The versions in these files, in their order: records of all versions by perf/run, or records of one each. Raises RecordError
    unless there are two of one processor, with different names."""
    versions = [version for path in paths for version in versions_in(Path(path))]
    names = [version.name for version in versions]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecordError(f"two versions are called {twice[0]}: name records of different versions of Kokkos")
    records = [version.record for version in versions if version.record]
    if not records:
        raise RecordError("no version was measured: " + "; ".join(f"{one.name} {one.left_out}" for one in versions))
    if len(versions) < 2:
        raise RecordError(f"{paths[0]}: one version alone, {names[0]}: name a record of another, too")
    for record in records:
        if record.header.processor != records[0].header.processor:
            raise RecordError(f"{record.path}: measured on {record.header.processor}, but {records[0].path} on "
                              f"{records[0].header.processor}: versions are compared on one processor")
    return versions


def versions_in(path: Path) -> list[Version]:
    """A row `version` begins what belongs to it: its kernels, and its record where it was measured."""
    if next(iter(read_objects(path))).text("kind") != "version":
        record = read_record(path)
        return [Version(record.header.build.get("kokkos") or record.name, record=record)]
    versions: list[Version] = []
    rows: list[Rows | None] = []
    for fields in read_objects(path):
        kind = fields.text("kind")
        if kind == "version":
            versions.append(Version(fields.text("name"), fields.text("where", ""), fields.text("left_out", "")))
            rows.append(None)
        elif kind == "kernel":
            versions[-1].kernels[fields.text("name")] = Compiled(fields.integer("registers"), fields.integer("spills"))
        else:
            rows[-1] = rows[-1] or Rows(path)
            rows[-1].add(fields)
    for version, found in zip(versions, rows):
        version.record = found.record() if found else None
    return versions


@dataclass(frozen=True)
class Move:
    """A Kokkos variant that takes another time in the next version: its cost where it has a native side, else its time."""

    name: str
    """algorithm/step, with the way and the dials."""
    problem: str
    variant: str
    change: Change
    is_cost: bool
    own: Change | None
    native: Change | None
    """Of a cost the times of its two sides."""
    why: dict[str, tuple[float, float]]
    """Of WHY what the counters say in both versions."""


def moves(old: Record, new: Record, comparison: Comparison) -> list[Move]:
    """All variants in Kokkos that both versions measured, in the order of the new record."""
    times = {change.key: change for change in comparison.variants}
    costs = {change.key: change for change in comparison.pairs}
    made = []
    for result in new.results:
        rest = (result.problem_text, result.type, result.regime)
        first = result.sides[0]
        own = times.get((first.variant, *rest))
        native = times.get((result.sides[1].variant, *rest)) if result.role == "pair" else None
        change = costs.get((f"{result.algorithm}/{result.step}", *rest)) if result.role == "pair" else own
        if change and first.portable and result.role in ("pair", "solo"):
            made.append(Move(f"{result.algorithm}/{result.step}", ", ".join(rest), first.variant, change, result.role == "pair", own,
                             native, counted(old, new, result)))
    return made


def counted(old: Record, new: Record, result: Result) -> dict[str, tuple[float, float]]:
    both = [of_result(record.counters, result) for record in (old, new)]
    return {key: (both[0].values[key], both[1].values[key]) for key in WHY
            if all(both) and all(key in one.values for one in both)}


def of_result(counters: Iterable[Counters], result: Result) -> Counters | None:
    return next((one for one in counters if one.is_of(result.sides[0].variant, result, result.type)), None)


def controls(comparison: Comparison) -> list[float]:
    """new / old of every native variant's time."""
    return [change.new / change.old for change in comparison.variants if change.key[0].split("/")[2] in NATIVE_MODELS]


def summary(old_name: str, new_name: str, old: Record, new: Record, comparison: Comparison) -> str:
    """What the new version changed, in one paragraph."""
    all_moves = moves(old, new, comparison)
    said = []
    for verdict_, words, extreme in (("faster", "less", min), ("slower", "more", max)):
        found = [move for move in all_moves if move.change.verdict == verdict_]
        if found:
            most = extreme(found, key=lambda move: move.change.new / move.change.old)
            said.append(f"{len(found)} cost {words} (most: {most.name}, {most.problem}, {ratio_text(most.change.new / most.change.old)} "
                        f"times)")
        else:
            said.append(f"none costs {words}")
    counts = {name: sum(move.change.verdict == name for move in all_moves) for name in ("equal", "unclear")}
    lines = [f"Kokkos {old_name} -> {new_name}: of {count_text(len(all_moves), 'row')} in Kokkos {said[0]}, {said[1]}, "
             f"{counts['equal']} cost the same, {counts['unclear']} are unclear."]
    if native := controls(comparison):
        lines.append(f"Native code, the control, takes {ratio_text(statistics.median(native))} times as long in the median of "
                     f"{count_text(len(native), 'variant')} ({ratio_text(min(native))} to {ratio_text(max(native))}).")
    wrong = sum(which == "new" for which, _ in comparison.wrong)
    failed = sum(which == "new" for which, _ in comparison.failed)
    if wrong or failed:
        lines.append(f"With {new_name} the answers of {count_text(wrong, 'row')} differ, and {count_text(failed, 'variant')} failed.")
    return " ".join(lines)


# ---- Ways of writing over versions.


@dataclass(frozen=True)
class Course:
    """One way of writing over the versions; None where a version does not have it."""

    way: str
    step: str
    """Where each step of the way has a line of its own."""
    lines: tuple[Line | None, ...]
    marks: tuple[str, ...]
    """Whether the cost changed beyond the noise since the version before that has it: MORE, LESS or empty."""


@dataclass(frozen=True)
class Panel:
    """All ways at one problem over the versions."""

    algorithm: str
    title: str
    small: bool
    boards: tuple[Board | None, ...]
    courses: tuple[Course, ...]

    def native(self) -> list[float | None]:
        """The time of the best native code against the first version that has it: the control."""
        first = next(board.best.seconds for board in self.boards if board)
        return [board.best.seconds / first if board else None for board in self.boards]


def panels(versions: Sequence[Version]) -> list[Panel]:
    found: dict[tuple[str, ...], list[Board | None]] = {}
    for place, version in enumerate(versions):
        for board in Boards(version.record).all() if version.record else []:
            key = (board.algorithm, board.problem_text, board.type, board.regime, board.step)
            found.setdefault(key, [None] * len(versions))[place] = board
    made = []
    for boards in found.values():
        first = next(board for board in boards if board)
        keys = dict.fromkeys((line.label, usual_step(line)) for board in boards if board for line in board.kokkos_lines())
        courses = tuple(course(key, boards, versions) for key in keys)
        made.append(Panel(first.algorithm, first.title, first.small, tuple(boards), courses))
    return made


def usual_step(line: Line) -> str:
    """Of the usual way every step has a line, as every peer; of the other ways the fastest."""
    return line.side.step if line.label in (USUAL, PEER) else ""


def course(key: tuple[str, str], boards: Sequence[Board | None], versions: Sequence[Version]) -> Course:
    lines = [next((line for line in board.kokkos_lines() if (line.label, usual_step(line)) == key), None) if board else None
             for board in boards]
    marks, last = [], None
    for place, line in enumerate(lines):
        marks.append(mark(last, (line, versions[place].record)) if line and last else "")
        last = (line, versions[place].record) if line else last
    return Course(*key, tuple(lines), tuple(marks))


def mark(old: tuple[Line, Record], new: tuple[Line, Record]) -> str:
    """Each cost is a ratio within its own version's processes, and their intervals are independent: half widths add in squares."""
    ratios = [line.against_best for line, _ in (old, new)]
    if not all(ratio and ratio.interval for ratio in ratios):
        return ""
    half = math.hypot(*(math.log(ratio.interval.high / ratio.interval.low) / 2 for ratio in ratios))
    log = math.log(ratios[1].value / ratios[0].value)
    noise = widen(*(noise_of(record, line.timed.result) for line, record in (old, new)))
    return MARKS.get(verdict(Interval(math.exp(log), math.exp(log - half), math.exp(log + half)), noise), "")


def successive(versions: Sequence[Version]) -> list[tuple[Version, Version, Comparison]]:
    """Each measured version with the one before."""
    measured = [version for version in versions if version.record]
    return [(old, new, compare_records(old.record, new.record, Wanted())) for old, new in zip(measured, measured[1:])]
