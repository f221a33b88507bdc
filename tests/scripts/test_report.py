"""perf/portcost report: its page, pictures and Markdown, made of made-up records."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_up_records import Writer, disagree, small_writer, tree_writer, ways_writer
from running import report_of, run_tool

from portcost_records.choose import main_size, sweeps
from portcost_records.figures import ladder, picture
from portcost_records.headline import shared_rows_table
from portcost_records.look import DARK, LIGHT, canvas, spaced_ticks, svg_text
from portcost_records.reading import read_record
from portcost_records.records import Interval
from portcost_records.tables import escaped
from portcost_records.ways import Boards
from portcost_records.words import THESE_TIMES, differing


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The HTML of the made-up record, drawn once for all tests."""
    out = tmp_path_factory.mktemp("page")
    run_tool("report", small_writer().write(out / "made_up.jsonl"), "--out", out, "--png", out / "png")
    assert {path.name for path in (out / "png").iterdir()} >= {
        "overview.png", "heat2d-pairs.png", "heat2d-ladder.png", "heat2d-sweep-f32-cold.png"}
    return (out / "report.html").read_text(encoding="utf-8")


def test_only_the_rows_that_are_asked_for(small: Path, tmp_path: Path) -> None:
    text, _ = report_of(small, "--only", "algorithm=heat2d", "--only", "step=naive")
    assert "naive" in text and "sliding_strip" not in text and "## sum" not in text
    for words, told in (("type=f16", "no row of made_up has type=f16"), ("f16", "--only: 'f16' is not KEY=VALUE")):
        assert run_tool("report", small, "--only", words, status=2).stderr == f"perf/portcost report: {told}\n"


def test_the_page_asks_for_nothing_from_outside(page: str) -> None:
    assert not re.search(r"https?:|//[a-z]|\bsrc=|@import|<link|<script", page)


