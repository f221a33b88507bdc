"""The picture of perf/knee."""

from __future__ import annotations

import io

from .look import STYLE, canvas, matplotlib

Drawn = dict[str, list[tuple[int, int, float]]]
"""Of each model bytes in flight, loads a thread and the rate in bytes a second."""


def draw(points: Drawn, knees: dict[str, float], title: str) -> bytes:
    """A PNG with a panel for each model: a line for each number of loads, and the knee."""
    with matplotlib.rc_context(STYLE):
        figure = canvas(400 * len(points) + 60, 400)
        figure.set_facecolor("white")
        figure.suptitle(title, x=0.02, ha="left", size=13)
        shared = None
        for number, (model, rows) in enumerate(points.items()):
            axes = figure.add_subplot(1, len(points), number + 1, sharex=shared, sharey=shared)
            shared = shared or axes
            axes.set_title(model, loc="left")
            for index, loads in enumerate(sorted({row[1] for row in rows})):
                line = sorted((count, rate / 1e9) for count, each, rate in rows if each == loads)
                axes.plot([x for x, _ in line], [y for _, y in line], color=f"C{index}", marker="os^vD"[index % 5],
                          markersize=4, label=f"{loads} load{'s' if loads > 1 else ''} a thread")
            axes.axvline(knees[model], color="0.4", linestyle="--", linewidth=1)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xlabel("bytes in flight")
            axes.grid(True)
            if number == 0:
                axes.set_ylabel("GB/s")
                axes.legend(fontsize=9)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.84, bottom=0.14)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()
