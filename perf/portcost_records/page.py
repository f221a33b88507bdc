"""The self-contained HTML page: pictures as inline SVG, colours by the reader's preference."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from . import figures
from .blocks import Block, html_of, more
from .choose import sweeps
from .look import DARK, LIGHT, Picture, svg_text
from .ways import Boards

STYLE_FILE = Path(__file__).with_name("page.css")


def pictures_of(boards: Boards) -> list[Picture]:
    record, found = boards.record, [figures.overview(boards.record, boards.all())]
    for name in record.algorithms():
        mine = boards.by_algorithm[name]
        found += [figures.ways(record, mine), figures.effort(record, mine), figures.pairs(record, name), figures.ladder(record, name),
                  *(figures.sweep_picture(record, sweep) for sweep in sweeps(record, name))]
    return [picture for picture in found if picture]


def shown(pictures: Sequence[Picture], number: int, links: Mapping[str, str]) -> dict[str, Block]:
    """Of the sweeps of an algorithm the first is shown, the others are one click away. `number`: the record's, for ids."""
    made: dict[str, Block] = {}
    swept: set[str] = set()
    for picture in pictures:
        figure, (algorithm, sweep, _) = figure_html(picture, number), picture.name.partition("-sweep")
        if sweep and algorithm in swept:
            figure = more(picture.name.replace("-", " "), [Block(figure, None)]).html
        swept |= {algorithm} if sweep else set()
        made[picture.name] = Block(figure, links.get(picture.name))
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


def figure_html(picture: Picture, number: int) -> str:
    """The wide and the narrow drawing; CSS shows the one that fits."""
    wide = svg_text(picture.wide, f"r{number}-{picture.name}-w", picture.alt, "wide")
    narrow = svg_text(picture.narrow, f"r{number}-{picture.name}-n", picture.alt, "narrow")
    caption = f"<figcaption>{escape(picture.note)}</figcaption>\n" if picture.note else ""
    return f"<figure>\n{wide}\n{narrow}\n{caption}</figure>\n"
