"""The command perf/readme_tables: the tables of the READMEs with figures of committed records, checked or written anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .change_table import HEADINGS, change_rows
from .chosen_rows import Missing, Records
from .cited import Cited
from .environment import take_no_settings
from .files import checked_output, write_all
from .records import RecordError
from .table_declaration import Block, Column, Declaration, DeclarationError, Row, blocks_of, merged, texts_of
from .table_picture import is_drawn, picture_of, rows_drawn

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("README.md", "perf/README.md", "perf/nests/README.md", "variants/README.md", "variants/*/README.md")
EPILOG = """\
A table is declared by a comment before it; perf/README.md describes the form, under "Figures in the READMEs".

exit status: 0; 1 a table is not what the records say (--check); 2 a declaration or a record is wrong, and nothing is written;
3 the files could not be written"""


@dataclass
class Page:
    """A README with its declared tables as the records have them."""

    path: Path
    name: str
    old: str
    new: str
    changes: list[str]
    tables: int
    pictures: dict[Path, Callable[[], bytes]] = field(default_factory=dict)
    """Those to be drawn."""


def table_of(name: str, made: Declaration, records: Records) -> list[list[str]]:
    """The cells, headings first. Raises RecordError, which names row and column."""
    if made.changes:
        try:
            return table_of_changes(made, records)
        except DeclarationError:
            raise
        except (RecordError, ValueError) as error:
            raise DeclarationError(f"{name}:{made.line}: {error}") from None
    cited = Cited(records, made.marks, made.bold)
    headings = [*made.labels, *(heading for column in made.columns for heading in column.headings)]
    rows = [[*row.labels, *(cell for column in made.columns for cell in cells_of(name, made, row, column, cited))]
            for row in made.rows]
    check_filled(name, made, headings, rows)
    return [headings, *rows]


def table_of_changes(made: Declaration, records: Records) -> list[list[str]]:
    """With `label`, which heads it, the algorithm before each change."""
    table = [[*filter(None, made.labels), *HEADINGS]]
    for where in made.changes:
        asked = made.where | where
        before = [f"`{asked.get('algorithm', '')}`"] if any(made.labels) else []
        table += [[*before, *row] for row in change_rows(asked, records)]
    return table


def cells_of(name: str, made: Declaration, row: Row, column: Column, cited: Cited) -> Iterator[str]:
    where = merged(name, made, row, column)
    for text in texts_of(made, row, column):
        try:
            yield cited.filled(text, where)
        except Missing as error:
            if not made.blanks:
                raise placed(name, made, row, column, error) from None
            yield ""
        except DeclarationError:
            raise
        except (RecordError, ValueError) as error:
            raise placed(name, made, row, column, error) from None


def placed(name: str, made: Declaration, row: Row, column: Column, error: Exception) -> DeclarationError:
    heading = " ; ".join(filter(None, column.headings))
    return DeclarationError(f"{name}:{made.line}: row {' ; '.join(row.labels)}, column {heading}: {error}")


def check_filled(name: str, made: Declaration, headings: list[str], rows: list[list[str]]) -> None:
    """A row or a column without any figure is a mistake in the declaration."""
    for row in rows:
        if not any(row[len(made.labels):]):
            raise DeclarationError(f"{name}:{made.line}: no record has a figure for row {' ; '.join(row[:len(made.labels)])}")
    for at, heading in enumerate(headings[len(made.labels):], start=len(made.labels)):
        if not any(row[at] for row in rows):
            raise DeclarationError(f"{name}:{made.line}: no record has a figure for column {at + 1} ({heading})")


def lines_of(table: Sequence[Sequence[str]]) -> list[str]:
    """Words are on the left, numbers on the right."""
    rule = "|---|" + "---:|" * (len(table[0]) - 1)
    if list(table[0])[-len(HEADINGS):] == HEADINGS:
        words = len(table[0]) - len(HEADINGS) + 1
        rule = "|" + "---|" * words + "---:|" * (len(HEADINGS) - 2) + "---|"
    lines = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in table]
    return [lines[0], rule, *lines[1:]]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []


def differences(name: str, block: Block, table: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line a cell that stands otherwise than the records say."""
    place = f"{name}:{block.declaration.line}"
    stands = [cells(line) for line in block.table]
    if len(stands) != len(table) + 1:
        yield f"{place}: the table below has {max(0, len(stands) - 2)} rows, and {len(table) - 1} are declared"
        return
    labels, found = len(block.declaration.labels), False
    for old, new in zip([stands[0], *stands[2:]], table):
        row = "the headings" if new is table[0] else f"row {' ; '.join(filter(None, new[:labels]))}"
        if len(old) != len(new):
            yield f"{place}: {row}: {len(old)} cells stand there, and {len(new)} are declared"
            found = True
        for number, (was, now) in enumerate(zip(old, new)):
            if was != now:
                found = True
                yield (f"{place}: {row}, column {number + 1} ({heading_of(table[0], number)}): '{was}' stands there, and the "
                       f"{'record says' if number >= labels and new is not table[0] else 'declaration has'} '{now}'")
    if not found and block.table != lines_of(table):
        yield f"{place}: the table's spaces or rule are not as written"


