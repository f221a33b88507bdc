"""perf/portcost knee: tables, knees and Little's law, on made-up records whose numbers are worked out by hand."""

import json
import math
from pathlib import Path

import pytest
from made_up_records import COPY_RATE, Writer
from running import Main

from portcost_records import knee
from portcost_records.knee import Point

N = 2**20
TOP = 1e12
RATES = {64: {1: 0.05, 2: 0.1, 4: 0.2}, 256: {1: 0.2, 2: 0.4, 4: 0.9}, 512: {1: 0.38, 2: 0.86, 4: 1.0}}
"""Shares of TOP by threads and loads: 1 KiB 0.2, 2 KiB 0.4, 4 KiB 0.9, 8 KiB 1; so 95 % from 4 KiB times 2^0.5 on."""


def record(folder: Path, native: str = "cuda", kokkos_share: float = 1.0, name: str = "made_up") -> Path:
    made = Writer(samples=8, native=native)
    for threads, by_loads in RATES.items():
        for loads, share in by_loads.items():
            seconds = 4 * N / (share * TOP)
            sides = {f"in_flight/loads_{loads}/kokkos": seconds / kokkos_share, f"in_flight/loads_{loads}/{native}": seconds}
            made.result("pair", f"loads_{loads}", {"n": N, "threads": threads}, "i32", "cold", sides, 4 * N / COPY_RATE)
    made.result("solo", "plain", {"n": 2**22}, "f32", "cold", {"sum/plain/library": 4 * 2**22 / (0.4 * TOP)},
                4 * 2**22 / COPY_RATE)
    return made.write(folder / f"{name}.jsonl")


def line_of(lines: list[str], begin: str) -> str:
    return next(line for line in lines if line.startswith(begin))


def test_the_knee_is_interpolated_on_the_best_rates_at_their_first_crossing() -> None:
    points = [Point(1024, 256, 1, 20.0), Point(4096, 256, 4, 90.0), Point(4096, 512, 2, 86.0), Point(8192, 512, 4, 100.0)]
    found = knee.knee_of(points, 0.95)
    assert (found.top, found.reached_first) == (100, False)
    assert found.bytes == pytest.approx(4096 * math.sqrt(2))
    assert knee.knee_of(points, 0.9).bytes == 4096
    first = knee.knee_of(points, 0.2)
    assert (first.bytes, first.reached_first) == (1024, True)
    falls = {1: 10.0, 2: 99.0, 4: 90.0, 8: 100.0}
    assert knee.bytes_at(falls, 99.0) == (2.0, False) and knee.bytes_at(falls, 101.0) is None


def test_the_table_has_the_best_and_how_far_others_lie_apart_and_a_picture_where_it_is_asked_for(tmp_path: Path, cli: Main) -> None:
    lines = cli.printed(knee.main, record(tmp_path), "--out", tmp_path / "pictures")
    assert lines[1].split() == ["GB/s", "at", "kokkos", "worst", "/", "best", "cuda", "worst", "/", "best"]
    row = [float(word) for word in line_of(lines, "4 KiB").split()[2:]]
    assert row == pytest.approx([900, 0.86 / 0.9, 900, 0.86 / 0.9], rel=0.01)
    assert lines[-1] == f"picture: {tmp_path / 'pictures' / 'made_up_knee.png'}"
    assert (tmp_path / "pictures" / "made_up_knee.png").read_bytes().startswith(b"\x89PNG")


def test_both_models_have_a_knee(tmp_path: Path, cli: Main) -> None:
    lines = cli.printed(knee.main, record(tmp_path))
    native = line_of(lines, "cuda: 95 % of its top rate, ")
    assert float(native.split("from ")[1].split(" KiB")[0]) == pytest.approx(4 * math.sqrt(2), rel=0.05)
    assert native.endswith("in flight on")
    ratio = line_of(lines, "kokkos: 95 % of its top rate, ")
    assert ratio.endswith("times cuda's knee")
    assert float(ratio.split("on, ")[1].split()[0]) == pytest.approx(1, rel=0.05)
    slower = line_of(cli.printed(knee.main, record(tmp_path, kokkos_share=0.5)), "kokkos: 95 %")
    assert float(slower.split("rate, ")[1].split()[0]) == pytest.approx(500, rel=0.01)


