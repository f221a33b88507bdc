"""All pictures of a record, each drawn for a wide page and for a phone; and the self-contained HTML page that has them as inline SVG,
in colours by the reader's preference."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from .blocks import Block, html_of, more
from .choose import Group, Sweep, groups_at_main_size, slower_settings, sweeps
from .ways_plot import boards_of_overview, draw_effort, draw_overview, draw_steps, draw_ways, row_name
from .forest import draw_forest, rows_of_groups
from .ladder import draw_ladder, rungs
from .look import DARK, LIGHT, NARROW, STYLE, WIDE, Picture, svg_text
from .records import Record
from .sweep import draw_sweep
from .ways import Board, Boards, counted_lines, price, written_as
from .words import interval_text, native_name, percent_text, ratio_text, side_median, time_text


SQUASHING = 5
"""On hosts a step made for GPUs that takes more than so many times the fastest is not in the picture."""


def picture(name: str, alt: str, draw: Callable[[int], Figure]) -> Picture:
    with matplotlib.rc_context(STYLE):
        return Picture(re.sub(r"[^A-Za-z0-9_.-]+", "-", name), alt, draw(WIDE), draw(NARROW))


def of_all(records: Sequence[Boards]) -> Picture | None:
    """The algorithms of several records of one processor in one picture, each by the first type of the first record that has it."""
    if len(records) < 2 or len({boards.record.header.processor for boards in records}) > 1:
        return None
    first: dict[str, Board] = {}
    for board in boards_of_overview([board for boards in records for board in boards.all()]):
        first.setdefault(board.algorithm, board)
    found = overview(records[0].record, list(first.values()))
    return replace(found, name="all-overview") if found else None


def overview(record: Record, boards: list[Board]) -> Picture | None:
    shown = boards_of_overview(boards)
    if len({board.algorithm for board in shown}) < 2:
        return None
    alt = "What each way of writing Kokkos costs against the best native code. " + "; ".join(
        f"{row_name(board)}: " + ", ".join(f"{line.label} {ratio_text(price(line))}" for line in board.kokkos_lines())
        for board in shown) + "."
    return picture("overview", alt, lambda width: draw_overview(
        {row_name(board): board.lines for board in shown},
        "What Kokkos costs" + ("" if width < 600 else " against the best native code"),
        subtitle(record, "each algorithm's ways of writing", width), width))


def ways(record: Record, boards: list[Board]) -> Picture | None:
    """The headline's picture; none of steps that are different work and are written in one way, which the pairs show."""
    labels = {line.label for board in boards for line in board.kokkos_lines()}
    if not boards or boards[0].step and len(labels) < 2:
        return None
    algorithm = boards[0].algorithm
    alt = f"What each way of writing {algorithm} in Kokkos costs against the best native code. " + " ".join(
        f"{board.title}: " + "; ".join(f"{line.label} ({written_as(line.side)}) {ratio_text(price(line))}"
                                       for line in board.lines) + "." for board in boards)
    draw, *words = ((draw_steps, *["against native code in the same step"] * 2) if boards[0].step else
                    (draw_ways, "against the best native code", "against the best native code; dashed: the plain native one"))
    return picture(f"{algorithm}-ways", alt, lambda width: draw(
        boards, f"{algorithm}: ways of writing" + ("" if width < 600 else " Kokkos"),
        subtitle(record, words[width >= 600], width), width))


def effort(record: Record, boards: list[Board]) -> Picture | None:
    if not boards or boards[0].step or not counted_lines(boards[0]):
        return None
    board = boards[0]
    alt = f"Price against effort of {board.algorithm}, {board.title}. " + "; ".join(
        f"{line.label} ({written_as(line.side)}) {line.lines_of_code} lines of code, {ratio_text(price(line))}"
        for line in counted_lines(board)) + "."
    return picture(f"{board.algorithm}-effort", alt, lambda width: draw_effort(
        board, f"{board.algorithm}: price against effort", subtitle(record, board.title, width), width))


def pairs(record: Record, algorithm: str) -> Picture | None:
    groups = [g for g in shown_groups(record, algorithm) if g.pairs]
    if not groups:
        return None
    alt = f"Cost of portability of {algorithm}, a row a pair. " + " ".join(map(words_of, groups))
    native = native_name([pair for group in groups for pair in group.pairs])
    made = picture(f"{algorithm}-pairs", alt, lambda width: draw_forest(
        rows_of_groups(groups), f"{algorithm}: Kokkos against {native}",
        subtitle(record, groups[0].problem_text, width), width))
    return replace(made, note=settings_note(record, algorithm))


def shown_groups(record: Record, algorithm: str) -> list[Group]:
    hidden = slower_settings(record, algorithm)
    return [replace(group, pairs=tuple(pair for pair in group.pairs if pair.step not in hidden))
            for group in groups_at_main_size(record, algorithm)]


def settings_note(record: Record, algorithm: str) -> str:
    hidden = slower_settings(record, algorithm)
    return (f"Of the settings of the dials the fastest is shown; {len(hidden)} slower ones are under All results."
            if hidden else "")


def words_of(group: Group) -> str:
    rows = [*group.pairs, *([group.best] if group.best else [])]
    return f"{group.title}: " + "; ".join(
        f"{r.step} {interval_text(r.ratio)}, {100 * abs(r.ratio.value - 1):.1f} % {'more' if r.ratio.value > 1 else 'less'} "
        f"time, {r.verdict}" if r.ratio
        else f"{r.step} has no ratio" for r in rows) + "."


