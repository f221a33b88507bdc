"""perf/portcost report: text from a record in Markdown, clocks of a host, what is missing, several machines, and times and ratios that
disagree."""

import json
import re
from pathlib import Path

import pytest
from made_up_records import Writer, small_writer, tree_writer, ways_writer
from running import report_of, run_tool

from portcost_records.look import canvas, spaced_ticks, svg_text
from portcost_records.figures import ladder, picture
from portcost_records.headline import shared_rows_table
from portcost_records.tables import escaped
from portcost_records.reading import read_record
from portcost_records.records import Interval
from portcost_records.ways import Boards
from portcost_records.words import THESE_TIMES, differing


def host_writer() -> Writer:
    writer = Writer(native="openmp", processor="Made-up CPU")
    writer.ladder("sum", {"tree": (0.5, 1.2), "flat": (0.4, 1.1)}, {"n": 2**20}, "f32", "cold", 4e9)
    writer.result("solo", "gpu_step", {"n": 2**20}, "f32", "cold", {"sum/gpu_step/kokkos": 0.4}, 2e-3)
    writer.one_clock()
    return writer


@pytest.mark.parametrize("text, safe", [
    ("full_halo", "full_halo"), ("_x_", r"\_x\_"), ("a|b", r"a\|b"), ("<script>", "&lt;script&gt;"),
    ("[x](http://evil)", r"\[x\](http://evil)"), ("![x](y)", r"!\[x\](y)"), ("**bold** `code`", r"\*\*bold\*\* \`code\`"),
    ("# heading", r"\# heading"), ("- item", r"\- item"), ("1. item", r"1\. item"), ("1.024 (1.0 to 1.1)", "1.024 (1.0 to 1.1)"),
    ("two\nlines", "two lines"), ("back\\slash", r"back\\slash"), ("&lt;", "&amp;lt;"), ("~~gone~~", r"\~\~gone\~\~")])
def test_markdown_shows_text_as_it_is(text: str, safe: str) -> None:
    assert escaped(text) == safe


def test_no_text_of_a_record_becomes_markup_in_markdown(tmp_path: Path) -> None:
    evil = "<img src=x> [a](b) | **c**"
    writer = tree_writer(processor=evil)
    writer.lines[0]["command"] = evil
    for line in [line for line in writer.lines if line["kind"] == "result"]:
        line |= {"agreement": evil, "launch_gaps": evil, "parameters_text": f"file={evil}"}
    text = re.sub(r"`[^`]+`", "", report_of(writer.write(tmp_path / "odd.jsonl"))[0])
    assert "&lt;img src=x&gt; \\[a\\](b) \\| \\*\\*c\\*\\*" in text
    assert "<img" not in text and not re.search(r"(?<!\\)\[a", text) and "**c**" not in text


def test_names_of_pictures_lead_nowhere_and_close_nothing() -> None:
    drawn = picture('heat-sweep-f64/../../x" y<z>', 'a "b" <c>', lambda width: canvas(width, 60))
    assert drawn.name == "heat-sweep-f64-..-..-x-y-z-"
    assert 'aria-label="a &quot;b&quot; &lt;c&gt;"' in svg_text(drawn.wide, drawn.name, drawn.alt, "wide")


def test_a_host_shows_one_clock(tmp_path: Path) -> None:
    for page in report_of(host_writer().write(tmp_path / "host.jsonl")):
        tables = page.split("How it was measured")[0]
        assert "wall" not in tables and "device time" not in tables and "Kokkos time" in tables and "OpenMP time" in tables


def test_a_hosts_ladder_leaves_out_steps_that_would_squash_it(tmp_path: Path) -> None:
    picture = ladder(read_record(host_writer().write(tmp_path / "host.jsonl")), "sum")
    assert picture and "gpu_step" not in picture.alt and "tree" in picture.alt
    assert picture.note.startswith("Left out, for they would squash the others: gpu_step (over 5 times the fastest")
    gpu = tree_writer()
    gpu.result("solo", "slow", {"n": 64}, "f32", "cold", {"sum/slow/kokkos": 0.4}, 2e-3)
    picture = ladder(read_record(gpu.write(tmp_path / "gpu.jsonl")), "sum")
    assert picture and "slow" in picture.alt and not picture.note


def boards_of(folder: Path, *writers: Writer) -> list[Boards]:
    return [Boards(read_record(writer.write(folder / f"r{i}.jsonl"))) for i, writer in enumerate(writers)]


