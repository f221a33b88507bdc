"""Reads a record file into records.Record and refuses, in one line, whatever it cannot trust."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .lines import (LIMIT_NAME, MEASURE_AGAIN, NAME_A_RECORD, ROW_NAME, SIZE, VARIANT, CutOffError, Fields, read_objects,
                    shown)
from .records import (Counters, Failure, Floor, Header, InputFile, Interval, Kernel, KnownDefect, MachineLimit,
                      Process, RankTimes, Record, RecordError, Result, Sample, Side, Spread)
from .verify import ALLOWED, check_against_samples, check_failures, check_limits, check_ranks

FORMAT = 2
PORTABLE_PEERS = ("kokkos", "scatter_view")
"""How the steps of peers written in Kokkos begin, for records whose sides do not say it."""
WAYS = ("tuned", "book", "usual")
VERDICTS = ("", "faster", "equal", "slower", "unclear")
SIDES_OF_ROLE = {"pair": 2, "best": 2, "null": 2, "solo": 1}


def read_record(path: str | Path) -> Record:
    """The record in this file, fully checked. A record of a killed process, whose last result may be cut off, has no end line."""
    path = Path(path)
    rows = Rows(path)
    try:
        for fields in read_objects(path):
            rows.add(fields)
    except CutOffError:
        if rows.results_at_end is not None:
            raise
    return rows.record()


class Rows:
    """Takes a record's rows one after another; a result counts once all its samples are there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: Header | None = None
        self.limits: list[MachineLimit] = []
        self.results: list[Result] = []
        self.samples: list[Sample] = []
        self.counters: list[Counters] = []
        self.failures: list[Failure] = []
        self.rank_times: list[RankTimes] = []
        self.results_at_end: int | None = None
        self.open: Result | None = None
        self.parts: dict[str, list[Any]] = {}
        self.missing = dict.fromkeys(PARTS, 0)

    def add(self, fields: Fields) -> None:
        kind = fields.text("kind")
        if self.header is None:
            self.header = read_header(fields, kind)
            return
        if self.results_at_end is not None:
            fields.fail("stands behind the end line")
        fields.where = kind
        for part, (words, _, _) in PARTS.items():
            if kind == part:
                self.add_part(fields, part)
                return
            if self.missing[part]:
                assert self.open
                fields.fail(f"result {self.open.id} lacks {self.missing[part]} of {words}")
        if kind == "result":
            self.open, self.parts = read_result(fields), {part: [] for part in PARTS}
            self.missing = {"sample": fields.integer("samples"), "ranks": fields.integer("rank_rows", 0)}
            self.close_result()
        elif kind == "limit":
            limit = read_limit(fields)
            if any(limit.name == other.name for other in self.limits):
                fields.fail(f"the limit {limit.name} is there twice")
            self.limits.append(limit)
        elif kind == "counters":
            self.counters.append(read_counters(fields))
        elif kind == "failure":
            self.failures.append(read_failure(fields))
        elif kind == "end":
            self.results_at_end = fields.integer("results")

    def add_part(self, fields: Fields, kind: str) -> None:
        _, stray, read = PARTS[kind]
        part = read(fields)
        if not self.missing[kind] or not self.open or part.result != self.open.id:
            fields.fail(f"{stray} not belong to the result before it")
        self.parts[kind].append(part)
        self.missing[kind] -= 1
        self.close_result()

    def close_result(self) -> None:
        if self.open and not any(self.missing.values()):
            self.results.append(self.open)
            self.samples += self.parts["sample"]
            self.rank_times += self.parts["ranks"]
            self.open = None

    def record(self) -> Record:
        path, found = self.path, len(self.results)
        if self.header is None:
            raise RecordError(f"{path}:1: the file is empty; {NAME_A_RECORD}")
        if not self.results and not self.counters:
            raise RecordError(f"{path}: the record holds no results; {MEASURE_AGAIN}")
        for number, count in Counter(result.id for result in self.results).items():
            if count > 1:  # Samples point at results by id, so that two results' samples would be mixed.
                raise RecordError(f"{path}: two results have the id {number}; {MEASURE_AGAIN}")
        if self.results_at_end not in (None, found):
            raise RecordError(f"{path}: the end line counts {self.results_at_end} results, and "
                              f"{found} are there; {MEASURE_AGAIN}")
        record = Record(path, self.header, tuple(self.limits), tuple(self.results),
                        tuple(self.samples), tuple(self.counters), tuple(self.failures),
                        self.results_at_end is not None, tuple(self.rank_times))
        check_against_samples(record)
        check_ranks(record)
        check_limits(record)
        check_failures(record)
        return record


