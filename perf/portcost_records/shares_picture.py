"""The picture of perf/portcost shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .axis import set_powers
from .panels import figure_of_panels, png_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .shares import Shares


def draw(found: dict[str, Shares], title: str) -> bytes:
    """A PNG with a panel for each model: time over the share, the found one marked, and the GPU alone as a line."""

    def fill(axes: Axes, model: str) -> None:
        shares = found[model]
        axes.plot(list(shares.all_ms), list(shares.all_ms.values()), color="C0", marker="o", markersize=3, label="every percentage")
        axes.axhline(shares.alone_ms, color="0.4", linestyle="--", linewidth=1, label="the GPU alone")
        axes.plot([shares.found_percent], [shares.found_ms], color="C3", marker="D", markersize=8, linestyle="none",
                  label=f"found: {shares.found_percent:g} %")
        set_powers(axes.yaxis)
        axes.set_xlabel("percent of the rows for the cores")
        axes.set_ylabel(f"ms for {shares.sweeps} sweeps")
        axes.legend(fontsize=9)

    return png_of_panels(figure_of_panels(title, list(found), fill, width=420, height=400))
