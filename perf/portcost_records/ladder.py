"""The ladder: time, rate and fraction of the limit for each step, the models side by side."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from .choose import Group
from .forest import axis_width, place_legend, write_label, write_title
from .look import HATCHES, LONGEST_LABEL, colour, gutter, model_role, shortened, stacked
from .records import Floor, MachineLimit, Side
from .words import model_name, percent_text, rate_text, time_text

BAR = 17
GAP = 13
"""Pixels a bar, and between steps."""
LARGEST_LINEAR_RANGE = 30
"""A bar must start at zero; beyond this range the short ones vanish and dots on a log axis serve."""
MODEL_ORDER = {"kokkos": 0, "cuda": 1, "openmp": 1, "library": 2, "reference": 3}
MARKER_OF_ROLE = {"kokkos": "o", "native": "s", "library": "D"}


@dataclass(frozen=True)
class Rung:
    """One step with every side that was timed at it, and those that a known defect left without a time."""

    step: str
    sides: tuple[Side, ...]
    broken: tuple[Side, ...] = ()

    @property
    def height(self) -> float:
        return BAR * (len(self.sides) + len(self.broken)) + GAP


def rungs(group: Group) -> list[Rung]:
    made = []
    for step in dict.fromkeys(r.step for r in (*group.pairs, *group.solos)):
        sides = {side.variant: side for result in (*group.solos, *group.pairs)
                 if result.step == step for side in result.sides if side.device}
        broken = tuple(result.sides[0] for result in group.solos
                       if result.step == step and result.defect and result.defect.seen)
        if sides or broken:
            order = sorted(sides.values(), key=lambda s: MODEL_ORDER.get(s.model, 9))
            made.append(Rung(step, tuple(order), broken))
    return made if any(rung.sides for rung in made) else []


def draw_ladder(groups: list[Group], title: str, subtitle: str, width: int) -> Figure:
    narrow = width < 600
    right, top, bottom = (112, 46, 62) if narrow else (250, 62, 34)
    panels = [(group, made) for group in groups if (made := rungs(group))]
    left = gutter([shortened(rung.step, LONGEST_LABEL[narrow]) for _, made in panels for rung in made], narrow)
    heights = [sum(rung.height for rung in made) for _, made in panels]
    figure, all_axes = stacked(heights, title, subtitle, width, left=left, right=right, top=top, bottom=bottom, above=46, below=34)
    for ax, (group, made), height in zip(all_axes, panels, heights):
        draw_panel(ax, group, made, height, narrow)
    draw_legend(figure, [side for _, made in panels for rung in made for side in rung.sides],
                narrow, left, all(ax.get_xscale() == "log" for ax in figure.axes))
    return figure


def draw_panel(ax: Axes, group: Group, made: list[Rung], height: float, narrow: bool) -> None:
    medians = [side.device.median for rung in made for side in rung.sides if side.device]
    limit = group.floor
    floor = limit.floor_s if limit else 0.0
    upper = [side.device.q3 for rung in made for side in rung.sides if side.device]
    least, most = min([*medians, *([floor] if floor else [])]), max([*upper, floor])
    logarithmic = most > LARGEST_LINEAR_RANGE * least
    ax.set_ylim(height, 0)
    set_time_axis(ax, least, most, logarithmic, narrow)
    write_title(ax, -26, group.title, 13)
    y = GAP / 2
    for rung in made:
        middle = y + (rung.height - GAP) / 2
        write_label(ax, middle, shortened(rung.step, LONGEST_LABEL[narrow]), narrow)
        for side in rung.sides:
            draw_side(ax, y + BAR / 2, side, logarithmic, None if narrow else limit)
            y += BAR
        for _ in rung.broken:
            ax.text(8 / axis_width(ax), y + BAR / 2, "known defect: no time", va="center",
                    transform=ax.get_yaxis_transform(), size=11.5, color=colour("muted"))
            y += BAR
        y += GAP
    if limit:
        draw_floor(ax, limit, narrow)


def set_time_axis(ax: Axes, least: float, most: float, logarithmic: bool, narrow: bool) -> None:
    if logarithmic:
        ax.set_xscale("log")
        ax.set_xlim(least / 1.3, most * 1.15)
        ax.xaxis.set_major_locator(LogLocator(numticks=4 if narrow else 8))
        ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        ax.set_xlim(0, most * 1.02)
        ax.xaxis.set_major_locator(MaxNLocator(2 if narrow else 6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    ax.set_yticks([])
    ax.grid(axis="x", linewidth=1)


def tick_text(seconds: float) -> str:
    """A tick without the zeros that three significant digits would add."""
    if seconds <= 0:
        return "0"
    number, unit = time_text(seconds).split(" ")
    return f"{float(number):g} {unit}"


def rate_of(side: Side, limit: Floor | None) -> str:
    """What the side does a second of what the limit counts, such as bytes or operations; empty where that is unknown."""
    if limit is None or side.limit_fraction is None:
        return ""
    return rate_text(MachineLimit(limit.name, limit.value * side.limit_fraction, limit.unit))


def draw_side(ax: Axes, y: float, side: Side, logarithmic: bool, limit: Floor | None) -> None:
    """`limit`: also write the rate, in its unit."""
    role = model_role(side.model)
    median = side.device.median
    if logarithmic:
        ax.plot([median], [y], marker=MARKER_OF_ROLE[role], markersize=9, color=colour(role),
                markeredgecolor=colour("edge"), markeredgewidth=0.8, linestyle="none", zorder=4)
        ax.plot([ax.get_xlim()[0], median], [y, y], color=colour(role), linewidth=1.2, zorder=3)
    else:
        ax.barh(y, median, height=BAR - 3, color=colour(role), edgecolor=colour("edge"),
                linewidth=0.8, hatch=HATCHES[role], zorder=3)
    ax.plot([side.device.q1, side.device.q3], [y, y], color=colour("ink"), linewidth=2.2, zorder=5)
    end = " · ".join(filter(None, (time_text(median), rate_of(side, limit), percent_text(side.limit_fraction))))
    ax.annotate(end, (max(median, side.device.q3), y), xytext=(8, 0), textcoords="offset points", va="center", size=11.5,
                annotation_clip=False)


def draw_floor(ax: Axes, limit: Floor, narrow: bool) -> None:
    ax.axvline(limit.floor_s, color=colour("faster"), linewidth=2, linestyle=(0, (5, 2)), zorder=6)
    rate = rate_text(MachineLimit(limit.name, limit.value, limit.unit))
    time = time_text(limit.floor_s)
    words = f"limit {time}" if narrow else f"limit: {time}, {rate} ({limit.name})"
    ax.text(limit.floor_s, 1, words, transform=ax.get_xaxis_transform(), ha="left", va="bottom",
            color=colour("faster"), size=11.5)


def draw_legend(figure: Figure, sides: list[Side], narrow: bool, left: float, logarithmic: bool) -> None:
    roles = dict.fromkeys((model_role(side.model), model_name(side.model)) for side in
                          sorted(sides, key=lambda s: MODEL_ORDER.get(s.model, 9)))
    handles: list[object] = [
        Line2D([], [], marker=MARKER_OF_ROLE[role], markersize=9, color=colour(role), markeredgecolor=colour("edge"), linewidth=1.2,
               label=name) if logarithmic else
        Patch(facecolor=colour(role), edgecolor=colour("edge"), hatch=HATCHES[role], label=name) for role, name in roles]
    handles.append(Patch(facecolor=colour("ink"), label="quartiles"))
    place_legend(figure, handles, narrow, left)