def read_header(fields: Fields, kind: str) -> Header:
    if kind == "version":
        raise RecordError(f"{fields.path}: holds several versions of Kokkos: perf/portcost versions shows them, and beside it is a "
                          "record of each")
    if kind != "header":
        raise RecordError(f"{fields.path}:{fields.line}: the header is missing; {NAME_A_RECORD}")
    fields.where = "the header"
    if (found := fields.integer("format")) != FORMAT:
        raise RecordError(f"{fields.path}:{fields.line}: a record of format {found}, and this "
                          f"version reads format {FORMAT}; measure again with this version")
    machine, build = fields.inner("machine"), fields.inner("build")
    machine.text("processor")
    machine.text("kind")
    for name in ("kokkos", "kokkos_origin"):
        build.text(name, "")
    return Header(fields.text("version", ""), fields.text("commit", ""), fields.text("date", ""),
                  fields.text("command", ""), fields.integer("seed"), machine.values,
                  build.values, fields.inner("settings").values,
                  tuple(Process(one.integer("seed"), one.text("date", ""))
                        for one in fields.objects("processes")),
                  fields.nonzero("run_to_run") or 0.0,
                  tuple(read_file(one) for one in fields.objects("files")),
                  {one.name("name", VARIANT): one.integer("lines") for one in fields.objects("variants") if one.has("lines")},
                  *read_ranks(fields))


def read_ranks(fields: Fields) -> tuple[int, int, str]:
    """Of a header: how many processes, on how many computers, by which MPI; 0 where a process was by itself."""
    if not fields.has("ranks"):
        return 0, 1, ""
    inner = fields.inner("ranks")
    count, each = inner.integer("count"), inner.objects("each")
    if count < 1 or len(each) != count:
        fields.fail(f"the header tells of {len(each)} processes, and counts {count}")
    return count, len({one.text("computer") for one in each}), inner.text("mpi", "")


def read_file(fields: Fields) -> InputFile:
    if not fields.has("sha256"):
        found = InputFile(fields.text("path"), fields.integer("bytes"), "", fields.text("sha256_missing"))
    else:
        found = InputFile(fields.text("path"), fields.integer("bytes"), fields.text("sha256"))
        if not re.fullmatch("[0-9a-f]{64}", found.sha256):
            fields.fail(f"the SHA-256 of {shown(found.path)} is {shown(found.sha256)}, which is none")
    if found.bytes < 0:
        fields.fail(f"{shown(found.path)} has {found.bytes} bytes")
    return found


def read_limit(fields: Fields) -> MachineLimit:
    return MachineLimit(fields.name("name", LIMIT_NAME), fields.positive("value"), fields.text("unit"),
                        read_range(fields, "low", "high"), fields.positives("processes"))


def read_sample(fields: Fields) -> Sample:
    return Sample(fields.integer("result"), fields.name("variant", VARIANT), fields.positive("device_s"),
                  fields.positive("wall_s"), fields.integer("block"), fields.flag("kept"),
                  fields.integer("side") if fields.has("side") else None,
                  fields.integer("allocation", 0), fields.integer("process", 0))


def read_rank_times(fields: Fields) -> RankTimes:
    return RankTimes(fields.integer("result"), fields.integer("process", 0), fields.integer("allocation", 0),
                     fields.integer("block"), fields.integer("side"), fields.positives("device_s"))


PARTS: dict[str, tuple[str, str, Callable[[Fields], Any]]] = {
    "sample": ("its samples", "the sample does", read_sample),
    "ranks": ("the rows of its ranks", "the times of ranks do", read_rank_times)}
"""The rows that belong to a result, in their order: what they are called, and what reads one."""


def read_failure(fields: Fields) -> Failure:
    return Failure(fields.name("variant", VARIANT), fields.name("size_text", SIZE), fields.text("parameters_text", ""),
                   fields.name("type"), fields.name("regime"), fields.text("what"), fields.text("when"),
                   fields.integer("process") if fields.has("process") else None)


def read_counters(fields: Fields) -> Counters:
    variant = fields.name("variant", VARIANT)
    kernels = fields.values.get("kernels")
    if not isinstance(kernels, list):
        fields.fail("counters need 'kernels' as a list")
    each = [Fields(kernel, fields.path, fields.line, "a kernel") for kernel in kernels]
    found, reasons = fields.inner("values"), fields.inner("reasons")
    found.check_keys()
    return Counters(variant, fields.name("size_text", SIZE), fields.name("type"), fields.integer("rung", -1),
                    tuple(Kernel(one.text("name"), one.integer("launches"), one.nonzero("seconds") or 0.0) for one in each),
                    {name: found.nonzero(name) or 0.0 for name in found.values},
                    {name: reasons.text(name) for name in reasons.values},
                    fields.text("parameters_text", "") if "parameters_text" in fields.values else None)


