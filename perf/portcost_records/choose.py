"""Which results a picture shows: the main size, the groups of a type and regime, the sweeps."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from .records import Floor, Record, Result, grouped

FEWEST_SIZES_OF_A_SWEEP = 3


@dataclass(frozen=True)
class Group:
    algorithm: str
    problem_text: str
    type: str
    regime: str
    pairs: tuple[Result, ...]
    solos: tuple[Result, ...]
    best: Result | None

    @property
    def title(self) -> str:
        return f"{self.type}, {self.regime}"

    @property
    def floor(self) -> Floor | None:
        return next((result.floor for result in (*self.pairs, *self.solos) if result.floor), None)


@dataclass(frozen=True)
class Sweep:
    """Pairs of one type and regime over at least three sizes, or three values of a parameter."""

    algorithm: str
    type: str
    regime: str
    fixed_text: str
    """What is the same for all: parameters that are not as their default and, over a parameter, the size."""
    label: str
    """What the axis counts: "nx = ny", "n", or a parameter."""
    steps: dict[str, list[tuple[float, Result]]]
    """For each step, (size or value, pair) in growing order."""
    parameter: str = ""
    """Empty where sizes are swept."""


def main_size(results: list[Result]) -> str:
    """Of the sizes with most pairs (else most results) the one whose limit asks for most time; the first measured of equals."""
    pairs = [r for r in results if r.role == "pair"] or results
    counts = Counter(r.problem_text for r in pairs)
    most = max(counts.values())
    common = [r for r in pairs if counts[r.problem_text] == most]
    return max(common, key=lambda r: r.floor.floor_s if r.floor else 0.0).problem_text


def groups_at_main_size(record: Record, algorithm: str) -> list[Group]:
    """One group a type and regime, at the algorithm's main size, in the order measured."""
    results = [r for r in record.results if r.algorithm == algorithm]
    size = main_size(results)
    groups = grouped((r for r in results if r.problem_text == size), lambda r: (r.type, r.regime))
    return [Group(algorithm, size, *key, *(tuple(r for r in here if r.role == role) for role in ("pair", "solo")),
                  next((r for r in here if r.role == "best"), None)) for key, here in groups.items()]


def slower_settings(record: Record, algorithm: str) -> set[str]:
    """Rows whose dials another setting of the same step and way beats at the main size, in every type: pictures leave them out."""
    slower: set[str] = set()
    fastest: set[str] = set()
    for group in groups_at_main_size(record, algorithm):
        dialled = [pair for pair in group.pairs if pair.sides[0].dials and pair.sides[0].device]
        for family in grouped(dialled, lambda pair: (pair.sides[0].step, pair.sides[0].way)).values():
            slower |= {pair.step for pair in family}
            fastest.add(min(family, key=lambda pair: pair.sides[0].device.median).step)
    return slower - fastest


def fixed_part(result: Result, keys: list[str]) -> tuple[str, tuple[tuple[str, int], ...]]:
    return (result.parameters_text, tuple((key, value) for key, value in result.size.items() if key not in keys))


def sweeps(record: Record, algorithm: str) -> list[Sweep]:
    hidden = slower_settings(record, algorithm)
    pairs = [r for r in record.results if r.algorithm == algorithm and r.role == "pair" and r.step not in hidden]
    return size_sweeps(pairs) + parameter_sweeps(pairs)


def size_sweeps(pairs: list[Result]) -> list[Sweep]:
    keys = [key for key in (pairs[0].size if pairs else ()) if len({r.size.get(key) for r in pairs}) >= FEWEST_SIZES_OF_A_SWEEP]
    if not keys:
        return []
    pairs = [r for r in pairs if set(keys) <= r.size.keys()]
    # One curve may vary only what is swept: of the other keys' values, those measured most.
    others = Counter(fixed_part(r, keys) for r in pairs).most_common(1)[0][0]
    family = [r for r in pairs if fixed_part(r, keys) == others]
    square = all(len({r.size[key] for key in keys}) == 1 for r in family)
    return made_of(family, (" = " if square else " · ").join(keys), family[0].parameters_text,
                   lambda r: r.size[keys[0]] if square else math.prod(r.size[key] for key in keys))


def parameter_sweeps(pairs: list[Result]) -> list[Sweep]:
    """Numbers alone: choices and paths have no axis."""
    found: list[Sweep] = []
    for key in dict.fromkeys(key for r in pairs for key in r.parameters):
        numbers = [r for r in pairs if isinstance(r.parameters.get(key), (int, float))]
        families = grouped(numbers, lambda r, key=key: (r.size_text, *((k, v) for k, v in r.parameters.items() if k != key)))
        for (size_text, *_), family in families.items():
            kept = [text for text in family[0].parameters_text.split(",") if text and not text.startswith(key + "=")]
            found += made_of(family, key, ",".join([str(size_text), *kept]), lambda r, key=key: r.parameters[key], key)
    return found


def made_of(family: list[Result], label: str, fixed_text: str, place: Callable[[Result], float],
            parameter: str = "") -> list[Sweep]:
    """One sweep a type and regime; steps at fewer than three places are left out."""
    found = []
    order = dict.fromkeys(r.step for r in family)  # of all types, so that panels keep their places
    for type_, regime in dict.fromkeys((r.type, r.regime) for r in family):
        steps: dict[str, list[tuple[float, Result]]] = {step: [] for step in order}
        for r in family:
            if (r.type, r.regime) == (type_, regime) and r.ratio:
                steps[r.step].append((place(r), r))
        long = {step: sorted(points, key=lambda point: point[0]) for step, points in steps.items()
                if len({x for x, _ in points}) >= FEWEST_SIZES_OF_A_SWEEP}
        if long:
            found.append(Sweep(family[0].algorithm, type_, regime, fixed_text, label, long, parameter))
    return found