def ladder(record: Record, algorithm: str) -> Picture | None:
    found = [without_slowest(g) if not record.header.is_gpu else (g, []) for g in shown_groups(record, algorithm)]
    groups = [g for g, _ in found if rungs(g)]
    if not groups:
        return None
    alt = f"{'Time' if record.one_clock() else 'Device time'} of each step of {algorithm} and its fraction of the limit. "
    alt += " ".join(f"{group.title}: " + "; ".join(
        [f"{side.variant} {time_text(side_median(side))}, {percent_text(side.limit_fraction)}"
         for rung in rungs(group) for side in rung.sides]
        + [f"{side.variant} has no time: a known defect"
           for rung in rungs(group) for side in rung.broken]) + "." for group in groups)
    clock = "time" if record.one_clock() else "device time"
    made = picture(f"{algorithm}-ladder", alt, lambda width: draw_ladder(
        groups, f"{algorithm}: the ladder",
        subtitle(record, f"{clock} · fraction of the limit" if width < 600 else
                 f"{clock}, rate and fraction of the limit · {groups[0].problem_text}", width), width))
    left_out = list(dict.fromkeys(step for _, steps in found for step in steps))
    note = (f"Left out, for they would squash the others: {', '.join(left_out)} (over {SQUASHING} times the fastest; all are "
            "under All results).")
    return replace(made, note=" ".join(filter(None, (note if left_out else "", settings_note(record, algorithm)))))


def without_slowest(group: Group) -> tuple[Group, list[str]]:
    """On a host: without the steps that are made for GPUs and are very slow there; and their names."""
    times = [side.device.median for r in (*group.pairs, *group.solos) for side in r.sides if side.device]
    slow = [r for r in group.solos if r.sides[0].device and r.sides[0].device.median > SQUASHING * min(times)]
    return replace(group, solos=tuple(r for r in group.solos if r not in slow)), [r.step for r in slow]


def sweep_picture(record: Record, sweep: Sweep) -> Picture:
    alt = (f"{sweep.algorithm}, {sweep.type}, {sweep.regime}: ratio and time against {sweep.label}. " + " ".join(
               f"{step}: " + "; ".join(f"{x}: {interval_text(r.ratio)}" for x, r in points) + "."
               for step, points in sweep.steps.items()))
    of = f"-{sweep.parameter}-{sweep.fixed_text}" if sweep.parameter else ""
    return picture(f"{sweep.algorithm}-sweep{of}-{sweep.type}-{sweep.regime}", alt, lambda width:
                   draw_sweep(sweep, f"{sweep.algorithm}: over {sweep.label}",
                              subtitle(record, ", ".join(filter(None, (
                                  sweep.fixed_text, sweep.type, sweep.regime))), width), width,
                              record.one_clock()))


def subtitle(record: Record, words: str, width: int) -> str:
    """The narrow picture has no room for the machine; the page says it above."""
    return words if width < 600 else f"{words} · {record.header.processor}"


STYLE_FILE = Path(__file__).with_name("page.css")


def pictures_of(boards: Boards) -> list[Picture]:
    record, found = boards.record, [overview(boards.record, boards.all())]
    for name in record.algorithms():
        mine = boards.by_algorithm[name]
        found += [ways(record, mine), effort(record, mine), pairs(record, name), ladder(record, name),
                  *(sweep_picture(record, sweep) for sweep in sweeps(record, name))]
    return list(filter(None, found))


def shown(pictures: Sequence[Picture], number: int, links: Mapping[str, str]) -> dict[str, Block]:
    """Of the sweeps of an algorithm the first is shown, the others are one click away. `number`: the record's, for ids."""
    made: dict[str, Block] = {}
    swept: set[str] = set()
    for one in pictures:
        figure, (algorithm, sweep, _) = figure_html(one, number), one.name.partition("-sweep")
        if sweep and algorithm in swept:
            figure = more(one.name.replace("-", " "), [Block(figure, None)]).html
        swept |= {algorithm} if sweep else set()
        made[one.name] = Block(figure, links.get(one.name))
    return made


def html_page(title: str, blocks: Iterable[Block]) -> str:
    return document(title, STYLE_FILE, f"<h1>{escape(title)}</h1>\n{html_of(blocks)}")


def document(title: str, rules: Path, body: str) -> str:
    """A whole page, with both palettes before its own rules; print is always light."""
    light, dark = (" ".join(f"--{role}: {value};" for role, value in palette.items()) for palette in (LIGHT, DARK))
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n:root {{ color-scheme: light dark; {light} }}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{rules.read_text(encoding='utf-8')}"
            f"</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n")


def figure_html(drawn: Picture, number: int) -> str:
    """The wide and the narrow drawing; CSS shows the one that fits."""
    wide = svg_text(drawn.wide, f"r{number}-{drawn.name}-w", drawn.alt, "wide")
    narrow = svg_text(drawn.narrow, f"r{number}-{drawn.name}-n", drawn.alt, "narrow")
    caption = f"<figcaption>{escape(drawn.note)}</figcaption>\n" if drawn.note else ""
    return f"<figure>\n{wide}\n{narrow}\n{caption}</figure>\n"
