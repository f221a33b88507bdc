"""Whether the two sides of a pair do equal work, by what the hardware counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .counter_words import LABELS, ratio_of, value_text
from .counters import Values


@dataclass(frozen=True)
class Work:
    """A count that both sides of a pair share. A difference below `floor` is none: of the 1 MB that a GPU moves beside a kernel,
    or of one warp instruction in a thousand."""

    key: str
    word: str
    """What a ladder calls it where it states why the sides differ (UnequalWork, src/contract/algorithm.hpp)."""
    floor: Callable[[Values, Values], float]


def _thousandth(a: Values, b: Values) -> float:
    return max(a.get("instructions", 0.0), b.get("instructions", 0.0)) / 1000


WORK = (Work("dram_bytes", "bytes", lambda a, b: 1e6), Work("loads", "loads", _thousandth),
        Work("barriers", "barriers", _thousandth), Work("atomic_operations", "atomic operations", _thousandth),
        Work("kernels", "launches", lambda a, b: 0.0))
LEAST = 0.05
RULE = ("Unequal work is said of a pair whose sides differ by more than 5 % in device memory moved, loads, barriers, atomic "
        "operations or launches, with the reason that the algorithm's ladder states for it, or that it states none; less than "
        "1 MB, or than a thousandth of the warp instructions, is no difference.")


def unequal(a: Values, b: Values) -> list[Work]:
    """What the sides do not share."""
    found = []
    for work in WORK:
        if work.key in a and work.key in b:
            x, y = a[work.key], b[work.key]
            if abs(x - y) > max(LEAST * min(x, y), work.floor(a, b)):
                found.append(work)
    return found


def unequal_text(a: Values, b: Values, reasons: Mapping[str, str]) -> str:
    """"Unequal work: barriers 100 M against 25.2 M (4.000 x), because ...": empty where the work is equal."""
    said = []
    for work in unequal(a, b):
        x, y = a[work.key], b[work.key]
        ratio = f" ({ratio_of(x, y)} x)" if x and y else ""
        reason = f"because {reasons[work.word]}" if work.word in reasons else "and the ladder states no reason"
        said.append(f"{LABELS[work.key]} {value_text(work.key, x)} against {value_text(work.key, y)}{ratio}, {reason}")
    return f"Unequal work: {'; '.join(said)}." if said else ""
