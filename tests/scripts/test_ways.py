"""perf/portcost report: ways of writing against native code, ratios that no row measured, and advice."""

import math
import re
from pathlib import Path

import pytest
from made_up_records import Json, Writer, add_size, disagree, tree_writer, variant_of, ways_writer
from running import report_of, run_tool

from portcost_records import figures
from portcost_records.between import CHAINED, FROM_TIMES, MEASURED, Timed, between
from portcost_records.content import changes, fronts
from portcost_records.headline import footnotes, prices_table, ways_table
from portcost_records.reading import read_record
from portcost_records.records import Record, RecordError
from portcost_records.ways import BEST_NATIVE, BOOK, DIALLED, PEER, PLAIN_NATIVE, TRICKED, TUNED, USUAL, Board, Boards
from portcost_records.words import ratio_text


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return read_record(ways_writer().write(tmp_path / "ways.jsonl"))


@pytest.fixture
def main_board(record: Record) -> Board:
    return Boards(record).by_algorithm["heat"][0]


def test_the_first_picture_has_a_row_an_algorithm_with_all_ways(record: Record, tmp_path: Path) -> None:
    assert figures.overview(record, Boards(record).all()) is None  # one algorithm is shown by its own picture
    writer = ways_writer()
    add_size(writer, "other", 2**28)
    both = read_record(writer.write(tmp_path / "both.jsonl"))
    picture = figures.overview(both, Boards(both).all())
    assert picture is not None
    rows = picture.alt.removeprefix("What each way of writing Kokkos costs against the best native code. ").split("; ")
    assert [row.split(":")[0] for row in rows] == ["heat f32", "other f32"]  # of the main size alone
    factors = {USUAL: 9.0, DIALLED: 2.2, BOOK: 1.3, TUNED: 1.04}  # of KOKKOS_ROWS; the best native code is cub's 1.01
    drawn = [text.get_text() for axes in picture.wide.axes for text in axes.texts]
    prices = []
    for row in rows:
        for label, factor in factors.items():
            price = re.search(rf"{label} ([\d.]+)", row)
            assert price is not None and float(price[1]) == pytest.approx(factor / 1.01, rel=0.01), row
            prices.append(price[1])
    prices += [ratio_text(board.line(PLAIN_NATIVE).against_best.value) for board in Boards(both).all() if not board.small]
    assert sorted(drawn) == sorted([*prices, "heat f32", "other f32", "usual", "dials", "book", "tuned", "plain"])


def test_an_unknown_way_of_writing_is_refused(tmp_path: Path) -> None:
    writer = Writer()
    writer.result("solo", "plain", {"n": 64}, "f32", "cold", {"heat/plain/kokkos.quickly": 1e-3}, 1e-4)
    with pytest.raises(RecordError, match="is written quickly, which is none of tuned, book, usual"):
        read_record(writer.write(tmp_path / "r.jsonl"))


@pytest.mark.parametrize("step, portable", [("kokkos_range", True), ("scatter_view", True), ("cub", False)])
def test_peers_of_older_records_are_known_by_their_names(tmp_path: Path, step: str, portable: bool) -> None:
    writer = tree_writer()
    writer.result("solo", step, {"n": 64}, "f32", "cold", {f"sum/{step}/library": 1e-6}, 1e-7)
    path = tmp_path / "r.jsonl"
    path.write_text(writer.text().replace('"portable": false, ', ""))
    record = read_record(path)
    assert record.results[-1].sides[0].portable is portable
    (board,) = Boards(record).by_algorithm["sum"]
    assert (board.best.side.step == step) is not portable, "the fastest of all, and native only if it is not in Kokkos"
    assert (board.line(PEER) is not None) is portable


def test_each_way_has_a_line_with_the_variant_that_stands_for_it(record: Record) -> None:
    main, small = Boards(record).by_algorithm["heat"]
    assert [(line.label, line.side.row_name, line.out_of) for line in main.lines] == [
        (USUAL, "plain.usual", 1), (DIALLED, "plain.usual:index=int64,tile=64x4", 4), (BOOK, "tile.book", 1), (TUNED, "tile", 2),
        (PEER, "range", 1), (PLAIN_NATIVE, "plain", 1), (BEST_NATIVE, "cub", 3)]
    assert main.line(TUNED).lines_of_code == 52
    assert (main.problem_text, main.small, small.problem_text, small.small) == (f"n={2**28}", False, "n=1024", True)
    assert small.best.side.step == "plain", "best native is the fastest at that size"


