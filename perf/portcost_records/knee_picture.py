"""The picture of perf/portcost knee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .axis import set_powers
from .panels import figure_of_panels, is_first, png_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Drawn = dict[str, list[tuple[int, int, float]]]
"""Of each model bytes in flight, loads a thread and the rate in bytes a second."""


def draw(points: Drawn, knees: dict[str, float], title: str) -> bytes:
    """A PNG with a panel for each model: a line for each number of loads, and the knee."""

    def fill(axes: Axes, model: str) -> None:
        rows = points[model]
        for index, loads in enumerate(sorted({row[1] for row in rows})):
            line = sorted((count, rate / 1e9) for count, each, rate in rows if each == loads)
            axes.plot([x for x, _ in line], [y for _, y in line], color=f"C{index}", marker="os^vD"[index % 5],
                      markersize=4, label=f"{loads} load{'s' if loads > 1 else ''} a thread")
        axes.axvline(knees[model], color="0.4", linestyle="--", linewidth=1)
        set_powers(axes.xaxis, 2)
        set_powers(axes.yaxis)
        axes.set_xlabel("bytes in flight")
        axes.set_ylabel("GB/s")
        if is_first(axes):
            axes.legend(fontsize=9)

    return png_of_panels(figure_of_panels(title, list(points), fill, width=400, height=400))
