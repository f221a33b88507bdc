"""Reads a record file into records.Record and refuses, in one line, whatever it cannot trust."""

from __future__ import annotations

import re
from pathlib import Path

from .failures import check_failures, read_failed, read_failure
from .ranks import check_ranks, read_rank_times, read_ranks
from .lines import MEASURE_AGAIN, NAME_A_RECORD, CutOffError, Fields, read_objects
from .records import (Counters, Failure, Floor, Header, InputFile, Interval, Kernel, KnownDefect, MachineLimit,
                      Process, RankTimes, Record, RecordError, Result, Sample, Side, Spread)
from .verify import check_against_samples, check_limits

FORMAT = 2
PORTABLE_PEERS = ("kokkos", "scatter_view")
"""How the steps of peers written in Kokkos begin, for records whose sides do not say it."""
WAYS = ("tuned", "book", "usual")
SIDES_OF_ROLE = {"pair": 2, "best": 2, "null": 2, "solo": 1}


def read_record(path: str | Path) -> Record:
    """The record in this file, fully checked. What a killed process left of its last result is
    passed over; the record then has no end line and says so."""
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
        self.open_samples: list[Sample] = []
        self.open_ranks: list[RankTimes] = []
        self.missing = self.missing_ranks = 0

    def add(self, fields: Fields) -> None:
        kind = fields.text("kind")
        if self.header is None:
            self.header = read_header(fields, kind)
            return
        if self.results_at_end is not None:
            fields.fail("stands behind the end line")
        fields.where = kind
        if kind == "sample":
            self.add_sample(fields)
        elif self.missing:
            assert self.open
            fields.fail(f"result {self.open.id} lacks {self.missing} of its samples")
        elif kind == "ranks":
            self.add_ranks(fields)
        elif self.missing_ranks:
            assert self.open
            fields.fail(f"result {self.open.id} lacks {self.missing_ranks} of the rows of its ranks")
        elif kind == "result":
            self.add_result(fields)
        elif kind == "limit":
            self.limits.append(read_limit(fields))
        elif kind == "counters":
            self.counters.append(read_counters(fields))
        elif kind == "failure":
            self.failures.append(read_failure(fields))
        elif kind == "end":
            self.results_at_end = fields.integer("results")

    def add_result(self, fields: Fields) -> None:
        self.open, self.open_samples, self.open_ranks = read_result(fields), [], []
        self.missing, self.missing_ranks = fields.integer("samples"), fields.integer("rank_rows", 0)
        self.close_result()

    def add_sample(self, fields: Fields) -> None:
        sample = read_sample(fields)
        if not self.missing or not self.open or sample.result != self.open.id:
            fields.fail("the sample does not belong to the result before it")
        self.open_samples.append(sample)
        self.missing -= 1
        self.close_result()

    def add_ranks(self, fields: Fields) -> None:
        times = read_rank_times(fields)
        if not self.missing_ranks or not self.open or times.result != self.open.id:
            fields.fail("the times of ranks do not belong to the result before it")
        self.open_ranks.append(times)
        self.missing_ranks -= 1
        self.close_result()

    def close_result(self) -> None:
        if self.open and not self.missing and not self.missing_ranks:
            self.results.append(self.open)
            self.samples += self.open_samples
            self.rank_times += self.open_ranks
            self.open = None

    def record(self) -> Record:
        path, found = self.path, len(self.results)
        if self.header is None:
            raise RecordError(f"{path}:1: the file is empty; {NAME_A_RECORD}")
        if not self.results and not self.counters:
            raise RecordError(f"{path}: the record holds no results; {MEASURE_AGAIN}")
        check_unique_ids(path, self.results)
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
    if kind != "header":
        raise RecordError(f"{fields.path}:{fields.line}: the header is missing; {NAME_A_RECORD}")
    fields.where = "the header"
    if (found := fields.integer("format")) != FORMAT:
        raise RecordError(f"{fields.path}:{fields.line}: a record of format {found}, and this "
                          f"version reads format {FORMAT}; measure again with this version")
    machine = fields.inner("machine")
    machine.text("processor")
    machine.text("kind")
    return Header(fields.text("version", ""), fields.text("commit", ""), fields.text("date", ""),
                  fields.text("command", ""), fields.integer("seed"), machine.values,
                  fields.inner("build").values, fields.inner("settings").values,
                  tuple(Process(one.integer("seed"), one.text("date", ""))
                        for one in fields.objects("processes")),
                  fields.nonzero("run_to_run") or 0.0,
                  tuple(read_file(one) for one in fields.objects("files")), read_lines_of_code(fields),
                  *read_ranks(fields))


