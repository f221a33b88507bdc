"""Records whose results and samples contradict each other."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from made_up_records import Json, Writer, small_writer, verdict

from portcost_records.reading import read_record
from portcost_records.records import RecordError

Change = Callable[[Json, list[Json]], None]


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


def wrong_answers(result: Json, samples: list[Json]) -> None:
    result["agrees"] = False


def without_ratio(result: Json, samples: list[Json]) -> None:
    for name in ("ratio", "ratio_low", "ratio_high"):
        result.pop(name)


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
    "no ratio": (without_ratio, "no ratio of device times"),
    "no times": (lambda result, samples: result["sides"][0].pop("wall_s") and None, "no wall times"),
    "answers": (wrong_answers, "its answers differ, and yet it has samples"),
}


def first_pair(lines: list[Json]) -> tuple[Json, list[Json]]:
    result = next(line for line in lines if line["kind"] == "result")
    return result, [line for line in lines
                    if line["kind"] == "sample" and line["result"] == result["id"]]


@pytest.mark.parametrize("name", DOCTORED)
def test_a_doctored_record_is_refused_with_its_row(name: str, tmp_path: Path) -> None:
    change, message = DOCTORED[name]
    lines = [json.loads(line) for line in small_writer().text().splitlines()]
    change(*first_pair(lines))
    path = tmp_path / "doctored.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(RecordError) as error:
        read_record(path)
    text = str(error.value)
    assert text.startswith(f"{path}: result 0 (pair heat2d/naive nx=256,ny=256,steps=1 f32 cold): ")
    assert message in text and "\n" not in text


def null_writer(sides: bool) -> Writer:
    """A null, whose two sides have one name, with or without the side in each sample."""
    writer = Writer()
    result = writer.result("solo", "tree", {"n": 64}, "f32", "cold", {"sum/tree/cuda": 1e-5}, 1e-6)
    result["role"] = "null"
    result["sides"].append(dict(result["sides"][0]))
    for line in [line for line in writer.lines if line["kind"] == "sample"]:
        writer.lines.append(line | {"device_s": line["device_s"] * 1.01, "position": 1})
    for side in range(2):
        for line in writer.lines[2 + 16 * side:18 + 16 * side] if sides else []:
            line["side"] = side
    writer.settle(result)
    result |= {"noise_low": result["ratio_low"], "noise_high": result["ratio_high"]}
    result.pop("verdict")
    return writer


def test_the_sides_of_a_null_are_told_apart_by_number(tmp_path: Path) -> None:
    writer = null_writer(sides=True)
    assert read_record(writer.write(tmp_path / "null.jsonl")).results[0].role == "null"
    writer.find("null", "tree")["ratio"] *= 1.001
    with pytest.raises(RecordError, match="the ratio of device times .value. is said to be"):
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
    writer = null_writer(sides=True)
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


def test_of_a_null_without_them_the_blocks_are_counted(tmp_path: Path) -> None:
    writer = null_writer(sides=False)
    assert read_record(writer.write(tmp_path / "null.jsonl")).results[0].blocks == 16
    writer.find("null", "tree")["blocks"] = 17
    with pytest.raises(RecordError, match="its samples make 16 and 0"):
        read_record(writer.write(tmp_path / "null.jsonl"))
