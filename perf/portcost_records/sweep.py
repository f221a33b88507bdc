"""The sweep over sizes or a parameter's values: where launches bind, the ratio is the launch's; where memory binds, the code's."""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

from .look import EDGED, SUPERSCRIPTS, axes_at, canvas, colour, set_ratio_axis, set_ticks, shortened, steps_of, write_heading
from .choose import Sweep
from .forest import AIM, WIDEST_RATIO, place_legend
from .ladder import tick_text
from .records import Result
from .words import model_name, side_median

RATIO_HEIGHT, TIME_HEIGHT = 150, 150
LONGEST_TITLE = 30
BETWEEN, TITLE, BELOW = 16, 34, 62
LIMIT_LINE = {"color": colour("faster"), "linewidth": 2, "linestyle": (0, (5, 2))}
NATIVE_LINE = {"color": colour("native"), "marker": "s", **EDGED}
Points = list[tuple[float, Result]]


def draw_sweep(sweep: Sweep, title: str, subtitle: str, width: int, one_clock: bool = False) -> Figure:
    """Small multiples, a step each: ratio above, below it the native time with the limit's floor."""
    narrow = width < 600
    columns = 1 if narrow else min(3, len(sweep.steps))
    left, gap, top = (74, 0, 54) if narrow else (74, 36, 66)
    bottom = 66 if narrow else 26
    cell = TITLE + RATIO_HEIGHT + BETWEEN + TIME_HEIGHT + BELOW
    bands = math.ceil(len(sweep.steps) / columns)
    figure = canvas(width, top + bands * cell + bottom)
    write_heading(figure, title, subtitle)
    panel = (width - left - 16 - gap * (columns - 1)) / columns
    ratio_limits, time_limits = limits_of(sweep)
    for number, (step, points) in enumerate(sweep.steps.items()):
        column, band = number % columns, number // columns
        x, y = left + column * (panel + gap), top + band * cell + TITLE
        ratio_ax = axes_at(figure, x, y, panel, RATIO_HEIGHT)
        time_ax = axes_at(figure, x, y + RATIO_HEIGHT + BETWEEN, panel, TIME_HEIGHT)
        ratio_ax.set_title(shortened(step, LONGEST_TITLE), loc="left", size=13.5, weight="bold", pad=8)
        draw_ratios(ratio_ax, points, ratio_limits, first=column == 0, wall=not one_clock)
        draw_times(time_ax, points, time_limits, first=column == 0)
        set_size_axis(ratio_ax, time_ax, sweep, panel)
    draw_legend(figure, sweep, narrow, left, one_clock)
    return figure


def limits_of(sweep: Sweep) -> tuple[tuple[float, float], tuple[float, float]]:
    """Shared ranges, so that panels can be compared by eye."""
    results = [result for points in sweep.steps.values() for _, result in points]
    ratios = [1.0, AIM]
    for result in results:
        for ratio in (result.ratio, result.wall_ratio):
            ratios += [ratio.value] if ratio else []
    times = [time for result in results for side in result.sides if (time := side_median(side)) is not None]
    times += [result.floor.floor_s for result in results if result.floor]
    low, high = max(min(ratios), 1 / WIDEST_RATIO), min(max(ratios), WIDEST_RATIO)
    return (min(low / 1.04, 0.93), max(high * 1.06, 1.16)), (min(times) / 1.8, max(times) * 1.8)


def draw_ratios(ax: Axes, points: Points, limits: tuple[float, float], first: bool, wall: bool) -> None:
    set_ratio_axis(ax.yaxis, ax.set_ylim, limits, RATIO_HEIGHT)
    ax.axhspan(AIM, limits[1], color=colour("beyond"), linewidth=0, zorder=0)
    ax.axhline(1, color=colour("ink"), linewidth=1.2, zorder=2)
    ax.axhline(AIM, color=colour("slower"), linewidth=1, linestyle=(0, (4, 3)), zorder=2)
    noisy = [(x, r.noise) for x, r in points if r.noise]
    ax.fill_between([x for x, _ in noisy], [n[0] for _, n in noisy], [n[1] for _, n in noisy],
                    color=colour("noise"), linewidth=0, zorder=1)
    if wall:
        draw_ratio_line(ax, [(x, r.wall_ratio) for x, r in points if r.wall_ratio], wall=True)
    draw_ratio_line(ax, [(x, r.ratio) for x, r in points if r.ratio], wall=False)
    name_those_beyond(ax, [(x, r.ratio.value) for x, r in points if r.ratio], limits[1])
    if first:
        ax.set_ylabel("Kokkos ÷ native")
    else:
        ax.tick_params(labelleft=False)