def read_file(fields: Fields) -> InputFile:
    if not fields.has("sha256"):
        found = InputFile(fields.text("path"), fields.integer("bytes"), "", fields.text("sha256_missing"))
    else:
        found = InputFile(fields.text("path"), fields.integer("bytes"), fields.text("sha256"))
        if not re.fullmatch("[0-9a-f]{64}", found.sha256):
            fields.fail(f"the SHA-256 of '{found.path}' is '{found.sha256}', which is none")
    if found.bytes < 0:
        fields.fail(f"'{found.path}' has {found.bytes} bytes")
    return found


def read_lines_of_code(fields: Fields) -> dict[str, int]:
    """Of the header's table of variants; those without a count are left out."""
    return {one.text("name"): one.integer("lines") for one in fields.objects("variants") if one.has("lines")}


def read_limit(fields: Fields) -> MachineLimit:
    return MachineLimit(fields.text("name"), fields.positive("value"), fields.text("unit"),
                        read_range(fields, "low", "high"), fields.positives("processes"))


def read_sample(fields: Fields) -> Sample:
    return Sample(fields.integer("result"), fields.text("variant"), fields.positive("device_s"),
                  fields.positive("wall_s"), fields.integer("block"), fields.flag("kept"),
                  fields.integer("side") if fields.has("side") else None,
                  fields.integer("allocation", 0), fields.integer("process", 0))


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
                          for kernel in kernels), read_values(fields.inner("values")), read_reasons(fields.inner("reasons")),
                    fields.text("parameters_text", "") if "parameters_text" in fields.values else None)


def read_reasons(fields: Fields) -> dict[str, str]:
    return {name: fields.text(name) for name in fields.values}


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
        parameters_text=fields.text("parameters_text", ""), parameters=read_parameters(fields.inner("parameters")),
        type=fields.text("type"), regime=fields.text("regime"), sides=read_sides(fields, SIDES_OF_ROLE[role]),
        agrees=agrees, agreement=fields.text("agreement", ""),
        disagreement=fields.text("disagreement", ""),
        # Answers that differ have no price, whatever the line says.
        ratio=read_interval(fields, "ratio") if agrees else None,
        wall_ratio=read_interval(fields, "wall_ratio") if agrees else None,
        noise=read_noise(fields), verdict=fields.text("verdict", "") if agrees else "",
        floor=read_floor(fields.inner("limit")) if fields.has("limit") else None,
        blocks=fields.integer("blocks", 0), dropped=fields.integer("dropped", 0),
        stop=fields.text("stop", ""), unit=fields.text("unit", ""),
        units=fields.integer("units", 0), processes=fields.integer("processes", 1),
        undecided=fields.text("undecided", ""),
        disturbed=fields.text("disturbed", ""), launch_gaps=fields.text("launch_gaps", ""),
        excludes_one=fields.has("excludes_one") and fields.flag("excludes_one"),
        defect=read_defect(fields, agrees), failed=read_failed(fields, agrees),
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
    return {name: fields.integer(name) for name in fields.values}


def read_parameters(fields: Fields) -> dict[str, float | str]:
    for name, value in fields.values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            fields.fail(f"the parameter '{name}' is neither a number nor a text")
    return dict(fields.values)


def read_sides(fields: Fields, expected: int) -> tuple[Side, ...]:
    sides = fields.values.get("sides")
    if not isinstance(sides, list) or len(sides) != expected:
        fields.fail(f"the result needs {expected} side(s)")
    return tuple(read_side(Fields(side, fields.path, fields.line, "a side")) for side in sides)


def read_side(fields: Fields) -> Side:
    way, dials = read_way(fields)
    return Side(fields.text("variant"), fields.text("model"), fields.text("step"),
                fields.nonzero("first_run_s"), read_spread(fields, "device_s"),
                read_spread(fields, "wall_s"), fields.nonzero("limit_fraction"),
                fields.integer("batch", 1),
                read_range(fields, "limit_fraction_low", "limit_fraction_high"),
                way, dials, read_portable(fields))


def read_way(fields: Fields) -> tuple[str, str]:
    """The way of writing and the dials; a side that does not say them has them in its name: "kokkos.usual:index=int64"."""
    model = fields.text("model")
    name, _, dials = fields.text("variant").split("/")[-1].removeprefix(model).partition(":")
    way = fields.text("written", name.removeprefix(".") or "tuned") if model == "kokkos" else ""
    if way and way not in WAYS:
        fields.fail(f"a side is 'written' {way}, which is none of {', '.join(WAYS)}")
    return way, fields.text("dials", dials)


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
