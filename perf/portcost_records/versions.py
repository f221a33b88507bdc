"""Versions of Kokkos that were measured in turn on one machine: what each changed in the costs, and what the compiler made of the
kernels."""

import json
import math
import re
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .changes import Change, Comparison, noise_of, widen
from .derived import raw_rows
from .reading import Fields, read_record
from .records import Record, RecordError, Result
from .ways import NATIVE_MODELS, PEER, USUAL, Board, Boards, Line
from .words import count_text, ratio_text

NORMAL = 1.959963984540054
"""95 % of a normal distribution lie within so many standard deviations."""
MORE, LESS = "▲", "▼"
MARKS = {"slower": MORE, "faster": LESS}
WHY = {"registers": "registers", "local_accesses": "spills", "instructions": "instructions", "occupancy": "occupancy"}
Kernels = dict[tuple[str, ...], list[tuple[int, int]]]
"""By their names the registers, and bytes of spills stored and loaded, of the kernels that share these names."""


@dataclass
class Version:
    """One Kokkos. `left_out` says why it was not configured, built or run to the end; then there may be no record."""

    name: str
    where: str = ""
    left_out: str = ""
    record: Record | None = None
    kernels: Kernels = field(default_factory=dict)


def read_versions(paths: Sequence[str | Path]) -> list[Version]:
    """The versions in these files, in their order: of records of all versions by perf/run, or of records of one each. Raises
    RecordError unless there are two names and one processor."""
    versions = [version for path in paths for version in versions_in(Path(path))]
    names = [version.name for version in versions]
    records = [version.record for version in versions if version.record]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecordError(f"two versions are called {twice[0]}: name records of different versions of Kokkos")
    if not records:
        raise RecordError("no version was measured: " + "; ".join(f"{one.name} {one.left_out}" for one in versions))
    if len(versions) < 2:
        raise RecordError(f"{paths[0]}: one version alone, {names[0]}: name a record of another, too")
    for record in records:
        if (here := record.header.processor) != (first := records[0].header.processor):
            raise RecordError(f"{record.path}: measured on {here}, but {records[0].path} on {first}: versions are compared on one processor")
    return versions


