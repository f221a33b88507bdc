"""The lines of a record as JSON objects with typed access, each fault named by file and line."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from .records import RecordError

MEASURE_AGAIN = "measure again with perf/run"
NAME_A_RECORD = "name a .jsonl or .jsonl.gz file that portcost wrote"


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
        values = [Fields({name: value}, self.path, self.line, self.where) for value in self._list(name)]
        return tuple(value.positive(name) for value in values)

    def texts(self, name: str) -> tuple[str, ...]:
        """The words of a list; none where the field is absent."""
        values = [Fields({name: value}, self.path, self.line, self.where) for value in self._list(name)]
        return tuple(value.text(name) for value in values)

    def _list(self, name: str) -> list[Any]:
        values = self.values.get(name, [])
        if not isinstance(values, list):
            self.fail(f"{self.where} needs '{name}' as a list")
        return values

    def inner(self, name: str) -> Fields:
        return Fields(self.values.get(name, {}), self.path, self.line, f"{self.where} '{name}'")

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None


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
        yield Fields(values, path, number, "the line")


def read_lines(path: Path) -> Iterator[tuple[bytes, bool]]:
    """Each line, and whether a newline ended it."""
    try:
        with path.open("rb") as probe:
            zipped = probe.read(2) == b"\x1f\x8b"
        with (gzip.open(path, "rb") if zipped else path.open("rb")) as file:
            for line in file:
                yield line, line.endswith(b"\n")
    except FileNotFoundError:
        raise RecordError(f"{path}: no such file; {NAME_A_RECORD}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise RecordError(f"{path}: the gzip data is cut off or damaged; "
                          f"copy it again or {MEASURE_AGAIN}") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); {NAME_A_RECORD}") from None


class NotANumber(ValueError):
    """JSON as such has no NaN or Infinity; Python's parser would let them in."""


def refuse_constant(name: str) -> NoReturn:
    raise NotANumber(name)
