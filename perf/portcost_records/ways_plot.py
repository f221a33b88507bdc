"""Pictures of the ways of writing: a panel a problem, a row a step or an algorithm; and price against effort."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from .look import LONGEST_LABEL, colour, gutter, set_ratio_axis, shortened, stacked
from .forest import axis_width, place_legend, set_up_rows, write_label, write_title
from .headline import ratio_cell
from .records import grouped
from .ways import (BEST_AND_PLAIN, BEST_NATIVE, BOOK, DIALLED, PEER, PLAIN_NATIVE, TUNED, USUAL, Board, Line, counted_lines, price,
                   written_as)
from .words import ratio_text, time_text


@dataclass(frozen=True)
class Mark:
    """How a way is drawn: a colour, and a marker for those who cannot tell colours."""

    colour: str
    marker: str
    filled: bool = True

    def style(self, size: float, edge: float = 1.6) -> dict[str, Any]:
        return {"marker": self.marker, "linestyle": "none", "markersize": size, "color": colour(self.colour),
                "markerfacecolor": colour(self.colour if self.filled else "paper"), "markeredgewidth": edge}


MARKS = {USUAL: Mark("slower", "s"), DIALLED: Mark("slower", "s", filled=False), BOOK: Mark("library", "D"),
         TUNED: Mark("kokkos", "o"), PEER: Mark("unclear", "^"),
         **dict.fromkeys((PLAIN_NATIVE, BEST_NATIVE, BEST_AND_PLAIN, "native"), Mark("native", "v"))}
ROW, STEP_ROW = 46, 28
"""Pixels a row: the way, and below it what stands for it; of a step alone."""
LONGEST = 36


def draw_ways(boards: Sequence[Board], title: str, subtitle: str, width: int) -> Figure:
    narrow = width < 600
    names = [name for board in boards for line in board.lines for name in (line.label, written_as(line.side))]
    left = gutter([shortened(name, LONGEST) for name in names], narrow) * (0.86 if narrow else 0.82)
    right, top, above, below = (86, 54, 42, 44) if narrow else (290, 70, 46, 50)
    bottom = 78 if narrow else 40
    figure, panels = stacked([ROW * len(board.lines) for board in boards], title, subtitle, width, left=left, right=right, top=top,
                             bottom=bottom, above=above, below=below)
    limits = limits_of(line for board in boards for line in board.lines)
    for ax, board in zip(panels, boards):
        draw_board(ax, board, limits, narrow)
    labels = dict.fromkeys("native" if line.is_native else line.label for board in boards for line in board.lines)
    handles: list[object] = [handle(label) for label in labels]
    place_legend(figure, handles, narrow, 2)
    return figure


def draw_steps(boards: Sequence[Board], title: str, subtitle: str, width: int) -> Figure:
    """Of steps that are different work a row each, with a mark for each way; a panel a problem."""
    narrow = width < 600
    problems = grouped(boards, lambda board: board.problem_heading)
    left = gutter([shortened(board.step, LONGEST_LABEL[narrow]) for board in boards], narrow)
    right, top, above, below, bottom = (14, 54, 30, 44, 78) if narrow else (40, 70, 34, 50, 40)
    figure, panels = stacked([STEP_ROW * len(steps) for steps in problems.values()], title, subtitle, width, left=left, right=right,
                             top=top, bottom=bottom, above=above, below=below)
    limits = limits_of(line for board in boards for line in board.lines)
    for ax, (problem, steps) in zip(panels, problems.items()):
        set_up(ax, limits, len(steps), "÷ native" if narrow else "time ÷ time of the same step in native code")
        write_title(ax, -0.5 - 14 / STEP_ROW, problem, 11.5 if narrow else 13)
        for row, board in enumerate(steps):
            draw_marks(ax, row, board.step, board.kokkos_lines(), narrow)
    labels = dict.fromkeys(line.label for board in boards for line in board.kokkos_lines())
    place_legend(figure, [handle(label) for label in labels], narrow, 2)
    return figure


def draw_marks(ax: Axes, y: int, name: str, lines: Sequence[Line], narrow: bool) -> None:
    write_label(ax, y, shortened(name, LONGEST_LABEL[narrow]), narrow)
    ax.axhline(y, color=colour("grid"), linewidth=1, zorder=1)
    for line in lines:
        draw_mark(ax, y, line)


def handle(label: str) -> Line2D:
    return Line2D([], [], label=label, **MARKS[label].style(9))


LONGEST_TITLE = 48
"""Letters of a board's title in a narrow picture."""


