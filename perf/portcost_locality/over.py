"""The picture over one block size: time, of a record, and what is written, of a file that --measure wrote. Drawn so, block_r1 of
Gauss elimination is the paper's figure 5."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from portcost_records.counter_words import bytes_moved_text
from portcost_records.curves import wanted
from portcost_records.look import STYLE, axes_at, canvas, colour, model_role, write_heading
from portcost_records.reading import read_record
from portcost_records.words import time_text

from .errors import USAGE, LocalityError
from .measured import Point, Points
from .nest import Nest
from .picture import saved

WIDTH, HEIGHT = 1000, 490
LEFT, TOP, SIDE, GAP, TALL = 84, 104, 392, 108, 320
Line = dict[int, float]
"""A number by block size."""


@dataclass(frozen=True)
class Times:
    """Device times of one problem, in seconds: for each variant the median by block size."""

    problem: str
    lines: dict[str, Line]


def times_of(nest: Nest, block: str, path: Path) -> Times:
    """What a record has of the nest's variants that take this block size as a parameter."""
    about = nest.measure or {}
    names = {step: one["blocks"][block]["parameter"] for step, one in about.get("variants", {}).items()
             if isinstance(one["blocks"].get(block), dict)}
    if not names:
        raise LocalityError(USAGE, f"--over {block}: {nest.path} names no variant whose {block} is a parameter")
    record = read_record(path)
    lines: dict[str, dict[str, Line]] = defaultdict(lambda: defaultdict(dict))
    for result, side in wanted(record, [f"{about['algorithm']}/{step}" for step in names]):
        value = result.parameters.get(names[side.step])
        if value is not None and side.device is not None:
            lines[f"{result.size_text}, {result.type}"][side.variant][int(value)] = side.device.median
    if len(lines) != 1:
        found = f"times at {'; '.join(lines)}: name a record of one size and type" if lines else "no time of these variants"
        raise LocalityError(USAGE, f"--times {path}: it has {found}")
    (problem, of_variants), = lines.items()
    return Times(problem, {variant: dict(sorted(line.items())) for variant, line in of_variants.items()})


def series(points: Points, block: str) -> dict[str, list[Point]]:
    """The choices of each variant that has several of this block size, by this size."""
    found: dict[str, list[Point]] = defaultdict(list)
    for one in points.points:
        found[one.variant].append(one)
    lines = {variant: sorted(some, key=lambda one: one.blocks[block]) for variant, some in found.items() if len(some) > 1}
    if not lines:
        raise LocalityError(USAGE, f"--over {block}: no variant was measured with several of it")
    for variant, some in lines.items():
        if len({one.blocks[block] for one in some}) < len(some):
            raise LocalityError(USAGE, f"--over {block}: {variant} was measured with other block sizes that differ, too")
    return lines


def picture_over(points: Points, nest: Nest, block: str, times: Times | None, kind: str) -> bytes:
    """`kind` is .png or .svg."""
    lines = series(points, block)
    with matplotlib.rc_context(STYLE):
        figure = canvas(WIDTH, HEIGHT)
        write_heading(figure, f"{points.nest}: blocks over {block}", f"{points.processor}. {published_of(nest, lines)}")
        if times is not None:
            draw_times(axes_at(figure, LEFT, TOP, SIDE, TALL), times, block)
        left = LEFT if times is None else LEFT + SIDE + GAP
        draw_writes(axes_at(figure, left, TOP, WIDTH - SIDE // 4 - left if times is None else SIDE, TALL), points, lines, block)
        return saved(figure, kind)


def published_of(nest: Nest, lines: dict[str, list[Point]]) -> str:
    about = (nest.measure or {}).get("variants", {})
    said = {about.get(variant.split("/")[1], {}).get("published", "") for variant in lines} - {""}
    return f"Published: {'; '.join(sorted(said))}" if said else ""


def draw_times(ax: Axes, times: Times, block: str) -> None:
    ax.set_title(f"device time, {times.problem}", loc="left", size=13.5, weight="bold", pad=8)
    for number, (variant, line) in enumerate(times.lines.items()):
        ax.plot(list(line), list(line.values()), color=colour(model_role(variant.split("/")[2].split(".")[0])), label=variant,
                marker="os^vD"[number % 5], markeredgecolor=colour("edge"), markeredgewidth=0.7, markersize=6)
    least = min(min(line.values()) for line in times.lines.values())
    ax.axhline(least, color=colour("muted"), linewidth=1.2, linestyle="--", label=f"the least: {time_text(least)}")
    finish(ax, block, [size for line in times.lines.values() for size in line],
           [value for line in times.lines.values() for value in line.values()], time_text)


def draw_writes(ax: Axes, points: Points, lines: dict[str, list[Point]], block: str) -> None:
    sizes = ", ".join(f"{name}={value}" for name, value in points.sizes.items())
    ax.set_title(f"bytes written, {sizes}, {points.type}", loc="left", size=13.5, weight="bold", pad=8)
    drawn: list[float] = []
    for number, (variant, some) in enumerate(lines.items()):
        for field, words, marker in (("l2_written", "to the last cache", "os"), ("dram_written", "to device memory", "D^")):
            known = [(one.blocks[block], getattr(one, field)) for one in some if getattr(one, field)]
            ax.plot([size for size, _ in known], [value for _, value in known], linestyle="", marker=marker[number % 2],
                    color=colour("kokkos" if field == "l2_written" else "slower"), markeredgecolor=colour("edge"),
                    markeredgewidth=0.7, markersize=6, label=f"{words}, {variant}", zorder=3)
            drawn += [value for _, value in known]
        first, last = some[0], some[-1]
        start = first.l2_written or first.predicted_writes
        ends = [first.blocks[block], last.blocks[block]]
        falling = [start * ends[0] / end for end in ends]
        ax.plot(ends, falling, color=colour("muted"), linewidth=1.2, label=f"falling as 1/{block}", zorder=1)
        ax.plot([one.blocks[block] for one in some], [one.predicted_writes for one in some], color=colour("muted"),
                linewidth=1.2, linestyle=":", label="predicted", zorder=2)
        drawn += [*falling, *(one.predicted_writes for one in some)]
    finish(ax, block, [one.blocks[block] for some in lines.values() for one in some], drawn, bytes_moved_text)


def finish(ax: Axes, block: str, sizes: list[int], values: list[float], words: object) -> None:
    ax.set(xscale="log", yscale="log", xlim=(min(sizes) / 1.3, max(sizes) * 1.3), ylim=(min(values) / 1.4, max(values) * 1.4))
    ax.set_xlabel(block)
    few = max(values) < 60 * min(values)
    ax.xaxis.set_major_locator(LogLocator(base=2, numticks=12))
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=10))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))  # type: ignore[operator]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_locator(NullLocator())
    ax.grid(linewidth=1)
    ax.legend(fontsize=10.5, loc="upper right")