def versions_in(path: Path) -> list[Version]:
    """A row `version` begins what belongs to it: its kernels, and its record where it was measured."""
    try:
        raw = raw_rows(path)
    except (OSError, ValueError, RecordError):
        raw = []
    if not raw or not isinstance(raw[0], dict) or raw[0].get("kind") != "version":
        record = read_record(path)
        return [Version(record.header.build.get("kokkos") or record.name, record=record)]
    versions: list[Version] = []
    rows: list[list[str]] = []
    for number, row in enumerate(raw, 1):
        fields = Fields(row, path, f"line {number}")
        kind = fields.get("kind", str)
        if kind == "version":
            versions.append(Version(fields.get("name", str), fields.get("where", str, ""), fields.get("left_out", str, "")))
            rows.append([])
        elif kind == "kernel":
            found = fields.get("registers", int), fields.get("spills", int)
            versions[-1].kernels.setdefault(own_names(fields.get("name", str)), []).append(found)
        else:
            rows[-1].append(json.dumps(row) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        for number, mine in enumerate(rows):
            if mine:
                part = Path(folder) / f"{number}_{path.name.removesuffix('.gz')}"
                part.write_text("".join(mine), encoding="utf-8")
                versions[number].record = replace(read_record(part), path=path)
    return versions


PART = re.compile(r"L[a-z]n?\d+E|S[0-9A-Z]*_|T\d*_|(\d+)")
"""Of a symbol: a number, a substitution, a parameter, or the length of the name that follows."""
TYPE = re.compile(r"I(?:L[a-z]n?\d+E)*([dfij])(?=[EILN])")
TYPES = {"d": "f64", "f": "f32", "i": "i32", "j": "i32"}
FILE = re.compile(r"_GLOBAL__N_.*_\d+_(\w+?)_(?:cpp|cu|hpp)_")
FOREIGN = re.compile(r"Kokkos|Cuda|.*(Policy|View|Functor|Reducer)|Impl|Parallel")


def own_names(symbol: str) -> tuple[str, ...]:
    """The names in a kernel's symbol from portcost on, up to the first of Kokkos's, which differ from one version to the next:
    ("sum", "book", "wide_loads", "f32"). The name of an anonymous namespace has the file's in it."""
    names: list[str] = []
    at = 0
    while at < len(symbol):
        found = PART.match(symbol, at)
        at = found.end() if found else at + 1
        if found and found[1]:
            name = symbol[at:at + int(found[1])]
            at += len(name)
            if names and FOREIGN.match(name):
                break
            if names or name == "portcost":
                file = FILE.match(name)
                names.append(file[1] if file else name)
                if (element := TYPE.match(symbol, at)) and TYPES[element[1]] not in names:
                    names.append(TYPES[element[1]])
    return tuple(names[1:])


def compiled(kernels: Kernels, result: Result) -> dict[str, float]:
    """The most registers, and the spills, of the kernels that are named like the row's step and way, where there are any."""
    side = result.sides[0]

    def fits(names: tuple[str, ...]) -> bool:
        words = [name.replace("_", "").lower() for name in names]
        return (names[:1] == (result.algorithm,) and side.step.replace("_", "") in words[1:]
                and all((way in words) == (side.way == way) for way in ("book", "usual"))
                and (result.type in words or not set(TYPES.values()) & set(words)))

    found = [kernel for names, group in kernels.items() if fits(names) for kernel in group]
    return {"registers": max(one for one, _ in found), "local_accesses": sum(spills for _, spills in found)} if found else {}


def kernels_changed(old: Kernels, new: Kernels) -> list[list[str]]:
    """Rows of a table: the kernels that share their names, how many, and their most registers and their spills in both versions.
    Builds with a single trick (`book_index64`) are left out: no row of a version measures them."""
    rows = []
    for names, after in new.items():
        if not names or names[0] == "tricks" or any(name.startswith("book_") for name in names) or not (before := old.get(names)):
            continue
        numbers = [(max(registers for registers, _ in group), sum(spills for _, spills in group)) for group in (before, after)]
        if numbers[0] != numbers[1]:
            rows.append(["::".join(names), str(len(after)), *(" -> ".join(map(str, pair)) for pair in zip(*numbers))])
    return rows


@dataclass(frozen=True)
class Move:
    """A variant in Kokkos in two versions: its cost where it has a native side, else its time."""

    change: Change
    is_cost: bool
    own: Change | None
    native: Change | None
    """The times of the two sides."""
    why: dict[str, tuple[float, float]]
    """Of WHY what both versions have: counters, else what the compiler said."""


def moves(old: Version, new: Version, comparison: Comparison) -> list[Move]:
    """Of all variants in Kokkos that both versions measured, in the order of the new record."""
    times = {change.key: change for change in comparison.variants}
    costs = {change.key: change for change in comparison.pairs}
    made = []
    for result in new.record.results:
        rest = (result.problem_text, result.type, result.regime)
        sides = [times.get((side.variant, *rest)) for side in result.sides]
        is_cost = result.role == "pair"
        change = costs.get((f"{result.algorithm}/{result.step}", *rest)) if is_cost else sides[0]
        if change and result.sides[0].portable and result.role in ("pair", "solo"):
            known = [compiled(one.kernels, result) | next((
                counters.values for counters in one.record.counters
                if counters.is_of(result.sides[0].variant, result, result.type)), {}) for one in (old, new)]
            why = {key: (known[0][key], known[1][key]) for key in WHY if all(key in values for values in known)}
            made.append(Move(change, is_cost, sides[0], sides[1] if is_cost else None, why))
    return made


def summary(old: Version, new: Version, comparison: Comparison) -> str:
    found = moves(old, new, comparison)
    by_verdict = {name: [move.change for move in found if move.change.verdict == name] for name in ("faster", "slower", "equal", "unclear")}

    def most(verdict_: str, word: str, extreme) -> str:
        if not by_verdict[verdict_]:
            return f"none costs {word}"
        change = extreme(by_verdict[verdict_], key=lambda change: change.new / change.old)
        return f"{len(by_verdict[verdict_])} cost {word} (most: {', '.join(change.key)}, {ratio_text(change.new / change.old)} times)"

    text = (f"Kokkos {old.name} -> {new.name}: of {count_text(len(found), 'row')} in Kokkos {most('faster', 'less', min)}, "
            f"{most('slower', 'more', max)}, {len(by_verdict['equal'])} cost the same, {len(by_verdict['unclear'])} are unclear.")
    if native := [change.new / change.old for change in comparison.variants if change.key[0].split("/")[2] in NATIVE_MODELS]:
        text += (f" Native code, the control, takes {ratio_text(statistics.median(native))} times as long in the median of "
                 f"{count_text(len(native), 'variant')} ({ratio_text(min(native))} to {ratio_text(max(native))}).")
    wrong, failed = (sum(which == "new" for which, _ in part) for part in (comparison.wrong, comparison.failed))
    if wrong or failed:
        text += f" With {new.name} the answers of {count_text(wrong, 'row')} differ, and {count_text(failed, 'variant')} failed."
    return text


# ---- Ways of writing over versions.


@dataclass(frozen=True)
class Course:
    """One way of writing over the versions, of the usual way and of peers one step; None where a version does not have it."""

    way: str
    step: str
    lines: tuple[Line | None, ...]
    marks: tuple[str, ...]
    """Whether the cost changed beyond the noise since the version before that has it: MORE, LESS or empty."""


@dataclass(frozen=True)
class Panel:
    boards: tuple[Board | None, ...]
    courses: tuple[Course, ...]

    @property
    def first(self) -> Board:
        return next(board for board in self.boards if board)

    @property
    def title(self) -> str:
        return self.first.title + (", a small size" if self.first.small else "")

    def native(self) -> list[float | None]:
        """The time of the best native code against the first version that has it: the control."""
        return [board.best.seconds / self.first.best.seconds if board else None for board in self.boards]


def panels(versions: Sequence[Version]) -> list[Panel]:
    found: dict[tuple[str, ...], list[Board | None]] = {}
    for place, version in enumerate(versions):
        for board in Boards(version.record).all() if version.record else []:
            key = (board.algorithm, board.problem_text, board.type, board.regime, board.step)
            found.setdefault(key, [None] * len(versions))[place] = board
    return [Panel(tuple(boards), tuple(courses(boards, versions))) for boards in found.values()]


def courses(boards: Sequence[Board | None], versions: Sequence[Version]) -> list[Course]:
    rows: dict[tuple[str, str], list[Line | None]] = {}
    for place, board in enumerate(boards):
        for line in board.kokkos_lines() if board else []:
            key = line.label, line.side.step if line.label in (USUAL, PEER) else ""
            rows.setdefault(key, [None] * len(boards))[place] = line
    made = []
    for key, lines in rows.items():
        marks = [""] * len(lines)
        there = [place for place, line in enumerate(lines) if line]
        for before, place in zip(there, there[1:]):
            noise = widen(*(noise_of(versions[at].record, lines[at].timed.result) for at in (before, place)))
            marks[place] = mark(lines[before], lines[place], noise, versions[place].record)
        made.append(Course(*key, tuple(lines), tuple(marks)))
    return made


def mark(old: Line, new: Line, noise: tuple[float, float], record: Record) -> str:
    """Each cost is measured within its version's own processes: the intervals are independent, and half widths add in squares."""
    ratios = [line.against_best for line in (old, new)]
    if not all(ratio and ratio.interval for ratio in ratios):
        return ""
    terms = [{"sign": sign, "estimate": {
        "log": math.log(ratio.value), "error": 0.0, "degrees": 1, "unit": "block", "units": 8,
        "unseen": math.log(ratio.interval.high / ratio.interval.low) / 2 / NORMAL}} for sign, ratio in zip((-1, 1), ratios)]
    return MARKS.get(record.derived.product(terms, noise).verdict, "")
