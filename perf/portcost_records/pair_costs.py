"""What pairs of a record cost over sizes: ratios, and what a transfer of the smallest size takes more in microseconds."""

from __future__ import annotations

from .records import Interval, Result, Side

Costs = dict[str, dict[int, Result]]
"""Of each row ("pinned_to_device", "strides.book") the pair at each work."""


def sides_of(result: Result) -> tuple[Side, Side]:
    """Kokkos and native."""
    kokkos, native = sorted(result.sides, key=lambda side: side.model != "kokkos")
    return kokkos, native


def difference_s(ratio: Interval, native_s: float) -> Interval:
    """Seconds that Kokkos takes more: (ratio - 1) times the native side's median. Its interval is the ratio's alone."""
    return Interval(*((one - 1) * native_s for one in (ratio.value, ratio.low, ratio.high)))


def microseconds(found: Interval) -> str:
    """ "+0.31 us [0.28, 0.35]" """
    value, low, high = (f"{1e6 * one:.3g}" for one in (found.value, found.low, found.high))
    return f"{'+' if found.value >= 0 else ''}{value} us [{low}, {high}]"


def ratio_lines(costs: Costs, works: list[int]) -> list[str]:
    """Kokkos's time over the native side's, in the columns of the table of rates."""
    lines = []
    for row, pairs in costs.items():
        _, native = sides_of(next(iter(pairs.values())))
        cells = [f"{pairs[work].ratio.value:9.3f}" if work in pairs and pairs[work].ratio else f"{'':9}" for work in works]
        lines.append(f"{f'{row}: kokkos / {native.model}':<44}" + "".join(cells).rstrip())
    return lines


def difference_lines(costs: Costs, work_text: str, work: int) -> list[str]:
    """At one work: what Kokkos takes more by the processor's clock (without what the call costs the caller, where runs are
    queued ahead) and by the caller's."""
    lines = []
    for row, pairs in costs.items():
        result = pairs.get(work)
        if result is None:
            continue
        _, native = sides_of(result)
        said = [f"{clock} {microseconds(difference_s(ratio, spread.median))}"
                for clock, ratio, spread in (("device", result.ratio, native.device), ("wall", result.wall_ratio, native.wall))
                if ratio is not None and spread is not None]
        if said:
            lines.append(f"{f'{row}: kokkos - {native.model}':<44} {', '.join(said)} for {work_text}")
    return lines
