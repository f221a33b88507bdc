"""Counters as text: the sides of a pair beside each other, and the ladder."""

from __future__ import annotations

import textwrap

from .counters import PREDICTED
from .counter_words import LABELS, SHOWN, SHOWN_OF_LADDER, ratio_of, top_stalls, value_text
from .records import Counters
from .why import Comparison, Explained, explained, side_name

WIDTH = 100


def text_of(rows: list[Counters], asked: set[str], dropped: set[str]) -> list[str]:
    lines: list[str] = []
    for group in explained(rows):
        for pair in group.pairs():
            if pair.a.variant in asked or pair.b.variant in asked:
                lines += ["", *side_by_side(pair, before_of(group, pair))]
        for peer in group.peers():
            if peer.a.variant in asked:
                lines += ["", *side_by_side(peer, [])]
        alone = {row.variant for pair in (*group.pairs(), *group.peers())
                 for row in (pair.a, pair.b)}
        for row in group.rows:
            if row.variant in asked and row.variant not in alone:
                lines += ["", *columns([row], [])]
        if len(group.rows) > 2:
            lines += ["", *ladder_lines(group)]
    if dropped:
        lines += ["", *wrapped(f"not known to this chip: {', '.join(sorted(dropped))}")]
    return lines[1:]


def before_of(group: Explained, pair: Comparison) -> list[Counters]:
    """Both sides of the step directly before, where it was collected."""
    rows = [row for row in group.rows if 0 <= row.rung < pair.a.rung]
    last = max((row.rung for row in rows), default=-1)
    return sorted((row for row in rows if row.rung == last), key=lambda row: row.model == "cuda")


def side_by_side(pair: Comparison, before: list[Counters]) -> list[str]:
    return [*wrapped(pair.sentence()), "", *columns([pair.a, pair.b], before)]


def columns(sides: list[Counters], before: list[Counters]) -> list[str]:
    """A row a counter: the sides, their ratio, and the step before."""
    shown = [*sides, *before]
    compared = len(sides) == 2
    first = sides[0]
    lines = wrapped(f"{first.algorithm}, {first.problem_text}, {first.type}")
    for part in (0, 1):
        names = [(row.step if part == 0 else row.model) for row in shown]
        heads = [fitted(name, 14) for name in names]
        if compared:
            heads.insert(2, f"{'ratio' if part else '':>12}")
        lines.append((f"{'':<26}" + "".join(heads)).rstrip())
    for key in (key for counter in SHOWN for key in (counter, PREDICTED + counter)):
        if not any(key in row.values for row in shown):
            continue
        cells = [f"{value_text(key, row.values.get(key)):>14}" for row in shown]
        if compared:
            ratio = ratio_of(*(row.values.get(key) for row in sides))
            cells.insert(2, f"{ratio:>12}")
        label = "  predicted" if key.startswith(PREDICTED) else LABELS[key]
        lines.append(f"{label:<26}" + "".join(cells))
    for row in shown:
        lines += wrapped(f"stalls of {side_name(row)}: {top_stalls(row.values)}")
    for row in sides:
        lines += wrapped(f"kernels of {side_name(row)}: " + "; ".join(
            f"{kernel.launches} x {kernel.name}" for kernel in row.kernels[:4])
            + ("; ..." if len(row.kernels) > 4 else ""))
    return lines


def ladder_lines(group: Explained) -> list[str]:
    lines = wrapped(f"the ladder of {group.algorithm}, {group.problem_text}, {group.type}")
    heads = {"seconds": "time", "instructions_per_element": "instr/el.", "working_lanes": "lanes on",
             "bank_conflicts": "conflicts", "stall_barrier": "barrier", "occupancy": "occupancy",
             "dram_bytes_per_second": "memory"}
    lines.append(f"{'':<26}" + "".join(f"{heads[key]:>{ladder_width(key)}}"
                                          for key in SHOWN_OF_LADDER))
    for row in group.rows:
        name = f"{row.step} {row.model}"
        lines.append(f"{name if len(name) < 26 else name[:24] + '~':<26}" + "".join(
            f"{value_text(key, row.values.get(key)):>{ladder_width(key)}}" for key in SHOWN_OF_LADDER))
    for climb in group.climbs():
        lines += wrapped(climb.sentence(), "  ")
    return lines


def ladder_width(key: str) -> int:
    return 12 if key == "dram_bytes_per_second" else 10


def fitted(text: str, width: int) -> str:
    return f"{text if len(text) < width else text[:width - 2] + '~':>{width}}"


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ",
                         break_on_hyphens=False)
