"""The picture of a README's table of ways of writing: a row each, with a mark for each way. It keeps what it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from .table_declaration import Declaration, Drawn
from .ways import BOOK, DIALLED, PLAIN_NATIVE, TUNED, USUAL

WAYS = {"usual": USUAL, "dials": DIALLED, "book": BOOK, "tuned": TUNED, "plain": PLAIN_NATIVE}
KEYWORD = "Figures"
"""Of the PNG's text that holds what the picture shows: pixels differ from one version of matplotlib to the next."""
ROW, COLUMN = 32, 78

Rows = dict[str, dict[str, str]]
"""Of each row's label the cells by the way of writing."""


def rows_drawn(made: Declaration, table: Sequence[Sequence[str]]) -> Rows:
    """What is drawn: of each way the first column with its cost."""
    columns: dict[str, int] = {}
    at = len(made.labels)
    for column in made.columns:
        for text in column.texts:
            if text.startswith("{cost") and (way := WAYS.get(column.where.get("line", ""))):
                columns.setdefault(way, at)
            at += 1
    return {row[0].replace("`", ""): {way: row[at] for way, at in columns.items() if row[at]} for row in table[1:]} if columns else {}


def key_of(drawn: Drawn, rows: Rows) -> str:
    return json.dumps([drawn.title, drawn.subtitle, rows])


def is_drawn(path: Path, drawn: Drawn, rows: Rows) -> bool:
    return path.is_file() and text_of(path.read_bytes()) == key_of(drawn, rows)


def text_of(png: bytes) -> str:
    """What is kept in the file under KEYWORD; empty where there is nothing."""
    at = 8
    while at + 8 <= len(png):
        length = int.from_bytes(png[at:at + 4], "big")
        keyword, _, text = png[at + 8:at + 8 + length].partition(b"\0")
        if png[at + 4:at + 8] == b"tEXt" and keyword == KEYWORD.encode():
            return text.decode("latin-1")
        at += 12 + length
    return ""


def picture_of(drawn: Drawn, rows: Rows) -> bytes:
    """Needs matplotlib, which checking does not."""
    import matplotlib

    from .look import STYLE, WIDE, png_bytes

    with matplotlib.rc_context(STYLE):
        return png_bytes(draw(drawn, rows, WIDE), **{KEYWORD: key_of(drawn, rows)})


def draw(drawn: Drawn, rows: Rows, width: int) -> object:
    from .forest import axis_width, place_legend
    from .look import axes_at, canvas, colour, gutter, write_heading
    from .ways_plot import MARKS, handle, set_up

    ways = [way for way in WAYS.values() if any(way in cells for cells in rows.values())]
    values = [number(cell) for cells in rows.values() for cell in cells.values()]
    left, right, top, bottom = gutter(list(rows), False) * 0.86, 24 + COLUMN * len(ways), 100, 92
    figure = canvas(width, top + ROW * len(rows) + bottom)
    write_heading(figure, drawn.title, drawn.subtitle)
    ax = axes_at(figure, left, top, width - left - right, ROW * len(rows))
    set_up(ax, (min(min(values) / 1.06, 0.9), max(max(values) * 1.15, 1.3)), len(rows), "time ÷ time of the best native code")
    across = ax.get_yaxis_transform()

    def write(place: int, y: float, words: str, role: str, size: float) -> None:
        ax.text(1 + (24 + COLUMN * place) / axis_width(ax), y, words, transform=across, va="center", size=size, color=colour(role))

    for y, (label, cells) in enumerate(rows.items()):
        ax.text(-10 / axis_width(ax), y, label, transform=across, ha="right", va="center", size=12.5)
        ax.axhline(y, color=colour("grid"), linewidth=1, zorder=1)
        for place, way in enumerate(ways):
            if way in cells:
                mark = MARKS[way]
                ax.plot([number(cells[way])], [y], marker=mark.marker, markersize=9, linestyle="none", color=colour(mark.colour),
                        zorder=5, markerfacecolor=colour(mark.colour if mark.filled else "paper"), markeredgewidth=1.6)
                write(place, y, cells[way], "ink", 12.5)
    for place, way in enumerate(ways):
        write(place, -0.5 - 14 / ROW, short(way, WAYS), "muted", 11.5)
    place_legend(figure, [handle(way) for way in ways], False, 2)
    return figure


def short(way: str, words: Mapping[str, str]) -> str:
    return next(word for word, label in words.items() if label == way)


def number(cell: str) -> float:
    """Of "139.26 *" or "1.00 [0.99, 1.01]"."""
    return float(re.sub(r"^[^\d]*([\d.]+).*$", r"\1", cell))
