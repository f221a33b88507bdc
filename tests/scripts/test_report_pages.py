"""perf/portcost report: text from a record in Markdown, clocks of a host, what is missing, and several machines."""

import json
import re
from pathlib import Path

import pytest
from made_up_records import Writer, tree_writer, ways_writer
from running import report_of

from portcost_records.look import canvas, spaced_ticks, svg_text
from portcost_records.figures import ladder, picture
from portcost_records.headline import shared_rows_table
from portcost_records.tables import escaped
from portcost_records.reading import read_record
from portcost_records.ways import Boards


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
