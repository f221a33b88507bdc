"""perf/portcost overview: the index of the records, its tables and README.md's, held to the records and to overview.toml; and the
committed reports, which are what perf/portcost report makes of their records."""

import json
from pathlib import Path

import pytest
from made_up_records import KOKKOS_ROWS, NATIVE_STEPS, PEERS, add_counters, ways_writer
from running import ROOT, run_tool

from portcost_records.blocks import markdown_page
from portcost_records.content import default_title
from portcost_records.overview import END, START, records_on, sizes_text
from portcost_records.reading import read_record
from portcost_records.ways import Boards
from portcost_records.words import ratio_text

README = f"# Made up\n\n{START}\nold\n{END}\n\nBehind.\n"
MAIN = '["`heat` 2^28 f32", "made_up", "algorithm=heat n=2^28"]'


class Folder:
    def __init__(self, root: Path) -> None:
        self.root, self.results, self.readme = root, root / "perf/results", root / "README.md"
        self.results.mkdir(parents=True)
        ways_writer().write(self.results / "made_up.jsonl")
        self.readme.write_text(README)
        self.declare(MAIN)

    def declare(self, *rows: str, notes: str = "") -> None:
        (self.results / "overview.toml").write_text(
            f'[[table]]\ntitle = "Made-up GPU"\nnative = "CUDA"\nrows = [{", ".join(rows)}]\n[notes]\n{notes}\n')

    def run(self, *arguments: str, status: int = 0):
        return run_tool("overview", *arguments, "--root", self.root, status=status)

    def page(self) -> str:
        return (self.results / "README.md").read_text()

    def refused(self, *named: str) -> None:
        """Every mistake is one line that names it, and nothing is written."""
        done = self.run(status=2)
        assert done.stderr.count("\n") == 1
        assert all(name in done.stderr for name in named), done.stderr
        assert not (self.results / "README.md").exists() and list(self.results.glob("*.png")) == []


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_committed_pages_are_as_the_committed_records_say() -> None:
    run_tool("overview", "--check")


def test_pages_are_written_and_then_hold(folder: Folder) -> None:
    folder.run("--check", status=1)
    assert folder.readme.read_text() == README
    folder.run()
    board = Boards(read_record(folder.results / "made_up.jsonl")).by_algorithm["heat"][0]
    ratios = [line.against_best for line in board.lines if not line.side.is_peer]
    assert len(ratios) == 5
    row = next(line for line in folder.page().splitlines() if line.startswith("| [`heat`](made_up.jsonl) 2^28 f32 |"))
    for ratio in ratios:
        assert f"| {ratio_text(ratio.value)} [{ratio_text(ratio.interval.low)}, {ratio_text(ratio.interval.high)}] |" in row
    text = folder.readme.read_text()
    cells = " | ".join(f"{ratio.value:.2f}" for ratio in ratios)
    assert f"| [`heat`](perf/results/made_up.jsonl) 2^28 f32 | {cells} | 1" in text
    assert text.startswith(f"# Made up\n\n{START}\n") and text.endswith(f"\n{END}\n\nBehind.\n") and "old" not in text
    folder.run("--check")
    assert folder.run().stdout.startswith("1 records: the pages are as they say")


def test_the_index_says_what_a_record_shows(folder: Folder) -> None:
    (folder.results / "heat.md").write_text("# Heat\n\nMade-up GPU · today · made_up.jsonl · 2 processes\n")
    (folder.results / "calls.json").write_text("{}")
    folder.declare(MAIN, notes='made_up = "never measured"\n"calls.json" = "calls"')
    folder.run()
    steps = ", ".join(f"`{step}`" for step in NATIVE_STEPS)
    assert (f"| [made_up](heat.md) | Made-up GPU | heat | 2026-01-02 | `n=268435456/1024`; f32; {steps}; usual, by the book, tuned; "
            "counters of 2 variants; never measured |") in folder.page().splitlines()
    assert "| [calls.json](calls.json) | calls |" in folder.page().splitlines()
    assert len(KOKKOS_ROWS) > len(NATIVE_STEPS) and "cub" in PEERS  # neither a way nor a peer is a step


