"""Records whose results and samples contradict each other; and records of several processes."""

import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_records import Json, Writer, small_writer, tree_writer
from running import refusal, run_tool

from portcost_records.reading import read_record

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
    "the ratio": (scaled("ratio"), "ratio is said to be"),
    "the lower end": (scaled("ratio_low"), "ratio_low is said to be"),
    "an end of the noise floor": (scaled("noise_low"), "noise_low is said to be"),
    "the verdict": (lambda result, samples: result.update(verdict="equal"), 'verdict is said to be "equal", and the samples give "'),
    "a median": (scaled("sides", 0, "device_s", "median"), "sides[0].device_s.median is said to be"),
    "a fraction": (scaled("sides", 1, "limit_fraction"), "sides[1].limit_fraction is said to be"),
    "the limit": (scaled("limit", "value"), "limit.value is said to be"),
    "a sample": (in_sample("device_s", "shorter"), "device_s"),
    "a sample's wall time": (in_sample("wall_s", "shorter"), "wall_s"),
    "one sample dropped": (in_sample("kept", False), "block 1 is not one sample of each side"),
    "a block renamed": (in_sample("block", 99), "is not one sample of each side"),
    "a block fewer": (lambda result, samples: result.update(blocks=4), "blocks is said to be 4, and the samples give 16"),
    "no ratio": (lambda result, samples: [result.pop(name) for name in ("ratio", "ratio_low", "ratio_high")], "ratio is missing"),
    "no times": (lambda result, samples: result["sides"][0].pop("wall_s") and None, "wall_s is missing"),
    "answers": (lambda result, samples: result.update(agrees=False), "its answers differ, and yet it has samples"),
    "a ratio too many": (lambda result, samples: result.update(ratio_middle=1.0), "ratio_middle is said to be 1.0"),
}


@pytest.mark.parametrize("name", DOCTORED)
def test_a_doctored_record_is_refused_with_its_row(name: str, tmp_path: Path) -> None:
    change, message = DOCTORED[name]
    lines = [json.loads(line) for line in small_writer().text().splitlines()]
    result = next(line for line in lines if line.get("id") == 0)
    change(result, [line for line in lines if line["kind"] == "sample" and line["result"] == result["id"]])
    said = refusal(tmp_path, lines)
    assert said.startswith(": result 0 (pair heat2d/naive nx=256,ny=256,steps=1 f32 cold): ") and message in said


def test_conclusions_of_an_earlier_version_are_made_of_the_samples_anew(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in small_writer().text().splitlines()]
    path = tmp_path / "format.jsonl"
    right = read_record(small_writer().write(tmp_path / "right.jsonl")).results[0].ratio
    next(line for line in lines if line.get("id") == 0)["ratio"] *= 2
    lines[0]["format"] = 2
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_record(path).results[0].ratio == right


@pytest.mark.parametrize("name, value", [("variant", "heat2d/naive/openmp"), ("side", 1)])
def test_a_sample_of_another_side_is_refused_with_its_line(name: str, value: object, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in small_writer().text().splitlines()]
    number = next(at for at, line in enumerate(lines) if line["kind"] == "sample" and line["result"] == 0)
    lines[number][name] = value
    assert f": line {number + 1} is a sample of " in refusal(tmp_path, lines)


@pytest.mark.parametrize("value", [None, 0.003])
def test_what_intervals_hold_for_other_runs_is_as_in_this_version(value: float | None, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in tree_writer().text().splitlines()]
    lines[0]["run_to_run"] = value or 0.0
    assert "run_to_run is 0.0" in refusal(tmp_path, lines)


# ---- Records of several processes.

SHIFTS = (0.0, 0.01, 0.03, -0.01, 0.02)
"""What each process adds to a log ratio."""
SIZE = {"n": 2**20}
LIMIT = [1.99e12, 2.0e12, 2.02e12]
STUDENT_T_2 = 4.302652729911275
"""95 %."""


