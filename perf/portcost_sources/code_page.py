"""The command perf/portcost code: a page that shows the code of two ways of writing a step side by side, with the price."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from pathlib import Path

from portcost_records.files import checked_output, write_all
from portcost_records.figures import document
from portcost_records.reading import read_record
from portcost_records.records import Record, RecordError

from .command import HEADERS, ROOT, Lines, counter

DESCRIPTION = """Writes one HTML page with the code of each step: the native code beside Kokkos by the book, and Kokkos by the book
beside tuned Kokkos. Lines that only one of the two has are marked. Above stand the lines of code and, where a record of --price
holds the pair, the cost with its interval."""
TITLES = {"cuda": "CUDA", "openmp": "OpenMP", "kokkos": "Kokkos, tuned", "kokkos.book": "Kokkos by the book"}
PAIRS = (("cuda", "kokkos.book"), ("openmp", "kokkos.book"), ("kokkos.book", "kokkos"))
STYLE = Path(__file__).with_name("code_page.css")


@dataclass(frozen=True)
class Line:
    """A line of a variant's code; an empty one stands for lines between that are not the variant's."""

    text: str
    only_here: bool = False


@checked_output("perf/portcost code")
def main(arguments: list[str] | None = None) -> int:
    made = argparse.ArgumentParser(prog="perf/portcost code", description=DESCRIPTION)
    made.add_argument("algorithms", nargs="*", metavar="ALGORITHM", help="names of the catalogue (default: those of the records, else all)")
    made.add_argument("--price", action="append", default=[], metavar="RECORD", help="a record with prices; may be repeated")
    made.add_argument("--native", choices=("cuda", "openmp"), default="cuda", help="the native code (default: cuda)")
    made.add_argument("--out", type=Path, default=Path("code.html"), metavar="FILE", help="default: code.html")
    options = made.parse_args(arguments)
    folders = {path.parent.name: path.parent for path in sorted((ROOT / "variants").glob("*/algorithm.cpp"))}
    for name in options.algorithms:
        if name not in folders:
            raise RecordError(f"there is no algorithm '{name}'; there are {', '.join(folders)}")
    records = [read_record(path) for path in options.price]
    priced = {result.algorithm for record in records for result in record.results}
    names = options.algorithms or [name for name in folders if name in priced or not records]
    lines_of = counter()
    sections = [algorithm_html(name, lines_of(folders[name]), options.native, records) for name in names]
    prices = "; ".join(f"{record.header.processor}, {record.name}" for record in records)
    text = ("<h1>Code beside code</h1>\n<p>Marked lines are in one of the two alone. The rule that all models share is not shown."
            f"{f' Prices: {escape(prices)}.' if prices else ''}</p>\n{''.join(sections)}")
    write_all({options.out: document("portcost: code beside code", STYLE, text)})
    print(f"wrote {options.out}")
    return 0


def algorithm_html(name: str, lines: dict[str, Lines], native: str, records: Sequence[Record]) -> str:
    parts = []
    for step in dict.fromkeys(variant.split("/")[1] for variant in lines):
        for left, right in PAIRS:
            sides = [f"{name}/{step}/{model}" for model in (left, right)]
            if all(side in lines for side in sides) and left in (native, "kokkos.book"):
                parts.append(comparison_html(sides, lines, native, records))
    return f'<section id="{name}">\n<h2>{name}</h2>\n{"".join(parts)}</section>\n' if parts else ""


def comparison_html(sides: Sequence[str], lines: dict[str, Lines], native: str, records: Sequence[Record]) -> str:
    step = sides[0].split("/")[1]
    texts = marked(*(code_of(lines[side]) for side in sides))
    columns = ""
    for side, text in zip(sides, texts):
        model = side.split("/")[2]
        found = price(f"{side.rsplit('/', 1)[0]}/{native}", side, records)
        columns += (f'<div>\n<p class="head"><b>{TITLES[model]}</b>, {len(lines[side])} lines of code{escape(found)}</p>\n'
                    f"<pre>{code_html(text)}</pre>\n</div>\n")
    names = " and ".join(TITLES[side.split("/")[2]] for side in sides)
    return f'<details id="{"-".join(sides[1].split("/"))}">\n<summary>{step}: {names}</summary>\n<div class="pair">\n{columns}</div>\n</details>\n'


def code_of(lines: Lines) -> list[str]:
    found: list[str] = []
    for path in sorted({path for path, _ in lines}, key=lambda path: (path.suffix not in HEADERS, path)):
        text = path.read_text(encoding="utf-8").splitlines()
        last = 0
        for number in sorted(number for one, number in lines if one == path):
            if found and number != last + 1:
                found.append("")
            found.append(text[number - 1])
            last = number
    return found


def marked(left: list[str], right: list[str]) -> tuple[list[Line], list[Line]]:
    """Both texts, a line marked where the other text lacks it; spaces do not count."""
    sides = [" ".join(line.split()) for line in left], [" ".join(line.split()) for line in right]
    same: tuple[set[int], set[int]] = (set(), set())
    for block in SequenceMatcher(None, sides[0], sides[1], autojunk=False).get_matching_blocks():
        same[0].update(range(block.a, block.a + block.size))
        same[1].update(range(block.b, block.b + block.size))
    made = [[Line(line, bool(line.strip()) and number not in found) for number, line in enumerate(text)]
            for text, found in zip((left, right), same)]
    return made[0], made[1]


def code_html(lines: list[Line]) -> str:
    return "".join(f"<mark>{escape(line.text)}</mark>\n" if line.only_here else escape(line.text) + "\n" for line in lines)


def price(native: str, variant: str, records: Sequence[Record]) -> str:
    """The cost of a Kokkos variant against the native code of its step: of the slowest problem that a record has, or nothing."""
    found = [result for record in records for result in record.results if result.role == "pair" and result.ratio
             and [side.variant for side in result.sides] == [variant, native] and result.sides[0].device]
    if not found:
        return ""
    result = max(found, key=lambda one: one.sides[0].device.median)
    return (f", {result.ratio.value:.3f} [{result.ratio.low:.3f}, {result.ratio.high:.3f}] x the time of {TITLES[native.split('/')[2]]} "
            f"({result.size_text}, {result.type}, {result.regime})")
