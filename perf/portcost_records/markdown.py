"""The report as Markdown, for a repository or a terminal."""

from __future__ import annotations

from .content import alarms, all_groups, defect_lines, headlines, machine_line, method
from .differences import RULE
from .records import Record
from .tables import best_table, limits_table, machine_table, results_table
from .why import explained_of


def markdown_page(records: list[Record], title: str, pictures: dict[str, list[str]]) -> str:
    """`pictures` gives, for each record's name, the Markdown of its pictures."""
    parts = [f"# {title}\n"]
    for record in records:
        parts += record_parts(record, len(records) > 1, pictures.get(record.name, []))
    parts.append("## How it was measured\n")
    parts.append("".join(f"{number}. {line}\n" for number, line in enumerate(method(records), start=1)))
    return "\n".join(parts)


def record_parts(record: Record, several: bool, pictures: list[str]) -> list[str]:
    parts = [f"## {record.header.processor}: {record.name}\n"] if several else []
    for heading, lines in alarms(record):
        what, _, rest = heading.partition(":")
        parts.append(f"**{what.upper()}:{rest}**\n")
        parts.append("".join(f"- **{line}**\n" for line in lines))
    parts.append(f"{machine_line(record)}\n")
    if known := defect_lines(record):
        parts.append("".join(f"- {line}\n" for line in known))
    parts.append("".join(f"- **{line.name}** ({line.size}): {line.sentence}\n"
                         for line in headlines(record)))
    parts += [f"{picture}\n" for picture in pictures]
    if table := best_table(all_groups(record)):
        parts += ["## Best against best\n", table.markdown()]
    parts += why_parts(record)
    if record.results:
        parts.append("## All results\n")
    for name in record.algorithms():
        rows = [r for r in record.results if r.algorithm == name]
        parts += [f"### {name}\n", results_table(rows).markdown()]
    parts.append("## Machine and limits\n")
    if limits := limits_table(record):
        parts.append(limits.markdown())
    parts.append(machine_table(record).markdown())
    return parts


def why_parts(record: Record) -> list[str]:
    """What the hardware counted, where perf/explain added it."""
    parts = []
    for group in explained_of(record):
        parts.append(f"## {group.title}\n")
        for pair in (*group.pairs(), *group.peers()):
            parts += [f"{pair.sentence()}\n", pair.table().markdown()]
        if climbs := group.climbs():
            parts.append("".join(f"- {climb.sentence()}\n" for climb in climbs))
        parts.append(group.ladder_table().markdown())
    return [*parts, f"{RULE}\n"] if parts else []
