"""All pictures of a record, each drawn for a wide page and for a phone."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib
from matplotlib.figure import Figure

from .choose import Group, Sweep, groups_at_main_size, sweeps
from .forest import draw_forest, rows_of_groups, rows_of_overview
from .ladder import draw_ladder, rungs
from .look import NARROW, STYLE, WIDE, Picture
from .records import Record, Result
from .sweep import draw_sweep
from .words import cost_words, interval_text, native_name, percent_text, side_median, time_text


def picture(name: str, alt: str, draw: Callable[[int], Figure]) -> Picture:
    with matplotlib.rc_context(STYLE):
        return Picture(name, alt, draw(WIDE), draw(NARROW))


def overview(record: Record) -> Picture | None:
    """All algorithms in one picture; none where there is only one row to show."""
    groups = [group for name in record.algorithms()
              for group in groups_at_main_size(record, name) if group.best and group.best.ratio]
    if len({group.algorithm for group in groups}) < 2:
        return None
    alt = "Best against best. " + "; ".join(
        f"{g.algorithm} {g.type} {g.regime}: {interval_text(g.best.ratio)}, {g.best.verdict}"
        for g in groups if g.best)
    native = native_name(record.results)
    return picture("overview", alt, lambda width: draw_forest(
        rows_of_overview(groups), f"What Kokkos costs against {native}",
        f"best against best, with the range of the pairs · {record.header.processor}", width))


def pairs(record: Record, algorithm: str) -> Picture | None:
    groups = [g for g in groups_at_main_size(record, algorithm) if g.pairs]
    if not groups:
        return None
    alt = f"Cost of portability of {algorithm}, a row a pair. " + " ".join(map(words_of, groups))
    native = native_name([pair for group in groups for pair in group.pairs])
    return picture(f"{algorithm}-pairs", alt, lambda width: draw_forest(
        rows_of_groups(groups), f"{algorithm}: Kokkos against {native}",
        subtitle(record, groups[0].problem_text, width), width))


def words_of(group: Group) -> str:
    rows = [*group.pairs, *([group.best] if group.best else [])]
    return f"{group.title}: " + "; ".join(
        f"{r.step} {interval_text(r.ratio)}, {cost_words(r.ratio, r.verdict)}" if r.ratio
        else f"{r.step} has no ratio" for r in rows) + "."


def ladder(record: Record, algorithm: str) -> Picture | None:
    groups = [g for g in groups_at_main_size(record, algorithm) if rungs(g)]
    if not groups:
        return None
    alt = f"Device time of each step of {algorithm} and its fraction of the limit. " + " ".join(
        f"{group.title}: " + "; ".join(
            [f"{side.variant} {time_text(side_median(side))}, {percent_text(side.limit_fraction)}"
             for rung in rungs(group) for side in rung.sides]
            + [f"{side.variant} has no time: a known defect"
               for rung in rungs(group) for side in rung.broken]) + "." for group in groups)
    return picture(f"{algorithm}-ladder", alt, lambda width: draw_ladder(
        groups, f"{algorithm}: the ladder",
        subtitle(record, "device time · fraction of the limit" if width < 600 else
                 f"device time and fraction of the limit · {groups[0].problem_text}", width), width))


def sweep_pictures(record: Record, algorithm: str) -> list[tuple[Sweep, Picture]]:
    return [(sweep, sweep_picture(record, sweep)) for sweep in sweeps(record, algorithm)]


def sweep_picture(record: Record, sweep: Sweep) -> Picture:
    alt = (f"{sweep.algorithm}, {sweep.type}, {sweep.regime}: ratio and time against "
           f"{sweep.label}. " + " ".join(
               f"{step}: " + "; ".join(point_words(x, r) for x, r in points) + "."
               for step, points in sweep.steps.items()))
    return picture(f"{sweep.algorithm}-sweep-{sweep.type}-{sweep.regime}", alt, lambda width:
                   draw_sweep(sweep, f"{sweep.algorithm}: over {sweep.label}",
                              subtitle(record, ", ".join(filter(None, (
                                  sweep.parameters_text, sweep.type, sweep.regime))), width), width))


def point_words(x: int, result: Result) -> str:
    return f"{x}: {interval_text(result.ratio)}"


def subtitle(record: Record, words: str, width: int) -> str:
    """The narrow picture has no room for the machine; the page says it above."""
    return words if width < 600 else f"{words} · {record.header.processor}"