def read_result(fields: Fields) -> Result:
    role = fields.one_of("role", SIDES_OF_ROLE)
    agrees = fields.flag("agrees")
    failed = fields.names("failed", VARIANT)
    if failed and agrees:
        fields.fail("a side has failed, and yet its answers agree")
    return Result(
        id=fields.integer("id"), role=role, algorithm=fields.name("algorithm"),
        step=fields.name("step", ROW_NAME), size=read_size(fields), size_text=fields.text("size_text"),
        parameters_text=fields.text("parameters_text", ""), parameters=read_parameters(fields),
        type=fields.name("type"), regime=fields.name("regime"), sides=read_sides(fields, SIDES_OF_ROLE[role]),
        agrees=agrees, agreement=fields.text("agreement", ""),
        disagreement=fields.text("disagreement", ""),
        # Answers that differ have no price, whatever the line says.
        ratio=read_interval(fields, "ratio") if agrees else None,
        wall_ratio=read_interval(fields, "wall_ratio") if agrees else None,
        noise=read_range(fields, "noise_low", "noise_high"), verdict=fields.one_of("verdict", VERDICTS, "") if agrees else "",
        floor=read_floor(fields.inner("limit")) if fields.has("limit") else None,
        blocks=fields.integer("blocks", 0), dropped=fields.integer("dropped", 0),
        stop=fields.text("stop", ""), unit=fields.text("unit", ""),
        units=fields.integer("units", 0), processes=fields.integer("processes", 1),
        undecided=fields.text("undecided", ""),
        disturbed=fields.text("disturbed", ""), launch_gaps=fields.text("launch_gaps", ""),
        excludes_one=fields.has("excludes_one") and fields.flag("excludes_one"),
        defect=read_defect(fields, agrees), failed=failed,
        own_answer=fields.has("own_answer") and fields.flag("own_answer"))


def read_defect(fields: Fields, agrees: bool) -> KnownDefect | None:
    if not fields.has("known_defect"):
        return None
    inner = fields.inner("known_defect")
    defect = KnownDefect(inner.text("what"), inner.text("reason"), inner.text("reproducer"),
                         inner.flag("seen"))
    if defect.seen == agrees:
        fields.fail("a known defect is seen where an answer is wrong, and there alone")
    return defect


def read_size(fields: Fields) -> dict[str, int]:
    inner, stated = fields.inner("size"), fields.text("size_text")
    inner.check_keys()
    size = {name: inner.integer(name) for name in inner.values}
    if (text := ",".join(f"{name}={value}" for name, value in size.items())) != stated:
        fields.fail(f"the size is {text}, and 'size_text' says {shown(stated)}")
    return size


def read_parameters(fields: Fields) -> dict[str, float | str]:
    inner, stated = fields.inner("parameters"), fields.text("parameters_text", "")
    inner.check_keys()
    for name, value in inner.values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            fields.fail(f"the parameter '{name}' is neither a number nor a text")
    if inner.values and (rest := unlike(inner.values, stated)):
        fields.fail(f"'parameters_text' says {shown(rest)}, and 'parameters' does not")
    return dict(inner.values)


def unlike(parameters: dict[str, float | str], text: str) -> str:
    """The rest of a text "r1=8,halos=nccl" from where on it is not of these parameters, which it names in their order."""
    for name, value in parameters.items():
        number = re.match(rf"{re.escape(name)}=([^,]*)(?:,|$)", text)
        if isinstance(value, str):
            text = "" if text == f"{name}={value}" else text.removeprefix(f"{name}={value},")
        elif number and math.isclose(number_of(number[1]), value, rel_tol=1e-5):  # A text may have fewer digits.
            text = text[number.end():]
    return text


def number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_sides(fields: Fields, expected: int) -> tuple[Side, ...]:
    sides = fields.values.get("sides")
    if not isinstance(sides, list) or len(sides) != expected:
        fields.fail(f"the result needs {expected} side(s)")
    each = [Fields(side, fields.path, fields.line, "a side") for side in sides]
    return tuple(Side(one.name("variant", VARIANT), one.name("model"), one.name("step"), one.nonzero("first_run_s"),
                      read_spread(one, "device_s"), read_spread(one, "wall_s"), one.nonzero("limit_fraction"),
                      one.integer("batch", 1), read_range(one, "limit_fraction_low", "limit_fraction_high"), *read_way(one),
                      read_portable(one)) for one in each)


def read_way(fields: Fields) -> tuple[str, str]:
    """The way of writing and the dials; a side that does not say them has them in its name: "kokkos.usual:index=int64"."""
    model = fields.name("model")
    name, _, dials = fields.name("variant", VARIANT).split("/")[-1].removeprefix(model).partition(":")
    way = fields.text("written", name.removeprefix(".") or "tuned") if model == "kokkos" else ""
    if way and way not in WAYS:
        fields.fail(f"a side is 'written' {shown(way)}, which is none of {', '.join(WAYS)}")
    return way, fields.name("dials", ROW_NAME) if fields.values.get("dials") else dials


def read_portable(fields: Fields) -> bool:
    if fields.has("portable"):
        return fields.flag("portable")
    model = fields.text("model")
    return model == "kokkos" or model == "library" and fields.text("step").startswith(PORTABLE_PEERS)


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


def read_range(fields: Fields, low: str, high: str) -> tuple[float, float] | None:
    if not fields.has(low):
        return None
    ends = fields.positive(low), fields.positive(high)
    if ends[0] > ends[1] * (1 + ALLOWED):
        fields.fail(f"{fields.where} has '{low}' = {ends[0]}, which is above '{high}' = {ends[1]}")
    return ends


def read_floor(fields: Fields) -> Floor | None:
    floor_s = fields.nonzero("floor_s")
    if floor_s is None:
        return None
    return Floor(fields.name("name", LIMIT_NAME), fields.positive("value"), fields.text("unit"), floor_s)
