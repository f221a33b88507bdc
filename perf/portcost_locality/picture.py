"""The picture of predicted against measured volume, a point a choice."""

from __future__ import annotations

import io
import math

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from portcost_records.counter_words import bytes_moved_text
from portcost_records.look import LIGHT, STYLE, axes_at, canvas, colour, png_bytes, write_heading

from .measured import PLACES, Point, Points

WIDTH, HEIGHT = 1000, 600
LEFT, TOP, SIDE, GAP = 84, 96, 392, 108
ROLES = (("kokkos", "o"), ("native", "s"), ("library", "^"), ("faster", "D"), ("slower", "v"), ("unclear", "P"))
TITLES = {"l2": "multiprocessors and last cache", "dram": "device memory"}


def picture_of(points: Points, kind: str) -> bytes:
    """`kind` is .png or .svg."""
    with matplotlib.rc_context(STYLE):
        return saved(draw(points), kind)


def saved(figure: Figure, kind: str) -> bytes:
    if kind == ".png":
        return png_bytes(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", facecolor=LIGHT["paper"], metadata={"Date": None})
    return buffer.getvalue()


def draw(points: Points) -> Figure:
    figure = canvas(WIDTH, HEIGHT)
    sizes = ", ".join(f"{name} = {value}" for name, value in points.sizes.items())
    write_heading(figure, f"{points.nest}: what blocks move, predicted and measured",
                  f"{len(points.points)} choices of block sizes, {sizes}, {points.type}, {points.processor}")
    for number, (field, _) in enumerate(PLACES):
        ax = axes_at(figure, LEFT + number * (SIDE + GAP), TOP, SIDE, SIDE - 40)
        draw_panel(ax, points, field)
    variants = list(dict.fromkeys(one.variant for one in points.points))
    handles = [Line2D([], [], linestyle="", marker=marker, color=colour(role), markeredgecolor=colour("edge"), label=variant)
               for variant, (role, marker) in zip(variants, map(marker_of, range(len(variants))))]
    if any(one.order is not None for one in points.points):
        handles.append(Line2D([], [], linestyle="", marker="o", markerfacecolor="none", markeredgecolor=colour("muted"),
                              label="the same, predicted from the variant's own order"))
    handles.append(Line2D([], [], color=colour("muted"), linewidth=1.2, label="measured = predicted"))
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(LEFT / WIDTH, 0.005), ncols=2, fontsize=12)
    return figure


def marker_of(at: int) -> tuple[str, str]:
    return ROLES[at % len(ROLES)]


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
    few = limits[1] < 60 * limits[0]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=8))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: bytes_moved_text(value)))
    ax.grid(linewidth=1)
    for variant in dict.fromkeys(one.variant for one in known):
        mine = sorted((one for one in known if one.variant == variant), key=lambda one: tuple(one.blocks.values()))
        ax.plot([one.predicted for one in mine], [getattr(one, field) for one in mine], color=colour("noise"), linewidth=1.2,
                zorder=2)
    ax.plot(limits, limits, color=colour("muted"), linewidth=1.2, zorder=1)
    variants = list(dict.fromkeys(one.variant for one in points.points))
    for one in known:
        role, marker = marker_of(variants.index(one.variant))
        ax.plot(one.predicted, getattr(one, field), marker=marker, color=colour(role), markeredgecolor=colour("edge"),
                markeredgewidth=0.7, markersize=7, linestyle="", zorder=4)
        if one.order is not None:
            ax.plot(one.order, getattr(one, field), marker="o", markerfacecolor="none", markeredgecolor=colour("muted"),
                    markersize=6, linestyle="", zorder=3)
    for one in apart(named(known, field), field, limits):
        right = one.predicted**2 > limits[0] * limits[1]
        least = getattr(one, field) == min(getattr(other, field) for other in known)
        ax.annotate(one.name, (one.predicted, getattr(one, field)), (8 if right else -6, -15 if least else 15),
                    textcoords="offset points", size=10, color=colour("muted"), ha="right" if right else "left", va="center",
                    annotation_clip=False, bbox={"facecolor": colour("paper"), "edgecolor": "none", "alpha": 0.75, "pad": 0.5})


def apart(some: list[Point], field: str, limits: tuple[float, float]) -> list[Point]:
    """Those whose names lie on no other's."""
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


def named(known: list[Point], field: str) -> list[Point]:
    """The ends of the prediction and of what was measured."""
    ends = [pick(known, key=key) for key in (lambda one: one.predicted, lambda one: getattr(one, field)) for pick in (min, max)]
    return list({one.name + one.variant: one for one in ends}.values())
