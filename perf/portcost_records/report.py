"""The command perf/portcost report."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from .chosen_rows import Where, fits, where_of, words_of
from .content import default_title
from .files import checked_output, write_all
from .lines import part_beside
from .markdown import markdown_page
from .reading import read_record
from .records import Record, RecordError
from .table1 import table1
from .terminal import terminal_text
from .ways import Boards

EPILOG = """\
examples:
  perf/portcost report perf/results/h200/default.jsonl.gz     report.html and report.md beside the record
  perf/portcost report gpu.jsonl cpu.jsonl --out pages             machines side by side in one page
  perf/portcost report heat.jsonl --png pictures                   pictures for a README as well; of several records of one
                                                     machine also one of all their algorithms, all-overview.png
  perf/portcost report heat.jsonl --only type=f32 --only way=tuned --png pictures    the ladder in one type, tuned
  perf/portcost report heat.jsonl --table1                         the lecture's Table 1 with this machine beside it

exit status: 0 the report was written, 2 bad input (nothing is written), 3 the disk or the output is
full (nothing is written)"""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="perf/portcost report", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Turns records into one self-contained HTML page and a Markdown file.")
    made.add_argument("records", nargs="+", metavar="RECORD", help="a .jsonl or .jsonl.gz record")
    made.add_argument("--out", type=Path, metavar="DIR",
                      help="where to write (default: beside the first record)")
    made.add_argument("--title", help="title of the page")
    made.add_argument("--png", type=Path, metavar="DIR",
                      help="write each picture as a PNG too, in light colours")
    made.add_argument("--only", action="append", default=[], metavar="KEY=VALUE",
                      help="show only the rows that are so: type=f32, way=tuned, step=a/b, a size; may be repeated")
    made.add_argument("--table1", action="store_true",
                      help="print the published table of the record's algorithm, this machine "
                           "beside it, and write table1.md instead")
    return made


@checked_output("perf/portcost report")
def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        only = where_of(" ".join(options.only))
    except ValueError as error:
        raise RecordError(f"--only: {error}") from None
    records = [with_rows(read_record(path), only) for path in options.records]
    for text in filter(None, (record.missing_end() or part_beside(record.path) for record in records)):
        print(f"perf/portcost report: {text}", file=sys.stderr)
    out = options.out or records[0].path.parent
    if options.table1:
        text = "\n".join(table1(record) for record in records)
        write_all({out / "table1.md": text})
        print(text, end="")
    else:
        write_report(records, options, out)
    return 0


def with_rows(record: Record, where: Where) -> Record:
    """The record with these rows alone."""
    found = tuple(result for result in record.results if all(fits(result, key, value) for key, value in where.items()))
    if where and not found:
        raise RecordError(f"no row of {record.name} has {words_of(where)}")
    kept = {result.id for result in found}
    return replace(record, results=found, samples=tuple(one for one in record.samples if one.result in kept)) if where else record


def write_report(records: list[Record], options: argparse.Namespace, out: Path) -> None:
    try:  # Drawing needs matplotlib; --table1 and perf/portcost compare do not.
        from . import figures, look, page
    except ModuleNotFoundError as error:
        raise RecordError(f"the Python module {error.name} is missing; perf/prepare brings it, or "
                          f"run: pip install -r perf/setup/requirements.txt") from None
    all_boards = [Boards(record) for record in records]
    drawn = [page.draw(boards) for boards in all_boards]
    title = options.title or default_title(records)
    names = [one.record.name for one in drawn]
    if options.png and len(set(names)) < len(names):
        raise RecordError(f"two records are called {max(names, key=names.count)}, and a picture's file is named after its record: "
                          f"rename one of the files, or leave --png")
    contents: dict[Path, str | bytes] = {out / "report.html": page.html_page(drawn, title)}
    links: dict[str, dict[str, str]] = {}
    for one in drawn if options.png else []:
        for picture in one.pictures():
            name = f"{one.record.name}-{picture.name}" if len(drawn) > 1 else picture.name
            path = options.png / f"{name}.png"
            contents[path] = look.png_bytes(picture.wide)
            link = quote(os.fsencode(os.path.relpath(path, out).replace(os.sep, "/")))
            links.setdefault(one.record.name, {})[picture.name] = f"![{picture.name}]({link})"
    if options.png and (picture := figures.of_all(all_boards)):
        contents[options.png / f"{picture.name}.png"] = look.png_bytes(picture.wide)
    contents[out / "report.md"] = markdown_page(all_boards, title, links)
    write_all(contents)
    print(terminal_text(all_boards), end="")
    for path in contents:
        print(f"wrote {path}")