class Structure(HTMLParser):
    """Collects ids and references, and checks that every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.note(attrs)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.note(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            self.references |= set(re.findall(r"url\(#([^)]+)\)", value or ""))
            if name == "href":
                self.references.add((value or "").removeprefix("#"))


def test_ids_are_unique_and_every_reference_is_met(page: str) -> None:
    structure = Structure()
    structure.feed(page)
    assert structure.open == []
    assert len(structure.ids) == len(set(structure.ids)) > 0
    assert structure.references and structure.references <= set(structure.ids)


def test_every_picture_has_light_dark_and_words(page: str) -> None:
    assert "@media screen and (prefers-color-scheme: dark)" in page
    for palette in (LIGHT, DARK):
        assert all(f"--{role}: {colour};" in page for role, colour in palette.items())
    for picture in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        assert re.search(r'role="img" aria-label="[^"]{20,}"', picture[:20000])
        assert not re.search(r"#[0-9a-f]{6}\b", picture), "a colour that dark mode cannot change"
        assert "<text" in picture and "var(--ink)" in picture


def test_a_wrong_answer_is_shown_first_and_never_priced(page: str) -> None:
    assert page.index("Answers differ") < page.index('class="machine"')
    assert "index 17: 1.5 against 1.25" in page
    assert page.count('<tr class="wrong">') == 1
    wrong = re.search(r'<tr class="wrong">.*?</tr>', page, flags=re.DOTALL)
    assert wrong and "ANSWERS DIFFER" in wrong.group()
    assert not re.search(r"\d\.\d{3}", wrong.group().split("index 17")[0])


def test_a_record_of_wrong_answers_alone_still_makes_a_page(tmp_path: Path) -> None:
    writer = tree_writer(nulls=False)
    for result in [line for line in writer.lines if line["kind"] == "result"]:
        disagree(result)
    assert "NOT priced" in report_of(writer.write(tmp_path / "wrong.jsonl"))[0]


def test_two_records_share_one_page(small: Path, tmp_path: Path) -> None:
    other = tree_writer(native="openmp", processor="Made-up CPU").write(tmp_path / "cpu.jsonl")
    _, page = report_of(small, other)
    structure = Structure()
    structure.feed(page)
    assert len(structure.ids) == len(set(structure.ids))
    assert "Made-up CPU" in page and "OpenMP device" in page


def test_no_sweep_is_drawn_below_three_sizes(tmp_path: Path) -> None:
    run_tool("report", tree_writer(64, 128).write(tmp_path / "two.jsonl"), "--png", tmp_path / "png")
    assert not list((tmp_path / "png").glob("*sweep*"))


def test_a_key_that_is_zero_somewhere_is_swept(tmp_path: Path) -> None:
    writer = Writer()
    for lanes in (0, 1, 16, 32):
        writer.ladder("sum", {"tree": (0.5, 1.2)}, {"n": 64, "lanes": lanes}, "f32", "cold", 512.0)
    path = writer.write(tmp_path / "zero.jsonl")
    run_tool("report", path, "--png", tmp_path / "png")
    assert list((tmp_path / "png").glob("*sweep*"))
    record = read_record(path)
    assert main_size(list(record.results)) == "n=64,lanes=0"
    (sweep,) = sweeps(record, "sum")
    assert [x for x, _ in sweep.steps["tree"]] == [0, 1, 16, 32]


def test_a_parameter_with_three_values_is_swept_at_each_size(tmp_path: Path) -> None:
    writer = Writer()
    for n in (64, 128):
        for r1 in (32, 8, 16):
            writer.ladder("sum", {"tree": (8.0 / r1, 1.2)}, {"n": n}, "f32", "cold", 512.0)
            for line in writer.lines:
                if line["kind"] == "result" and line.get("parameters") in (None, {}):
                    line |= {"parameters": {"r1": r1, "shape": "round"}, "parameters_text": "" if r1 == 32 else f"r1={r1}"}
    path = writer.write(tmp_path / "blocks.jsonl")
    run_tool("report", path, "--png", tmp_path / "png")
    small, large = sweeps(read_record(path), "sum")
    assert (small.label, small.fixed_text, large.fixed_text) == ("r1", "n=64", "n=128")
    assert [x for x, _ in small.steps["tree"]] == [8, 16, 32]
    assert all(r.size == {"n": 64} for _, r in small.steps["tree"])
    assert len(list((tmp_path / "png").glob("*sweep-r1-n-64-*"))) == len(list((tmp_path / "png").glob("*sweep-r1-n-128-*"))) > 0


def test_ratios_above_the_panel_are_named(tmp_path: Path) -> None:
    writer = Writer()
    for n, cost in ((64, 1.2), (128, 1.3), (256, 7.89)):
        writer.ladder("sum", {"tree": (0.5, cost)}, {"n": n}, "f32", "cold", 1e9)
    _, page = report_of(writer.write(tmp_path / "dear.jsonl"))
    sweep = next(svg for svg in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL) if "ratio and time against n" in svg)
    assert re.search(r">\s*\u2191 7\.8\d\s*<", sweep)


@pytest.mark.slow
def test_several_records_of_one_machine_make_one_picture_of_all_algorithms(tmp_path: Path) -> None:
    one, two = (ways_writer(name).write(tmp_path / f"{name}.jsonl") for name in ("one", "two"))
    run_tool("report", one, two, "--out", tmp_path, "--png", tmp_path / "png")
    assert (tmp_path / "png/all-overview.png").is_file()
    other = ways_writer("three", processor="Another GPU").write(tmp_path / "three.jsonl")
    for records in ((one,), (one, other)):
        run_tool("report", *records, "--out", tmp_path, "--png", tmp_path / "alone")
    assert not (tmp_path / "alone/all-overview.png").exists()


# ---- Text in Markdown, clocks of a host, several machines.


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


def test_no_text_of_a_record_becomes_markup(tmp_path: Path) -> None:
    evil = "<script> [a](b) | **c**"
    writer = tree_writer(processor=evil)
    writer.lines[0]["command"] = evil
    for line in [line for line in writer.lines if line["kind"] == "result"]:
        line |= {"agreement": evil, "launch_gaps": evil, "parameters_text": f"file={evil}"}
    text, page = report_of(writer.write(tmp_path / "odd.jsonl"), "--title", "a < b")
    assert "<script" not in page and "a &lt; b" in page
    text = re.sub(r"`[^`]+`", "", text)
    assert "&lt;script&gt; \\[a\\](b) \\| \\*\\*c\\*\\*" in text
    assert "<script" not in text and not re.search(r"(?<!\\)\[a", text) and "**c**" not in text


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