def test_ratios_say_how_they_were_come_by_and_are_right(record: Record, main_board: Board) -> None:
    usual, tuned = main_board.line(USUAL), main_board.line(TUNED)
    assert usual.against_plain.how == MEASURED and usual.against_best.how == FROM_TIMES
    assert usual.against_plain.interval == next(r for r in record.results if r.step == "plain.usual").ratio, "the row's own"
    for line, factor in ((usual, 9.0), (tuned, 1.04)):
        ratio = line.against_best
        assert ratio.value == pytest.approx(factor / 1.01, rel=0.01)
        assert ratio.interval.low < factor / 1.01 * 1.005 and ratio.interval.high > factor / 1.01 * 0.995
        assert ratio.verdict == "slower"


def test_ratios_of_two_rows_are_wider_than_either(record: Record, main_board: Board) -> None:
    rows = [r for r in record.results if r.problem_text == main_board.problem_text]
    usual, dialled = main_board.line(USUAL).timed, main_board.line(DIALLED).timed
    chained = between(record, usual, dialled, rows, (0.997, 1.003))
    assert chained.how == CHAINED
    one, other = (r.ratio for r in (usual.result, dialled.result))
    assert chained.value == pytest.approx(one.value / other.value)
    half = math.log(chained.interval.high / chained.value)
    assert half > max(math.log(one.high / one.value), math.log(other.high / other.value))


def test_no_interval_is_invented(tmp_path: Path) -> None:
    """Without a variant that was timed twice nothing says how far two rows differ."""
    writer = Writer(nulls=False)
    for step, seconds in (("a", 1e-3), ("b", 2e-3)):
        writer.result("pair", step, {"n": 64}, "f32", "cold", {f"x/{step}/kokkos": seconds, f"x/{step}/cuda": seconds}, 1e-4)
    record = read_record(writer.write(tmp_path / "r.jsonl"))
    first, last = record.results
    ratio = between(record, Timed(first, 0), Timed(last, 1), record.results, (0.997, 1.003))
    assert ratio.how == FROM_TIMES and ratio.interval is None and ratio.value == pytest.approx(0.5, rel=0.01)


def test_a_ratio_of_too_few_units_has_no_interval(tmp_path: Path) -> None:
    record = read_record(ways_writer(samples=14).write(tmp_path / "r.jsonl"))
    board = Boards(record).by_algorithm["heat"][0]
    assert all(ratio.interval is None for line in board.lines for ratio in (line.against_best, line.against_plain) if ratio)
    assert "no interval" in ways_table([board]).markdown()
    assert any(note.startswith("No interval") for note in footnotes([board], record))


def test_wrong_answers_and_a_step_with_an_answer_of_its_own_stand_for_no_way(tmp_path: Path) -> None:
    writer = ways_writer()

    def board() -> Board:
        return Boards(read_record(writer.write(tmp_path / "r.jsonl"))).by_algorithm["heat"][0]
    disagree(writer.find("pair", "tile.book"))
    assert board().line(BOOK) is None
    fast = {"heat/copy/kokkos": 1e-6, "heat/copy/cuda": 1e-6}
    copy = writer.result("pair", "copy", {"n": 2**28}, "f32", "cold", fast, 1e-6)
    assert board().best.side.step == "copy", "a row like any other, and the fastest"
    copy["own_answer"] = True
    assert "copy" not in {line.side.step for line in board().lines} and board().best.side.step == "cub"


def different_work(sizes: tuple[int, ...] = (64,)) -> Writer:
    writer = Writer()
    for n in sizes:
        for step in ("add", "min"):
            for row, seconds in ((f"{step}.usual", 3e-3), (step, 1.1e-3)):
                writer.result("pair", row, {"n": n}, "i32", "cold",
                              {variant_of(row, "atomics"): seconds, f"atomics/{step}/cuda": 1e-3}, 1e-4 * n / sizes[0])
    return writer


def test_steps_of_different_work_have_a_row_each(tmp_path: Path) -> None:
    path = different_work().write(tmp_path / "r.jsonl")
    boards = Boards(read_record(path)).by_algorithm["atomics"]
    assert [board.step for board in boards] == ["add", "min"]
    table = ways_table(boards)
    assert list(table.headings) == ["step", "CUDA time", "usual (95 %)", "tuned (95 %)"]
    assert [row[0] for row in table.rows] == ["n=64, i32, cold", "add", "min"] and table.rows[1][2].startswith("3.00")
    text, page = report_of(path)
    assert re.search(r"against CUDA in the same of 2 steps: usual [23]\.[\d. to]+, tuned 1\.[\d. to]+; 4 pairs", text)
    assert 'aria-label="What each way of writing atomics' in page


