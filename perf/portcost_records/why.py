"""Counters as comparisons: the two sides of a pair, a step and the one before, a peer; and these as text for a terminal."""

import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from .choose import main_size
from .counters import LABELS, PREDICTED, SHOWN, SHOWN_OF_LADDER, ratio_of, top_stalls, value_text
from .differences import differences, sentence, unequal_text
from .records import Counters, Record, Result
from .tables import Table
from .words import fitted, model_name

TEAM_KERNELS = ("kokkos", "kokkos.book")


@dataclass(frozen=True)
class Comparison:
    a: Counters
    b: Counters
    equal_work: bool = False
    """Both are to do the same work: the sides of a pair."""

    def sentence(self) -> str:
        compared = sentence(self.a.variant, self.a.values, self.b.variant, self.b.values)
        unequal = unequal_text(self.a.values, self.b.values, self.a.reasons) if self.equal_work else ""
        return f"{compared} {unequal}".rstrip()

    def table(self) -> Table:
        keys = ["seconds", *(found.key for found in differences(self.a.values, self.b.values))]
        rows = []
        for key in keys:
            a, b = self.a.values.get(key), self.b.values.get(key)
            rows.append([LABELS[key], value_text(key, a), value_text(key, b), ratio_of(a, b)])
        return Table(["counter", side_name(self.a), side_name(self.b), "ratio"], rows)


@dataclass(frozen=True)
class Explained:
    """The counters of one algorithm, problem and type, in the order of the ladder; peers last."""

    algorithm: str
    problem_text: str
    type: str
    rows: tuple[Counters, ...]

    @property
    def title(self) -> str:
        return f"{self.algorithm}: why ({self.problem_text}, {self.type})"

    def side(self, step: str, model: str) -> Counters | None:
        return next((r for r in self.rows if (r.step, r.model) == (step, model)), None)

    def pairs(self) -> list[Comparison]:
        """Each Kokkos side of a step and its native one. A team kernel does the same work, tile by tile; the usual way need not."""
        steps = dict.fromkeys(row.step for row in self.rows)
        return [Comparison(row, native, row.model in TEAM_KERNELS) for step in steps for row in self.rows
                if row.step == step and row.model.startswith("kokkos") and (native := self.side(step, "cuda"))]

    def climbs(self) -> list[Comparison]:
        found = []
        for model in ("cuda", "kokkos"):
            rungs = [row for row in self.rows if row.model == model and row.rung >= 0]
            found += [Comparison(after, before) for before, after in zip(rungs, rungs[1:])]
        return found

    def peers(self) -> list[Comparison]:
        """Each variant without a twin against the fastest of the pairs (of all, without pairs)."""
        paired = [row for pair in self.pairs() for row in (pair.a, pair.b)]
        names = {row.variant for row in paired}
        timed = [row for row in paired or self.rows if row.values.get("seconds")]
        if not timed:
            return []
        fastest = min(timed, key=lambda row: row.values["seconds"])
        return [Comparison(row, fastest) for row in self.rows
                if row.variant not in names and row is not fastest
                and not (row.rung >= 0 and row.model in ("kokkos", "cuda") and not paired)]

    def ladder_table(self) -> Table:
        rows = [[side_name(row), *(value_text(key, row.values.get(key)) for key in SHOWN_OF_LADDER)] for row in self.rows]
        return Table(["variant", *(LABELS[key] for key in SHOWN_OF_LADDER)], rows)


def side_name(row: Counters) -> str:
    return f"{row.step} ({model_name(row.model)})"


def explained(counters: Sequence[Counters]) -> list[Explained]:
    keys = dict.fromkeys((row.algorithm, row.problem_text, row.type) for row in counters)
    return [Explained(*key, tuple(sorted(
        (row for row in counters if (row.algorithm, row.problem_text, row.type) == key),
        key=lambda row: row.rung if row.rung >= 0 else len(counters) + 1000))) for key in keys]


def explain_command(record: Record, result: Result, *names: str) -> str:
    """The command that adds these variants' or pairs' counters to the record."""
    parameters = f" --parameter {shlex.quote(result.parameters_text)}" if result.parameters_text else ""
    return (f"perf/portcost explain {' '.join(map(shlex.quote, names))} --size {result.size_text} --type {result.type}{parameters} "
            f"--only --record {shlex.quote(record.path.name)}")


