"""Pictures with panels side by side, one for each model or kind."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from .look import STYLE, canvas, matplotlib

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARGINS = {"left": 0.1, "right": 0.97, "top": 0.84, "bottom": 0.14}


def figure_of_panels(title: str, names: list[str], fill: Callable[[Axes, str], None], *, width: int, height: int,
                     shared: bool = True, margins: dict[str, float] = MARGINS) -> Figure:
    """A panel of width x height pixels for each name, filled by fill(axes, name), with the name as its title, which fill() may
    change. Shared, they have the same axes, and only the first says what goes up."""
    with matplotlib.rc_context(STYLE):
        figure = canvas(width * len(names) + 60, height)
        figure.set_facecolor("white")
        figure.suptitle(title, x=0.02, ha="left", size=13)
        first = None
        for number, name in enumerate(names):
            axes = figure.add_subplot(1, len(names), number + 1, sharex=first, sharey=first)
            first = first or (axes if shared else None)
            axes.set_title(name, loc="left")
            axes.grid(True)
            fill(axes, name)
            if shared and number > 0:
                axes.set_ylabel("")
        figure.subplots_adjust(**margins)
    return figure


def is_first(axes: Axes) -> bool:
    """Whether it is the panel on the left, where one legend for all has its place."""
    return axes.get_subplotspec().is_first_col()


def png_of_panels(figure: Figure) -> bytes:
    """Such a figure as a PNG."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()
