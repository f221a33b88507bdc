"""The lines of a record as JSON objects with typed access, each fault named by file and line."""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NoReturn

from .records import RecordError

MEASURE_AGAIN = "measure again with perf/run"
NAME_A_RECORD = "name a .jsonl or .jsonl.gz file that portcost wrote"
NAME = re.compile(r"\w[\w.-]*", re.ASCII)
"""An algorithm, a step, a type, a model, a key: names of files and ids of the page are made of them."""
ROW_NAME = re.compile(r"\w[\w.:=+,-]*", re.ASCII)
"""A step with its way of writing and its dials: "plain.usual:index=int64,tile=64x4"."""
VARIANT = re.compile(f"{NAME.pattern}/{NAME.pattern}/{ROW_NAME.pattern}", re.ASCII)
SIZE = re.compile(rf"{NAME.pattern}=-?\d+(?:,{NAME.pattern}=-?\d+)*", re.ASCII)
LIMIT_NAME = re.compile(r"\w[\w .:=+-]*", re.ASCII)
MISSED = {VARIANT: "not algorithm/step/model", SIZE: "no size, such as nx=64,ny=64"}
UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What would steer a terminal or turn lines around, and halves of characters, which no file takes."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Fields:
    """Typed access to one JSON object; a wrong field is an error that names file and line."""

    def __init__(self, values: Any, path: Path, line: int, where: str) -> None:
        self.path, self.line, self.where = path, line, where
        if not isinstance(values, dict):
            self.values: dict[str, Any] = {}
            self.fail(f"{where} must be an object")
        self.values = values

    def fail(self, what: str) -> NoReturn:
        raise RecordError(f"{self.path}:{self.line}: {what}; {MEASURE_AGAIN}")

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name, default)
        if not isinstance(value, str):
            self.fail(f"{self.where} needs '{name}' as text")
        return value

    def one_of(self, name: str, known: Container[str], default: str | None = None) -> str:
        value = self.text(name, default)
        if value not in known:
            self.fail(f"unknown {name} {shown(value)}")
        return value

    def name(self, name: str, pattern: re.Pattern[str] = NAME) -> str:
        """A text that is a name of this kind, with no character that means something in a page or a path."""
        value = self.text(name)
        if not pattern.fullmatch(value):
            self.fail(f"{self.where} has '{name}' = {shown(value)}, which is {MISSED.get(pattern, 'no name')}")
        return value

    def names(self, name: str, pattern: re.Pattern[str] = NAME) -> tuple[str, ...]:
        """The names of a list; none where the field is absent."""
        return tuple(value.name(name, pattern) for value in self._each(name))

    def check_keys(self) -> None:
        for key in self.values:
            if not NAME.fullmatch(key):
                self.fail(f"{self.where} has the key {shown(key)}, which is no name")

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(f"{self.where} needs '{name}' as a whole number")
        return value

    def flag(self, name: str) -> bool:
        value = self.values.get(name)
        if not isinstance(value, bool):
            self.fail(f"{self.where} needs '{name}' as true or false")
        return value

    def positive(self, name: str) -> float:
        value = self.maybe_positive(name)
        if value is None:
            self.fail(f"{self.where} needs '{name}' as a positive number")
        return value

    def maybe_positive(self, name: str) -> float | None:
        """None when the field is absent or null; never a zero, negative or infinite number."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(f"{self.where} needs '{name}' as a positive number")
        if not math.isfinite(value) or value <= 0:
            self.fail(f"{self.where} has '{name}' = {value}, which is not a positive number")
        return float(value)

    def nonzero(self, name: str) -> float | None:
        """None also for zero, which says "does not apply" (a work that moves no bytes)."""
        return None if self.values.get(name) == 0 else self.maybe_positive(name)

    def objects(self, name: str) -> list[Fields]:
        """The objects of a list; none where the field is absent."""
        return [Fields(value, self.path, self.line, f"one of {self.where} '{name}'")
                for value in self._list(name)]

    def positives(self, name: str) -> tuple[float, ...]:
        """The numbers of a list; none where the field is absent."""
        return tuple(value.positive(name) for value in self._each(name))

    def _each(self, name: str) -> list[Fields]:
        return [Fields({name: value}, self.path, self.line, self.where) for value in self._list(name)]

    def _list(self, name: str) -> list[Any]:
        values = self.values.get(name, [])
        if not isinstance(values, list):
            self.fail(f"{self.where} needs '{name}' as a list")
        return values

    def inner(self, name: str) -> Fields:
        return Fields(self.values.get(name, {}), self.path, self.line, f"{self.where} '{name}'")

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None


def shown(value: str) -> str:
    """A text as an error shows it: in one line, and not too long for it."""
    return ascii(value if len(value) <= 60 else value[:57] + "...")


class CutOffError(RecordError):
    """The last line is incomplete, as a killed process leaves it."""


def read_objects(path: Path) -> Iterator[Fields]:
    """Each line of the file as an object; blank lines are passed over."""
    for number, (line, complete) in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line.decode("utf-8"), parse_constant=refuse_constant)
        except UnicodeDecodeError:
            raise RecordError(f"{path}:{number}: not text; {NAME_A_RECORD}") from None
        except NotANumber as error:
            raise RecordError(f"{path}:{number}: {error} is no measurement; "
                              f"{MEASURE_AGAIN}") from None
        except (ValueError, RecursionError):
            if not complete:
                raise CutOffError(f"{path}:{number}: the last line is cut off; "
                                  f"{MEASURE_AGAIN}") from None
            raise RecordError(f"{path}:{number}: broken JSON; {MEASURE_AGAIN}") from None
        if b"\\" in line or not line.isascii():  # Control characters stand in JSON as escapes alone.
            values = showable(values)
        yield Fields(values, path, number, "the line")


def showable(value: Any) -> Any:
    """The same, with a mark for each character that cannot be shown: what a library says of itself may hold some."""
    if isinstance(value, str):
        return UNSHOWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {showable(key): showable(one) for key, one in value.items()}
    return [showable(one) for one in value] if isinstance(value, list) else value


def part_beside(path: Path) -> str:
    """What is said of a stopped measurement beside this record; empty where there is none."""
    part = path.with_name(path.name.removesuffix(".gz") + ".part")
    if path.suffix == ".part" or not part.is_file():
        return ""
    return (f"{part} holds a measurement that was stopped: go on with portcost bench --resume {part}, or, where perf/run "
            f"began it, with perf/run --resume {part.parent}")


def read_lines(path: Path) -> Iterator[tuple[bytes, bool]]:
    """Each line, and whether a newline ended it."""
    try:
        with path.open("rb") as probe:
            zipped = probe.read(2) == b"\x1f\x8b"
        with (gzip.open(path, "rb") if zipped else path.open("rb")) as file:
            for number, line in enumerate(file):
                yield line.removeprefix(b"" if number else BYTE_ORDER_MARK), line.endswith(b"\n")
    except FileNotFoundError:
        raise RecordError(f"{path}: no such file; {part_beside(path) or NAME_A_RECORD}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise RecordError(f"{path}: the gzip data is cut off or damaged; "
                          f"copy it again or {MEASURE_AGAIN}") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); {NAME_A_RECORD}") from None


class NotANumber(ValueError):
    """JSON as such has no NaN or Infinity; Python's parser would let them in."""


def refuse_constant(name: str) -> NoReturn:
    raise NotANumber(name)