def missing_counters(record: Record) -> tuple[str, str]:
    pairs = [r for r in record.results if r.role == "pair" and r.ratio]
    if record.counters or not pairs:
        return "", ""
    if not record.header.is_gpu:
        return "Why is not explained here: hardware counters are read of GPUs alone.", ""
    same = [r for r in pairs if (r.algorithm, r.type) == (pairs[0].algorithm, pairs[0].type)]
    main = main_size(same)
    slowest = max((r for r in same if r.problem_text == main), key=lambda r: r.ratio.value if r.ratio else 0.0)
    return ("Why is not explained here: the record holds no hardware counters. On the GPU that it was measured on, add them "
            "with", explain_command(record, slowest, f"{slowest.algorithm}/{slowest.sides[0].row_name}"))


WIDTH = 100


def text_of(rows: list[Counters], asked: set[str], dropped: set[str]) -> list[str]:
    lines: list[str] = []
    for group in explained(rows):
        for pair in group.pairs():
            if pair.a.variant in asked or pair.b.variant in asked:
                # Both sides of the step directly before, where it was collected.
                rungs = [row for row in group.rows if 0 <= row.rung < pair.a.rung]
                last = max((row.rung for row in rungs), default=-1)
                before = sorted((row for row in rungs if row.rung == last), key=lambda row: row.model == "cuda")
                lines += ["", *wrapped(pair.sentence()), "", *columns([pair.a, pair.b], before)]
        for peer in group.peers():
            if peer.a.variant in asked:
                lines += ["", *wrapped(peer.sentence()), "", *columns([peer.a, peer.b], [])]
        compared = {row.variant for pair in (*group.pairs(), *group.peers()) for row in (pair.a, pair.b)}
        for row in group.rows:
            if row.variant in asked and row.variant not in compared:
                lines += ["", *columns([row], [])]
        if len(group.rows) > 2:
            lines += ["", *ladder_lines(group)]
    if dropped:
        lines += ["", *wrapped(f"not known to this chip: {', '.join(sorted(dropped))}")]
    return lines[1:]


def columns(sides: list[Counters], before: list[Counters]) -> list[str]:
    """A row a counter: the sides, their ratio, and the step before."""
    shown = [*sides, *before]
    compared = len(sides) == 2
    first = sides[0]
    lines = wrapped(f"{first.algorithm}, {first.problem_text}, {first.type}")
    for names, ratio in (([row.step for row in shown], ""), ([row.model for row in shown], "ratio")):
        heads = [f"{fitted(name, 14):>14}" for name in names]
        if compared:
            heads.insert(2, f"{ratio:>12}")
        lines.append((f"{'':<26}" + "".join(heads)).rstrip())
    for key in (key for counter in SHOWN for key in (counter, PREDICTED + counter)):
        if not any(key in row.values for row in shown):
            continue
        cells = [f"{value_text(key, row.values.get(key)):>14}" for row in shown]
        if compared:
            ratio = ratio_of(*(row.values.get(key) for row in sides))
            cells.insert(2, f"{ratio:>12}")
        label = "  predicted" if key.startswith(PREDICTED) else LABELS[key]
        lines.append(f"{label:<26}" + "".join(cells))
    for row in shown:
        lines += wrapped(f"stalls of {side_name(row)}: {top_stalls(row.values)}")
    for row in sides:
        lines += wrapped(f"kernels of {side_name(row)}: " + "; ".join(
            f"{kernel.launches} x {kernel.name}" for kernel in row.kernels[:4])
            + ("; ..." if len(row.kernels) > 4 else ""))
    return lines


def ladder_lines(group: Explained) -> list[str]:
    lines = wrapped(f"the ladder of {group.algorithm}, {group.problem_text}, {group.type}")
    heads = {"seconds": "time", "instructions_per_element": "instr/el.", "working_lanes": "lanes on",
             "bank_conflicts": "conflicts", "stall_barrier": "barrier", "occupancy": "occupancy",
             "dram_bytes_per_second": "memory"}
    widths = {key: 12 if key == "dram_bytes_per_second" else 10 for key in heads}
    lines.append(f"{'':<26}" + "".join(f"{heads[key]:>{widths[key]}}" for key in SHOWN_OF_LADDER))
    for row in group.rows:
        lines.append(f"{fitted(f'{row.step} {row.model}', 26):<26}" + "".join(
            f"{value_text(key, row.values.get(key)):>{widths[key]}}" for key in SHOWN_OF_LADDER))
    for climb in group.climbs():
        lines += wrapped(climb.sentence(), "  ")
    return lines


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False)
