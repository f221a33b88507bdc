"""The rows of records that a user or a declaration asks for: words KEY=VALUE."""

import difflib
import fnmatch
import re
from pathlib import Path

from .reading import read_record
from .records import Record, RecordError, Result
from .ways import BEST_AND_PLAIN, BEST_NATIVE, BOOK, DIALLED, PLAIN_NATIVE, TUNED, USUAL, Boards, Line

Where = dict[str, str]
OF_ROWS = ("algorithm", "type", "regime", "role", "step", "way", "dials", "native")
LINES = {"usual": (USUAL,), "dials": (DIALLED,), "book": (BOOK,), "tuned": (TUNED,), "plain": (PLAIN_NATIVE, BEST_AND_PLAIN),
         "best": (BEST_NATIVE, BEST_AND_PLAIN)}
ENDING = re.compile(r"\.jsonl(\.part)?(\.gz)?$")


class Missing(RecordError):
    """No row of the record is so."""


class Records:
    """The records of a folder and of its folders, each read once."""

    def __init__(self, folder: Path) -> None:
        self.paths = {ENDING.sub("", path.relative_to(folder).as_posix()): path for path in reversed(sorted(folder.rglob("*.jsonl*")))}
        self.read: dict[str, Boards] = {}

    def boards(self, name: str) -> Boards:
        """By the path of the file in the folder, without its ending: h200/sum_sweep."""
        if name not in self.paths:
            near = difflib.get_close_matches(name, self.paths, 1)
            raise RecordError(f"there is no record {name}" + (f" (is it {near[0]}?)" if near else ""))
        if name not in self.read:
            self.read[name] = Boards(read_record(self.paths[name]))
        return self.read[name]


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


def words_of(where: Where) -> str:
    return " ".join(f"{key}={value}" for key, value in where.items())


def rows_where(record: Record, where: Where) -> list[Result]:
    found = [result for result in record.results if all(fits(result, key, value) for key, value in where.items())]
    if found:
        return found
    for key in where:
        if key not in OF_ROWS and not any(key in result.size or key in result.parameters for result in record.results):
            raise RecordError(f"no row of {record.name} has a size or a parameter {key}")
    raise Missing(f"no row of {record.name} has {words_of(where)}")


def fits(result: Result, key: str, value: str) -> bool:
    first = result.sides[0]
    if key in ("way", "dials"):
        return first.model != "kokkos" or equals(getattr(first, key), value)
    if key == "step":
        return any(equals(side.step, value) for side in result.sides)
    if key == "native":
        return any(equals(side.step, value) for side in result.sides if not side.portable)
    if key in OF_ROWS:
        return equals(getattr(result, key), value)
    number = result.size.get(key, result.parameters.get(key))
    return number is not None and equals(number, value)


def equals(found: float | str, asked: str) -> bool:
    """`asked` may hold alternatives ("a/b"), wildcards, powers ("2^28") and ranges ("1..31")."""
    if isinstance(found, str):
        return found == asked or any(fnmatch.fnmatchcase(found, one) for one in asked.split("/"))
    ranges = [one.partition("..") for one in asked.split("/")]
    return any(number(low) <= found <= number(high if dots else low) for low, dots, high in ranges)


def number(text: str) -> float:
    base, power, exponent = text.partition("^")
    try:
        return int(base) ** int(exponent) if power else float(text)
    except ValueError:
        raise RecordError(f"'{text}' is no number") from None


def board_line(boards: Boards, name: str, where: Where) -> Line:
    """A line (of LINES) of the ways of writing at one problem. `step` and `dials` choose among several."""
    own = {key: where.get(key, "*") for key in ("step", "dials")}
    asked = {key: value for key, value in where.items() if key not in own}
    record = boards.record
    rows = rows_where(record, asked)
    if len(problems := {(r.algorithm, r.problem_text, r.type, r.regime) for r in rows}) > 1:
        raise RecordError(f"the rows of {record.name} with {words_of(asked)} are of {len(problems)} problems")
    lines = [line for board in boards.boards_at(rows, [r for r in record.results if r.algorithm == rows[0].algorithm], False)
             for line in board.lines if line.label in LINES[name]
             and all(equals(getattr(line.side, key), value) for key, value in own.items())]
    if not lines:
        raise Missing(f"{record.name} has no {name} line with {words_of(where)}")
    if len(lines) > 1:
        raise RecordError(f"{len(lines)} lines of {record.name} are {name} with {words_of(where)}: "
                          f"{', '.join(line.side.variant for line in lines)}")
    return lines[0]