def test_many_values_of_a_size_are_a_range_and_many_words_are_all_named() -> None:
    assert sizes_text([f"n={2**k},path={word}" for k, word in enumerate("abcde")]) == "n=1..16,path=a/b/c/d/e"
    assert sizes_text(["n=8,batch=1", "n=2,batch=1"]) == "n=8/2,batch=1"


def test_a_costly_step_by_the_book_is_shown_with_the_counters_of_both_sides(folder: Folder) -> None:
    folder.run()
    assert "## Steps by the book" not in folder.page()
    writer = ways_writer()
    for model, values in (("kokkos.book", {"instructions": 90.0, "registers": 40.0, "occupancy": 62.4}),
                          (writer.native, {"instructions": 30.0, "registers": 21.0})):
        add_counters(writer, f"heat/tile/{model}", 1e-3, 1.0)
        writer.lines[-1]["values"] |= values
    writer.write(folder.results / "made_up.jsonl")
    folder.run()
    [row] = [line for line in folder.page().splitlines() if line.startswith("| [`heat`](made_up.jsonl) tile |")]  # of the main size
    cells = [cell.strip() for cell in row.split("|")[2:-1]]
    assert cells[0] == "n=268435456 f32" and 1.25 < float(cells[1].split()[0]) < 1.3
    assert cells[2:] == ["3", "1", "40, 21", ""]  # CUDA's occupancy was not counted


def test_a_page_that_differs_is_named_with_its_line_and_the_picture_is_held_to_its_table(folder: Folder) -> None:
    folder.run()
    for page in (folder.results / "README.md", folder.readme):
        text = page.read_text()
        page.write_text(text.replace("2^28 f32 |", "2^28 f32 | 7.777 |"))
        done = folder.run("--check", status=1)
        assert f"{page}:" in done.stdout and "7.777" in done.stdout
        page.write_text(text)
    picture = folder.results / "overview.png"
    before = picture.read_bytes()
    folder.run("--check")
    folder.declare(MAIN.replace("2^28 f32", "by another name"))
    assert f"{picture}: is not of the figures" in folder.run("--check", status=1).stdout and picture.read_bytes() == before
    folder.run()
    assert picture.read_bytes() != before


def test_a_ratio_without_an_interval_has_a_star_and_a_column_that_selects_no_line_is_empty(folder: Folder) -> None:
    ways_writer(samples=8).write(folder.results / "made_up.jsonl")  # four pairs of blocks are too few
    folder.run()
    assert " * |" in folder.readme.read_text() and " * |" in folder.page()
    folder.declare(MAIN[:-1] + ', {usual = "dials=none", dials = "step=tile"}]')
    folder.run()
    assert "2^28 f32 | | |" in folder.page()


@pytest.mark.parametrize(("row", "named"), [
    (MAIN.replace("made_up", "made_upp"), ("row `heat`", "there is no record made_upp (is it made_up?)")),
    (MAIN.replace("n=2^28", "n=3"), ("row `heat`", "no row of made_up has", "n=3")),
    (MAIN.replace(" n=2^28", ""), ("row `heat`", "are of 2 problems")),
    (MAIN.replace("n=2^28", "bins=4"), ("row `heat`", "has a size or a parameter bins")),
    (MAIN.replace("n=2^28", "n=2^z"), ("row `heat`", "'2^z' is no number")),
    (MAIN.replace("n=2^28", "n"), ("row `heat`", "'n' is not KEY=VALUE")),
    (MAIN.replace("n=2^28", "n=2^28 n=4"), ("row `heat`", "'n' is given twice")),
    (MAIN[:-1] + ', {fast = "n=4"}]', ("row `heat`", "needs [label, record, selectors]")),
    ('["`heat`", "made_up"]', ("row `heat`", "needs [label, record, selectors]")),
    ('["`heat`"', ("overview.toml: cannot be read",)),
])
def test_a_wrong_row_is_named(folder: Folder, row: str, named: tuple[str, ...]) -> None:
    folder.declare(row)
    folder.refused(*named)


