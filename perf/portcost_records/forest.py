"""Forest plots: the cost of portability with its interval, a row a pair."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import blended_transform_factory

from .look import LONGEST_LABEL, MARKERS, colour, gutter, set_ratio_axis, shortened, stacked
from .choose import Group
from .records import Interval, Result
from .words import ratio_text

AIM = 1.05
BEST_LABEL = "best against best"
WIDEST_RATIO = 2.6
"""Beyond this the axis stops and an arrow stands for the point, or 1.05 could not be seen."""


ROOM_FOR_WORDS = 470
"""Pixels of the axis, for the words at its ends."""


@dataclass(frozen=True)
class Row:
    label: str
    result: Result | None = None
    heading: bool = False


def rows_of_groups(groups: list[Group]) -> list[Row]:
    rows: list[Row] = []
    for group in groups:
        rows.append(Row(group.title, heading=True))
        rows += [Row(pair.step, pair) for pair in group.pairs]
        if group.best:
            rows.append(Row(BEST_LABEL, group.best))
    return rows


def draw_forest(rows: list[Row], title: str, subtitle: str, width: int) -> Figure:
    """The picture in one width; narrow ones drop the interval's digits, not its bar."""
    narrow = width < 600
    row_height = 38 if narrow else 32
    left = gutter([short_label(row, narrow) for row in rows], narrow)
    right, top = (74, 64) if narrow else (265, 78)
    figure, [ax] = stacked([row_height * len(rows)], title, subtitle, width, left=left, right=right, top=top,
                           bottom=120 if narrow else 86)
    low, high = axis_range(rows)
    draw_axis(ax, low, high, len(rows), narrow)
    striped = False
    for y, row in enumerate(rows):
        striped = not row.heading and not striped
        draw_row(ax, y, row, (low, high), narrow, striped)
    draw_legend(figure, rows, narrow, left)
    return figure


def axis_range(rows: list[Row]) -> tuple[float, float]:
    values = [1.0, AIM]
    for row in rows:
        if row.result and (ratio := row.result.ratio):
            values += [ratio.low, ratio.high]
    low = max(min(values), 1 / WIDEST_RATIO)
    high = min(max(values), WIDEST_RATIO)
    return min(low / 1.03, 0.94), max(high * 1.04, 1.16)


def set_up_rows(ax: Axes, limits: tuple[float, float], rows: int) -> None:
    set_ratio_axis(ax.xaxis, ax.set_xlim, limits, axis_width(ax))
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", linewidth=1)


def draw_axis(ax: Axes, low: float, high: float, rows: int, narrow: bool) -> None:
    set_up_rows(ax, (low, high), rows)
    ax.axvspan(AIM, high, color=colour("beyond"), linewidth=0, zorder=0)
    ax.axvline(1, color=colour("ink"), linewidth=1.4, zorder=2)
    ax.axvline(AIM, color=colour("slower"), linewidth=1.2, linestyle=(0, (4, 3)), zorder=2)
    ax.text(AIM, 1, f" {AIM:g}", transform=ax.get_xaxis_transform(), size=11.5, color=colour("slower"), va="bottom", ha="left")
    ax.set_xlabel("time(Kokkos) ÷ time(native)", labelpad=8, size=11.5 if narrow else 12.5)
    if axis_width(ax) >= ROOM_FOR_WORDS:  # Three texts, for SVG would draw a run of spaces as one.
        for x, side, words in ((0, "left", "← Kokkos needs less"), (1, "right", "Kokkos needs more →")):
            ax.annotate(words, (x, 0), xytext=(0, -27), xycoords="axes fraction", ha=side, va="top",
                        textcoords="offset points", size=12, color=colour("muted"))


def draw_row(ax: Axes, y: int, row: Row, limits: tuple[float, float], narrow: bool, striped: bool) -> None:
    across = ax.get_yaxis_transform()
    is_best = bool(row.result and row.result.role == "best")
    if row.heading:
        write_title(ax, y + 0.1, row.label, 13)
        return
    if striped:
        ax.add_patch(Rectangle((-3, y - 0.5), 8, 1, transform=across, color=colour("row"),
                               linewidth=0, zorder=-1, clip_on=False))
    write_label(ax, y, short_label(row, narrow), narrow, 12, weight="bold" if is_best else "normal")
    if row.result and row.result.ratio:
        draw_point(ax, y, row.result, row.result.ratio, limits)
    columns = right_words(row.result, narrow)
    for x, words in zip((12, 62, 186), columns):
        ax.text(1 + x / axis_width(ax), y, words, transform=across, va="center", linespacing=1.15,
                size=11.5 if narrow else 13, weight="bold" if is_best else "normal",
                color=colour("muted" if x == 62 else "ink"))


