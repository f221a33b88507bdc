"""Records whose results and samples contradict each other; and records that `portcost combine` makes of several processes."""

import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_records import Json, Writer, small_writer, verdict
from running import run_tool

from portcost_records.estimates import student_t
from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.tables import blocks_text

Change = Callable[[Json, list[Json]], object]


def scaled(*path: str | int) -> Change:
    """Makes the number at this place of the result a thousandth larger."""
    def change(result: Json, samples: list[Json]) -> None:
        inner = result
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] *= 1.001
    return change


def in_sample(name: str, value: object) -> Change:
    def change(result: Json, samples: list[Json]) -> None:
        samples[2][name] = samples[2][name] * 0.9 if value == "shorter" else value
    return change


DOCTORED: dict[str, tuple[Change, str]] = {
    "the ratio": (scaled("ratio"), "the ratio of device times (value) is said to be"),
    "the wall ratio": (scaled("wall_ratio"), "the ratio of wall times (value)"),
    "the lower end": (scaled("ratio_low"), "the ratio of device times (low)"),
    "the upper end": (scaled("wall_ratio_high"), "the ratio of wall times (high)"),
    "the verdict": (lambda result, samples: result.update(verdict="equal"),
                    "its verdict is equal, and its samples say slower"),
    "a median": (scaled("sides", 0, "device_s", "median"), "the median of the device times of"),
    "a wall median": (scaled("sides", 1, "wall_s", "median"), "the median of the wall times of"),
    "a quartile": (scaled("sides", 0, "device_s", "q1"), "the q1 of the device times"),
    "the upper quartile": (scaled("sides", 0, "device_s", "q3"), "the q3 of the device times"),
    "the shortest": (scaled("sides", 0, "device_s", "min"), "the min of the device times"),
    "the limit": (scaled("sides", 1, "limit_fraction"), "the fraction of the limit of"),
    "a sample": (in_sample("device_s", "shorter"), "device times"),
    "a sample's wall time": (in_sample("wall_s", "shorter"), "wall times"),
    "one sample dropped": (in_sample("kept", False), "block 1 is not one sample of each side"),
    "a block renamed": (in_sample("block", 99), "is not one sample of each side"),
    "a variant": (in_sample("variant", "heat2d/naive/openmp"), "which is none of its sides"),
    "a side": (in_sample("side", 1), "says that it is of side 1"),
    "a block fewer": (lambda result, samples: result.update(blocks=4),
                      "counts 4 kept and 0 dropped blocks, and its samples make 16 and 0"),
    "no ratio": (lambda result, samples: [result.pop(name) for name in ("ratio", "ratio_low", "ratio_high")],
                 "no ratio of device times"),
    "no times": (lambda result, samples: result["sides"][0].pop("wall_s") and None, "no wall times"),
    "answers": (lambda result, samples: result.update(agrees=False), "its answers differ, and yet it has samples"),
}


