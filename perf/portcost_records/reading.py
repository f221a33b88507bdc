"""Reads a record file into records.Record and refuses, in one line, whatever it cannot trust."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from .records import (Counters, Floor, Header, Interval, Kernel, MachineLimit, Record, RecordError,
                      Result, Sample, Side, Spread)

FORMAT = 1
SIDES_OF_ROLE = {"pair": 2, "best": 2, "null": 2, "solo": 1}
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

    def inner(self, name: str) -> Fields:
        return Fields(self.values.get(name, {}), self.path, self.line, f"{self.where} '{name}'")

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None


def read_record(path: str | Path) -> Record:
    """The record in this file, fully checked."""
    path = Path(path)
    header: Header | None = None
    rows: dict[str, list[Any]] = {"limit": [], "result": [], "sample": [],
                                  "counters": []}
    builders = {"limit": read_limit, "result": read_result, "sample": read_sample,
                "counters": read_counters}
    for fields in read_objects(path):
        kind = fields.text("kind")
        if header is None:
            header = read_header(fields, kind)
        elif kind in builders:
            fields.where = kind
            rows[kind].append(builders[kind](fields))
    if header is None:
        raise RecordError(f"{path}:1: the file is empty; {NAME_A_RECORD}")
    if not rows["result"] and not rows["counters"]:
        raise RecordError(f"{path}: the record holds no results; {MEASURE_AGAIN}")
    check_unique_ids(path, rows["result"])
    return Record(path, header, *(tuple(found) for found in rows.values()))


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
            what = "broken JSON" if complete else "the last line is cut off"
            raise RecordError(f"{path}:{number}: {what}; {MEASURE_AGAIN}") from None
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


def read_header(fields: Fields, kind: str) -> Header:
    if kind != "header":
        raise RecordError(f"{fields.path}:{fields.line}: the header is missing; {NAME_A_RECORD}")
    fields.where = "the header"
    if (found := fields.integer("format")) != FORMAT:
        raise RecordError(f"{fields.path}:{fields.line}: format {found}, and this tool reads "
                          f"format {FORMAT}; use the scripts of the portcost that wrote it")
    machine = fields.inner("machine")
    machine.text("processor")
    machine.text("kind")
    return Header(fields.text("version", ""), fields.text("commit", ""), fields.text("date", ""),
                  fields.text("command", ""), fields.integer("seed"), machine.values,
                  fields.inner("build").values, fields.inner("settings").values)


def read_limit(fields: Fields) -> MachineLimit:
    return MachineLimit(fields.text("name"), fields.positive("value"), fields.text("unit"),
                        read_range(fields, "low", "high"))


def read_sample(fields: Fields) -> Sample:
    return Sample(fields.integer("result"), fields.text("variant"), fields.positive("device_s"),
                  fields.flag("kept"))


def read_counters(fields: Fields) -> Counters:
    variant = fields.text("variant")
    if variant.count("/") != 2:
        fields.fail(f"'{variant}' is not algorithm/step/model")
    kernels = fields.values.get("kernels")
    if not isinstance(kernels, list):
        fields.fail("counters need 'kernels' as a list")
    return Counters(variant, fields.text("size_text"), fields.text("type"),
                    fields.integer("rung", -1),
                    tuple(read_kernel(Fields(kernel, fields.path, fields.line, "a kernel"))
                          for kernel in kernels), read_values(fields.inner("values")))


def read_kernel(fields: Fields) -> Kernel:
    return Kernel(fields.text("name"), fields.integer("launches"), fields.nonzero("seconds") or 0.0)


def read_values(fields: Fields) -> dict[str, float]:
    return {name: fields.nonzero(name) or 0.0 for name in fields.values}


def read_result(fields: Fields) -> Result:
    role = fields.text("role")
    if role not in SIDES_OF_ROLE:
        fields.fail(f"unknown role '{role}'")
    agrees = fields.flag("agrees")
    return Result(
        id=fields.integer("id"), role=role, algorithm=fields.text("algorithm"),
        step=fields.text("step"), size=read_size(fields.inner("size")),
        size_text=fields.text("size_text"),
        parameters_text=fields.text("parameters_text", ""), type=fields.text("type"),
        regime=fields.text("regime"), sides=read_sides(fields, SIDES_OF_ROLE[role]),
        agrees=agrees, agreement=fields.text("agreement", ""),
        disagreement=fields.text("disagreement", ""),
        # Answers that differ have no price, whatever the line says.
        ratio=read_interval(fields, "ratio") if agrees else None,
        wall_ratio=read_interval(fields, "wall_ratio") if agrees else None,
        noise=read_noise(fields), verdict=fields.text("verdict", "") if agrees else "",
        floor=read_floor(fields.inner("limit")) if fields.has("limit") else None,
        blocks=fields.integer("blocks", 0), dropped=fields.integer("dropped", 0),
        stop=fields.text("stop", ""), unit=fields.text("unit", ""),
        units=fields.integer("units", 0), undecided=fields.text("undecided", ""),
        disturbed=fields.text("disturbed", ""),
        excludes_one=fields.has("excludes_one") and fields.flag("excludes_one"))


def read_size(fields: Fields) -> dict[str, int]:
    return {name: fields.integer(name) for name in fields.values}


def read_sides(fields: Fields, expected: int) -> tuple[Side, ...]:
    sides = fields.values.get("sides")
    if not isinstance(sides, list) or len(sides) != expected:
        fields.fail(f"the result needs {expected} side(s)")
    return tuple(read_side(Fields(side, fields.path, fields.line, "a side")) for side in sides)


def read_side(fields: Fields) -> Side:
    return Side(fields.text("variant"), fields.text("model"), fields.text("step"),
                fields.nonzero("first_run_s"), read_spread(fields, "device_s"),
                read_spread(fields, "wall_s"), fields.nonzero("limit_fraction"),
                fields.integer("batch", 1),
                read_range(fields, "limit_fraction_low", "limit_fraction_high"))


def read_spread(fields: Fields, name: str) -> Spread | None:
    if not fields.has(name):
        return None
    inner = fields.inner(name)
    return Spread(*(inner.positive(part) for part in ("min", "q1", "median", "q3")))


def read_interval(fields: Fields, name: str) -> Interval | None:
    # Of too few blocks there is a ratio without an interval: too little to be shown as one.
    if not fields.has(f"{name}_low"):
        return None
    return Interval(*(fields.positive(part) for part in (name, f"{name}_low", f"{name}_high")))


def read_noise(fields: Fields) -> tuple[float, float] | None:
    return read_range(fields, "noise_low", "noise_high")


def read_range(fields: Fields, low: str, high: str) -> tuple[float, float] | None:
    return (fields.positive(low), fields.positive(high)) if fields.has(low) else None


def read_floor(fields: Fields) -> Floor | None:
    floor_s = fields.nonzero("floor_s")
    if floor_s is None:
        return None
    return Floor(fields.text("name"), fields.positive("value"), fields.text("unit"), floor_s)


def check_unique_ids(path: Path, results: list[Result]) -> None:
    """Samples point at results by id, so an id used twice would mix two results' samples."""
    seen: set[int] = set()
    for result in results:
        if result.id in seen:
            raise RecordError(f"{path}: two results have the id {result.id}; {MEASURE_AGAIN}")
        seen.add(result.id)
