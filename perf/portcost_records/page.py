"""The self-contained HTML page: pictures as inline SVG, colours by the reader's preference."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from . import figures
from .content import alarms, all_groups, defect_lines, headlines, machine_line, method
from .differences import RULE
from .look import DARK, LIGHT, Picture, svg_text
from .records import Record
from .tables import best_table, limits_table, machine_table, results_table
from .why import explained_of

STYLE_FILE = Path(__file__).with_name("page.css")


@dataclass(frozen=True)
class Section:
    """The pictures of one algorithm."""

    algorithm: str
    pairs: Picture | None
    ladder: Picture | None
    sweeps: list[Picture]


@dataclass(frozen=True)
class Drawn:
    """A record with all its pictures."""

    record: Record
    overview: Picture | None
    sections: list[Section]

    def pictures(self) -> list[Picture]:
        found = [self.overview]
        for section in self.sections:
            found += [section.pairs, section.ladder, *section.sweeps]
        return [picture for picture in found if picture]


def draw(record: Record) -> Drawn:
    sections = [Section(name, figures.pairs(record, name), figures.ladder(record, name),
                        [picture for _, picture in figures.sweep_pictures(record, name)])
                for name in record.algorithms()]
    return Drawn(record, figures.overview(record), sections)


def html_page(drawn: list[Drawn], title: str) -> str:
    several = len(drawn) > 1
    body = "".join(record_html(one, number, several) for number, one in enumerate(drawn, start=1))
    how = "".join(f"<li>{escape(sentence)}</li>\n" for sentence in method([one.record for one in drawn]))
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n{style()}</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{escape(title)}</h1>\n{body}"
            f'<section>\n<h2>How it was measured</h2>\n<ol class="method">\n{how}</ol>\n'
            f"</section>\n</main>\n</body>\n</html>\n")


def style() -> str:
    """Both palettes, then the page's own rules; print is always light."""
    light, dark = (" ".join(f"--{role}: {value};" for role, value in palette.items())
                   for palette in (LIGHT, DARK))
    return (f":root {{ color-scheme: light dark; {light} }}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
            + STYLE_FILE.read_text(encoding="utf-8"))


def record_html(drawn: Drawn, number: int, several: bool) -> str:
    record = drawn.record
    heading = f"<h2>{escape(record.header.processor)}: {escape(record.name)}</h2>\n"
    parts = [heading if several else "", wrong_html(record),
             f'<p class="machine">{escape(machine_line(record))}</p>\n', defects_html(record),
             headlines_html(record), figure_html(drawn.overview, number)]
    if table := best_table(all_groups(record)):
        parts.append(f"<h3>Best against best</h3>\n{table.html()}")
    parts += [section_html(record, section, number) for section in drawn.sections]
    parts.append(why_html(record))
    if record.results:
        parts.append(f"<section>\n<h2>All results</h2>\n{all_results_html(record)}</section>\n")
    limits = limits_table(record)
    parts.append(f'<section>\n<h2>Machine and limits</h2>\n<div class="side">'
                 f"{limits.html() if limits else ''}{machine_table(record).html()}</div>\n"
                 f"</section>\n")
    return f"<article>\n{''.join(parts)}</article>\n"


def wrong_html(record: Record) -> str:
    parts = []
    for heading, lines in alarms(record):
        items = "".join(f"<li>{escape(line)}</li>\n" for line in lines)
        parts.append(f'<aside class="alarm" role="alert">\n<strong>{heading[0].upper()}{heading[1:]}'
                     f"</strong>\n<ul>\n{items}</ul>\n</aside>\n")
    return "".join(parts)


def defects_html(record: Record) -> str:
    items = "".join(f"<li>{escape(line)}</li>\n" for line in defect_lines(record))
    return f"<ul>\n{items}</ul>\n" if items else ""


def headlines_html(record: Record) -> str:
    items = "".join(
        f'<li class="{escape(line.verdict or "none")}"><b class="big">{line.number}</b>'
        f"<div><strong>{escape(line.name)}</strong> <small>{escape(line.size)}</small>"
        f"<br>{escape(line.sentence)}</div></li>\n"
        for line in headlines(record))
    return f'<ul class="headlines">\n{items}</ul>\n' if items else ""


def section_html(record: Record, section: Section, number: int) -> str:
    parts = [figure_html(section.pairs, number), figure_html(section.ladder, number)]
    for place, picture in enumerate(section.sweeps):
        drawn = figure_html(picture, number)
        if place:  # The first sweep is shown, the others are one click away.
            name = escape(picture.name.replace("-", " "))
            drawn = f"<details><summary>{name}</summary>\n{drawn}</details>\n"
        parts.append(drawn)
    return f"<section>\n<h2>{escape(section.algorithm)}</h2>\n{''.join(parts)}</section>\n"


def why_html(record: Record) -> str:
    """What the hardware counted, where perf/explain added it."""
    parts = []
    for group in explained_of(record):
        parts.append(f"<h2>{escape(group.title)}</h2>\n")
        for pair in (*group.pairs(), *group.peers()):
            parts.append(f"<p>{escape(pair.sentence())}</p>\n{pair.table().html()}")
        if climbs := group.climbs():
            items = "".join(f"<li>{escape(climb.sentence())}</li>\n" for climb in climbs)
            parts.append(f"<ul>\n{items}</ul>\n")
        parts.append(group.ladder_table().html())
    return f"<section>\n{''.join(parts)}<p>{escape(RULE)}</p>\n</section>\n" if parts else ""


def figure_html(picture: Picture | None, number: int) -> str:
    """The wide and the narrow drawing; CSS shows the one that fits."""
    if not picture:
        return ""
    wide = svg_text(picture.wide, f"r{number}-{picture.name}-w", picture.alt, "wide")
    narrow = svg_text(picture.narrow, f"r{number}-{picture.name}-n", picture.alt, "narrow")
    return f"<figure>\n{wide}\n{narrow}\n</figure>\n"


def all_results_html(record: Record) -> str:
    return "".join(
        f"<h3>{escape(name)}</h3>\n"
        + results_table([r for r in record.results if r.algorithm == name]).html()
        for name in record.algorithms())