def limits_of(lines: Iterable[Line]) -> tuple[float, float]:
    """One range for all panels, so that they can be compared by eye."""
    values = [1.0]
    for line in lines:
        if ratio := line.against_best:
            values += [ratio.value, *((ratio.interval.low, ratio.interval.high) if ratio.interval else ())]
    return min(min(values) / 1.06, 0.9), max(max(values) * 1.08, 1.3)


def draw_board(ax: Axes, board: Board, limits: tuple[float, float], narrow: bool) -> None:
    pixels = axis_width(ax)
    set_up(ax, limits, len(board.lines), "÷ best native" if narrow else "time ÷ time of the best native code")
    title = board.title + (", a small size" if board.small else "")
    write_title(ax, -0.5 - 24 / ROW, shortened(title, LONGEST_TITLE) if narrow else title, 11.5 if narrow else 13)
    if not narrow:
        for x, words in ((12, "time"), (84, "against best native")):
            ax.text(1 + x / pixels, -0.5 - 14 / ROW, words, transform=ax.get_yaxis_transform(), va="center", size=11.5,
                    color=colour("muted"))
    plain = board.line(PLAIN_NATIVE)
    if plain and plain.against_best and limits[0] < plain.against_best.value < limits[1]:
        ax.axvline(plain.against_best.value, color=colour("native"), linewidth=1.4, linestyle=(0, (4, 3)), zorder=2)
    for y, line in enumerate(board.lines):
        draw_line(ax, y, line, narrow, pixels)


def set_up(ax: Axes, limits: tuple[float, float], rows: int, words: str) -> None:
    set_up_rows(ax, limits, rows)
    ax.axvline(1, color=colour("native"), linewidth=2, zorder=2)
    ax.set_xlabel(words, labelpad=4, size=11.5)


def draw_line(ax: Axes, y: int, line: Line, narrow: bool, pixels: float) -> None:
    across = ax.get_yaxis_transform()
    size = 11 if narrow else 13
    ax.text(-10 / pixels, y - 0.18, line.label, transform=across, ha="right", va="center", size=size)
    ax.text(-10 / pixels, y + 0.2, shortened(written_as(line.side), LONGEST), transform=across, ha="right", va="center",
            size=size - 1.5, color=colour("muted"))
    ax.plot([1, price(line)], [y, y], color=colour(MARKS[line.label].colour), linewidth=1.2, zorder=3)
    draw_mark(ax, y, line)
    time = time_text(line.timed.seconds)
    if narrow:
        ax.text(1 + 10 / pixels, y, f"{ratio_text(price(line))}\n{time}", transform=across, va="center", size=11.5, linespacing=1.15)
        return
    ax.text(1 + 12 / pixels, y, time, transform=across, va="center")
    ax.text(1 + 84 / pixels, y, ratio_cell(line.against_best) if line.against_best else "1", transform=across, va="center")


def draw_mark(ax: Axes, y: int, line: Line) -> None:
    mark = MARKS[line.label]
    if line.against_best and (interval := line.against_best.interval):
        ax.plot([interval.low, interval.high], [y, y], color=colour(mark.colour), linewidth=3, solid_capstyle="butt", zorder=4)
    ax.plot([price(line)], [y], zorder=5, clip_on=False, **mark.style(9))


