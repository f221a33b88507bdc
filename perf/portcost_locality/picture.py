"""Pictures of a file that --measure wrote: predicted against measured volume; and, with a record's times, what is written over one
block size. Drawn so, block_r1 of Gauss elimination is the paper's figure 5."""

import io
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator
from portcost_records.counters import bytes_moved_text
from portcost_records.curves import wanted
from portcost_records.look import (EDGED, LIGHT, STYLE, axes_at, canvas, colour, model_role, png_bytes, set_ticks, steps_of,
                                   write_heading)
from portcost_records.reading import read_record
from portcost_records.records import grouped
from portcost_records.words import time_text

from .measured import PLACES, Point, Points
from .nest import USAGE, LocalityError, Nest

WIDTH, HEIGHT = 1000, 600
LEFT, TOP, SIDE, GAP = 84, 96, 392, 108
HEIGHT_OVER, TOP_OVER, TALL = 490, 104, 320
ROLES = (("kokkos", "o"), ("native", "s"), ("library", "^"), ("faster", "D"), ("slower", "v"), ("unclear", "P"))
TITLES = {"l2": "multiprocessors and last cache", "dram": "device memory"}


def saved(figure: Figure, kind: str) -> bytes:
    if kind == ".png":
        return png_bytes(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", facecolor=LIGHT["paper"], metadata={"Date": None})
    return buffer.getvalue()


@matplotlib.rc_context(STYLE)
def picture_of(points: Points, kind: str) -> bytes:
    figure = canvas(WIDTH, HEIGHT)
    sizes = ", ".join(f"{name} = {value}" for name, value in points.sizes.items())
    write_heading(figure, f"{points.nest}: what blocks move, predicted and measured",
                  f"{len(points.points)} choices of block sizes, {sizes}, {points.type}, {points.processor}")
    for number, (field, _) in enumerate(PLACES):
        ax = axes_at(figure, LEFT + number * (SIDE + GAP), TOP, SIDE, SIDE - 40)
        draw_panel(ax, points, field)
    handles = [Line2D([], [], linestyle="", marker=marker, color=colour(role), markeredgecolor=colour("edge"), label=variant)
               for variant, (role, marker) in roles_of(points).items()]
    if any(one.order is not None for one in points.points):
        handles.append(Line2D([], [], linestyle="", marker="o", markerfacecolor="none", markeredgecolor=colour("muted"),
                              label="the same, predicted from the variant's own order"))
    handles.append(Line2D([], [], color=colour("muted"), linewidth=1.2, label="measured = predicted"))
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(LEFT / WIDTH, 0.005), ncols=2, fontsize=12)
    return saved(figure, kind)


def roles_of(points: Points) -> dict[str, tuple[str, str]]:
    return dict(zip(dict.fromkeys(one.variant for one in points.points), cycle(ROLES)))


def draw_panel(ax: Axes, points: Points, field: str) -> None:
    known = [one for one in points.points if getattr(one, field)]
    ax.set_title(TITLES[field], loc="left", size=13.5, weight="bold", pad=25)
    ax.text(0, 1.02, correlations_text(points, field) if known else "no counters", transform=ax.transAxes, size=11,
            color=colour("muted"))
    ax.set_xlabel("predicted volume")
    ax.set_ylabel("measured volume")
    if not known:
        ax.set_xticks([])
        ax.set_yticks([])
        return
    values = [value for one in known for value in (one.predicted, one.order, getattr(one, field)) if value]
    limits = min(values) / 1.7, max(values) * 1.7
    ax.set(xscale="log", yscale="log", xlim=limits, ylim=limits)
    for axis in (ax.xaxis, ax.yaxis):
        set_ticks(axis, steps_of(*limits, 8), bytes_moved_text)
    ax.grid(linewidth=1)
    for variant in dict.fromkeys(one.variant for one in known):
        mine = sorted((one for one in known if one.variant == variant), key=lambda one: tuple(one.blocks.values()))
        ax.plot([one.predicted for one in mine], [getattr(one, field) for one in mine], color=colour("noise"), linewidth=1.2,
                zorder=2)
    ax.plot(limits, limits, color=colour("muted"), linewidth=1.2, zorder=1)
    for one in known:
        role, marker = roles_of(points)[one.variant]
        ax.plot(one.predicted, getattr(one, field), marker=marker, color=colour(role), markersize=7, linestyle="", zorder=4,
                **EDGED)
        if one.order is not None:
            ax.plot(one.order, getattr(one, field), marker="o", markerfacecolor="none", markeredgecolor=colour("muted"),
                    markersize=6, linestyle="", zorder=3)
    # Names at the ends of the prediction and of what was measured.
    ends = [pick(known, key=key) for key in (lambda one: one.predicted, lambda one: getattr(one, field)) for pick in (min, max)]
    for one in apart(list({one.name + one.variant: one for one in ends}.values()), field, limits):
        right = one.predicted**2 > limits[0] * limits[1]
        least = getattr(one, field) == min(getattr(other, field) for other in known)
        ax.annotate(one.name, (one.predicted, getattr(one, field)), (8 if right else -6, -15 if least else 15),
                    textcoords="offset points", size=10, color=colour("muted"), ha="right" if right else "left", va="center",
                    annotation_clip=False, bbox={"facecolor": colour("paper"), "edgecolor": "none", "alpha": 0.75, "pad": 0.5})


def apart(some: list[Point], field: str, limits: tuple[float, float]) -> list[Point]:
    kept: list[Point] = []
    for one in some:
        heights = [abs(math.log(getattr(one, field) / getattr(other, field))) for other in kept]
        if all(height > 0.05 * math.log(limits[1] / limits[0]) for height in heights):
            kept.append(one)
    return kept