def draw_ratio_line(ax: Axes, points: list, wall: bool) -> None:
    paint = colour("library" if wall else "kokkos")
    values = [ratio.value for _, ratio in points]
    errors = [[ratio.value - ratio.low for _, ratio in points], [ratio.high - ratio.value for _, ratio in points]]
    ax.errorbar([x for x, _ in points], values, yerr=errors, color=paint, zorder=4,
                linewidth=1.8, linestyle=(0, (2, 1.5)) if wall else "solid",
                marker="^" if wall else "o", markersize=7, elinewidth=1.6,
                markerfacecolor=colour("paper") if wall else paint, markeredgewidth=1.5)


def name_those_beyond(ax: Axes, points: list[tuple[float, float]], limit: float) -> None:
    """Above the panel, an arrow and a number for each ratio that lies there."""
    for x, value in points:
        if value > limit:
            last = x == points[-1][0]
            ax.annotate(f"\u2191 {value:.3g}", (x, limit), (10 if last else 0, 3),
                        textcoords="offset points", ha="right" if last else "center",
                        va="bottom", size=10.5, color=colour("slower"), annotation_clip=False)


def draw_times(ax: Axes, points: Points, limits: tuple[float, float], first: bool) -> None:
    ax.set_yscale("log")
    ax.set_ylim(*limits)
    set_ticks(ax.yaxis, steps_of(*limits, 5), tick_text)
    ax.grid(axis="y", linewidth=1)
    floors = [(x, r.floor.floor_s) for x, r in points if r.floor]
    ax.plot(*zip(*floors) if floors else ([], []), zorder=3, **LIMIT_LINE)
    times = [(x, r.sides[1].device.median) for x, r in points if r.sides[1].device]
    if times:
        ax.plot(*zip(*times), markersize=7, linewidth=1.6, zorder=4, **NATIVE_LINE)
    if first:
        ax.set_ylabel("native time")
    else:
        ax.tick_params(labelleft=False)


def set_size_axis(ratio_ax: Axes, time_ax: Axes, sweep: Sweep, width: float) -> None:
    sizes = sorted({x for points in sweep.steps.values() for x, _ in points})
    from_zero = sizes[0] == 0
    margin = 0.05 * sizes[-1]
    low, high = (-margin, sizes[-1] + margin) if from_zero else (sizes[0] / 1.35, sizes[-1] * 1.35)
    place = float if from_zero else math.log
    ticks = [sizes[0]]
    for size in sizes[1:]:
        if width * (place(size) - place(ticks[-1])) / (place(high) - place(low)) >= 52:
            ticks.append(size)
    for ax in (ratio_ax, time_ax):
        ax.set_xscale("linear" if from_zero else "log")
        ax.set_xlim(low, high)
        set_ticks(ax.xaxis, FixedLocator(ticks), size_tick)
    ratio_ax.tick_params(labelbottom=False)
    time_ax.set_xlabel(sweep.label, labelpad=4)


def size_tick(size: float) -> str:
    """1024, 2²⁴, 1.5M: short enough to stand side by side."""
    if size >= 2**15 and (power := math.log2(size)).is_integer():
        return "2" + str(int(power)).translate(SUPERSCRIPTS)
    for scale, unit in ((10**9, "G"), (10**6, "M"), (10**5, "k")):
        if size >= scale:
            return f"{size / (1000 if unit == 'k' else scale):.3g}{unit}"
    return f"{size:g}"


def draw_legend(figure: Figure, sweep: Sweep, narrow: bool, left: float, one_clock: bool) -> None:
    _, native = next(iter(sweep.steps.values()))[0][1].sides
    handles: list[object] = [
        Line2D([], [], color=colour("kokkos"), marker="o", label="ratio" if one_clock else "ratio, device time"),
        Line2D([], [], color=colour("library"), marker="^", linestyle=(0, (2, 1.5)),
               markerfacecolor=colour("paper"), label="ratio, wall time"),
        Line2D([], [], label=f"time, {model_name(native.model)}", **NATIVE_LINE),
        Line2D([], [], label="the limit", **LIMIT_LINE),
    ]
    if one_clock:
        del handles[1]
    place_legend(figure, handles, narrow, 0 if narrow else left)