LONGEST_NAME = 44
EFFORT_HEIGHT = 330
LEAST_APART = 17
"""Pixels between two labels, one under the other."""


def draw_effort(board: Board, title: str, subtitle: str, width: int) -> Figure:
    """Time over lines of code of each way: headline.CITED says after what."""
    narrow = width < 600
    left, right, top, bottom = (58, 118, 62, 62) if narrow else (84, 340, 80, 62)
    figure, [ax] = stacked([EFFORT_HEIGHT], title, subtitle, width, left=left, right=right, top=top, bottom=bottom)
    lines = counted_lines(board)
    prices, counts = [price(line) for line in lines], [line.lines_of_code or 0 for line in lines]
    set_ratio_axis(ax.yaxis, ax.set_ylim, (min(min(prices) / 1.1, 0.9), max(max(prices) * 1.1, 1.3)), EFFORT_HEIGHT)
    ax.set_xlim(0, max(counts) * 1.1)
    ax.xaxis.set_major_locator(MaxNLocator(4 if narrow else 8, integer=True))
    ax.grid(linewidth=1)
    ax.axhline(1, color=colour("native"), linewidth=2, zorder=2)
    ax.set_xlabel("lines of code")
    ax.set_ylabel("÷ best native" if narrow else "time ÷ time of the best native code")
    for line, count in zip(lines, counts):
        ax.plot([count], [price(line)], zorder=5, **MARKS[line.label].style(11, 1.8))
    name_points(ax, lines, narrow)
    return figure


def name_points(ax: Axes, lines: Sequence[Line], narrow: bool) -> None:
    """Names in a column at the right, in the order of the points, each with a thin line to its own."""
    low, high = ax.get_ylim()
    wanted = sorted(lines, key=price)
    places: list[float] = []
    for line in wanted:
        place = EFFORT_HEIGHT * math.log(price(line) / low) / math.log(high / low)
        places.append(max(place, places[-1] + LEAST_APART) if places else place)
    for line, place in zip(wanted, places):
        name = line.label if narrow else shortened(f"{line.label}: {written_as(line.side)}", LONGEST_NAME)
        ax.annotate(name, (line.lines_of_code or 0, price(line)), (1.02, place / EFFORT_HEIGHT), textcoords="axes fraction",
                    va="center", size=10 if narrow else 12, annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": colour("grid"), "linewidth": 1, "shrinkA": 2, "shrinkB": 7,
                                "relpos": (0, 0.5)})


ALGORITHM_ROW = 34
COLUMN = 70
COLUMNS = {USUAL: "usual", DIALLED: "dials", BOOK: "book", TUNED: "tuned", PLAIN_NATIVE: "plain"}


def boards_of_overview(boards: Sequence[Board]) -> list[Board]:
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
    figure, [ax] = stacked([ALGORITHM_ROW * len(shown)], title, subtitle, width, left=left, right=right, top=top, bottom=bottom)
    set_up(ax, limits_of(line for lines in shown.values() for line in lines), len(shown),
           "÷ best native" if narrow else "time ÷ time of the best native code")
    for y, (name, lines) in enumerate(shown.items()):
        draw_marks(ax, y, name, lines, narrow)
        for place, label in enumerate(columns):
            if line := next((line for line in lines if line.label == label), None):
                write(ax, place, y, ratio_text(price(line)))
    for place, label in enumerate(columns):
        write(ax, place, -0.5 - 14 / ALGORITHM_ROW, COLUMNS[label], muted=True)
    place_legend(figure, [handle(label) for label in labels], narrow, 2)
    return figure


def write(ax: Axes, place: int, y: float, words: str, muted: bool = False) -> None:
    ax.text(1 + (24 + COLUMN * place) / axis_width(ax), y, words, transform=ax.get_yaxis_transform(), va="center",
            size=11.5 if muted else 13, color=colour("muted" if muted else "ink"))
