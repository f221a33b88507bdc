"""The picture of many algorithms: a row each, with a mark for each way of writing Kokkos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .forest import axis_width, place_legend
from .look import LONGEST_LABEL, axes_at, canvas, colour, gutter, shortened, write_heading
from .ways import BOOK, DIALLED, PLAIN_NATIVE, TUNED, USUAL, Board, Line, price
from .ways_plot import draw_marks, handle, limits_of, set_up
from .words import ratio_text

ROW = 34
COLUMN = 70
"""Pixels of a row, and of a column of ratios at its right."""
COLUMNS = {USUAL: "usual", DIALLED: "dials", BOOK: "book", TUNED: "tuned", PLAIN_NATIVE: "plain"}


def boards_of_overview(boards: Sequence[Board]) -> list[Board]:
    """Those at a main size, of algorithms whose steps are one work."""
    return [board for board in boards if not board.small and not board.step]


def row_name(board: Board) -> str:
    return f"{board.algorithm} {board.type}" + (", hot" if board.regime == "hot" else "")


def draw_overview(rows: Mapping[str, Sequence[Line]], title: str, subtitle: str, width: int) -> Figure:
    """`rows` has the lines of each row by its name; those without a ratio to the best native code are left out."""
    narrow = width < 600
    shown = {name: [line for line in lines if line.against_best] for name, lines in rows.items()}
    labels = list(dict.fromkeys(line.label for lines in shown.values() for line in lines))
    columns = [] if narrow else [label for label in COLUMNS if label in labels]
    left = gutter([shortened(name, LONGEST_LABEL[narrow]) for name in shown], narrow) * (1 if narrow else 0.86)
    right, top, bottom = (14, 62, 132) if narrow else (24 + COLUMN * len(columns), 100, 92)
    figure = canvas(width, top + ROW * len(shown) + bottom)
    write_heading(figure, title, subtitle)
    ax = axes_at(figure, left, top, width - left - right, ROW * len(shown))
    set_up(ax, limits_of(line for lines in shown.values() for line in lines), len(shown),
           "÷ best native" if narrow else "time ÷ time of the best native code")
    for y, (name, lines) in enumerate(shown.items()):
        draw_marks(ax, y, name, lines, narrow)
        for place, label in enumerate(columns):
            if line := next((line for line in lines if line.label == label), None):
                write(ax, place, y, ratio_text(price(line)))
    for place, label in enumerate(columns):
        write(ax, place, -0.5 - 14 / ROW, COLUMNS[label], muted=True)
    place_legend(figure, [handle(label) for label in labels], narrow, 2)
    return figure


def write(ax: Axes, place: int, y: float, words: str, muted: bool = False) -> None:
    ax.text(1 + (24 + COLUMN * place) / axis_width(ax), y, words, transform=ax.get_yaxis_transform(), va="center",
            size=11.5 if muted else 13, color=colour("muted" if muted else "ink"))
