"""The self-contained HTML page: pictures as inline SVG, colours by the reader's preference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from . import figures
from .choose import sweeps
from .content import Front, alarms, all_groups, defect_lines, fronts, headlines, machine_line, method
from .differences import RULE
from .headline import PRICES, SHARED, shared_rows_table
from .look import DARK, LIGHT, Picture, svg_text
from .markdown import HOW_EACH
from .records import Record
from .tables import (best_table, details_table, forms_note, limit_note, limits_table, machine_table, results_table,
                     times_note)
from .ways import Boards
from .why import explained, missing_counters

STYLE_FILE = Path(__file__).with_name("page.css")


@dataclass(frozen=True)
class Section:
    algorithm: str
    ways: Picture | None
    effort: Picture | None
    pairs: Picture | None
    ladder: Picture | None
    sweeps: list[Picture]


@dataclass(frozen=True)
class Drawn:
    boards: Boards
    overview: Picture | None
    sections: list[Section]

    @property
    def record(self) -> Record:
        return self.boards.record

    def pictures(self) -> list[Picture]:
        found = [self.overview]
        for section in self.sections:
            found += [section.ways, section.effort, section.pairs, section.ladder, *section.sweeps]
        return [picture for picture in found if picture]


def draw(boards: Boards) -> Drawn:
    record = boards.record
    sections = [Section(name, figures.ways(record, boards.by_algorithm[name]), figures.effort(record, boards.by_algorithm[name]),
                        figures.pairs(record, name), figures.ladder(record, name),
                        [figures.sweep_picture(record, sweep) for sweep in sweeps(record, name)])
                for name in record.algorithms()]
    return Drawn(boards, figures.overview(record, boards.all()), sections)


def html_page(drawn: list[Drawn], title: str) -> str:
    several = len(drawn) > 1
    shared = shared_rows_table([one.boards for one in drawn])
    body = f"<section>\n<h2>Machines side by side</h2>\n{shared.html()}{note_html(SHARED)}</section>\n" if shared else ""
    body += "".join(record_html(one, number, several) for number, one in enumerate(drawn, start=1))
    how = items_of(method([one.record for one in drawn]))
    return document(title, STYLE_FILE, f"<h1>{escape(title)}</h1>\n{body}"
                    f'<section>\n<h2>How it was measured</h2>\n<ol class="method">\n{how}</ol>\n</section>\n')


def document(title: str, rules: Path, body: str) -> str:
    """A whole page, with both palettes before its own rules; print is always light."""
    light, dark = (" ".join(f"--{role}: {value};" for role, value in palette.items()) for palette in (LIGHT, DARK))
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n:root {{ color-scheme: light dark; {light} }}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{rules.read_text(encoding='utf-8')}"
            f"</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n")


def items_of(lines: Iterable[str]) -> str:
    return "".join(f"<li>{escape(line)}</li>\n" for line in lines)


def record_html(drawn: Drawn, number: int, several: bool) -> str:
    record = drawn.record
    heading = f"<h2>{escape(record.header.processor)}: {escape(record.name)}</h2>\n"
    defects = items_of(defect_lines(record))
    parts = [heading if several else "",
             *(f'<aside class="alarm" role="alert">\n<strong>{heading[0].upper()}{heading[1:]}</strong>\n'
               f"<ul>\n{items_of(lines)}</ul>\n</aside>\n" for heading, lines in alarms(record)),
             f'<p class="machine">{escape(machine_line(record))}</p>\n', f"<ul>\n{defects}</ul>\n" if defects else "",
             headlines_html(drawn.boards), figure_html(drawn.overview, number)]
    found = fronts(drawn.boards)
    parts += [front_html(found[section.algorithm], section, number) for section in drawn.sections
              if section.algorithm in found]
    if table := best_table(all_groups(record), record.one_clock()):
        parts.append(f"<section>\n<h2>Best against best</h2>\n{table.html()}{note_html(times_note(table))}</section>\n")
    parts += [section_html(section, number) for section in drawn.sections]
    parts.append(why_html(record))
    if record.results:
        parts.append(f"<section>\n<h2>All results</h2>\n{all_results_html(record)}</section>\n")
    limits = limits_table(record)
    parts.append(f'<section>\n<h2>Machine and limits</h2>\n<div class="side">'
                 f"{limits.html() if limits else ''}{machine_table(record).html()}</div>\n"
                 f"</section>\n")
    return f"<article>\n{''.join(parts)}</article>\n"


def headlines_html(boards: Boards) -> str:
    items = "".join(
        f'<li class="{escape(line.verdict or "none")}"><b class="big">{escape(line.number)}</b>'
        f"<div><strong>{escape(line.name)}</strong> <small>{escape(line.size)}</small>"
        f"<br>{f'<b>{escape(line.what)}</b><br>' if line.what else ''}{escape(line.sentence)}</div></li>\n"
        for line in headlines(boards))
    return f'<ul class="headlines">\n{items}</ul>\n' if items else ""


def front_html(front: Front, section: Section, number: int) -> str:
    parts = [front.table.html(), *map(note_html, front.notes), figure_html(section.ways, number),
             figure_html(section.effort, number), note_html(front.cited if section.effort else "")]
    if front.advice:
        items = "".join(f"<li>{escape(text)}{code_html(command)}</li>\n" for text, command in front.advice)
        parts.append(f'<h3>What to write</h3>\n<ul class="advice">\n{items}</ul>\n')
    if front.prices:
        parts.append(f"<h3>{PRICES.capitalize()}</h3>\n{front.prices.html()}")
    return f"<section>\n<h2>{escape(front.algorithm)}: ways of writing</h2>\n{''.join(parts)}</section>\n"


def section_html(section: Section, number: int) -> str:
    parts = [figure_html(section.pairs, number), figure_html(section.ladder, number)]
    for place, picture in enumerate(section.sweeps):
        drawn = figure_html(picture, number)
        if place:  # The first sweep is shown, the others are one click away.
            name = escape(picture.name.replace("-", " "))
            drawn = f"<details><summary>{name}</summary>\n{drawn}</details>\n"
        parts.append(drawn)
    if not any(parts):
        return ""
    return f"<section>\n<h2>{escape(section.algorithm)}: pairs</h2>\n{''.join(parts)}</section>\n"


def why_html(record: Record) -> str:
    parts = []
    for group in explained(record.counters):
        parts.append(f"<h2>{escape(group.title)}</h2>\n")
        for pair in (*group.pairs(), *group.peers()):
            parts.append(f"<p>{escape(pair.sentence())}</p>\n{pair.table().html()}")
        if climbs := group.climbs():
            parts.append(f"<ul>\n{items_of(climb.sentence() for climb in climbs)}</ul>\n")
        parts.append(group.ladder_table().html())
    if parts:
        return f"<section>\n{''.join(parts)}<p>{escape(RULE)}</p>\n</section>\n"
    missing, command = missing_counters(record)
    return f"<section>\n<h2>Why</h2>\n<p>{escape(missing)}{code_html(command)}</p>\n</section>\n" if missing else ""


def code_html(command: str) -> str:
    return f" <code>{escape(command)}</code>" if command else ""


def note_html(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>\n' if note else ""


def figure_html(picture: Picture | None, number: int) -> str:
    """The wide and the narrow drawing; CSS shows the one that fits."""
    if not picture:
        return ""
    wide = svg_text(picture.wide, f"r{number}-{picture.name}-w", picture.alt, "wide")
    narrow = svg_text(picture.narrow, f"r{number}-{picture.name}-n", picture.alt, "narrow")
    caption = f"<figcaption>{escape(picture.note)}</figcaption>\n" if picture.note else ""
    return f"<figure>\n{wide}\n{narrow}\n{caption}</figure>\n"


def all_results_html(record: Record) -> str:
    parts = []
    for name in record.algorithms():
        rows, one_clock = [r for r in record.results if r.algorithm == name], record.one_clock()
        table, details = results_table(rows, one_clock), details_table(rows, one_clock)
        notes = "".join(map(note_html, (limit_note(rows), times_note(table), forms_note(rows))))
        parts.append(f"<h3>{escape(name)}</h3>\n{table.html()}{notes}<details><summary>{escape(name)}: {HOW_EACH}</summary>\n"
                     f"{details.html()}{note_html(times_note(details))}</details>\n")
    return "".join(parts)