class CombinedWriter(Writer):
    """A record of several processes, with one allocation each, or several."""

    def __init__(self, processes: int = 3, allocations: int = 1, **options: Any) -> None:
        self.processes, self.allocations = processes, allocations
        super().__init__(**options)
        self.lines[0]["processes"] = [{"seed": 7 + i, "date": f"2026-01-0{2 + i}T03:04:05Z"} for i in range(processes)]
        mean = statistics.fmean(map(math.log, LIMIT))
        half = STUDENT_T_2 * statistics.stdev(map(math.log, LIMIT)) / math.sqrt(3)
        self.lines[1] |= {"value": math.exp(mean), "low": math.exp(mean - half), "high": math.exp(mean + half), "processes": LIMIT}

    def result(self, *arguments: Any) -> Json:
        made = super().result(*arguments)
        made |= {"processes": self.processes, "allocations": self.allocations}
        return made

    def add_samples(self, result: Json, variants: dict[str, float]) -> None:
        for process in range(self.processes):
            for allocation in range(self.allocations):
                begin = len(self.lines)
                super().add_samples(result, variants)
                for line in self.lines[begin:]:
                    line |= {"process": process, "allocation": allocation}
                    if line["variant"] == result["sides"][0]["variant"]:
                        line["device_s"] *= math.exp(SHIFTS[process])


def combined(**options: Any) -> CombinedWriter:
    writer = CombinedWriter(**options)
    sides = {"sum/tree/kokkos": 1.2e-3, "sum/tree/cuda": 1e-3}
    writer.result("pair", "tree", SIZE, "f32", "cold", sides, 1e-4)
    return writer


@pytest.mark.parametrize("options", [{"processes": 3}, {"processes": 5}, {"processes": 3, "allocations": 8}])
def test_a_combined_row_follows_from_all_processes(tmp_path: Path, options: Json) -> None:
    record = read_record(combined(**options).write(tmp_path / "r.jsonl"))
    result, count = record.results[-1], options["processes"]
    assert (result.unit, result.units, result.processes) == ("process", count, count)
    assert result.ratio and result.ratio.value == pytest.approx(1.2 * math.exp(statistics.fmean(SHIFTS[:count])), rel=5e-3)
    assert [one.seed for one in record.header.processes] == [7 + i for i in range(count)]


def test_of_two_processes_there_is_no_interval(tmp_path: Path) -> None:
    path = combined(processes=2).write(tmp_path / "r.jsonl")
    assert read_record(path).results[-1].ratio is None
    run_tool("report", path)
    assert "2 of 3 processes: --repeat 3 would do" in (tmp_path / "report.md").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    next(line for line in lines if line.get("role") == "pair").update({"ratio_low": 1.1, "ratio_high": 1.3})
    assert "ratio_low is said to be 1.1, and the samples give none" in refusal(tmp_path, lines)


DOCTORED_PROCESSES: dict[str, tuple[Callable[[list[Json]], object], str]] = {
    "the ratio": (lambda lines: lines[2].update(ratio=lines[2]["ratio"] * 1.001), "ratio is said to be"),
    "the unit": (lambda lines: lines[2].update(unit="block"), 'unit is said to be "block", and the samples give "process"'),
    "the units": (lambda lines: lines[2].update(units=48), "units is said to be 48, and the samples give 3"),
    "a sample's process": (lambda lines: lines[3].update(process=1), "is not one sample of each side"),
    "a process that is none": (lambda lines: lines[3].update(process=3), "a sample does not fit its result"),
    "a process of a header": (lambda lines: lines[0]["processes"].pop(), "it is of 3 processes, and the header names 2"),
    "the limit": (lambda lines: lines[1].update(value=lines[1]["value"] * 1.001), "the limit device copy: value is said to be"),
    "the limit's interval": (lambda lines: lines[1].update(low=lines[1]["low"] * 0.999), "the limit device copy: low is said"),
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
    lines = [json.loads(line) for line in combined().text().splitlines()]
    for line in [line for line in lines if line["kind"] == "sample"]:
        line |= {"block": line["block"] + 16 * line["process"], "process": 0}
    assert "is said to be" in refusal(tmp_path, lines)


def test_a_combined_record_is_compared_by_its_processes(tmp_path: Path) -> None:
    old, new = (combined(seed=seed).write(tmp_path / f"{seed}.jsonl") for seed in (1, 2))
    done = run_tool("compare", old, new, "--fail-above", "1.5")
    assert done.returncode == 0, done.stdout
    assert "1 of 1 row (100 %)" in done.stdout
    # Three processes up to 4 % apart say little: an interval from pairs of blocks would call it equal.
    assert "2 variants: 0 faster, 1 equal, 0 slower, 1 unclear" in done.stdout