def correlations_text(points: Points, field: str) -> str:
    """Spearman's, of the prediction with all choices, with those that theorem 1 is of, and with the variants' own orders."""
    found = [("all", points.correlation("predicted", field))]
    if any(one.deep for one in points.points):
        found.append(("not deeper than wide", points.correlation("predicted", field, deep=False)))
    if any(one.order is not None for one in points.points):
        found.append(("all, own orders", points.correlation("extended", field)))
    told = [f"{words} {value:.3f}" for words, value in found if value is not None]
    return f"Spearman: {'; '.join(told)}" if told else "no rank correlation"


Times = tuple[str, dict[str, dict[int, float]]]
"""A problem, and for each variant its median device times in seconds, by block size."""


def times_of(nest: Nest, block: str, path: Path, number: str) -> Times:
    """What a record has of the nest's variants that take this block size as a parameter, of numbers of this type."""
    about = nest.measure or {}
    names = {step: one["blocks"][block]["parameter"] for step, one in about.get("variants", {}).items()
             if isinstance(one["blocks"].get(block), dict)}
    if not names:
        raise LocalityError(USAGE, f"--over {block}: {nest.path} names no variant whose {block} is a parameter")
    record = read_record(path)
    lines: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for result, side in wanted(record, [f"{about['algorithm']}/{step}" for step in names]):
        value = result.parameters.get(names[side.step])
        if value is not None and side.device is not None and result.type == number:
            lines[f"{result.size_text}, {result.type}"][side.variant][int(value)] = side.device.median
    if len(lines) != 1:
        found = f"times at {'; '.join(lines)}: name a record of one size" if lines else f"no time of these variants in {number}"
        raise LocalityError(USAGE, f"--times {path}: it has {found}")
    (problem, of_variants), = lines.items()
    return problem, {variant: dict(sorted(line.items())) for variant, line in of_variants.items()}


def series(points: Points, block: str) -> dict[str, list[Point]]:
    """The choices of each variant that has several of this block size, by this size."""
    found = grouped(points.points, lambda one: one.variant)
    lines = {variant: sorted(some, key=lambda one: one.blocks[block]) for variant, some in found.items() if len(some) > 1}
    if not lines:
        raise LocalityError(USAGE, f"--over {block}: no variant was measured with several of it")
    for variant, some in lines.items():
        if len({one.blocks[block] for one in some}) < len(some):
            raise LocalityError(USAGE, f"--over {block}: {variant} was measured with other block sizes that differ, too")
    return lines


@matplotlib.rc_context(STYLE)
def picture_over(points: Points, nest: Nest, block: str, times: Times | None, kind: str) -> bytes:
    lines = series(points, block)
    figure = canvas(WIDTH, HEIGHT_OVER)
    about = (nest.measure or {}).get("variants", {})
    said = {about.get(variant.split("/")[1], {}).get("published", "") for variant in lines} - {""}
    published = f"Published: {'; '.join(sorted(said))}" if said else ""
    write_heading(figure, f"{points.nest}: blocks over {block}", f"{points.processor}. {published}")
    if times is not None:
        draw_times(axes_at(figure, LEFT, TOP_OVER, SIDE, TALL), *times, block)
    left = LEFT if times is None else LEFT + SIDE + GAP
    width = WIDTH - SIDE // 4 - left if times is None else SIDE
    draw_writes(axes_at(figure, left, TOP_OVER, width, TALL), points, lines, block)
    return saved(figure, kind)


def draw_times(ax: Axes, problem: str, lines: dict[str, dict[int, float]], block: str) -> None:
    ax.set_title(f"device time, {problem}", loc="left", size=13.5, weight="bold", pad=8)
    for number, (variant, line) in enumerate(lines.items()):
        ax.plot(list(line), list(line.values()), color=colour(model_role(variant.split("/")[2].split(".")[0])), label=variant,
                marker="os^vD"[number % 5], markersize=6, **EDGED)
    sizes, values = zip(*(point for line in lines.values() for point in line.items()))
    ax.axhline(min(values), color=colour("muted"), linewidth=1.2, linestyle="--", label=f"the least: {time_text(min(values))}")
    finish(ax, block, sizes, values, time_text)


def draw_writes(ax: Axes, points: Points, lines: dict[str, list[Point]], block: str) -> None:
    sizes = ", ".join(f"{name}={value}" for name, value in points.sizes.items())
    ax.set_title(f"bytes written, {sizes}, {points.type}", loc="left", size=13.5, weight="bold", pad=8)
    drawn: list[float] = []
    for number, (variant, some) in enumerate(lines.items()):
        for field, words, marker in (("l2_written", "to the last cache", "os"), ("dram_written", "to device memory", "D^")):
            known = [(one.blocks[block], getattr(one, field)) for one in some if getattr(one, field)]
            ax.plot([size for size, _ in known], [value for _, value in known], linestyle="", marker=marker[number % 2],
                    color=colour("kokkos" if field == "l2_written" else "slower"), markersize=6,
                    label=f"{words}, {variant}", zorder=3, **EDGED)
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


def finish(ax: Axes, block: str, sizes: Sequence[int], values: Sequence[float], words: Callable[[float], str]) -> None:
    ax.set(xscale="log", yscale="log", xlim=(min(sizes) / 1.3, max(sizes) * 1.3), ylim=(min(values) / 1.4, max(values) * 1.4))
    ax.set_xlabel(block)
    set_ticks(ax.xaxis, LogLocator(base=2, numticks=12), lambda value: f"{value:g}")
    set_ticks(ax.yaxis, steps_of(min(values), max(values), 10), words)
    ax.grid(linewidth=1)
    ax.legend(fontsize=10.5, loc="upper right")
