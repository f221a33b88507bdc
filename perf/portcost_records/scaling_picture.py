"""The picture of perf/portcost scaling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .axis import set_powers
from .panels import figure_of_panels, png_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .scaling import Series

HEADS = {"strong": ("strong: one problem", "speed-up"), "weak": ("weak: the same work for each process", "efficiency")}


def draw(series: list[Series], title: str) -> bytes:
    """A PNG with a panel for each kind that there is: a line a variant, and the ideal."""
    kinds = [kind for kind in HEADS if any(one.kind == kind for one in series)]
    return png_of_panels(figure_of_panels(
        title, kinds, lambda axes, kind: panel(axes, [one for one in series if one.kind == kind], kind),
        width=480, height=460, shared=False, margins={"left": 0.09, "right": 0.97, "top": 0.86, "bottom": 0.13}))


def shared_words(series: list[Series]) -> str:
    """What follows the names of all: size, parameters, type and regime, where they are the same."""
    ends = {one.name.partition(" ")[2] for one in series}
    return ends.pop() if len(ends) == 1 else ""


def label_of(series: Series, shared: str) -> str:
    name = series.name.split("/", 1)[1].removesuffix(f" {shared}")
    return name + (" (disturbed)" if any(point.disturbed for point in series.points) else "")


def panel(axes: Axes, series: list[Series], kind: str) -> None:
    head, word = HEADS[kind]
    shared = shared_words(series)
    counts = sorted({point.ranks for one in series for point in one.points})
    fewest = min(one.first.ranks for one in series)
    ideal = [count / fewest if kind == "strong" else 1.0 for count in counts]
    axes.plot(counts, ideal, color="0.4", linestyle="--", linewidth=1, label="ideal")
    for index, one in enumerate(series):
        # A series that begins with more processes starts on the ideal there.
        scale = one.first.ranks / fewest if kind == "strong" else 1.0
        axes.plot([point.ranks for point in one.points], [scale * one.gain(point) for point in one.points], color=f"C{index % 10}",
                  marker="os^vD"[index % 5], markersize=4, label=label_of(one, shared))
    axes.set_title(head, loc="left", pad=16)
    axes.text(0, 1.01, shared, fontsize=7, transform=axes.transAxes)
    set_powers(axes.xaxis, 2)
    axes.set_xticks(counts, labels=[str(count) for count in counts])
    axes.minorticks_off()
    if kind == "strong":
        set_powers(axes.yaxis, 2)
        axes.set_yticks(ideal, labels=[f"{value:g}" for value in ideal])
    else:
        axes.set_ylim(0, 1.1 * max(1.0, *(one.gain(point) for one in series for point in one.points)))
    axes.set_xlabel("processes")
    axes.set_ylabel(word)
    axes.legend(fontsize=7, loc="lower right" if kind == "strong" else "best")
