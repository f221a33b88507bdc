"""Published tables of an algorithm's ladder: what perf/run --table1 measures, and what perf/portcost report --table1 shows."""

import json
from pathlib import Path

import pytest
from machine import Machine, starting
from made_up_records import Writer
from running import ROOT, check_golden, run_tool

from portcost_records.reading import read_record
from portcost_records.records import RecordError
from portcost_records.table1 import table1
from portcost_records.words import interval_text

WAVES = {"title": "Waves", "source": "a made-up book", "called": "book", "machine": "an abacus",
         "problem": "32 waves", "size": "n=32", "type": "f64", "regime": "cold", "sync": "end",
         "sync_note": "The book waits at the end", "clock": "device", "row": "Rung",
         "rows": [{"step": "calm", "seconds": "9.00", "speed_up": "1"},
                  {"step": "storm", "seconds": "4.50", "speed_up": "2.00"}],
         "beyond": [], "note": "The book is made up."}


def add_table(variants: Path, name: str) -> None:
    (variants / name).mkdir(parents=True)
    (variants / name / "paper_table.json").write_text(json.dumps(WAVES, indent=2))


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


def test_a_table_of_another_algorithm_is_shown_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                                 ) -> None:
    add_table(tmp_path / "variants", "waves")
    add_table(tmp_path / "variants", "tides")
    monkeypatch.setattr("portcost_records.table1.VARIANTS", tmp_path / "variants")
    writer = Writer()
    writer.ladder("waves", {"storm": (0.5, 1.5)}, {"n": 32}, "f64", "cold", 1e7)
    for algorithm, n, type_ in (("waves", 64, "f64"), ("waves", 32, "f32"), ("sum", 32, "f64")):
        writer.ladder(algorithm, {"calm": (0.9, 9.0)}, {"n": n}, type_, "cold", 1e7)
    record = read_record(writer.write(tmp_path / "run.jsonl"))
    pair = next(result for result in record.results if result.id == 0)
    ratio = interval_text(pair.ratio)
    assert ratio != interval_text(pair.wall_ratio)
    text = table1(record)
    assert text.startswith("# Waves\n\n32 waves; device time. Book: an abacus. This machine: Made-up GPU.\n")
    assert "| rung | book, s |" in text and "| Kokkos / CUDA, device (95 %) |" in text
    assert "| Rung 1: calm | 9.00 | 1 | – |" in text and "| Rung 2: storm | 4.50 | 2.00 | 0.0000150 |" in text
    assert f"| {ratio} |" in text
    assert "The book is made up." in text and "sync" not in text.split("Not in this record")[0]
    assert "`portcost bench 'waves/calm/*' --size n=32 --type f64 --sync end`" in text
    assert "tides" not in text


def test_a_record_of_no_table_names_how_to_measure_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portcost_records.table1.VARIANTS", tmp_path / "variants")
    writer = Writer()
    writer.ladder("sum", {"strided": (0.5, 1.2)}, {"n": 32}, "f64", "cold", 4096.0)
    record = read_record(writer.write(tmp_path / "run.jsonl"))
    with pytest.raises(RecordError, match="no algorithm has a published table"):
        table1(record)
    add_table(tmp_path / "variants", "waves")
    add_table(tmp_path / "variants", "tides")
    with pytest.raises(RecordError, match=r"no rung of tides with n=32, f64; run: .*; no rung of waves"):
        table1(record)
    writer.ladder("waves", {"storm": (0.5, 1.5)}, {"n": 64}, "f64", "cold", 1e7)
    with pytest.raises(RecordError, match=r"run.jsonl: no rung of waves with n=32, f64; run: \S+ \S+ 'waves/\*/\*'"):
        table1(read_record(writer.write(tmp_path / "run.jsonl")))


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


def test_table1_of_several_needs_a_name(ready: Machine) -> None:
    add_table(ready.repo / "variants", "waves")
    assert "name one with --filter: heat2d waves" in ready.refusal("perf/run", "--table1")
    check, bench, *_ = starting(ready.calls_of("perf/run", "--table1", "--filter", "waves"), "portcost")
    assert check == "portcost check waves"
    assert "bench waves --size n=32 --type f64 --regime cold --sync end --out" in bench


def test_table1_of_none_is_refused(bare: Machine) -> None:
    for file in bare.repo.glob("variants/*/paper_table.json"):
        file.unlink()
    assert "no algorithm has a published table" in bare.run("perf/run", "--table1", status=2).stderr


@pytest.mark.parametrize(("arguments", "one_table"), [
    ('["waves","--size","n=32","--type","f64","--regime","cold","--sync","end"]', True),
    ('["waves","--size","n=33","--type","f64","--regime","cold","--sync","end"]', False),
    ('["waves","--size","n=32","--type","f64","--regime","cold","--sync","phase"]', False),
    ('["heat2d","--size","n=32","--type","f64","--regime","cold","--sync","end"]', False),
])
def test_resume_knows_whose_table_was_begun(ready: Machine, arguments: str, one_table: bool) -> None:
    add_table(ready.repo / "variants", "waves")
    folder = ready.repo / "out/20260102-030405"
    folder.mkdir(parents=True)
    (folder / "record.jsonl.part").write_text('{"kind":"header","arguments":' + arguments + "}\n")
    assert ("report --table1 " in "\n".join(ready.calls_of("perf/run", "--resume", str(folder)))) == one_table
