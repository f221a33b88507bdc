"""Reads a record into records.Record: its rows, which portcost derive has checked against their samples."""

import re
from pathlib import Path
from typing import Any, NoReturn

from .derived import Derived, raw_rows, showable
from .records import (Counters, Failure, Floor, Header, InputFile, Interval, Kernel, KnownDefect, MachineLimit, Process, Record,
                      RecordError, Result, Side, Spread)

FORMAT = 3
PORTABLE_PEERS = ("kokkos", "scatter_view")
"""How the steps of peers written in Kokkos begin, for records whose sides do not say it."""
WAYS = ("tuned", "book", "usual")
NAME = re.compile(r"\w[\w.-]*", re.ASCII)
"""An algorithm, a step, a type, a model, a key: names of files and ids of the page are made of them."""
ROW_NAME = re.compile(r"\w[\w.:=+,-]*", re.ASCII)
"""A step with its way of writing and its dials: "plain.usual:index=int64,tile=64x4"."""
VARIANT = re.compile(f"{NAME.pattern}/{NAME.pattern}/{ROW_NAME.pattern}", re.ASCII)
SIZE = re.compile(rf"{NAME.pattern}=-?\d+(?:,{NAME.pattern}=-?\d+)*", re.ASCII)
LIMIT_NAME = re.compile(r"\w[\w .:=+-]*", re.ASCII)
MISSED = {VARIANT: "not algorithm/step/model", SIZE: "no size, such as nx=64,ny=64"}
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}


