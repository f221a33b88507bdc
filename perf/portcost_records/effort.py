"""Price against effort: time and lines of code of each way.

After the navigation chart of S. J. Pennycook, J. D. Sewall, D. W. Jacobsen, T. Deakin and S. McIntosh-Smith, "Navigating
Performance, Portability, and Productivity", Computing in Science & Engineering 23(5), 2021, doi:10.1109/MCSE.2021.3097276.
There the axes are code convergence and performance portability over platforms; here lines of code and the ratio to the best
native code on one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .axis import set_ratio_axis
from .look import axes_at, canvas, colour, shortened, write_heading
from .ways import Board, Line, counted_lines, price, written_as
from .ways_plot import MARKS

LONGEST = 44
HEIGHT = 330
LEAST_APART = 17
"""Pixels between two labels, one under the other."""


def draw_effort(board: Board, title: str, subtitle: str, width: int) -> Figure:
    narrow = width < 600
    left, right, top, bottom = (58, 118, 62, 62) if narrow else (84, 340, 80, 62)
    figure = canvas(width, top + HEIGHT + bottom)
    write_heading(figure, title, subtitle)
    ax = axes_at(figure, left, top, width - left - right, HEIGHT)
    lines = counted_lines(board)
    prices, counts = [price(line) for line in lines], [line.lines_of_code or 0 for line in lines]
    set_ratio_axis(ax.yaxis, ax.set_ylim, (min(min(prices) / 1.1, 0.9), max(max(prices) * 1.1, 1.3)), HEIGHT)
    ax.set_xlim(0, max(counts) * 1.1)
    ax.xaxis.set_major_locator(MaxNLocator(4 if narrow else 8, integer=True))
    ax.grid(linewidth=1)
    ax.axhline(1, color=colour("native"), linewidth=2, zorder=2)
    ax.set_xlabel("lines of code")
    ax.set_ylabel("÷ best native" if narrow else "time ÷ time of the best native code")
    for line, count in zip(lines, counts):
        mark = MARKS[line.label]
        ax.plot([count], [price(line)], marker=mark.marker, markersize=11, linestyle="none", color=colour(mark.colour), zorder=5,
                markerfacecolor=colour(mark.colour if mark.filled else "paper"), markeredgewidth=1.8)
    name_points(ax, lines, narrow)
    return figure


def name_points(ax: Axes, lines: Sequence[Line], narrow: bool) -> None:
    """Names in a column at the right, in the order of the points, each with a thin line to its own."""
    low, high = ax.get_ylim()
    wanted = sorted(lines, key=price)
    places: list[float] = []
    for line in wanted:
        place = HEIGHT * math.log(price(line) / low) / math.log(high / low)
        places.append(max(place, places[-1] + LEAST_APART) if places else place)
    for line, place in zip(wanted, places):
        name = line.label if narrow else shortened(f"{line.label}: {written_as(line.side)}", LONGEST)
        ax.annotate(name, (line.lines_of_code or 0, price(line)), (1.02, place / HEIGHT), textcoords="axes fraction",
                    va="center", size=10 if narrow else 12, annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": colour("grid"), "linewidth": 1, "shrinkA": 2, "shrinkB": 7,
                                "relpos": (0, 0.5)})
