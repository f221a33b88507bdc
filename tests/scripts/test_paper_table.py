"""Published tables of an algorithm's ladder: what perf/run --table1 measures, and what perf/portcost report --table1 shows."""

import json
from pathlib import Path

import pytest
from machine import Machine, starting
from made_up_records import Writer
from running import ROOT, check_golden, run_tool


# ---- perf/portcost report


def test_table1_is_the_golden_one(small: Path) -> None:
    done = run_tool("report", small, "--table1")
    check_golden("table1.md", done.stdout)
    assert small.with_name("table1.md").read_text(encoding="utf-8") == done.stdout
    assert not small.with_name("report.html").exists()


def test_table1_of_a_host_has_the_step_beyond_the_lecture_and_the_ways_that_kokkos_alone_has(tmp_path: Path) -> None:
    size = {"nx": 14400, "ny": 14400, "steps": 100}
    writer = Writer(native="openmp", processor="Made-up CPU")
    writer.ladder("heat2d", {"naive": (0.5, 1.1), "register_march": (0.9, 1.0)}, size, "f32", "cold", 1e11)
    for step, seconds in (("full_halo", 30.0), ("sliding_strip", 20.0)):
        writer.result("solo", step, size, "f32", "cold", {f"heat2d/{step}/kokkos": seconds}, 0.1)
    text = run_tool("report", writer.write(tmp_path / "cpu.jsonl"), "--table1").stdout
    assert "OpenMP, s" in text and "CUDA" not in text and "register_march (not in the lecture)" in text
    rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[4:-1]]
            for line in text.splitlines() if line.startswith("| Way")}
    assert rows["Way 2: full_halo"][:3] == ["–", "–", "30.0"] and rows["Way 2: full_halo"][4] == "–"
    assert rows["Way 4: sliding_strip"][2] == "20.0"
    assert "Not in this record: full_halo" not in text and "full_halo was measured with Kokkos alone" in text
    assert "Not in this record: inner_halo" in text


def test_a_record_without_the_table_names_how_to_measure_it(tmp_path: Path) -> None:
    writer = Writer()
    writer.ladder("heat2d", {"naive": (0.5, 1.2)}, {"nx": 32, "ny": 32, "steps": 1}, "f32", "hot", 4096.0)
    done = run_tool("report", writer.write(tmp_path / "run.jsonl"), "--table1", status=2)
    assert "no way of heat2d with nx=14400,ny=14400,steps=100, f32; run: portcost bench 'heat2d/*/*'" in done.stderr


@pytest.mark.parametrize("path", sorted(ROOT.glob("variants/*/paper_table.json")), ids=lambda path: path.parent.name)
def test_the_steps_of_a_table_are_the_algorithms(path: Path) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    source = "".join(file.read_text(encoding="utf-8") for file in path.parent.glob("*.c*"))
    for step in [*(row["step"] for row in table["rows"]), *table["beyond"]]:
        assert f'"{step}"' in source


# ---- perf/run


def test_table1(ready: Machine) -> None:
    check, bench, *reports = starting(ready.calls_of("perf/run", "--table1"), "portcost", "report")
    assert check == "portcost check heat2d"
    assert "bench heat2d --size nx=14400,ny=14400,steps=100 --type f32 --regime hot --sync phase" in bench
    assert reports[0].startswith("report --table1 ")


@pytest.mark.parametrize("words", [["--filter", "sum/*"], ["--filter", "sum"], ["--filter", "heat2d/naive/*"], ["--full"]])
def test_table1_goes_with_no_other_measurements(bare: Machine, words: list[str]) -> None:
    assert "--table1 names what it measures" in bare.refusal("perf/run", "--table1", *words)


@pytest.mark.parametrize(("arguments", "one_table"), [
    ('["heat2d","--size","nx=14400,ny=14400,steps=100","--type","f32","--regime","hot","--sync","phase"]', True),
    ('["heat2d","--size","nx=14401,ny=14400,steps=100","--type","f32","--regime","hot","--sync","phase"]', False),
    ('["heat2d","--size","nx=14400,ny=14400,steps=100","--type","f32","--regime","hot","--sync","end"]', False),
    ('["sum","--size","nx=14400,ny=14400,steps=100","--type","f32","--regime","hot","--sync","phase"]', False),
])
def test_resume_knows_whose_table_was_begun(ready: Machine, arguments: str, one_table: bool) -> None:
    folder = ready.leave_stopped('{"kind":"header","arguments":' + arguments + "}")
    assert ("report --table1 " in "\n".join(ready.calls_of("perf/run", "--resume", folder))) == one_table
