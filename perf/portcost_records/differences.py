"""Which counters of two variants differ most, in a way that can cost time; and whether a pair does equal work."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .counters import LABELS, Values, ratio_of, value_text


@dataclass(frozen=True)
class Compared:
    """A counter that can be a cause. `floor` is added to both values, so that what is too small to matter makes no noise."""

    key: str
    worse: int
    """+1: more of it costs time; -1: less of it does."""
    weight: float
    floor: Callable[[Values, Values], float]


def _fixed(value: float) -> Callable[[Values, Values], float]:
    return lambda a, b: value


def _part(key: str, fraction: float) -> Callable[[Values, Values], float]:
    return lambda a, b: max(1.0, fraction * max(a.get(key, 0.0), b.get(key, 0.0)))


COMPARED = (
    Compared("dram_bytes", +1, 2.0, _fixed(1e6)),
    Compared("instructions_per_element", +1, 1.0, _fixed(0.5)),
    Compared("working_lanes", -1, 1.0, _fixed(1.0)),
    Compared("bank_conflicts", +1, 1.0, _part("shared_wavefronts", 0.2)),
    Compared("local_accesses", +1, 1.0, _part("instructions", 0.02)),
    Compared("barriers", +1, 0.5, _part("instructions", 0.02)),
    Compared("stall_barrier", +1, 0.5, _fixed(10.0)),
    Compared("shared_wavefronts", +1, 0.5, _part("instructions", 0.1)),
    Compared("occupancy", -1, 0.5, _fixed(10.0)),
    Compared("kernels", +1, 0.5, _fixed(1.0)),
    Compared("registers", +1, 0.25, _fixed(16.0)),
    Compared("l2_hits", -1, 0.25, _fixed(10.0)),
    Compared("shared_bytes", +1, 0.1, _fixed(4096.0)),
)
ALL_INSTRUCTIONS = Compared("instructions", +1, 1.0, _part("instructions", 0.02))
"""In the place of those an element, where only the first launches of both were profiled, as many of each."""
LEAST_SCORE = 0.05
SAME_TIME = 0.02
RULE = ("Called out are the at most three counters with the largest weight x |ln((a + floor) / (b + floor))|, of 0.05 or more; "
        "where the times differ by over 2 %, a counter that speaks for the slower side counts half.")


@dataclass(frozen=True)
class Difference:
    key: str
    a: float
    b: float
    score: float

    def text(self) -> str:
        return against(self.key, self.a, self.b)


def against(key: str, a: float, b: float) -> str:
    """"instructions an element 12.1 against 8.80 (1.375 x)"."""
    ratio = f" ({ratio_of(a, b)} x)" if a and b else ""
    return f"{LABELS[key]} {value_text(key, a)} against {value_text(key, b)}{ratio}"


def differences(a: Values, b: Values) -> list[Difference]:
    """What differs most between two variants, worst first, at most three; see RULE."""
    slower = 0.0
    if a.get("seconds") and b.get("seconds"):
        slower = math.log(a["seconds"] / b["seconds"])
    partial = a.get("kernels", 0) == b.get("kernels") and not all("instructions_per_element" in one for one in (a, b))
    found = []
    for counter in (*COMPARED, *([ALL_INSTRUCTIONS] if partial else [])):
        if counter.key in a and counter.key in b:
            x, y = a[counter.key], b[counter.key]
            floor = counter.floor(a, b)
            apart = math.log((x + floor) / (y + floor))
            score = counter.weight * abs(apart)
            if abs(slower) > SAME_TIME and apart * counter.worse * slower < 0:
                score /= 2
            if score >= LEAST_SCORE:
                found.append(Difference(counter.key, x, y, score))
    return sorted(found, key=lambda difference: -difference.score)[:3]


def sentence(name_a: str, a: Values, name_b: str, b: Values) -> str:
    if a.get("seconds") and b.get("seconds"):
        start = (f"{name_a} takes {ratio_of(a['seconds'], b['seconds'])} times as long as {name_b} under the profiler")
    else:
        start = f"{name_a} against {name_b}"
    return f"{start}; {causes(differences(a, b))}."


def causes(found: Sequence[Difference]) -> str:
    if not found:
        return "no counter differs by an amount that matters"
    return "most different: " + "; ".join(difference.text() for difference in found)


@dataclass(frozen=True)
class Work:
    """A count that both sides of a pair share. A difference below `floor` is none, as 1 MB that a GPU moves beside a kernel."""

    key: str
    word: str
    """What a ladder calls it where it states why the sides differ (UnequalWork, src/contract/algorithm.hpp)."""
    floor: Callable[[Values, Values], float]


def _thousandth(a: Values, b: Values) -> float:
    return max(a.get("instructions", 0.0), b.get("instructions", 0.0)) / 1000


WORK = (Work("dram_bytes", "bytes", _fixed(1e6)), Work("loads", "loads", _thousandth),
        Work("barriers", "barriers", _thousandth), Work("atomic_operations", "atomic operations", _thousandth),
        Work("kernels", "launches", _fixed(0.0)))
LEAST = 0.05
EQUAL_WORK = ("Unequal work is said of a pair whose sides differ by more than 5 % in device memory moved, loads, barriers, atomic "
              "operations or launches, with the reason that the algorithm's ladder states for it, or that it states none; less "
              "than 1 MB, or than a thousandth of the warp instructions, is no difference.")


def unequal(a: Values, b: Values) -> list[Work]:
    shared = [work for work in WORK if work.key in a and work.key in b]
    return [work for work in shared
            if abs(a[work.key] - b[work.key]) > max(LEAST * min(a[work.key], b[work.key]), work.floor(a, b))]


def unequal_text(a: Values, b: Values, reasons: Mapping[str, str]) -> str:
    """"Unequal work: barriers 100 M against 25.2 M (4.000 x), because ...": empty where the work is equal."""
    said = []
    for work in unequal(a, b):
        reason = f"because {reasons[work.word]}" if work.word in reasons else "and the ladder states no reason"
        said.append(f"{against(work.key, a[work.key], b[work.key])}, {reason}")
    return f"Unequal work: {'; '.join(said)}." if said else ""
