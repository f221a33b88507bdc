"""Counters as comparisons: the two sides of a pair, a step and the one before, a peer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from .choose import main_size
from .counter_words import LABELS, SHOWN_OF_LADDER, ratio_of, value_text
from .differences import differences, sentence
from .equal_work import unequal_text
from .records import Counters, Record, Result
from .tables import Table
from .words import model_name


TEAM_KERNELS = ("kokkos", "kokkos.book")


@dataclass(frozen=True)
class Comparison:
    """Two variants whose counters are set side by side."""

    a: Counters
    b: Counters
    equal_work: bool = False
    """Both are to do the same work: the sides of a pair."""

    def sentence(self) -> str:
        compared = sentence(self.a.variant, self.a.values, self.b.variant, self.b.values)
        return f"{compared} {self.unequal()}".rstrip()

    def unequal(self) -> str:
        """In what the sides of a pair do not do equal work."""
        return unequal_text(self.a.values, self.b.values, self.a.reasons) if self.equal_work else ""

    def table(self) -> Table:
        """The times and what differs most."""
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

    def steps(self) -> list[str]:
        return list(dict.fromkeys(row.step for row in self.rows))

    def side(self, step: str, model: str) -> Counters | None:
        return next((r for r in self.rows if (r.step, r.model) == (step, model)), None)

    def pairs(self) -> list[Comparison]:
        """Each Kokkos side of a step and its native one, where there are both. A team kernel does the work of its native side,
        tile by tile; the usual way is free to do another."""
        return [Comparison(row, native, row.model in TEAM_KERNELS) for step in self.steps() for row in self.rows
                if row.step == step and row.model.startswith("kokkos") and (native := self.side(step, "cuda"))]

    def climbs(self) -> list[Comparison]:
        """Each step of the ladder against the one before it in the same model."""
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
        rows = [[f"{row.step} ({model_name(row.model)})",
                 *(value_text(key, row.values.get(key)) for key in SHOWN_OF_LADDER)]
                for row in self.rows]
        return Table(["variant", *(LABELS[key] for key in SHOWN_OF_LADDER)], rows)


def side_name(row: Counters) -> str:
    return f"{row.step} ({model_name(row.model)})"


def explained(counters: Sequence[Counters]) -> list[Explained]:
    """One group an algorithm, problem and type, in the order found."""
    keys = dict.fromkeys((row.algorithm, row.problem_text, row.type) for row in counters)
    return [Explained(*key, tuple(sorted(
        (row for row in counters if (row.algorithm, row.problem_text, row.type) == key),
        key=lambda row: row.rung if row.rung >= 0 else len(counters) + 1000))) for key in keys]


def explained_of(record: Record, algorithm: str | None = None) -> list[Explained]:
    return [group for group in explained(record.counters)
            if algorithm in (None, group.algorithm)]


def explain_command(record: Record, result: Result, *names: str) -> str:
    """The command that adds these variants' or pairs' counters to the record."""
    parameters = f" --parameter {shlex.quote(result.parameters_text)}" if result.parameters_text else ""
    return (f"perf/portcost explain {' '.join(map(shlex.quote, names))} --size {result.size_text} --type {result.type}{parameters} "
            f"--only --record {shlex.quote(record.path.name)}")


def missing_counters(record: Record) -> tuple[str, str]:
    """What is said of a record without counters, and the command that adds them; empty where it has some."""
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