def refusal(folder: Path, lines: list[Json]) -> str:
    """Why a record of these lines is refused: one line, here without the path that it begins with."""
    path = folder / "doctored.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(RecordError) as error:
        read_record(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize("name", DOCTORED)
def test_a_doctored_record_is_refused_with_its_row(name: str, tmp_path: Path) -> None:
    change, message = DOCTORED[name]
    lines = [json.loads(line) for line in small_writer().text().splitlines()]
    result = next(line for line in lines if line["kind"] == "result")
    change(result, [line for line in lines if line["kind"] == "sample" and line["result"] == result["id"]])
    said = refusal(tmp_path, lines)
    assert said.startswith(": result 0 (pair heat2d/naive nx=256,ny=256,steps=1 f32 cold): ") and message in said


def null_writer(sides: bool = True) -> Writer:
    """A null, whose two sides have one name, with or without the side in each sample."""
    writer = Writer()
    result = writer.result("solo", "tree", {"n": 64}, "f32", "cold", {"sum/tree/cuda": 1e-5}, 1e-6)
    result["role"] = "null"
    result["sides"].append(dict(result["sides"][0]))
    for line in [line for line in writer.lines if line["kind"] == "sample"]:
        writer.lines.append(line | {"device_s": line["device_s"] * 1.01, "position": 1})
    for number, line in enumerate(writer.lines[2:] if sides else []):
        line["side"] = number // 16
    writer.settle(result)
    result |= {"noise_low": result["ratio_low"], "noise_high": result["ratio_high"]}
    result.pop("verdict")
    return writer


@pytest.mark.parametrize(("sides", "key", "changed", "said"), [
    (True, "ratio", lambda ratio: ratio * 1.001, "the ratio of device times .value. is said to be"),
    (False, "blocks", lambda blocks: blocks + 1, "its samples make 16 and 0")])
def test_the_sides_of_a_null_are_told_apart_by_number_or_its_blocks_are_counted(
        sides: bool, key: str, changed: Callable[[float], float], said: str, tmp_path: Path) -> None:
    writer = null_writer(sides)
    (null,) = read_record(writer.write(tmp_path / "null.jsonl")).results
    assert null.role == "null" and null.blocks == 16
    line = writer.find("null", "tree")
    line[key] = changed(line[key])
    with pytest.raises(RecordError, match=said):
        read_record(writer.write(tmp_path / "null.jsonl"))


def test_a_record_says_what_its_intervals_hold_for_other_runs(tmp_path: Path) -> None:
    writer = small_writer()
    writer.lines[0]["run_to_run"] = 0.0015
    with pytest.raises(RecordError, match="the ratio of device times .low. is said to be"):
        read_record(writer.write(tmp_path / "narrow.jsonl"))
    for result in (line for line in writer.lines if line["kind"] == "result" and "ratio_low" in line):
        for name in ("ratio", "wall_ratio"):
            seen = math.log(result[f"{name}_high"] / result[f"{name}_low"]) / 2
            half = math.hypot(seen, 1.959963984540054 * 0.0015)
            result |= {f"{name}_low": result[name] * math.exp(-half), f"{name}_high": result[name] * math.exp(half)}
        if "verdict" in result:
            result["verdict"] = verdict(result["ratio_low"], result["ratio_high"])
    assert read_record(writer.write(tmp_path / "wide.jsonl")).header.run_to_run == 0.0015
    writer.lines[0]["run_to_run"] = 0.003
    with pytest.raises(RecordError, match="the ratio of device times .low. is said to be"):
        read_record(writer.write(tmp_path / "other.jsonl"))


@pytest.mark.parametrize("end", ["noise_low", "noise_high"])
def test_the_noise_floor_is_what_a_against_a_gave(end: str, tmp_path: Path) -> None:
    writer = null_writer()
    null = writer.find("null", "tree")
    pair = writer.result("pair", "tree", {"n": 64}, "f32", "cold", {"sum/tree/kokkos": 1e-5, "sum/tree/cuda": 1e-5}, 1e-6)
    pair.pop("verdict")
    ends = {name: null[name] for name in ("noise_low", "noise_high")}
    pair |= ends
    assert read_record(writer.write(tmp_path / "good.jsonl")).results[1].noise == (null["noise_low"], null["noise_high"])
    by = 0.99 if end == "noise_low" else 1.01
    pair[end] *= by
    with pytest.raises(RecordError, match="result 1 .*: its noise floor is said to be .*, and A against A gives "):
        read_record(writer.write(tmp_path / "pair.jsonl"))
    pair |= ends
    null[end] *= by
    with pytest.raises(RecordError, match="result 0 .*: the noise floor is said to be "):
        read_record(writer.write(tmp_path / "null.jsonl"))


# ---- Records of several processes.

SHIFTS = (0.0, 0.01, 0.03, -0.01, 0.02)
"""What each process adds to a log ratio."""
SIZE = {"n": 2**20}
LIMIT = [1.99e12, 2.0e12, 2.02e12]


class CombinedWriter(Writer):
    """A record of several processes, with one allocation each, or several."""

    def __init__(self, processes: int = 3, allocations: int = 1, **options: Any) -> None:
        self.processes, self.allocations = processes, allocations
        super().__init__(**options)
        self.lines[0]["processes"] = [{"seed": 7 + i, "date": f"2026-01-0{2 + i}T03:04:05Z"}
                                      for i in range(processes)]
        mean = statistics.fmean(map(math.log, LIMIT))
        half = student_t(2) * statistics.stdev(map(math.log, LIMIT)) / math.sqrt(3)
        self.limit("device copy", math.exp(mean), "B/s")
        self.lines[-1] |= {"low": math.exp(mean - half), "high": math.exp(mean + half), "processes": LIMIT}

    def add_samples(self, result: Json, variants: dict[str, float]) -> None:
        for process in range(self.processes):
            for allocation in range(self.allocations):
                begin = len(self.lines)
                super().add_samples(result, variants)
                for line in self.lines[begin:]:
                    line |= {"process": process, "allocation": allocation}
                    if line["variant"] == result["sides"][0]["variant"]:
                        line["device_s"] *= math.exp(SHIFTS[process])

    def blocks_of(self, result: Json) -> list[list[Json]]:
        blocks: dict[tuple[int, int, int], list[Json]] = {}
        for line in self.lines:
            if line["kind"] == "sample" and line["result"] == result["id"]:
                key = (line["process"], line["allocation"], line["block"])
                blocks.setdefault(key, []).append(line)
        return list(blocks.values())

    def settle(self, result: Json) -> None:
        super().settle(result)
        result["processes"] = self.processes
        if len(result["sides"]) == 2:
            result |= self.ratios(self.blocks_of(result))

    def ratios(self, blocks: list[list[Json]]) -> Json:
        """Each process gives the mean of its allocations, which give the means of their eight pairs of blocks."""
        made: Json = {}
        for clock, name in (("device_s", "ratio"), ("wall_s", "wall_ratio")):
            logs = [math.log(first[clock] / second[clock]) for first, second in blocks]
            each = self.samples * self.allocations
            units = [statistics.fmean(logs[i:i + each]) for i in range(0, len(logs), each)]
            made |= {"units": len(units), "unit": "process"} | interval(name, sorted(units))
        return made


def interval(name: str, units: list[float]) -> Json:
    """Student's t on the mean; of ten sorted units and more on the trimmed one, its errors from what was winsorized."""
    cut = len(units) // 10
    kept = units[cut:len(units) - cut]
    mean, low, high = statistics.fmean(kept), kept[0], kept[-1]
    if cut:
        units = [min(max(unit, low), high) for unit in units]
    middle = statistics.fmean(units)
    squares = sum((unit - middle) ** 2 for unit in units)
    made = {name: math.exp(mean)}
    if len(units) >= 3:
        half = student_t(len(kept) - 1) * math.sqrt(squares / (len(kept) * (len(kept) - 1)))
        made |= {f"{name}_low": math.exp(mean - half), f"{name}_high": math.exp(mean + half)}
    return made


def combined(**options: Any) -> CombinedWriter:
    writer = CombinedWriter(**options)
    sides = {"sum/tree/kokkos": 1.2e-3, "sum/tree/cuda": 1e-3}
    writer.result("pair", "tree", SIZE, "f32", "cold", sides, 1e-4)
    return writer


@pytest.mark.parametrize("options", [{"processes": 3}, {"processes": 5}, {"processes": 3, "allocations": 8}])
def test_a_combined_row_follows_from_all_processes(tmp_path: Path, options: Json) -> None:
    record = read_record(combined(**options).write(tmp_path / "r.jsonl"))
    result, count = record.results[0], options["processes"]
    assert (result.unit, result.units, result.processes) == ("process", count, count)
    assert result.ratio and result.ratio.value == pytest.approx(1.2 * math.exp(statistics.fmean(SHIFTS[:count])), rel=5e-3)
    assert [one.seed for one in record.header.processes] == [7 + i for i in range(count)]
    assert {sample.process for sample in record.samples} == set(range(count))


def test_of_two_processes_there_is_no_interval(tmp_path: Path) -> None:
    writer = combined(processes=2)
    writer.find("pair", "tree")["undecided"] = "2 of 3 processes: --repeat 3 would do"
    assert read_record(writer.write(tmp_path / "r.jsonl")).results[0].ratio is None
    assert run_tool("report", tmp_path / "r.jsonl").returncode == 0
    assert "2 of 3 processes: --repeat 3 would do" in (tmp_path / "report.md").read_text(encoding="utf-8")
    writer.find("pair", "tree").update({"ratio_low": 1.1, "ratio_high": 1.3})
    with pytest.raises(RecordError, match="its samples are too few for an interval of device times"):
        read_record(writer.write(tmp_path / "r.jsonl"))


DOCTORED_PROCESSES: dict[str, tuple[Callable[[list[Json]], object], str]] = {
    "the ratio": (lambda lines: lines[2].update(ratio=lines[2]["ratio"] * 1.001), "the ratio of device times"),
    "the unit": (lambda lines: lines[2].update(unit="block"), "of 3 units (each a block), and its samples make 3"),
    "the units": (lambda lines: lines[2].update(units=48), "of 48 units (each a process), and its samples make 3"),
    "a sample's process": (lambda lines: lines[3].update(process=1), "is not one sample of each side"),
    "a process that is none": (lambda lines: lines[3].update(process=3), "is of process 3, and the header names 3"),
    "a process of a header": (lambda lines: lines[0]["processes"].pop(), "is of process 2, and the header names 2"),
    "the limit": (lambda lines: lines[1].update(value=lines[1]["value"] * 1.001), "the limit device copy is said to be"),
    "the limit's interval": (lambda lines: lines[1].update(low=lines[1]["low"] * 0.999), "or its interval is another"),
    "a limit's process": (lambda lines: lines[1]["processes"].__setitem__(0, 2.1e12), "the limit device copy"),
}


@pytest.mark.parametrize("name", DOCTORED_PROCESSES)
def test_a_doctored_combined_record_is_refused(name: str, tmp_path: Path) -> None:
    change, message = DOCTORED_PROCESSES[name]
    lines = [json.loads(line) for line in combined().text().splitlines()]
    change(lines)
    assert message in refusal(tmp_path, lines)


def test_a_whole_process_that_was_moved_is_noticed(tmp_path: Path) -> None:
    """All samples said to be of one process: as many pairs, but not as many units."""
    writer = combined()
    for line in [line for line in writer.lines if line["kind"] == "sample"]:
        line |= {"block": line["block"] + 16 * line["process"], "process": 0}
    with pytest.raises(RecordError, match="of 3 units .each a process., and its samples make 24 .each a block."):
        read_record(writer.write(tmp_path / "r.jsonl"))


def test_the_report_says_of_how_many_processes(tmp_path: Path) -> None:
    path = combined().write(tmp_path / "r.jsonl")
    assert run_tool("report", path).returncode == 0
    for name in ("report.md", "report.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "48 (0), 3 processes" in text
        assert "seed 7 at 2026-01-02T03:04:05Z, seed 8 at 2026-01-03T03:04:05Z" in text
        assert "Several processes measured the same" in text
    wide = read_record(combined(allocations=8).write(path)).results[0]
    assert blocks_text(wide) == "384 (0), 3 processes"


def test_a_combined_record_is_compared_by_its_processes(tmp_path: Path) -> None:
    old, new = (combined(seed=seed).write(tmp_path / f"{seed}.jsonl") for seed in (1, 2))
    done = run_tool("compare", old, new, "--fail-above", "1.5")
    assert done.returncode == 0, done.stdout
    assert "1 of 1 row (100 %)" in done.stdout
    # Three processes up to 4 % apart say little: an interval from pairs of blocks would call it equal.
    assert "2 variants: 0 faster, 1 equal, 0 slower, 1 unclear" in done.stdout
