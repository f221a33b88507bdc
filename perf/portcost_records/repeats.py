"""Whether two records of the same work say the same cost of portability: the rule of repeated runs.

Of two runs that measure the same thing, the log ratios of a row differ by less than 1.96 standard errors of their difference
in 95 of 100 cases. More rows outside than that say that what one run calls its uncertainty leaves out something.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .changes import Key, Measured, Wanted, costs
from .records import Record
from .words import count_text, ratio_text

ALLOWED = 1.96
"""Standard errors of the difference."""
OPPOSITE = {"slower": "faster", "faster": "slower"}


@dataclass(frozen=True)
class Repeat:
    """One row of the cost of portability in two records."""

    key: Key
    old: Measured
    new: Measured

    @property
    def decided(self) -> bool:
        return self.old.estimate.decided and self.new.estimate.decided

    @property
    def errors(self) -> float:
        """The difference of the log ratios in standard errors of that difference."""
        error = math.hypot(self.old.estimate.whole_error, self.new.estimate.whole_error)
        return self.distance / error if error > 0 else math.inf if self.distance > 0 else 0.0

    @property
    def distance(self) -> float:
        return abs(self.new.estimate.log - self.old.estimate.log)

    @property
    def within_seen(self) -> bool:
        """Within the errors that each run sees in itself, without what differs from run to run."""
        return self.distance <= ALLOWED * math.hypot(self.old.estimate.error, self.new.estimate.error)

    @property
    def within(self) -> bool:
        return self.errors < ALLOWED

    def other_steps(self) -> str:
        """What is said where the two are not of the same variants."""
        if self.old.sides == self.new.sides:
            return ""
        return f" (of {' and '.join(self.old.sides)}, then {' and '.join(self.new.sides)})"

    @property
    def turned(self) -> bool:
        return OPPOSITE.get(self.old.verdict) == self.new.verdict


def repeats(old: Record, new: Record, wanted: Wanted) -> list[Repeat]:
    before, after = costs(old, wanted), costs(new, wanted)
    return [Repeat(key, before[key], after[key]) for key in before if key in after]


def repeat_lines(rows: list[Repeat]) -> list[str]:
    """What the rule says of all rows, and by name which break it."""
    if not rows:
        return []
    judged = [row for row in rows if row.decided]
    outside = [row for row in judged if not row.within]
    lines = ["", "repeated runs: cost of portability of pairs and best against best"]
    if judged:
        within = len(judged) - len(outside)
        lines.append(f"  {within} of {count_text(len(judged), 'row')} ({100 * within / len(judged):.0f} %) differ by less "
                     f"than {ALLOWED:g} sqrt(s1^2 + s2^2)")
        lines.append(f"  {sum(row.within_seen for row in judged)} of them if s held only what a run sees in itself")
    if len(judged) < len(rows):
        lines.append(f"  {count_text(len(rows) - len(judged), 'row')} without an interval in one of the records")
    lines += [f"  OUTSIDE: {name_of(row)}: {ratio_text(row.old.estimate.value)} -> {ratio_text(row.new.estimate.value)}, "
              f"{row.errors:.1f} standard errors{row.other_steps()}" for row in outside]
    lines += [f"  TURNED: {name_of(row)}: {row.old.verdict} -> {row.new.verdict}" for row in rows if row.turned]
    if not any(row.turned for row in rows):
        lines.append("  no verdict turned from slower to faster or back")
    return lines


def name_of(row: Repeat) -> str:
    return " ".join(row.key)
