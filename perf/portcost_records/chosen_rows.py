"""The rows of records that a declaration asks for, by what it says of them."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable
from pathlib import Path

from .moved import Moved
from .reading import read_record
from .records import Record, RecordError, Result, Side
from .ways import (BEST_AND_PLAIN, BEST_NATIVE, BOOK, DIALLED, PEER, PLAIN_NATIVE, TUNED, USUAL, Board, Boards, Line)

OF_ROWS = ("algorithm", "type", "regime", "role", "step", "way", "dials", "native")
OF_TABLES = ("record", "line", "ladder", "decimals", "digits", "counters")
LINES = {"usual": (USUAL,), "dials": (DIALLED,), "book": (BOOK,), "tuned": (TUNED,), "peer": (PEER,),
         "plain": (PLAIN_NATIVE, BEST_AND_PLAIN), "best": (BEST_NATIVE, BEST_AND_PLAIN)}
ENDINGS = (".jsonl.gz", ".jsonl", ".jsonl.part", ".jsonl.part.gz")


class Missing(RecordError):
    """No row of the record is so."""


class Records:
    """The records of a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: dict[str, Boards] = {}
        self.moved = Moved(folder)

    def boards(self, name: str) -> Boards:
        """By the name of the file without its ending."""
        if name not in self.read:
            self.read[name] = Boards(read_record(self.path(name)))
        return self.read[name]

    def path(self, name: str) -> Path:
        paths = [self.folder / (name + ending) for ending in ENDINGS]
        found = next((path for path in paths if path.is_file()), None)
        if found is None:
            names = {re.sub(r"\.jsonl(\.part)?(\.gz)?$", "", path.name) for path in self.folder.glob("*.jsonl*")}
            near = difflib.get_close_matches(name, sorted(names), 1)
            raise RecordError(f"there is no record {name} in {self.folder}" + (f" (is it {near[0]}?)" if near else ""))
        return found

    def of(self, where: dict[str, str]) -> Boards:
        if "record" not in where:
            raise RecordError("no record is named (record=NAME)")
        return self.boards(where["record"])


def rows_where(record: Record, where: dict[str, str]) -> list[Result]:
    """At least one, in the record's order."""
    asked = {key: value for key, value in where.items() if key not in OF_TABLES}
    found = [result for result in record.results if all(fits(result, key, value) for key, value in with_defaults(asked).items())]
    if found:
        return found
    for key in asked:
        if key not in OF_ROWS and not any(key in result.size or key in result.parameters for result in record.results):
            raise RecordError(f"no row of {record.name} has a size or a parameter {key}")
    raise Missing(f"no row of {record.name} has {words_of(with_defaults(asked))}")


def one_row(record: Record, where: dict[str, str]) -> Result:
    found = rows_where(record, where)
    if len(found) > 1:
        names = "; ".join(f"{r.role} {r.step}, {r.problem_text}, {r.type}, {r.regime}" for r in found[:2])
        raise RecordError(f"{len(found)} rows of {record.name} have {words_of(where)}: {names}")
    return found[0]


def with_defaults(asked: dict[str, str]) -> dict[str, str]:
    """Of pairs and rows alone the tuned way without dials, and parameters as by default, unless another is asked for."""
    role = asked.get("role", "pair/solo")
    if role in ("best", "null"):
        return asked | {"role": role}
    return {"role": role, "way": "tuned", "dials": ""} | asked


def words_of(where: dict[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in where.items() if key not in OF_TABLES and value)


def fits(result: Result, key: str, value: str) -> bool:
    first = result.sides[0]
    if key in ("way", "dials"):
        return first.model != "kokkos" or equals(getattr(first, key), value)
    if key == "step":
        return any(equals(side.step, value) for side in result.sides)
    if key == "native":
        return (side := native_side(result)) is not None and equals(side.step, value)
    if key in OF_ROWS:
        return equals(getattr(result, key), value)
    number = result.size.get(key, result.parameters.get(key))
    return number is not None and equals(number, value)


def equals(found: float | str, asked: str) -> bool:
    """`asked` may hold alternatives ("a/b"), wildcards, powers ("2^28") and ranges ("1..31")."""
    if isinstance(found, str):
        return found == asked or any(fnmatch.fnmatchcase(found, one) for one in asked.split("/"))
    return any(in_range(found, *one.partition("..")) for one in asked.split("/"))


def in_range(found: float, low: str, dots: str, high: str) -> bool:
    if dots:
        return number(low) <= found <= number(high)
    return found == number(low)


def number(text: str) -> float:
    base, power, exponent = text.partition("^")
    try:
        return int(base) ** int(exponent) if power else float(text)
    except ValueError:
        raise RecordError(f"'{text}' is no number") from None


def native_side(result: Result) -> Side | None:
    """The hand-written side, or a library's."""
    return next((side for side in result.sides if not side.portable), None)


def kokkos_side(result: Result) -> Side | None:
    return next((side for side in result.sides if side.portable), None)


def board_line(boards: Boards, where: dict[str, str]) -> Line:
    """A line of the ways of writing at one problem."""
    if where["line"] not in LINES:
        raise RecordError(f"line={where['line']} is none of {', '.join(LINES)}")
    asked = {key: value for key, value in where.items() if key not in ("line", "dials", "step", "way")}
    rows = rows_where(boards.record, asked | {"role": "pair/solo/best/null", "way": "*", "dials": "*"})
    if len(problems := {(r.algorithm, r.problem_text, r.type, r.regime) for r in rows}) > 1:
        raise RecordError(f"the rows of {boards.record.name} with {words_of(asked)} are of {len(problems)} problems")
    return line_of(boards, rows, where)


def line_of(boards: Boards, rows: list[Result], where: dict[str, str]) -> Line:
    if "ladder" in where:
        steps = [r for r in rows if any(equals(side.step, where["ladder"]) for side in r.sides)]
        found = list(filter(None, [boards.board(steps, "", False)] if steps else []))
    else:
        found = boards.boards_at(rows, [r for r in boards.record.results if r.algorithm == rows[0].algorithm], False)
    named = lines_named(found, where)
    lines = [line for line in named if equals(line.side.dials, where.get("dials", "*"))
             and equals(line.side.step, where.get("step", "*"))]
    if not lines:
        there = f" (it is {named[0].side.variant})" if len(named) == 1 else ""
        raise Missing(f"{boards.record.name} has no line={where['line']} with {words_of(where)}{there}")
    if len(lines) > 1:
        names = ", ".join(line.side.variant for line in lines)
        raise RecordError(f"{len(lines)} lines of {boards.record.name} are line={where['line']} with {words_of(where)}: {names}")
    return lines[0]


def lines_named(boards: Iterable[Board], where: dict[str, str]) -> list[Line]:
    return [line for board in boards for line in board.lines if line.label in LINES[where["line"]]]
