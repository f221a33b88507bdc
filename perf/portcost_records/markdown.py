"""The report as Markdown, for a repository or a terminal."""

from __future__ import annotations

from .content import alarms, all_groups, defect_lines, fronts, headlines, machine_line, method
from .differences import RULE
from .headline import PRICES, SHARED, shared_rows_table
from .tables import (best_table, code, details_table, escaped, forms_note, limit_note, limits_table, machine_table, results_table,
                     times_note)
from .records import Record
from .ways import Boards
from .why import explained, missing_counters

HOW_EACH = "agreement, clocks, noise and stopping"


def markdown_page(all_boards: list[Boards], title: str, pictures: dict[str, dict[str, str]]) -> str:
    """`pictures` gives, for each record's name, the Markdown of its pictures by their names."""
    records = [boards.record for boards in all_boards]
    parts = [f"# {escaped(title)}\n"]
    if table := shared_rows_table(all_boards):
        parts += ["## Machines side by side\n", table.markdown(), f"{escaped(SHARED)}\n"]
    for boards in all_boards:
        parts += record_parts(boards, len(records) > 1, pictures.get(boards.record.name, {}))
    parts.append("## How it was measured\n")
    parts.append("".join(f"{number}. {line}\n" for number, line in enumerate(method(records), start=1)))
    return "\n".join(parts)


def listed(lines: list[str]) -> str:
    return "".join(f"- {escaped(line)}\n" for line in lines)


def record_parts(boards: Boards, several: bool, pictures: dict[str, str]) -> list[str]:
    record = boards.record
    parts = [f"## {escaped(record.header.processor)}: {escaped(record.name)}\n"] if several else []
    for heading, lines in alarms(record):
        what, _, rest = heading.partition(":")
        parts.append(f"**{what.upper()}:{rest}**\n")
        parts.append("".join(f"- **{escaped(line)}**\n" for line in lines))
    parts.append(f"{escaped(machine_line(record))}\n")
    if known := defect_lines(record):
        parts.append(listed(known))
    parts.append("".join(f"- **{escaped(line.name)}** ({escaped(line.size)}): {escaped(line.sentence)}\n"
                         for line in headlines(boards)))
    waiting = dict(pictures)
    if overview := waiting.pop("overview", ""):
        parts.append(f"{overview}\n")
    parts += front_parts(boards, waiting)
    parts += [f"{picture}\n" for picture in waiting.values()]
    if table := best_table(all_groups(record), record.one_clock()):
        parts += ["## Best against best\n", table.markdown(), *noted(times_note(table))]
    parts += why_parts(record)
    parts += result_parts(record)
    parts.append("## Machine and limits\n")
    if limits := limits_table(record):
        parts.append(limits.markdown())
    parts.append(machine_table(record).markdown())
    return parts


def front_parts(boards: Boards, pictures: dict[str, str]) -> list[str]:
    parts = []
    for front in fronts(boards).values():
        parts += [f"## {escaped(front.algorithm)}: ways of writing\n", front.table.markdown()]
        parts += [f"{escaped(note)}\n" for note in front.notes]
        parts += [f"{pictures.pop(name)}\n" for name in (f"{front.algorithm}-ways", f"{front.algorithm}-effort")
                  if name in pictures]
        if front.cited:
            parts.append(f"{escaped(front.cited)}\n")
        if front.advice:
            parts += [f"### {escaped(front.algorithm)}: what to write\n",
                      "".join(f"- {escaped(text)}{code(command)}\n" for text, command in front.advice)]
        if front.prices:
            parts += [f"### {escaped(front.algorithm)}: {PRICES}\n", front.prices.markdown()]
    return parts


def result_parts(record: Record) -> list[str]:
    parts = ["## All results\n"] if record.results else []
    for name in record.algorithms():
        rows, one_clock = [r for r in record.results if r.algorithm == name], record.one_clock()
        table, details = results_table(rows, one_clock), details_table(rows, one_clock)
        parts += [f"### {escaped(name)}\n", table.markdown(), *noted(limit_note(rows)), *noted(times_note(table)),
                  *noted(forms_note(rows)), f"### {escaped(name)}: {HOW_EACH}\n", details.markdown(),
                  *noted(times_note(details))]
    return parts


def noted(note: str) -> list[str]:
    return [f"{escaped(note)}\n"] if note else []


def why_parts(record: Record) -> list[str]:
    parts = []
    for group in explained(record.counters):
        parts.append(f"## {escaped(group.title)}\n")
        for pair in (*group.pairs(), *group.peers()):
            parts += [f"{escaped(pair.sentence())}\n", pair.table().markdown()]
        if climbs := group.climbs():
            parts.append(listed([climb.sentence() for climb in climbs]))
        parts.append(group.ladder_table().markdown())
    if parts:
        return [*parts, f"{escaped(RULE)}\n"]
    missing, command = missing_counters(record)
    return [f"## Why\n\n{escaped(missing)}{code(command)}\n"] if missing else []
