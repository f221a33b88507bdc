"""Which launches of a run are counted where there are too many, and what the others are taken to move.

All launches are listed first, with their kernels and how many blocks each has, without counters. Launches of a kernel with as
many blocks are a class. From each class launches at even distances are counted, and the class's mean stands for the others. Of
a kernel with more classes than that allows (in Gauss elimination every launch is smaller than the one before), launches at even
distances are counted, and what is not is taken to move as much a block as those that are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from portcost_records.launches import Launch

Kind = tuple[str, float]
"""A kernel and a number of blocks."""


@dataclass(frozen=True)
class Sample:
    """Which invocations of each kernel are counted, from 1 as Nsight Compute counts them; empty: all."""

    invocations: tuple[int, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """For Nsight Compute; a kernel's invocations are named by a regular expression."""
        if not self.invocations:
            return ()
        return ("--kernel-id", f":::{'|'.join(map(str, self.invocations))}")


def kind_of(launch: Launch) -> Kind:
    return launch.kernel, launch.values.get("grid_blocks", 0.0)


def choose(launches: Sequence[Launch], most: int) -> Sample:
    """At most about `most` of these launches. A kernel's invocation that is chosen is chosen of the other kernels, too."""
    if len(launches) <= most:
        return Sample(())
    by_kernel: dict[str, list[Kind]] = defaultdict(list)
    for launch in launches:
        by_kernel[launch.kernel].append(kind_of(launch))
    share = max(1, most // len(by_kernel) // len(by_kernel))
    chosen: set[int] = set()
    for kinds in by_kernel.values():
        classes: dict[Kind, list[int]] = defaultdict(list)
        for invocation, kind in enumerate(kinds, 1):
            classes[kind].append(invocation)
        if len(classes) <= share:
            for members in classes.values():
                chosen |= set(evenly(members, max(1, share // len(classes))))
        else:
            chosen |= set(evenly(list(range(1, len(kinds) + 1)), share))
    return Sample(tuple(sorted(chosen)))


def evenly(members: Sequence[int], count: int) -> list[int]:
    """So many of them, at even distances, from the middle of each stretch."""
    count = min(count, len(members))
    return [members[(2 * at + 1) * len(members) // (2 * count)] for at in range(count)]


def total(listed: Sequence[Launch], counted: Sequence[Launch], key: str) -> float | None:
    """A counter summed over all launches; None where it was not measured."""
    classes: dict[Kind, list[float]] = defaultdict(list)
    kernels: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for launch in counted:
        if key in launch.values:
            classes[kind_of(launch)].append(launch.values[key])
            kernels[launch.kernel].append((launch.values[key], max(1.0, launch.values.get("grid_blocks", 1.0))))
    if not kernels:
        return None
    found = 0.0
    for (kernel, blocks), count in Counter(map(kind_of, listed)).items():
        members = classes.get((kernel, blocks), [])
        if members:
            found += count * sum(members) / len(members)
        elif kernel in kernels:
            values, sizes = zip(*kernels[kernel])
            found += count * max(1.0, blocks) * sum(values) / sum(sizes)
    return found