def short_label(row: Row, narrow: bool) -> str:
    return "best v. best" if narrow and row.label == BEST_LABEL else shortened(row.label, LONGEST_LABEL[narrow])


def write_title(ax: Axes, y: float, words: str, size: float) -> None:
    """At the left edge of the whole picture, at a height as the axis counts."""
    ax.text(2 / (ax.figure.get_size_inches()[0] * 72), y, words, weight="bold", va="center", size=size,
            transform=blended_transform_factory(ax.figure.transFigure, ax.transData))


def write_label(ax: Axes, y: float, words: str, narrow: bool, gap: int = 10, **style: object) -> None:
    ax.text(-gap / axis_width(ax), y, words, transform=ax.get_yaxis_transform(), ha="right", va="center", size=12 if narrow else 13,
            **style)


def axis_width(ax: Axes) -> float:
    return ax.get_position().width * ax.figure.get_size_inches()[0] * 72


def right_words(result: Result | None, narrow: bool) -> list[str]:
    """Ratio, interval and verdict in columns, or why there is none."""
    if result and result.failed:
        return ["failed" if narrow else "failed: no ratio"]
    if result and not result.agrees:
        return ["answers\ndiffer" if narrow else "answers differ: no ratio"]
    if not result or not result.blocks:
        return ["not\nmeasured" if narrow else "not measured"]
    if not result.ratio:
        return ["not\ndecided" if narrow else "undecided: no interval"]
    ratio = result.ratio
    if narrow:
        return [f"{ratio_text(ratio.value)}\n{result.verdict}"]
    return [ratio_text(ratio.value), f"{ratio_text(ratio.low)} to {ratio_text(ratio.high)}", result.verdict]


def draw_point(ax: Axes, y: int, result: Result, ratio: Interval, limits: tuple[float, float]) -> None:
    low, high = limits
    best = result.role == "best"
    paint = colour(result.verdict if result.verdict in MARKERS else "unclear")
    if result.noise:
        ax.add_patch(Rectangle((result.noise[0], y - 0.3), result.noise[1] - result.noise[0], 0.6,
                               color=colour("noise"), linewidth=0, zorder=1.5))
    if low < ratio.value < high:
        ax.plot([max(ratio.low, low), min(ratio.high, high)], [y, y], color=paint, linewidth=3, solid_capstyle="butt", zorder=4)
        marker = "D" if best else MARKERS.get(result.verdict, "s")
        hollow = result.verdict == "unclear"
        ax.plot([ratio.value], [y], marker=marker, markersize=11 if best else 9, zorder=5,
                markerfacecolor=colour("paper") if hollow else paint, markeredgecolor=paint,
                markeredgewidth=1.6, linestyle="none")
        return
    edge, way = (high, 1) if ratio.value >= high else (low, -1)
    inner = edge * (low / high) ** (0.06 * way)
    ax.annotate("", xy=(edge, y), xytext=(inner, y), zorder=5,
                arrowprops={"arrowstyle": "-|>", "color": paint, "linewidth": 3,
                            "mutation_scale": 18})


def draw_legend(figure: Figure, rows: list[Row], narrow: bool, left: float) -> None:
    results = [row.result for row in rows if row.result]
    handles = [Line2D([], [], marker=MARKERS[verdict], color=colour(verdict), linewidth=3,
                      markersize=9, markerfacecolor=colour("paper" if verdict == "unclear"
                                                           else verdict), label=verdict)
               for verdict in MARKERS if any(r.verdict == verdict and r.ratio and
                                             r.role != "best" for r in results)]
    if any(result.role == "best" for result in results):
        handles.append(Line2D([], [], marker="D", color=colour("unclear"), linewidth=3, markersize=10, label=BEST_LABEL))
    if any(result.noise and result.ratio for result in results):
        handles.append(Patch(color=colour("noise"), label="noise floor"))
    handles.append(Patch(color=colour("beyond"), label=f"beyond {AIM:g}"))
    place_legend(figure, handles, narrow, left)


def place_legend(figure: Figure, handles: list[object], narrow: bool, left: float) -> None:
    """Below the axis: in one line, from the page's edge where there is no room beside it, else in two columns."""
    def placed(x: float) -> Legend:
        return figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(x, 0), fontsize=11.5,
                             ncols=2 if narrow else len(handles), handlelength=1.8, columnspacing=1.6,
                             borderaxespad=0.2, borderpad=0.2)
    legend = placed(0.0 if narrow else left / (figure.get_size_inches()[0] * 72))
    if not narrow and legend.get_window_extent(FigureCanvasAgg(figure).get_renderer()).x1 > figure.bbox.x1:
        legend.remove()
        placed(0.0)