def add_tricks(writer: Writer, step: str, algorithm: str, native: float, **seconds: float) -> None:
    """Rows by the book, and with each of the tricks named."""
    for trick, time in seconds.items():
        row = f"{step}.book" + (f":trick={trick}" if trick != "none" else "")
        size = next(line["size"] for line in writer.lines if line.get("algorithm") == algorithm)
        kind = next(line["type"] for line in writer.lines if line.get("algorithm") == algorithm)
        writer.result("pair", row, size, kind, "cold",
                      {variant_of(row, algorithm): time, f"{algorithm}/{step}/cuda": native}, 1e-4)


def test_of_the_tricks_of_a_step_the_one_that_gains_most_is_shown_beside_its_book_form(tmp_path: Path) -> None:
    writer = different_work()
    add_tricks(writer, "add", "atomics", 1e-3, none=2e-3, fences=1.5e-3, ranges=1.25e-3)
    boards = Boards(read_record(writer.write(tmp_path / "r.jsonl"))).by_algorithm["atomics"]
    table = ways_table(boards)
    assert list(table.headings) == ["step", "CUDA time", *(f"{way} (95 %)" for way in (USUAL, BOOK, TRICKED, TUNED))]
    assert re.match(r"1.99|2.00", table.rows[1][3]) and re.fullmatch(r"1\.2\d.* ranges", table.rows[1][4])
    assert table.rows[2][3:5] == ["–", "–"]

    writer = ways_writer()
    add_tricks(writer, "tile", "heat", 1.1e-3, fences=1.3e-3, ranges=1.2e-3)
    record = read_record(writer.write(tmp_path / "r.jsonl"))
    boards = Boards(record)
    board = boards.by_algorithm["heat"][0]
    assert board.line(BOOK).side.row_name == "tile.book", "a trick is no documented way"
    prices = prices_table(boards, board)
    assert prices is not None and list(prices.headings)[4:] == [f"{way} (95 %)" for way in (BOOK, TRICKED, TUNED)]
    row = next(row for row in prices.rows if row[0] == "tile")
    assert row[5].endswith(" ranges") and row[4].startswith("1.2")


def test_what_to_write_names_rows_times_and_counters(record: Record, main_board: Board) -> None:
    found = changes(Boards(record), [main_board])
    texts = [change.sentence() for change in found]
    assert texts[0].startswith("plain, the usual way: set tile=64x4 (the best of 2 values): 3.7")
    assert "9.67 ms to 2.59 ms (heat/plain/kokkos.usual to heat/plain/kokkos.usual:tile=64x4)" in texts[0]
    assert "Counters: most different: instructions an element 40 against 12" in texts[0] and not found[0].command
    assert [change.what for change in found[1:]] == ["plain, the usual way: set index=int64", "tile: tuned instead of by the book"]
    assert found[1].command == ("perf/portcost explain heat/plain/kokkos.usual heat/plain/kokkos.usual:index=int64 --size n=268435456 "
                                "--type f32 --only --record ways.jsonl")


def test_nothing_is_advised_from_a_disturbed_row(tmp_path: Path) -> None:
    writer = ways_writer()
    for step in ("plain.usual:tile=64x4", "tile"):  # below a factor of 2
        what = "other processes took 1.0 of 2 processors"
        writer.find("pair", step).update(verdict="unclear", disturbed=what, undecided=f"disturbed: {what}")
    boards = Boards(read_record(writer.write(tmp_path / "r.jsonl")))
    board = boards.by_algorithm["heat"][0]
    assert board.line(TUNED).against_best.verdict == "unclear"
    assert [row[2] for row in ways_table([board]).rows if row[0] == TUNED] == ["□ unclear"]
    named = {one.side.row_name for change in changes(boards, [board]) for one in (change.before, change.after)}
    assert named and not named & {"plain.usual:tile=64x4", "tile"}