class Fields:
    """Typed access to one JSON object; a wrong field is an error that names it."""

    def __init__(self, values: Any, path: Path, where: str) -> None:
        self.values, self.path, self.where = values, path, where
        if not isinstance(values, dict):
            self.fail(f"{where} must be an object")

    def fail(self, what: str) -> NoReturn:
        raise RecordError(f"{self.path}: {what}; measure again with perf/run")

    def get(self, name: str, kind: type, default: Any = None) -> Any:
        """The field, or, where it is absent or null, the default."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        found = (int, float) if kind is float else kind
        if not isinstance(value, found) or isinstance(value, bool) != (kind is bool):
            self.fail(f"{self.where} needs '{name}' as {KINDS[kind]}")
        if kind is float and value < 0:
            self.fail(f"{self.where} has '{name}' = {value}, which is not a positive number")
        return value

    def name(self, name: str, pattern: re.Pattern[str] = NAME) -> str:
        """A text that is a name of this kind, with no character that means something in a page or a path."""
        value = self.get(name, str)
        if not pattern.fullmatch(value):
            shown = ascii(value if len(value) <= 60 else value[:57] + "...")
            self.fail(f"{self.where} has '{name}' = {shown}, which is {MISSED.get(pattern, 'no name')}")
        return value

    def named(self, name: str) -> dict[str, Any]:
        """An object whose keys are names; empty where it is absent."""
        found = self.get(name, dict, {})
        for key in found:
            Fields({"key": key}, self.path, f"{self.where} '{name}'").name("key")
        return found

    def inner(self, name: str) -> "Fields":
        return Fields(self.get(name, dict, {}), self.path, f"{self.where} '{name}'")

    def each(self, name: str) -> "list[Fields]":
        return [Fields(value, self.path, f"one of {self.where} '{name}'") for value in self.get(name, list, [])]

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def range(self, low: str, high: str) -> tuple[float, float] | None:
        return (self.get(low, float), self.get(high, float)) if self.has(low) else None

    def interval(self, name: str) -> Interval | None:
        # Of too few blocks there is a ratio without an interval: too little to be shown as one.
        ends = self.range(f"{name}_low", f"{name}_high")
        return Interval(self.get(name, float), *ends) if ends else None


def read_record(path: str | Path) -> Record:
    """The record in this file, fully checked. A record of a killed process, whose last result may be cut off, has no end line."""
    path = Path(path)
    try:
        derived = Derived(path)
    except RecordError as error:
        if "line 1 is not the header" in str(error) and raw_rows(path)[0]["kind"] == "version":
            raise RecordError(f"{path}: holds several versions of Kokkos: perf/portcost versions shows them, and beside it is a "
                              "record of each") from None
        raise
    rows: dict[str, list[Fields]] = {kind: [] for kind in (*READERS, "header", "end", "ready")}
    for row in showable(derived.rows):
        if row["kind"] in rows:
            where = f"result {row.get('id')}" if row["kind"] == "result" else row["kind"]
            rows[row["kind"]].append(Fields(row, path, where))
    derived.rows = []
    return Record(path, read_header(rows["header"][0]), ended=bool(rows["end"]), derived=derived,
                  **{field: tuple(map(read, rows[kind])) for kind, (field, read) in READERS.items()})


def read_header(fields: Fields) -> Header:
    machine, build = fields.inner("machine"), fields.inner("build")
    for name in ("processor", "kind"):
        machine.get(name, str)
    for name in ("kokkos", "kokkos_origin"):
        build.get(name, str, "")
    ranks = fields.inner("ranks")
    count, each = ranks.get("count", int, 0), ranks.each("each")
    if len(each) != count:
        fields.fail(f"the header tells of {len(each)} processes, and counts {count}")
    return Header(*(fields.get(name, str, "") for name in ("version", "commit", "date", "command")), fields.get("seed", int),
                  machine.values, build.values, fields.inner("settings").values,
                  tuple(Process(one.get("seed", int), one.get("date", str, "")) for one in fields.each("processes")),
                  tuple(InputFile(one.get("path", str), one.get("bytes", int), one.get("sha256", str, ""),
                                  "" if one.has("sha256") else one.get("sha256_missing", str)) for one in fields.each("files")),
                  {one.name("name", VARIANT): one.get("lines", int) for one in fields.each("variants") if one.has("lines")},
                  count, len({one.get("computer", str) for one in each}) or 1)


def read_limit(fields: Fields) -> MachineLimit:
    return MachineLimit(fields.name("name", LIMIT_NAME), fields.get("value", float), fields.get("unit", str), fields.range("low", "high"))


def read_failure(fields: Fields) -> Failure:
    return Failure(fields.name("variant", VARIANT), fields.name("size_text", SIZE), fields.get("parameters_text", str, ""),
                   fields.name("type"), fields.name("regime"), fields.get("what", str), fields.get("when", str),
                   fields.get("process", int) if fields.has("process") else None)


def read_counters(fields: Fields) -> Counters:
    reasons = fields.inner("reasons")
    return Counters(fields.name("variant", VARIANT), fields.name("size_text", SIZE), fields.name("type"), fields.get("rung", int, -1),
                    tuple(Kernel(one.get("name", str), one.get("launches", int), one.get("seconds", float, 0.0))
                          for one in fields.each("kernels")),
                    {name: fields.inner("values").get(name, float, 0.0) for name in fields.named("values")},
                    {name: reasons.get(name, str) for name in reasons.values},
                    fields.get("parameters_text", str, "") if "parameters_text" in fields.values else None)


def read_result(fields: Fields) -> Result:
    agrees, limit, floor = fields.get("agrees", bool), fields.inner("limit"), None
    if limit.get("floor_s", float, 0):
        floor = Floor(limit.name("name", LIMIT_NAME), limit.get("value", float), limit.get("unit", str), limit.get("floor_s", float))
    texts = ("agreement", "disagreement", "verdict", "stop", "unit", "undecided", "disturbed", "launch_gaps", "parameters_text")
    defect = fields.inner("known_defect")
    return Result(
        id=fields.get("id", int), algorithm=fields.name("algorithm"), step=fields.name("step", ROW_NAME), agrees=agrees,
        size=fields.named("size"), size_text=fields.get("size_text", str), parameters=fields.named("parameters"),
        sides=tuple(map(read_side, fields.each("sides"))), ratio=fields.interval("ratio"), wall_ratio=fields.interval("wall_ratio"),
        noise=fields.range("noise_low", "noise_high"), floor=floor, failed=tuple(fields.get("failed", list, [])),
        defect=KnownDefect(*(defect.get(name, str) for name in ("what", "reason", "reproducer")), not agrees) if defect.values else None,
        **{name: fields.name(name) for name in ("role", "type", "regime")},
        **{name: fields.get(name, str, "") for name in texts},
        **{name: fields.get(name, int, 0) for name in ("blocks", "dropped", "units")}, processes=fields.get("processes", int, 1),
        **{name: fields.has(name) and fields.get(name, bool) for name in ("excludes_one", "own_answer")})


def read_side(fields: Fields) -> Side:
    model, variant = fields.name("model"), fields.name("variant", VARIANT)
    # "kokkos.usual:index=int64" has the way of writing and the dials.
    way, _, dials = variant.split("/")[-1].removeprefix(model).partition(":")
    way = (way.removeprefix(".") or "tuned") if model == "kokkos" else ""
    if way and way not in WAYS:
        fields.fail(f"{variant} is written {way}, which is none of {', '.join(WAYS)}")
    step = fields.name("step")
    by_name = model == "kokkos" or model == "library" and step.startswith(PORTABLE_PEERS)
    ranks = fields.get("ranks_s", list, [])
    return Side(variant, model, step, *(read_spread(fields, clock) for clock in ("device_s", "wall_s")),
                fields.get("limit_fraction", float, 0) or None, fields.get("batch", int, 1),
                fields.range("limit_fraction_low", "limit_fraction_high"), way, dials, fields.get("portable", bool, by_name),
                (ranks[0], ranks[1]) if ranks else None)


def read_spread(fields: Fields, clock: str) -> Spread | None:
    inner = fields.inner(clock)
    return Spread(*(inner.get(part, float) for part in ("min", "q1", "median", "q3"))) if fields.has(clock) else None


READERS = {"limit": ("limits", read_limit), "result": ("results", read_result), "counters": ("counters", read_counters),
           "failure": ("failures", read_failure)}
"""Of each kind of rows the field of a record, and what reads one."""
