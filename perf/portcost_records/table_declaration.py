"""What a README declares of a table with figures of records: an HTML comment before it. perf/README.md describes the form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .records import RecordError

START = "<!-- figures"
END = "-->"
OWN = "="
"""In a row's text: that of the column."""

Where = dict[str, str]


class DeclarationError(RecordError):
    """A declaration cannot be used; the text names the file and the line."""


@dataclass(frozen=True)
class Column:
    """One or more neighbouring columns of one choice of rows."""

    headings: tuple[str, ...]
    where: Where
    texts: tuple[str, ...]
    fixed: bool
    """No row replaces its texts."""


@dataclass(frozen=True)
class Row:
    labels: tuple[str, ...]
    where: Where
    texts: tuple[str, ...]
    """In place of each column's own; none: as the columns say."""


@dataclass(frozen=True)
class Mark:
    """Stands behind the costs of rows of the record that are so."""

    text: str
    where: Where


@dataclass(frozen=True)
class Drawn:
    """A picture of the table: its file, from the README's folder, and its heading."""

    path: str
    title: str
    subtitle: str


@dataclass
class Declaration:
    line: int
    """Of the comment, from 1."""
    labels: tuple[str, ...] = ("",)
    where: Where = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    bold: tuple[float, float] | None = None
    """Costs outside are bold."""
    blanks: bool = False
    """A cell that the record has no row for is left empty."""
    changes: list[Where] = field(default_factory=list)
    """In place of columns and rows: the changes worth most of these records."""
    picture: Drawn | None = None


@dataclass
class Block:
    """A declaration and the lines of the table below it."""

    declaration: Declaration
    first: int
    """Index of the first line behind the comment."""
    last: int
    """Index behind the table's last line."""
    table: list[str]


def blocks_of(path: str, lines: Sequence[str]) -> Iterator[Block | DeclarationError]:
    """Each declared table of a file, or what is wrong with its declaration."""
    at, fenced = 0, False
    while at < len(lines):
        line = lines[at]
        at += 1
        fenced ^= line.lstrip().startswith("```")
        if fenced or not line.startswith(START):
            continue
        begin = at
        while at < len(lines) and lines[at].strip() != END:
            at += 1
        if line.strip() != START or at == len(lines):
            yield DeclarationError(f"{path}:{begin}: the declaration needs '{START}' and '{END}' on lines of their own")
            continue
        at += 1
        first = at
        table = at + (at < len(lines) and not lines[at].strip())
        last = table
        while last < len(lines) and lines[last].startswith("|"):
            last += 1
        try:
            declaration = parse(path, lines[begin:first - 1], begin)
            yield Block(declaration, first, last if last > table else first, list(lines[table:last]))
        except DeclarationError as error:
            yield error


def parse(path: str, lines: Sequence[str], above: int) -> Declaration:
    """`above` is the number of the line before the first of these."""
    made = Declaration(above)
    for number, line in enumerate(lines, start=above + 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        fields = [part.strip() for part in line.split("|")]
        try:
            take(made, fields[0], fields[1:])
        except ValueError as error:
            raise DeclarationError(f"{path}:{number}: {error}") from None
    if made.changes and (made.columns or made.rows):
        raise DeclarationError(f"{path}:{above}: 'changes' makes a whole table: it has no 'column' and no 'row'")
    if not made.changes and (not made.columns or not made.rows):
        raise DeclarationError(f"{path}:{above}: the declaration needs a 'column' and a 'row'")
    for row in made.rows:
        check_row(path, made, row)
    return made


def take(made: Declaration, word: str, fields: list[str]) -> None:
    """Raises ValueError with what is wrong."""
    needed = {"all": 1, "label": 1, "column": 3, "fixed": 3, "row": 2, "mark": 2, "bold": 1, "blanks": 1, "changes": 1,
              "picture": 3}
    if word not in needed:
        raise ValueError(f"'{word}' is none of {', '.join(needed)}")
    if len(fields) < needed[word]:
        raise ValueError(f"'{word}' needs {needed[word]} fields behind it, each after a |")
    if word == "all":
        made.where |= where_of(fields[0])
    elif word == "label":
        made.labels = split(fields[0])
    elif word in ("column", "fixed"):
        made.columns.append(column_of(word, fields))
    elif word == "row":
        made.rows.append(Row(split(fields[0]), where_of(fields[1]), tuple(fields[2:])))
    elif word == "changes":
        made.changes.append(where_of(fields[0]))
    elif word == "picture":
        made.picture = Drawn(*fields[:3])
    elif word == "mark":
        made.marks.append(Mark(fields[0], where_of(fields[1])))
    elif word == "bold":
        found = re.fullmatch(r"outside ([0-9.]+) to ([0-9.]+)", fields[0])
        if not found:
            raise ValueError(f"'{fields[0]}' is not 'outside LOW to HIGH'")
        made.bold = (float(found[1]), float(found[2]))
    elif fields[0] != "allowed":
        raise ValueError(f"'{fields[0]}' is not 'allowed'")
    else:
        made.blanks = True


def column_of(word: str, fields: list[str]) -> Column:
    headings, texts = split(fields[0]), tuple(fields[2:])
    if len(headings) == 1:
        headings += ("",) * (len(texts) - 1)
    if len(headings) != len(texts):
        raise ValueError(f"there are {len(headings)} headings and {len(texts)} texts")
    return Column(headings, where_of(fields[1]), texts, word == "fixed")


def split(text: str) -> tuple[str, ...]:
    """Of several columns, separated by " ; "."""
    return tuple(part.strip() for part in re.split(r"(?:^|\s);(?:\s|$)", text))


def where_of(text: str) -> Where:
    made: Where = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"'{word}' is not KEY=VALUE")
        if key in made:
            raise ValueError(f"'{key}' is given twice")
        made[key] = value
    return made


def check_row(path: str, made: Declaration, row: Row) -> None:
    name = f"{path}:{made.line}: row '{' ; '.join(row.labels)}'"
    if len(row.labels) != len(made.labels):
        raise DeclarationError(f"{name} has {len(row.labels)} labels, and 'label' {len(made.labels)}")
    free = [column for column in made.columns if not column.fixed]
    if not row.texts or len(row.texts) == sum(len(column.texts) for column in free):
        return
    for column in free:
        if len(row.texts) != len(column.texts):
            raise DeclarationError(f"{name} has {len(row.texts)} texts, and column '{' ; '.join(column.headings)}' "
                                   f"{len(column.texts)} (a 'fixed' column keeps its own)")


def texts_of(made: Declaration, row: Row, column: Column) -> tuple[str, ...]:
    """The column's own, or those that the row has for each column, or for all columns together."""
    if column.fixed or not row.texts:
        return column.texts
    free = [other for other in made.columns if not other.fixed]
    before = sum(len(other.texts) for other in free[:next(i for i, other in enumerate(free) if other is column)])
    texts = row.texts if len(row.texts) == len(column.texts) else row.texts[before:before + len(column.texts)]
    return tuple(own if text == OWN else text for own, text in zip(column.texts, texts))


def merged(path: str, made: Declaration, row: Row, column: Column) -> Where:
    """What a cell's row and column ask for; a key may stand in one of them, and replaces that of all."""
    if both := row.where.keys() & column.where.keys():
        raise DeclarationError(f"{path}:{made.line}: row '{' ; '.join(row.labels)}' and column "
                               f"'{' ; '.join(column.headings)}' both give {', '.join(sorted(both))}")
    return made.where | row.where | column.where