def test_the_terminal_shows_different_work_too_at_both_sizes(tmp_path: Path) -> None:
    writer = different_work(sizes=(4096, 64))
    writer.lines[0]["variants"] = [{"name": "atomics/min/cuda", "lines": 12}, {"name": variant_of("min.usual", "atomics"), "lines": 7}]
    path = writer.write(tmp_path / "r.jsonl")
    boards = Boards(read_record(path)).by_algorithm["atomics"]
    assert [(board.step, board.small) for board in boards] == [("add", False), ("min", False), ("add", True), ("min", True)]
    table = ways_table(boards)
    assert [row[0] for row in table.rows][3] == "n=64, i32, cold (a small size)"
    assert table.headings[-1] == "lines of code, in this order" and [row[-1] for row in table.rows[1:3]] == ["– / – / –", "12 / 7 / –"]
    shown = run_tool("report", path).stdout.splitlines()
    start = shown.index("atomics  n=4096, i32, cold  Made-up GPU")
    assert shown[start + 1].split() == ["step", "CUDA", "usual", "tuned"]
    for line, step in zip(shown[start + 2:start + 4], ("add", "min")):
        assert re.fullmatch(rf"{step} +\S+ .s  (2\.9\d|3\.0\d)\d +1\.(0[89]|1[01])\d", line), line
    assert "atomics  n=64, i32, cold (a small size)  Made-up GPU" in shown
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert re.search(r"against CUDA in the same of 2 steps: usual", text), "of the main size alone"


# ---- What is advised to whoever writes the usual way, and what was not measured.


def advice(writer: Writer, tmp_path: Path, algorithm: str = "heat") -> list[str]:
    return [text for text, _ in fronts(Boards(read_record(writer.write(tmp_path / "r.jsonl"))))[algorithm].advice]


def rows(kokkos: dict[str, float], samples: int = 16, **change: object) -> Writer:
    """A host's pairs of one native step, of 1 ms, and the best of them."""
    writer = Writer(native="openmp", processor="Made-up CPU", samples=samples)
    for row, seconds in kokkos.items():
        add(writer, "pair", row, {variant_of(row): seconds, "heat/a/openmp": 1e-3}).update(change)
    best = min(kokkos, key=lambda row: kokkos[row])
    add(writer, "best", "best", {variant_of(best): kokkos[best], "heat/a/openmp": 1e-3})
    return writer


def add(writer: Writer, role: str, step: str, sides: dict[str, float]) -> Json:
    return writer.result(role, step, {"n": 64}, "f32", "cold", sides, 1e-4)


def test_another_way_is_offered_where_blocks_are_too_few_for_a_verdict(tmp_path: Path) -> None:
    first, *_ = advice(rows({"a.usual": 3.4e-3, "a.book": 1e-3}, samples=4), tmp_path)
    assert first.startswith("a, by the book, instead of a, the usual way: 3.")
    assert "(no interval) † times as fast, without a verdict, 3.4" in first
    assert first.endswith(" to 1.00 ms (heat/a/kokkos.usual to heat/a/kokkos.book). Of a not measured here: tuned.")
    assert "gains 2 %" not in first


def test_nothing_is_offered_without_an_interval_whose_times_overlap(tmp_path: Path) -> None:
    texts = advice(rows({"a.usual": 1.001e-3, "a.book": 1e-3}, samples=4), tmp_path)
    assert texts[0].startswith("No dial and no other way that was measured gains 2 %") and len(texts) == 2


def test_another_step_is_offered_with_what_was_not_measured_of_this_one(tmp_path: Path) -> None:
    texts = advice(rows({"a.usual": 3e-3, "b": 1e-3}), tmp_path)
    assert texts[0].startswith("b, tuned, instead of a, the usual way: ")
    assert texts[0].endswith(" Of a not measured here: by the book, tuned.") and " a verdict" not in texts[0]
    assert texts[1:] == ["Not measured here: by the book, dials. Measured: the usual way, tuned."]


def test_a_faster_step_is_offered_beside_a_change_that_leads_less_far(tmp_path: Path) -> None:
    texts = advice(ways_writer(), tmp_path)
    assert texts[0].startswith("plain, the usual way: set tile=64x4") and not any("Not measured" in text for text in texts)
    assert texts[-1].startswith("tile, tuned, instead of plain, the usual way: 8.6")


@pytest.mark.parametrize("kokkos, told", [
    ({"a": 1.2e-3}, "Not measured here: the usual way, by the book, dials. Measured: tuned."),
    ({"a.usual": 1.2e-3, "a.usual:tile=8": 1.2e-3}, "Not measured here: by the book, tuned. Measured: the usual way, dials.")])
def test_what_was_not_measured_is_said(kokkos: dict[str, float], told: str, tmp_path: Path) -> None:
    assert advice(rows(kokkos), tmp_path)[-1] == told
