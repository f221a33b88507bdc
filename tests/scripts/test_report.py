"""perf/portcost report: the pages it writes from a made-up record."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_up_records import Writer, disagree, small_writer, tree_writer, ways_writer
from running import report_of, run_tool

from portcost_records.choose import main_size, sweeps
from portcost_records.look import DARK, LIGHT
from portcost_records.reading import read_record


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


def test_names_from_a_record_cannot_inject_markup(tmp_path: Path) -> None:
    odd = tree_writer(processor="<script>alert(1)</script>").write(tmp_path / "odd.jsonl")
    _, page = report_of(odd, "--title", "a < b")
    assert "<script" not in page and "a &lt; b" in page


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


def test_several_records_of_one_machine_make_one_picture_of_all_algorithms(tmp_path: Path) -> None:
    one, two = (ways_writer(name).write(tmp_path / f"{name}.jsonl") for name in ("one", "two"))
    run_tool("report", one, two, "--out", tmp_path, "--png", tmp_path / "png")
    assert (tmp_path / "png/all-overview.png").is_file()
    other = ways_writer("three", processor="Another GPU").write(tmp_path / "three.jsonl")
    for records in ((one,), (one, other)):
        run_tool("report", *records, "--out", tmp_path, "--png", tmp_path / "alone")
    assert not (tmp_path / "alone/all-overview.png").exists()