def test_only_rows_of_several_machines_are_compared(tmp_path: Path) -> None:
    other = Writer(native="openmp", processor="Made-up CPU")
    other.ladder("heat", {"plain": (0.5, 1.2)}, {"n": 77}, "f32", "cold", 4e9)
    table = shared_rows_table(boards_of(tmp_path, ways_writer(), other, ways_writer(processor="Other GPU")))
    assert table
    rows = {tuple(row[:3]): row[3:] for row in table.rows}
    tuned = rows["heat", "tuned", "main size, f32"]
    assert "–" not in tuned and rows["heat", "tile", "n=1024, f32"][1] == "–"
    assert not any("n=77" in key[-1] for key in rows)
    assert shared_rows_table(boards_of(tmp_path, ways_writer())) is None
    table = shared_rows_table(boards_of(tmp_path, ways_writer(), ways_writer(seed=4)))
    assert table and list(table.headings[3:]) == ["Made-up GPU (r0)", "Made-up GPU (r1)"]


@pytest.mark.parametrize("low, high, pixels", [(0.94, 1.16, 600), (0.94, 1.16, 300), (0.9, 2.2, 400), (0.4, 12, 500), (0.9, 10, 118)])
def test_ticks_are_more_than_two_and_apart(low: float, high: float, pixels: float) -> None:
    ticks = spaced_ticks(low, high, pixels)
    assert 1 in ticks and len(ticks) >= (4 if pixels > 200 else 2)
    assert all(low <= tick <= high for tick in ticks) and ticks == sorted(ticks)


def test_a_build_that_falsifies_times_is_named(small: Path):
    lines = small.read_text().splitlines()
    header = json.loads(lines[0])
    header["build"]["falsifying"] = "Kokkos was built with DEBUG_BOUNDS_CHECK"
    small.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")
    for page in report_of(small):
        assert "TIMES ARE WORTHLESS: Kokkos was built with DEBUG_BOUNDS_CHECK" in page


# ---- Times and ratios that disagree, and best against best of other forms.


@pytest.mark.parametrize("value, ends, a, b, said", [
    (1.162, (1.1, 1.22), 677e-6, 700e-6, "; these times: 0.967"),
    (1.792, (1.7, 1.9), 11.1e-6, 7.13e-6, "; these times: 1.557"),
    (1.162, (1.1, 1.3), 1.3, 1.0, ""),
    (2.0, (1.999, 2.001), 2.0004, 1.0, ""),
    (2.0, (1.999, 2.001), 2.003, 1.0, "; these times: 2.003"),
    (2.0, None, 2.03, 1.0, ""),
    (2.0, None, 2.05, 1.0, "; these times: 2.050"),
    (2.0, (1.9, 2.1), None, 1.0, "")])
def test_times_that_are_not_the_ratio_are_told(value: float, ends: tuple[float, float] | None, a: float | None, b: float,
                                               said: str) -> None:
    assert differing(value, Interval(value, *ends) if ends else None, a, b) == said


def two_levels() -> Writer:
    """Kokkos takes 1 ms; of each pair of native blocks one takes 1 ms and one 2 ms. By hand: the ratio is 1/sqrt(2), the native
    median 1.5 ms, and the quotient of both medians 0.667."""
    writer = Writer()
    for role, step in (("pair", "tree"), ("best", "best")):
        result = writer.result(role, step, {"n": 64}, "f32", "cold", {"sum/tree/kokkos": 1e-3, "sum/tree/cuda": 1e-3}, 1e-4)
        for line in [line for line in writer.lines if line.get("result") == result["id"]]:
            line["device_s"] = 2e-3 if line["variant"].endswith("cuda") and line["block"] % 2 else 1e-3
            line["wall_s"] = 2 * line["device_s"]
    return writer


def test_every_table_says_so_and_why(tmp_path: Path) -> None:
    done = run_tool("report", two_levels().write(tmp_path / "r.jsonl"))
    text, page = ((tmp_path / name).read_text(encoding="utf-8") for name in ("report.md", "report.html"))
    cell = "0.707 (0.705 to 0.709); these times: 0.667"
    for told in (text, page):
        # The ways, best against best with both clocks, the results, and their details with the wall times.
        assert told.count(cell) >= 6 and told.count(THESE_TIMES) == 4
    assert re.search(r"\| tree \|.*\| 1\.00 ms \| 1\.50 ms \| 0\.707 \(0\.705 to 0\.709\); these times: 0\.667 \|", text)
    assert "0.707 [0.705, 0.709] §" in done.stdout and "§ the times of these lines have another quotient" in done.stdout


def test_best_against_best_of_other_forms_is_told(tmp_path: Path) -> None:
    writer = small_writer()
    sides = {"heat2d/plain/kokkos.usual": 1e-3, "heat2d/naive/cuda": 1e-3}
    told = "Best against best is of the forms that were measured at its size"
    assert told not in report_of(writer.write(tmp_path / "same.jsonl"))[0]
    writer.result("pair", "plain.usual", {"nx": 256, "ny": 256, "steps": 1}, "f32", "cold", sides, 1e-4)
    for page in report_of(writer.write(tmp_path / "other.jsonl")):
        assert told in page and "f32, cold: nx=256,ny=256,steps=1 3 and 2; nx=2048,ny=2048,steps=1 2 and 2; " in page