def test_two_lines_of_one_column_are_named(folder: Folder) -> None:
    record = folder.results / "made_up.jsonl"
    writer = ways_writer()
    usual = {"heat/tile/kokkos.usual": 3e-3, "heat/tile/cuda": 1e-3}
    writer.result("pair", "tile.usual", {"n": 2**28}, "f32", "cold", usual, 1e-3)
    writer.write(record)
    folder.refused("row `heat`", "column usual", "2 lines of made_up", "heat/plain/kokkos.usual", "heat/tile/kokkos.usual")
    folder.declare(MAIN[:-1] + ', {usual = "step=plain"}]')
    folder.run()


@pytest.mark.parametrize(("text", "named"), [("# No marker\n", START), (f"{START}\n", END), (f"{END}\n{START}\n", END)])
def test_a_missing_marker_is_named(folder: Folder, text: str, named: str) -> None:
    folder.readme.write_text(text)
    folder.refused("README.md", f"the line '{named}' is missing")
    assert folder.readme.read_text() == text


def test_notes_are_of_what_is_there_and_other_files_have_one(folder: Folder) -> None:
    folder.declare(MAIN, notes='gone = "a record"')
    folder.refused("notes has gone")
    folder.declare(MAIN)
    (folder.results / "calls.json").write_text("{}")
    folder.refused("notes has nothing of calls.json")


SOURCE = '''[[source]]
id = "H9"
system = "heat"
code = ["heat/plain tile"]
tests = ["test_heat.cpp"]
published = "9 s"
figures = [["`tile` 2^28", "made_up", "step=tile n=2^28"]]
differs = "machine"'''


@pytest.mark.parametrize(("old", "new", "named"), [
    ("plain tile", "plain tyle", "heat/tyle is no step"), ("_heat.", "_heet.", "tests/test_heet.cpp is no"),
    (" n=2^28", "", "2 rows of made_up"), ("step=tile", "step=tree", "no row"), ("differs", "differ", "'differ'"), ("", "", "")])
def test_a_source_is_held_to_its_code_tests_and_row(folder: Folder, old: str, new: str, named: str) -> None:
    for place, text in (("variants/heat/lines_of_code.json", '{"heat/plain/cuda": 1, "heat/tile/cuda": 1}'), ("tests/test_heat.cpp", "")):
        (folder.root / place).parent.mkdir(parents=True)
        (folder.root / place).write_text(text)
    folder.declare(MAIN, notes=SOURCE.replace(old, new))
    if named:
        return folder.refused("source H9: ", named)
    folder.run()
    main = next(row for row in read_record(folder.results / "made_up.jsonl").results if row.sides[0].variant == "heat/tile/kokkos")
    cost = "{} [{}, {}]".format(*map(ratio_text, (main.ratio.value, main.ratio.low, main.ratio.high)))
    assert f"| 9 s | [`tile`](made_up.jsonl) 2^28: 1.10 ms, {cost} | machine |" in folder.page()


def test_a_broken_record_is_named(folder: Folder) -> None:
    (folder.results / "broken.jsonl").write_text(json.dumps({"kind": "sample"}) + "\n")
    folder.refused("line 1 is not the header")


# ---- Committed reports.

VERSIONS = ROOT / "perf/results/h200/versions.md"
REPORTS = sorted({*(ROOT / "perf/results").glob("*/*.md")} - {VERSIONS})


def records_of(report: Path) -> list[Path]:
    return [report.parent / name for name in records_on(report.read_text(encoding="utf-8"))]


def test_there_are_reports_and_a_record_is_in_one():
    shown = [record for report in REPORTS for record in records_of(report)]
    assert len(shown) == len(set(shown)) > 50


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_report_is_of_its_record(report: Path):
    paths = records_of(report)
    records = [read_record(path) for path in paths]
    drawn = markdown_page([Boards(record) for record in records], default_title(records))
    told = (f"perf/portcost report {' '.join(str(path.relative_to(ROOT)) for path in paths)} --out FOLDER makes another report.md: "
            "put it in place of it")
    assert report.read_text(encoding="utf-8") == drawn, told


def test_the_page_of_versions_is_of_its_record(tmp_path: Path):
    run_tool("versions", VERSIONS.with_suffix(".jsonl.gz"), "--out", tmp_path)
    assert VERSIONS.read_text(encoding="utf-8") == (tmp_path / VERSIONS.name).read_text(encoding="utf-8")
