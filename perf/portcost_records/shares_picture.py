"""The picture of perf/shares."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from .look import STYLE, canvas, matplotlib

if TYPE_CHECKING:
    from .shares import Shares


def draw(found: dict[str, Shares], title: str) -> bytes:
    """A PNG with a panel for each model: time over the share, the found one marked, and the GPU alone as a line."""
    with matplotlib.rc_context(STYLE):
        figure = canvas(420 * len(found) + 60, 400)
        figure.set_facecolor("white")
        figure.suptitle(title, x=0.02, ha="left", size=13)
        shared = None
        for number, (model, shares) in enumerate(found.items()):
            axes = figure.add_subplot(1, len(found), number + 1, sharex=shared, sharey=shared)
            shared = shared or axes
            axes.set_title(model, loc="left")
            axes.plot(list(shares.all_ms), list(shares.all_ms.values()), color="C0", marker="o", markersize=3, label="every percentage")
            axes.axhline(shares.alone_ms, color="0.4", linestyle="--", linewidth=1, label="the GPU alone")
            axes.plot([shares.found_percent], [shares.found_ms], color="C3", marker="D", markersize=8, linestyle="none",
                      label=f"found: {shares.found_percent:g} %")
            axes.set_yscale("log")
            axes.set_xlabel("percent of the rows for the cores")
            axes.grid(True)
            axes.legend(fontsize=9)
            if number == 0:
                axes.set_ylabel(f"ms for {shares.sweeps} sweeps")
        figure.subplots_adjust(left=0.1, right=0.97, top=0.84, bottom=0.14)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()
