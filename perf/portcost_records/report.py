"""The command perf/portcost report."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from .between import Ratio, Timed
from .blocks import markdown_page, report_blocks
from .chosen_rows import rows_where, where_of
from .content import default_title
from .derived import part_beside
from .files import checked_output, parser_of, write_all
from .headline import MARKS, native_of, way_labels
from .reading import read_record
from .records import Record, RecordError
from .table1 import table1
from .ways import BOOK, DIALLED, PEER, TUNED, USUAL, Board, Boards, Line, written_as
from .words import differing, fitted, ratio_text, time_text

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


@checked_output("perf/portcost report")
def main(arguments: list[str] | None = None) -> int:
    made = parser_of("report", "Turns records into one self-contained HTML page and a Markdown file.", EPILOG)
    made.add_argument("records", nargs="+", metavar="RECORD", help="a .jsonl or .jsonl.gz record")
    made.add_argument("--out", type=Path, metavar="DIR", help="where to write (default: beside the first record)")
    made.add_argument("--title", help="title of the page")
    made.add_argument("--png", type=Path, metavar="DIR", help="write each picture as a PNG too, in light colours")
    made.add_argument("--only", action="append", default=[], metavar="KEY=VALUE",
                      help="show only the rows that are so: type=f32, way=tuned, step=a/b, a size; may be repeated")
    made.add_argument("--table1", action="store_true",
                      help="print the published table of the record's algorithm, this machine "
                           "beside it, and write table1.md instead")
    options = made.parse_args(arguments)
    try:
        only = where_of(" ".join(options.only))
    except ValueError as error:
        raise RecordError(f"--only: {error}") from None
    records = [read_record(path) for path in options.records]
    if only:
        records = [replace(record, results=tuple(rows_where(record, only))) for record in records]
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


def write_report(records: list[Record], options: argparse.Namespace, out: Path) -> None:
    try:  # Drawing needs matplotlib; --table1 and perf/portcost compare do not.
        from . import figures, look
    except ModuleNotFoundError as error:
        raise RecordError(f"the Python module {error.name} is missing; perf/prepare brings it, or "
                          f"run: pip install -r perf/setup/requirements.txt") from None
    all_boards = [Boards(record) for record in records]
    drawn = [figures.pictures_of(boards) for boards in all_boards]
    title = options.title or default_title(records)
    names = [record.name for record in records]
    if options.png and len(set(names)) < len(names):
        raise RecordError(f"two records are called {max(names, key=names.count)}, and a picture's file is named after its record: "
                          f"rename one of the files, or leave --png")
    contents: dict[Path, str | bytes] = {}
    pictures = []
    for number, (record, of_record) in enumerate(zip(records, drawn), start=1):
        links: dict[str, str] = {}
        for picture in of_record if options.png else []:
            path = options.png / f"{f'{record.name}-' if len(records) > 1 else ''}{picture.name}.png"
            contents[path] = look.png_bytes(picture.wide)
            links[picture.name] = f"![{picture.name}]({quote(os.fsencode(os.path.relpath(path, out).replace(os.sep, '/')))})\n"
        pictures.append(figures.shown(of_record, number, links))
    if options.png and (picture := figures.of_all(all_boards)):
        contents[options.png / f"{picture.name}.png"] = look.png_bytes(picture.wide)
    contents = {out / "report.html": figures.html_page(title, report_blocks(all_boards, pictures)), **contents,
                out / "report.md": markdown_page(all_boards, title, pictures)}
    write_all(contents)
    print(terminal_text(all_boards), end="")
    for path in contents:
        print(f"wrote {path}")


NAME, STEP, WAY = 22, 26, 12
COLUMNS = {USUAL: "usual", DIALLED: "dials", BOOK: "book", TUNED: "tuned", PEER: "library"}


def terminal_text(all_boards: Sequence[Boards]) -> str:
    lines: list[str] = []
    for boards in all_boards:
        processor = boards.record.header.processor
        for mine in filter(None, boards.by_algorithm.values()):
            if mine[0].step:
                lines += steps_lines(mine, processor)
            else:
                for board in mine:
                    size = " (a small size)" if board.small else ""
                    heads = f"{'way of writing':<{NAME}}{'step and dials':<{STEP}}{'time':>9}  {'against best native':<27}against plain"
                    lines += ["", f"{board.algorithm}  {board.title}{size}  {processor}", heads,
                              *(line_text(board, line) for line in board.lines)]
    if any("†" in line or "‡" in line for line in lines):
        lines += ["", "† ‡ no row measured these two together: see the notes in the report"]
    if any("§" in line for line in lines):
        lines += ["", "§ the times of these lines have another quotient than blocks side by side: see the notes in the report"]
    return "\n".join([*lines, ""]) + "\n" if lines else ""


def steps_lines(boards: Sequence[Board], processor: str) -> list[str]:
    """Of steps that are different work a line each, under a heading for each problem: the native time, each way against it."""
    labels = way_labels(boards)
    lines: list[str] = []
    heading = ""
    for board in boards:
        if heading != (heading := board.problem_heading):
            lines += ["", f"{board.algorithm}  {heading}  {processor}",
                      step_line("step", native_of(boards), [COLUMNS[label] for label in labels])]
        found = {line.label: line for line in board.kokkos_lines()}
        lines.append(step_line(board.step, time_text(board.best.seconds),
                               [number(found[label].against_best) if label in found else "–" for label in labels]))
    return lines


def step_line(step: str, time: str, cells: Sequence[str]) -> str:
    return f"{fitted(step, STEP):<{STEP}}{time:>9}  {''.join(f'{cell:<{WAY}}' for cell in cells)}".rstrip()


def line_text(board: Board, line: Line) -> str:
    return (f"{fitted(line.label, NAME):<{NAME}}{fitted(written_as(line.side), STEP):<{STEP}}{time_text(line.timed.seconds):>9}  "
            f"{interval(line.against_best) + apart(line, line.against_best, board.best):<27}{number(line.against_plain)}{apart(line, line.against_plain, board.plain)}").rstrip()


def apart(line: Line, ratio: Ratio | None, other: Timed | None) -> str:
    return " §" if ratio and other and differing(ratio.value, ratio.interval, line.timed.seconds, other.seconds) else ""


def interval(ratio: Ratio | None) -> str:
    if ratio is None:
        return "1"
    ends = f" [{ratio_text(ratio.interval.low)}, {ratio_text(ratio.interval.high)}]" if ratio.interval else ""
    return f"{ratio_text(ratio.value)}{ends}{MARKS[ratio.how]}"


def number(ratio: Ratio | None) -> str:
    return "1" if ratio is None else ratio_text(ratio.value) + MARKS[ratio.how]