def test_littles_law_stands_beside_the_knee(tmp_path: Path, cli: Main) -> None:
    limits = tmp_path / "limits.json"
    limits.write_text(json.dumps([{"name": "device latency", "value": 5e-7, "unit": "s"},
                                  {"name": "device in flight", "value": 4096, "unit": "B"}]))
    lines = cli.printed(knee.main, record(tmp_path), "--limits", limits)
    law = line_of(lines, "Little's law, read rate times latency: 4 KiB; knee over that: kokkos ")
    assert float(law.split("cuda ")[1]) == pytest.approx(math.sqrt(2), rel=0.05)
    # 100 multiprocessors: 256 bytes of each at 5 % of 10^12 bytes a second take 512 ns.
    first = line_of(lines, "cuda: 256 B in flight take ")
    assert float(first.split("take ")[1].split()[0]) == pytest.approx(512, rel=0.01)
    assert first.endswith("ns, a load that waits for the one before 500 ns")


def test_a_host_loads_lines_of_the_cache(tmp_path: Path, cli: Main) -> None:
    lines = cli.printed(knee.main, record(tmp_path, native="openmp"))
    knees = line_of(lines, "openmp: 95 %")
    assert float(knees.split("from ")[1].split(" KiB")[0]) == pytest.approx(64 * math.sqrt(2), rel=0.05)
    first = line_of(lines, "openmp: 4 KiB in flight take ")  # 64 threads, a line each, at 5 % of 10^12
    assert float(first.split("take ")[1].split()[0]) == pytest.approx(4096 / 0.05e12 * 1e9, rel=0.01)


def test_a_variant_reads_as_fast_as_so_many_bytes_in_flight(tmp_path: Path, cli: Main) -> None:
    path = record(tmp_path)
    for words in (["--of", "sum/plain/library"], ["--of", "sum/plain/library", "--beside", path]):
        line = line_of(cli.printed(knee.main, path, *words), "sum/plain/library (n=4194304, f32): ")
        assert float(line.split("): ")[1].split()[0]) == pytest.approx(400, rel=0.01)
        assert float(line.split("cuda ")[1].split(" KiB")[0]) == pytest.approx(2, rel=0.03)


@pytest.mark.parametrize(("words", "reason"), [
    (["--of", "sum/plain/cuda"], "no time of sum/plain/cuda"),
    (["--limits", "missing.json"], "missing.json: cannot be used"),
    (["--beside", "missing.jsonl", "--of", "sum/plain/library"], "missing.jsonl"),
])
def test_what_cannot_be_used_is_named(tmp_path: Path, cli: Main, words: list[str], reason: str) -> None:
    assert reason in cli.refused(knee.main, record(tmp_path), *words)


@pytest.mark.parametrize(("text", "reason"), [("{", "it is not what"), ('[{"name": "host read"}]', "it is not what"),
                                              ('[{"name": "host read", "value": 0}]', "'host read' is no positive number")])
def test_limits_that_are_none_are_refused(tmp_path: Path, cli: Main, text: str, reason: str) -> None:
    (tmp_path / "limits.json").write_text(text)
    assert reason in cli.refused(knee.main, record(tmp_path), "--limits", tmp_path / "limits.json")


def test_a_record_of_something_else_is_refused(tmp_path: Path, cli: Main) -> None:
    made = Writer(samples=8)
    made.result("solo", "plain", {"n": 8}, "f32", "cold", {"sum/plain/cuda": 1e-6}, 1e-7)
    assert "no times of steps such as loads_4" in cli.refused(knee.main, made.write(tmp_path / "sum.jsonl"))


@pytest.mark.parametrize("share", ["0", "1", "nan", "x"])
def test_a_share_lies_between_0_and_1(share: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        knee.main(["record", "--share", share])
    assert ended.value.code == 2
    assert "is not a number between 0 and 1" in capsys.readouterr().err