def heading_of(headings: Sequence[str], at: int) -> str:
    """That of the column, or of the one before that it belongs to."""
    return next((headings[i] for i in range(at, -1, -1) if headings[i]), "")


def page_of(path: Path, name: str, records: Records) -> tuple[Page, list[str]]:
    """The page, and what is wrong in its declarations."""
    try:
        old = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return Page(path, name, "", "", [], 0), [f"{name}: cannot be read ({error})"]
    lines, made, errors, changes, tables, at = old.splitlines(), [], [], [], 0, 0
    pictures: dict[Path, Callable[[], bytes]] = {}
    for block in blocks_of(name, lines):
        try:
            if isinstance(block, DeclarationError):
                raise block
            table = table_of(name, block.declaration, records)
            pictures |= undrawn(path, name, block.declaration, table)
        except RecordError as error:
            errors.append(str(error))
            continue
        tables += 1
        changes += differences(name, block, table)
        made += [*lines[at:block.first], "", *lines_of(table)]
        at = block.last
        made += [""] if at < len(lines) and lines[at].strip() else []
    new = "\n".join([*made, *lines[at:]]) + "\n"
    if not changes and new != old and not errors and tables:
        changes.append(f"{name}: an empty line is needed between a declaration and its table")
    changes += [f"{name}: the picture {picture.name} is not of its table's figures" for picture in pictures]
    return Page(path, name, old, new, changes, tables, pictures), errors


def undrawn(page: Path, name: str, made: Declaration, table: Sequence[Sequence[str]]) -> dict[Path, Callable[[], bytes]]:
    """The table's picture, where it has one that is of other figures."""
    if made.picture is None:
        return {}
    rows = rows_drawn(made, table)
    if not rows:
        raise DeclarationError(f"{name}:{made.line}: the picture needs a 'column' with line= and a cost")
    path = page.parent / made.picture.path
    return {} if is_drawn(path, made.picture, rows) else {path: partial(picture_of, made.picture, rows)}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="perf/readme_tables", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Holds the tables of the READMEs that show figures of committed records to those records.")
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="name each cell that is not what its record says")
    what.add_argument("--write", action="store_true", help="write the declared tables anew")
    made.add_argument("files", nargs="*", type=Path, metavar="FILE", help=f"default: {', '.join(PLACES)}")
    made.add_argument("--results", type=Path, metavar="DIR", help="where the records are (default: perf/results)")
    made.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    return made


@checked_output("perf/readme_tables")
def main(arguments: list[str] | None = None) -> int:
    take_no_settings()
    options = parser().parse_args(arguments)
    root = options.root
    paths = options.files or [path for place in PLACES for path in sorted(root.glob(place))]
    records = Records(options.results or root / "perf/results")
    pages, errors = [], []
    for path in paths:
        inside = path.resolve().is_relative_to(root.resolve())
        page, wrong = page_of(path, str(path.resolve().relative_to(root.resolve()) if inside else path), records)
        pages.append(page)
        errors += wrong
    if errors:
        for error in errors:
            print(f"perf/readme_tables: {error}", file=sys.stderr)
        return RecordError.status
    return finished(pages, options.write)


def finished(pages: Sequence[Page], write: bool) -> int:
    changes = [change for page in pages for change in page.changes]
    print("".join(f"{change}\n" for change in changes), end="")
    count = f"{sum(page.tables for page in pages)} tables in {sum(page.tables > 0 for page in pages)} files"
    if not changes:
        print(f"{count}: as the records say")
        return 0
    if not write:
        print(f"{count}: {len(changes)} differences; perf/readme_tables --write mends them")
        return 1
    pictures = {path: draw() for page in pages for path, draw in page.pictures.items()}
    changed = [page for page in pages if page.new != page.old]
    write_all({**{page.path: page.new for page in changed}, **pictures})
    print("".join(f"wrote {name}\n" for name in [*(page.name for page in changed), *(path.name for path in pictures)]), end="")
    return 0
