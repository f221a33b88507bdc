"""perf/readme_tables: tables of READMEs made of records, held to them, and what is said of wrong declarations."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from made_up_records import small_writer
from portcost_records.between import Step, measured
from portcost_records.reading import read_record
from portcost_records.table_picture import text_of
from portcost_records.tables import verdict_words
from portcost_records.ways import BEST_NATIVE, TUNED, Boards
from portcost_records.words import ratio_text, significant, time_text
from running import ROOT, run_tool

HEAT2D = "all | record=made_up algorithm=heat2d type=f32 regime=cold"
COLUMN = "column | time ; cost | nx=2048 | {native time} | {cost}"


class Folder:
    """A root with one README and one record."""

    def __init__(self, path: Path) -> None:
        self.path, self.page = path, path / "README.md"
        results = path / "perf/results"
        results.mkdir(parents=True)
        self.record = results / "made_up.jsonl.gz"
        self.record.write_bytes(gzip.compress(small_writer().text().encode()))

    def declare(self, *lines: str, table: str = "") -> None:
        self.page.write_text("# Made up\n\n" + "\n".join(["<!-- figures", *lines, "-->"]) + f"\n\n{table}\nBehind.\n")

    def run(self, what: str):
        return run_tool("readme_tables", what, "--root", self.path)

    def row(self, step: str, size: int = 2048):
        return next(r for r in read_record(self.record).results
                    if (r.role, r.step, r.size.get("nx")) == ("pair", step, size))

    def table(self) -> list[str]:
        return [line for line in self.page.read_text().splitlines() if line.startswith("|")]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_committed_tables_are_as_the_committed_records_say() -> None:
    done = run_tool("readme_tables", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"(\d+) tables in \d+ files: as the records say", done.stdout)


def test_a_table_is_written_and_then_holds(folder: Folder) -> None:
    folder.declare(HEAT2D, "label | step", COLUMN, "row | `naive` | step=naive", "row | `strip` | step=sliding_strip")
    assert folder.run("--check").returncode == 1
    assert folder.run("--write").returncode == 0
    naive = folder.row("naive")
    time = time_text(naive.sides[1].device.median).replace("µ", "u")
    assert folder.table()[:3] == ["| step | time | cost |", "|---|---:|---:|",
                                  f"| `naive` | {time} | {ratio_text(naive.ratio.value)} |"]
    assert re.search(r"\|\n+\nBehind\.\n$", folder.page.read_text())
    assert folder.run("--check").returncode == 0
    before = folder.page.read_bytes()
    assert folder.run("--write").returncode == 0
    assert folder.page.read_bytes() == before


def test_a_cell_that_differs_is_named(folder: Folder) -> None:
    folder.declare(HEAT2D, "label | step", COLUMN, "row | `naive` | step=naive")
    folder.run("--write")
    right = ratio_text(folder.row("naive").ratio.value)
    text = folder.page.read_text()
    folder.page.write_text(text.replace(f"| {right} |", "| 7.777 |"))
    done = folder.run("--check")
    assert done.returncode == 1
    assert (f"README.md:3: row `naive`, column 3 (cost): '7.777' stands there, and the record says '{right}'"
            in done.stdout.splitlines())
    assert folder.run("--write").returncode == 0
    assert folder.page.read_text() == text


def test_interval_decimals_units_and_rate(folder: Folder) -> None:
    folder.declare(HEAT2D, "column | a | nx=2048 | {cost interval decimals=2} of {native time us decimals=1} us, "
                   "{native rate GB/s decimals=0} GB/s, {native limit}", "row | n | step=naive")
    assert folder.run("--write").returncode == 0
    row = folder.row("naive")
    seconds = row.sides[1].device.median
    expected = (f"{row.ratio.value:.2f} [{row.ratio.low:.2f}, {row.ratio.high:.2f}] of {seconds * 1e6:.1f} us, "
                f"{8 * 2048**2 / seconds / 1e9:.0f} GB/s, {100 * row.sides[1].limit_fraction:.0f} %")
    assert folder.table()[-1] == f"| n | {expected} |"


def test_the_callers_clock(folder: Folder) -> None:
    folder.declare(HEAT2D, "column | a | nx=256 | {native time wall us}, {cost wall}, {verdict}, {kokkos step}",
                   "row | n | step=naive")
    assert folder.run("--write").returncode == 0
    row = folder.row("naive", 256)
    assert row.wall_ratio.value != row.ratio.value
    wall = significant(1e6 * row.sides[1].wall.median)
    assert folder.table()[-1] == f"| n | {wall}, {ratio_text(row.wall_ratio.value)}, {verdict_words(row)}, naive |"


def test_without_an_interval_a_cost_has_a_star(folder: Folder) -> None:
    text = small_writer(samples=8).text()  # four pairs of blocks are too few
    folder.record.write_bytes(gzip.compress(text.encode()))
    folder.declare(HEAT2D, COLUMN, "row | n | step=naive")
    assert folder.run("--write").returncode == 0
    cost = measured(Step(folder.row("naive"), 1))
    assert cost.interval is None
    assert folder.table()[-1].endswith(f"| {ratio_text(cost.value)} * |")


def test_several_rows_make_a_range(folder: Folder) -> None:
    folder.declare(HEAT2D, "column | all sizes | steps=1 | {cost range}", "row | n | step=naive")
    assert folder.run("--write").returncode == 0
    costs = [folder.row("naive", n).ratio.value for n in (256, 2048, 16384)]
    assert folder.table()[-1] == f"| n | {ratio_text(min(costs))} to {ratio_text(max(costs))} |"


def test_bold_mark_best_and_blank(folder: Folder) -> None:
    folder.declare(HEAT2D, "bold | outside 0.999 to 1.001", "mark | † | native=naive", "blanks | allowed",
                   "column | a | nx=2048 | {cost}", "column | b | nx=16384 | {cost}",
                   "row | naive | step=naive | {cost} | ", "row | best | role=best")
    assert folder.run("--write").returncode == 0
    assert folder.table()[2] == f"| naive | **{ratio_text(folder.row('naive').ratio.value)}** † | |"


def test_a_peer_has_no_cost_and_a_wrong_answer_no_time(folder: Folder) -> None:
    folder.declare("all | record=made_up algorithm=sum", "column | t ; c | type=f32 | {native time} | {cost}",
                   "row | cub | step=cub", "row | tree | step=tree")
    assert folder.run("--write").returncode == 0
    assert folder.table()[2].startswith("| cub | 1") and folder.table()[2].endswith("us | |")
    assert folder.table()[3] == "| tree | ANSWERS DIFFER | ANSWERS DIFFER |"


@pytest.mark.parametrize(("lines", "said"), [
    (("all | record=made_upp", COLUMN, "row | n | step=naive"), "there is no record made_upp in"),
    (("all | record=made_upp", COLUMN, "row | n | step=naive"), "(is it made_up?)"),
    (("all | regime=cold", COLUMN, "row | n | step=naive"), "no record is named"),
    ((HEAT2D, COLUMN, "row | n | step=nave"), "no row of made_up has role=pair/solo"),
    ((HEAT2D, COLUMN, "row | n | step=naive bins=4"), "has a size or a parameter bins"),
    ((HEAT2D, COLUMN.replace("nx=2048", "steps=1"), "row | n | step=naive"), "3 rows of made_up have"),
    ((HEAT2D, COLUMN, "row | n | step=naive nx=2048"), "both give nx"),
    ((HEAT2D, COLUMN, "row | n | nx"), "'nx' is not KEY=VALUE"),
    ((HEAT2D, COLUMN, "row | n | step=naive step=b"), "'step' is given twice"),
    ((HEAT2D, "colum | t | nx=2048 | {cost}"), "'colum' is none of"),
    ((HEAT2D, COLUMN), "needs a 'column' and a 'row'"),
    ((HEAT2D, COLUMN, "row | n | step=naive | {cost}"), "has 1 texts"),
    ((HEAT2D, "column | t | nx=2048 | {price}", "row | n | step=naive"), "'price' is not understood"),
    ((HEAT2D, "column | t | nx=2048 | {time}", "row | n | step=naive"), "needs 'kokkos' or 'native'"),
    ((HEAT2D, "column | t | nx=2048 | {native counter:luck}", "row | n | step=naive"), "a counter is named as in"),
    ((HEAT2D, "column | t | nx=2048 | {native rate TFLOP/s}", "row | n | step=naive"), "the row's unit is B/s"),
    ((HEAT2D, "column | t | nx=2^z | {cost}", "row | n | step=naive"), "'2^z' is no number"),
    ((HEAT2D, "column | t | nx=2048 | {native rate wall GB/s}", "row | n | step=naive"), "'wall' goes with time and cost"),
    ((HEAT2D, "column | t | nx=2048 | {cost decimals=x}", "row | n | step=naive"), "is no number from 0 to 9"),
    ((HEAT2D, "column | t | nx=2048 | {cost line=fast}", "row | n | type=f32"), "line=fast is none of"),
    ((HEAT2D, "blanks | allowed", COLUMN, "row | n | step=naive", "row | m | step=nave"), "no record has a figure for row m"),
])
def test_a_wrong_declaration_is_named_and_nothing_written(folder: Folder, lines: tuple[str, ...], said: str) -> None:
    folder.declare(*lines, table="| old |\n|---|\n")
    before = folder.page.read_bytes()
    done = folder.run("--write")
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr and done.stderr.startswith("perf/readme_tables: README.md:")
    assert folder.page.read_bytes() == before
    assert list(folder.path.glob(".README*")) == []


def test_an_unclosed_declaration_and_one_in_a_code_block(folder: Folder) -> None:
    folder.page.write_text("<!-- figures\nrow | a | step=naive\n")
    assert "needs '<!-- figures' and '-->'" in folder.run("--check").stderr
    folder.page.write_text("```\n<!-- figures\nrow | a | step=naive\n```\n")
    done = folder.run("--check")
    assert done.returncode == 0 and done.stdout.startswith("0 tables")


def test_a_broken_record_is_named(folder: Folder) -> None:
    folder.record.write_bytes(gzip.compress(json.dumps({"kind": "sample"}).encode()))
    folder.declare(HEAT2D, COLUMN, "row | n | step=naive")
    done = folder.run("--check")
    assert done.returncode == 2 and "the header is missing" in done.stderr


def test_ways_of_writing_are_the_reports(folder: Folder) -> None:
    folder.declare(HEAT2D, "column | t ; c | nx=16384 | {time} | {cost}", "row | tuned | line=tuned", "row | best | line=best",
                   "row | dials | line=dials | none |")
    assert folder.run("--write").returncode == 0
    boards = Boards(read_record(folder.record))
    rows = [r for r in boards.record.results if r.size.get("nx") == 16384]
    tuned, best = (next(line for line in boards.boards_at(rows, rows, False)[0].lines if line.label == label)
                   for label in (TUNED, BEST_NATIVE))
    for line, cost, written in zip((tuned, best), (f" {ratio_text(tuned.against_best.value)} ", " "), folder.table()[2:]):
        assert written == f"| {line.label.split()[0]} | {time_text(line.timed.seconds).replace('µ', 'u')} |{cost}|"
    folder.declare(HEAT2D, "column | t | nx=16384 | {time}", "row | dials | line=dials")
    assert "has no line=dials" in folder.run("--check").stderr


def test_a_ladder_of_steps_that_the_record_holds_as_different_work(folder: Folder) -> None:
    """Without a row of best against best each step is a board of its own, with a native side of its own."""
    lines = [line for line in small_writer().text().splitlines() if '"role": "best"' not in line or '"kind": "result"' not in line]
    best = {json.loads(line)["id"] for line in small_writer().text().splitlines() if json.loads(line).get("role") == "best"}
    kept = [line for line in lines if json.loads(line).get("result") not in best]
    kept[-1] = json.dumps(json.loads(kept[-1]) | {"results": sum('"kind": "result"' in line for line in kept)})
    folder.record.write_bytes(gzip.compress("\n".join([*kept, ""]).encode()))
    folder.declare(HEAT2D, "column | t | nx=16384 | {time}", "row | plain | line=plain ladder=naive/sliding_strip",
                   "row | best | line=best ladder=naive/sliding_strip")
    assert folder.run("--write").returncode == 0, folder.run("--write").stderr
    seconds = [folder.row(step, 16384).sides[1].device.median for step in ("naive", "sliding_strip")]
    assert [row.split(" | ")[1].rstrip(" |") for row in folder.table()[2:]] == [
        time_text(one).replace("µ", "u") for one in (seconds[0], min(seconds))]
    folder.declare(HEAT2D, "column | t | nx=16384 | {time}", "row | plain | line=plain ladder=nave")
    assert "has no line=plain" in folder.run("--check").stderr


PICTURE = "picture | perf/results/ways.png | A title | an H200"
WAYS = ("column | tuned | line=tuned | {cost}", "column | t | line=best | {time}", "row | `main` | nx=16384")


def test_a_tables_picture_is_drawn_and_held_to_it(folder: Folder) -> None:
    folder.declare(HEAT2D, PICTURE, *WAYS)
    assert folder.run("--write").returncode == 0
    picture = folder.path / "perf/results/ways.png"
    cost = folder.table()[2].split(" | ")[1]
    assert json.loads(text_of(picture.read_bytes())) == ["A title", "an H200", {"main": {"tuned": cost}}]
    assert folder.run("--check").returncode == 0
    before = picture.read_bytes()
    folder.page.write_text(folder.page.read_text().replace("A title", "Another title"))
    done = folder.run("--check")
    assert done.returncode == 1 and "the picture ways.png is not of its table's figures" in done.stdout
    assert picture.read_bytes() == before
    assert "wrote ways.png" in folder.run("--write").stdout
    picture.unlink()
    assert folder.run("--check").returncode == 1


def test_a_picture_needs_ways_of_writing(folder: Folder) -> None:
    folder.declare(HEAT2D, PICTURE, COLUMN, "row | n | step=naive")
    assert "the picture needs a 'column' with line= and a cost" in folder.run("--write").stderr
    assert not (folder.path / "perf/results/ways.png").exists()


def test_text_that_follows_stays_outside_of_a_new_table(folder: Folder) -> None:
    folder.page.write_text("\n".join(["<!-- figures", HEAT2D, COLUMN, "row | n | step=naive", "-->", "Behind."]) + "\n")
    assert folder.run("--write").returncode == 0
    assert folder.page.read_text().endswith(" |\n\nBehind.\n")
    assert folder.run("--check").returncode == 0


def moved(folder: Folder, name: str = "bytes") -> None:
    """A made-up answer of portcost locality --measured --json."""
    points = [{"variant": f"gauss/{step}/cuda", "blocks": {"r1": r1, "r2": 64}, "predicted": 1e9 / r1, "predicted_writes": 2e8 / r1,
               "theorem": 3e9, "order": None, "l2": 1.25e9 / r1, "l2_written": 1e8, "dram": 0.5e9, "dram_written": None}
              for step, r1 in (("block_r1", 1), ("block_r1", 4), ("naive", 1))]
    (folder.path / f"perf/results/{name}.json").write_text(json.dumps(
        {"points": points, "spearman": {"predicted against l2": 0.9876, "order against l2": None}}))


BYTES = "all | moved=bytes variant=gauss/block_r1/cuda"


def test_bytes_that_blocks_move(folder: Folder) -> None:
    moved(folder)
    folder.declare(BYTES, "label | bytes", "column | 1 | r1=1 | {l2}", "column | 4 | r1=4 | {l2}", "row | predicted | | {predicted} | =",
                   "row | ratio | r2=64 | {l2 over predicted} | {l2 over predicted writes}", "row | rank | | {spearman predicted against l2} | {dram}",
                   "row | nothing | | {dram writes} | {dram}")
    done = folder.run("--write")
    assert done.returncode == 0, done.stderr
    assert folder.table()[2:] == ["| predicted | 1.00 GB | 312 MB |", "| ratio | 1.250 | 6.250 |", "| rank | 0.988 | 500 MB |",
                                  "| nothing | | 500 MB |"]
    assert folder.run("--check").returncode == 0


@pytest.mark.parametrize(("all_of", "text", "named"), [
    (BYTES, "{l3}", "'l3' is none of predicted, predicted writes, theorem"),
    (BYTES, "{l2 over x}", "'x' is none of predicted"),
    (BYTES, "{spearman x}", "known are predicted against l2, order against l2"),
    (f"{BYTES} r9=1", "{l2}", "'r9' is neither variant nor one of r1, r2"),
    ("all | moved=bytes", "{l2}", "2 choices of bytes have r1=1"),
    ("all | moved=none", "{l2}", "none.json: is not what portcost locality --measured --json prints"),
])
def test_wrong_figures_of_bytes(folder: Folder, all_of: str, text: str, named: str) -> None:
    moved(folder)
    folder.declare(all_of, "column | 1 | r1=1 | " + text, "row | one |")
    done = folder.run("--check")
    assert done.returncode == 2 and named in done.stderr
