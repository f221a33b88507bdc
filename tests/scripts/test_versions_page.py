"""perf/portcost versions and the summary of perf/portcost compare, on made-up records of several versions of Kokkos."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from made_up_records import Writer, add_counters, disagree, variant_of, ways_writer
from running import Main, run_tool

from portcost_records.versions import LESS, MORE, own_names, panels, read_versions
from portcost_records.versions_page import main

BOOK, USUAL = variant_of("tile.book"), variant_of("plain.usual")


def of_version(version: str, **options: Any) -> Writer:
    writer = ways_writer(**options)
    writer.lines[0]["build"]["kokkos"] = version
    return writer


def begin(name: str, left_out: str = "", **kernels: tuple[int, int]) -> str:
    """The row of a version, and those of its kernels."""
    rows = [{"kind": "version", "name": name, "where": f"/opt/{name}", "left_out": left_out},
            *({"kind": "kernel", "name": symbol, "registers": found[0], "spills": found[1]} for symbol, found in kernels.items())]
    return "".join(json.dumps(row) + "\n" for row in rows)


def three(folder: Path) -> Path:
    """By the book less, and the usual form more, from 4.6 to 5.0; 5.1 is not there; by 5.2 the usual form is as it was."""
    slow = {BOOK: 0.7, USUAL: 1.3}
    path = folder / "record.jsonl"
    path.write_text(begin("4.6") + of_version("4.6.1").text() + begin("5.0") + of_version("5.0.0", seed=2, slow=slow).text()
                    + begin("5.1", 'does not build: error: no "x"') + begin("5.2") + of_version("5.2.2", seed=3, slow={BOOK: 0.7}).text())
    return path


def test_a_way_is_a_line_over_versions_and_what_changed_is_marked(tmp_path: Path) -> None:
    main_size, small = panels(read_versions([three(tmp_path)]))
    assert (main_size.title, small.title) == ("n=268435456, f32", "n=1024, f32, a small size")
    marks = {(course.way, course.step): course.marks for course in main_size.courses}
    assert marks == {("usual", "plain"): ("", MORE, "", LESS), ("usual, dials turned", ""): ("",) * 4,
                     ("by the book", ""): ("", LESS, "", ""), ("tuned", ""): ("",) * 4, ("library in Kokkos", "range"): ("",) * 4}
    book = next(course for course in main_size.courses if course.way == "by the book")
    assert [line and round(line.against_best.value, 2) for line in book.lines] == [1.29, 0.9, None, 0.9]
    assert [ratio and round(ratio, 2) for ratio in main_size.native()] == [1.0, 1.0, None, 1.0]


def test_the_page_shows_versions_courses_changes_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Main(capsys).printed(main, three(tmp_path), "--out", tmp_path / "pages")
    assert said[0].startswith("Kokkos 4.6 -> 5.0: of 18 rows in Kokkos 2 cost less (most: heat/tile.book, n=268435456, f32, cold, 0.699")
    assert "2 cost more (most: heat/plain.usual, n=268435456, f32, cold, 1.30" in said[0]
    assert "Native code, the control, takes 1.000 times as long in the median of 4 variants" in said[0]
    text = (tmp_path / "pages/versions.md").read_text()
    assert re.search(r"\| 5\.1 \| – \| /opt/5\.1 \|.*LEFT OUT: it does not build: error: no \"x\" \|", text)
    assert re.search(r"\| by the book \| 1\.288 .*\| ▼ 0\.901 .*\| – \| 0\.90", text)
    assert "## From 5.0 to 5.2" in text and "## From 5.0 to 5.1" not in text
    changed = text.split("## From 4.6 to 5.0")[1].split("## ")[0]
    assert {line.split(" | ")[0] for line in changed.splitlines() if line.startswith("| heat")} == {"| heat/plain.usual", "| heat/tile.book"}
    page = (tmp_path / "pages/versions.html").read_text()
    assert page.count("<svg") == 2 and "5.1" in page and "ÿ" not in page
    assert (tmp_path / "pages/versions.png").read_bytes().startswith(b"\x89PNG")


def test_counters_tell_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = []
    for seed, (version, slow, registers) in enumerate((("4.6.1", {}, 40.0), ("5.0.0", {BOOK: 1.4}, 64.0)), start=1):
        writer = of_version(version, seed=seed, slow=slow)
        add_counters(writer, BOOK, 1e-3, 10.0)
        writer.lines[-1]["values"] |= {"registers": registers, "occupancy": 90.0 / seed}
        records.append(writer.write(tmp_path / f"{version}.jsonl"))
    Main(capsys).printed(main, *records)
    row = next(line for line in (tmp_path / "versions.md").read_text().splitlines() if line.startswith("| heat/tile.book | n=268435456"))
    assert row.split(" | ")[-4:] == ["40 -&gt; 64", "–", "–", "90.0 % -&gt; 45.0 % |"]


def test_other_answers_and_failures_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = of_version("5.0.0", seed=2)
    disagree(wrong.find("pair", "tile.book"))
    records = [of_version("4.6.1").write(tmp_path / "a.jsonl"), wrong.write(tmp_path / "b.jsonl")]
    said = Main(capsys).printed(main, *records)
    assert "With 5.0.0 the answers of 1 row differ, and 0 variants failed." in said[0]
    assert "ANSWERS DIFFER in 1 row: heat/tile.book" in (tmp_path / "versions.md").read_text()


def test_compare_ends_with_the_paragraph_where_versions_differ(tmp_path: Path) -> None:
    records = [of_version(version, seed=seed, slow=slow).write(tmp_path / f"{version}.jsonl")
               for seed, (version, slow) in enumerate((("4.6.1", {}), ("5.0.0", {BOOK: 0.7})), start=1)]
    said = run_tool("compare", *records, status=0).stdout
    paragraph = said.rsplit("\n\n", 1)[1].replace("\n", " ")
    assert paragraph.startswith("Kokkos 4.6.1 -> 5.0.0: of 18 rows in Kokkos 2 cost less (most: heat/tile.book,")
    assert "-> 4.6.1" not in run_tool("compare", records[0], records[0]).stdout


@pytest.mark.parametrize("second, told", [
    (lambda: of_version("4.6.1", seed=2), "two versions are called 4.6.1"),
    (lambda: of_version("5.0.0", processor="Other GPU"), "measured on Other GPU, but "),
])
def test_what_cannot_be_compared_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], second: Any, told: str) -> None:
    records = [of_version("4.6.1").write(tmp_path / "a.jsonl"), second().write(tmp_path / "b.jsonl")]
    assert told in Main(capsys).refused(main, *records)
    assert "one version alone, 4.6.1" in Main(capsys).refused(main, records[0])


def test_where_nothing_was_measured_there_is_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text(begin("4.6", "does not build") + begin("5.0", "is not configured"))
    assert "no version was measured: 4.6 does not build; 5.0 is not configured" in Main(capsys).refused(main, path)


def test_other_readers_say_what_the_record_is(tmp_path: Path) -> None:
    assert "perf/portcost versions shows them" in run_tool("report", three(tmp_path), status=2).stderr


LAUNCH = "_ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryINS0_"
SYMBOLS = {
    LAUNCH + "11ParallelForIZN8portcost4heat4book4tileILi256EfLi16EEEvRKNS_4CudaEiNS_4ViewIPKT0_JS7_EEEUlRKiE_NS_10TeamPolicyIJS7_EEES7_EEEvT_":
        ("heat", "book", "tile", "f32"),
    LAUNCH + "11ParallelForIN8portcost4heat43_GLOBAL__N__b93b544a_10_ladder_cpp_7ecd10b34TileIdEENS_10TeamPolicyIJNS_4CudaEEEES9_EEEvT_":
        ("heat", "ladder", "Tile", "f64"),
    LAUNCH + "14ParallelReduceIZN39_INTERNAL_68157aff_9_usual_cpp_8c5849338portcost4heat41_GLOBAL__N__68157aff_9_usual_cpp_8c5849335plainINS_11RangePolicyIJNS_4CudaEEEELi4EfEEvv": ("heat", "usual", "plain"),
    "_ZN6Kokkos4Impl4initEv": ()}


def test_a_kernel_is_known_by_our_names_in_its_symbol() -> None:
    assert {symbol: own_names(symbol) for symbol in SYMBOLS} == SYMBOLS


def test_the_compilers_registers_stand_in_the_row_of_their_step_and_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, tuned, usual, _ = SYMBOLS
    path = tmp_path / "record.jsonl"
    path.write_text(begin("4.6", **{book: (40, 0), tuned: (99, 0), usual: (30, 0)}) + of_version("4.6.1").text()
                    + begin("5.0", **{book: (64, 24), tuned: (99, 0), usual: (28, 0)}) + of_version("5.0.0", seed=2, slow={BOOK: 1.4}).text())
    Main(capsys).printed(main, path)
    text = (tmp_path / "versions.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith("| heat/tile.book | n=268435456"))
    assert row.split(" | ")[-4:] == ["40 -&gt; 64", "0 -&gt; 24", "–", "– |"]
    assert "| heat::book::tile::f32 | 1 | 40 -&gt; 64 | 0 -&gt; 24 |" in text and "| heat::usual::plain | 1 | 30 -&gt; 28 | 0 -&gt; 0 |" in text
    assert "heat::ladder::Tile" not in text
