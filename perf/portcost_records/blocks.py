"""A report as blocks, each as HTML and as Markdown; what they say comes from content.py."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from .content import METHOD, REPEATED, Headline, alarms, all_groups, defect_lines, fronts, headlines, machine_line
from .differences import RULE
from .headline import PRICES, SHARED, shared_rows_table
from .records import Record
from .tables import (Table, best_table, code, details_table, escaped, forms_note, limit_note, machine_table, results_table, times_note)
from .ways import Boards
from .why import explained, missing_counters
from .words import rate_text


class Block(NamedTuple):
    html: str
    markdown: str | None
    """Lines, the last one ended, too; None where the block has no place there."""


def html_of(blocks: Iterable[Block]) -> str:
    return "".join(block.html for block in blocks)


def markdown_of(blocks: Iterable[Block]) -> str:
    return "\n".join(block.markdown for block in blocks if block.markdown is not None)


def heading(text: str, level: int = 2) -> Block:
    return Block(f"<h{level}>{escape(text)}</h{level}>\n", f"{'#' * level} {escaped(text)}\n")


def paragraph(text: str, kind: str = "", command: str = "") -> Block:
    """`kind`: the class in HTML. A command stands behind the text."""
    return Block(f"<p{class_of(kind)}>{escape(text)}{code_html(command)}</p>\n", f"{escaped(text)}{code(command)}\n")


def notes(*texts: str) -> list[Block]:
    return [paragraph(text, "note") for text in texts if text]


def items(lines: Iterable[tuple[str, str]], kind: str = "") -> Block:
    pairs = list(lines)
    shown = "".join(f"<li>{escape(text)}{code_html(command)}</li>\n" for text, command in pairs)
    return Block(f"<ul{class_of(kind)}>\n{shown}</ul>\n", "".join(f"- {escaped(text)}{code(command)}\n" for text, command in pairs))


def plain_items(lines: Iterable[str]) -> Block:
    return items((line, "") for line in lines)


def steps(lines: Sequence[str]) -> Block:
    shown = "".join(f"<li>{escape(line)}</li>\n" for line in lines)
    return Block(f'<ol class="method">\n{shown}</ol>\n', "".join(f"{number}. {line}\n" for number, line in enumerate(lines, start=1)))


def alarm(title: str, lines: Sequence[str]) -> Block:
    what, _, rest = title.partition(":")
    return Block(f'<aside class="alarm" role="alert">\n<strong>{title[0].upper()}{title[1:]}</strong>\n{plain_items(lines).html}</aside>\n',
                 f"**{what.upper()}:{rest}**\n\n" + "".join(f"- **{escaped(line)}**\n" for line in lines))


def cards(lines: Sequence[Headline]) -> Block:
    shown = "".join(
        f'<li class="{escape(line.verdict or "none")}"><b class="big">{escape(line.number)}</b>'
        f"<div><strong>{escape(line.name)}</strong> <small>{escape(line.size)}</small>"
        f"<br>{f'<b>{escape(line.what)}</b><br>' if line.what else ''}{escape(line.sentence)}</div></li>\n" for line in lines)
    return Block(f'<ul class="headlines">\n{shown}</ul>\n' if lines else "", "".join(
        f"- **{escaped(line.name)}** ({escaped(line.size)}): {escaped(line.sentence)}\n" for line in lines))


def table_block(table: Table) -> Block:
    return Block(table.html(), table.markdown())


def beside(blocks: Sequence[Block]) -> Block:
    return Block(f'<div class="side">{html_of(blocks)}</div>\n', markdown_of(blocks))


def more(summary: str, blocks: Sequence[Block]) -> Block:
    """One click away in HTML, and below a heading in Markdown."""
    return Block(f"<details><summary>{escape(summary)}</summary>\n{html_of(blocks)}</details>\n", markdown_of([heading(summary, 3), *blocks]))


def code_html(command: str) -> str:
    return f" <code>{escape(command)}</code>" if command else ""


def class_of(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def report_blocks(all_boards: Sequence[Boards], pictures: Sequence[Mapping[str, Block]]) -> Iterator[Block]:
    """`pictures` has the pictures of each record by their names, or is empty."""
    if table := shared_rows_table(all_boards):
        yield from (heading("Machines side by side"), table_block(table), *notes(SHARED))
    for number, boards in enumerate(all_boards):
        if len(all_boards) > 1:
            yield heading(f"{boards.record.header.processor}: {boards.record.name}")
        yield from record_blocks(boards, dict(pictures[number]) if pictures else {})
    yield heading("How it was measured")
    yield steps((*METHOD, REPEATED) if any(boards.record.header.processes for boards in all_boards) else METHOD)


def record_blocks(boards: Boards, waiting: dict[str, Block]) -> Iterator[Block]:
    """Takes the pictures that have a place of their own out of `waiting`; the others follow the ways of writing."""
    record = boards.record
    yield from (alarm(title, lines) for title, lines in alarms(record))
    yield paragraph(machine_line(record), "machine")
    if known := defect_lines(record):
        yield plain_items(known)
    yield cards(headlines(boards))
    yield from taken(waiting, "overview")
    for front in fronts(boards).values():
        name = front.algorithm
        yield from (heading(f"{name}: ways of writing"), table_block(front.table), *notes(*front.notes),
                    *taken(waiting, f"{name}-ways", f"{name}-effort"), *notes(front.cited))
        if front.advice:
            yield from (heading(f"{name}: what to write", 3), items(front.advice, "advice"))
        if front.prices:
            yield from (heading(f"{name}: {PRICES}", 3), table_block(front.prices))
    yield from waiting.values()
    if table := best_table(all_groups(record), record.one_clock()):
        yield from (heading("Best against best"), table_block(table), *notes(times_note(table)))
    yield from why_blocks(record)
    yield from result_blocks(record)
    limits = Table(["measured limit", "value"], [[limit.name, rate_text(limit)] for limit in record.limits])
    yield from (heading("Machine and limits"), beside([table_block(table) for table in (limits, machine_table(record)) if table.rows]))


def taken(waiting: dict[str, Block], *names: str) -> list[Block]:
    return [waiting.pop(name) for name in names if name in waiting]


def why_blocks(record: Record) -> Iterator[Block]:
    groups = explained(record.counters)
    for group in groups:
        yield heading(group.title)
        for pair in (*group.pairs(), *group.peers()):
            yield from (paragraph(pair.sentence()), table_block(pair.table()))
        if climbs := group.climbs():
            yield plain_items(climb.sentence() for climb in climbs)
        yield table_block(group.ladder_table())
    missing, command = missing_counters(record)
    if groups:
        yield paragraph(RULE)
    elif missing:
        yield from (heading("Why"), paragraph(missing, command=command))


def result_blocks(record: Record) -> Iterator[Block]:
    if record.results:
        yield heading("All results")
    for name in record.algorithms():
        rows, one_clock = [r for r in record.results if r.algorithm == name], record.one_clock()
        table, details = results_table(rows, one_clock), details_table(rows, one_clock)
        yield from (heading(name, 3), table_block(table), *notes(limit_note(rows), times_note(table), forms_note(rows)))
        yield more(f"{name}: agreement, clocks, noise and stopping", [table_block(details), *notes(times_note(details))])


def markdown_page(all_boards: Sequence[Boards], title: str, pictures: Sequence[Mapping[str, Block]] = ()) -> str:
    return markdown_of([heading(title, 1), *report_blocks(all_boards, pictures)])
