"""The pages of perf/portcost report and perf/portcost code in a browser: at a desk and on a phone, in light and in dark."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import BAD_PICTURES, CLIPPED, FIGURES, FIRST_CELLS, SCHEMES, TOO_WIDE, WIDTHS, Browser
from made_up_records import Writer, small_writer, ways_writer
from running import run_tool

from portcost_sources.code_page import Line, marked


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


def host_writer() -> Writer:
    """A host: one clock, long names, a step made for GPUs, and a row that others disturbed."""
    writer = ways_writer("a_rather_long_name", native="openmp", processor="Made-up CPU with a rather long name, 16 cores", seed=2)
    writer.one_clock()
    what = "other processes took 1.0 of 2 processors"
    beyond = ("plain.usual", "plain.usual:index=int64")  # a factor of 2, which no disturbance explains
    for line in writer.lines:
        if line.get("role") == "pair" and line["step"] not in beyond:
            line |= {"verdict": "unclear", "disturbed": what, "undecided": f"disturbed: {what}"}
    return writer


@pytest.fixture(scope="module")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages by name; drawn once, and only where there is a browser."""
    folder = tmp_path_factory.mktemp("pages")
    records = {"gpu": [small_writer()], "host": [host_writer()],
               "both": [ways_writer(), ways_writer(native="openmp", processor="Made-up CPU", seed=3)]}
    for name, writers in records.items():
        paths = [writer.write(folder / f"{name}{number}.jsonl") for number, writer in enumerate(writers)]
        run_tool("report", *paths, "--out", folder / name)
    return {name: folder / name / "report.html" for name in records}


def check_page(browser: Browser, page: Path, scheme: str) -> None:
    """An open page is as wide as the window, asks for nothing but itself, has the scheme's colours and no error."""
    assert browser.ask(TOO_WIDE) == []
    assert browser.console() == []
    assert browser.requests() == [page.as_uri()]
    assert browser.colour("body", "backgroundColor") == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["gpu", "host", "both"])
def test_the_page_fits_and_shows_every_picture(browser: Browser, pages: dict[str, Path], name: str, width: int,
                                               scheme: str) -> None:
    browser.open(pages[name], width, scheme)
    assert browser.ask(CLIPPED) == []
    assert browser.ask(FIGURES) >= 4
    assert browser.ask(BAD_PICTURES) == []
    check_page(browser, pages[name], scheme)


@pytest.mark.parametrize("name", ["gpu", "host", "both"])
def test_on_a_phone_times_and_ratios_come_first(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.open(pages[name], 400, "light")
    first = [found for found in browser.ask(FIRST_CELLS) if "95 %" in found or "time" in found or "device" in found]
    expected = {"gpu": "time | against best native (95 %)", "host": "Kokkos time | OpenMP time",
                "both": "Kokkos device | CUDA device"}
    assert expected[name] in first
    assert all(re.search(r"time|device|wall|95 %", part) for found in first for part in found.split(" | ")), first


def test_a_card_says_what_its_number_is(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["host"], 1200, "light")
    said = browser.ask("return document.querySelector('.headlines li').innerText")
    assert re.search(r"^(8\.[89]\d\d)\n.*\nusual form: \1 x the time of the best OpenMP code\n", said), said


MARKED = "return [...document.querySelectorAll('mark')].map(one => one.textContent)"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("tree_sitter_cuda", reason="the Python module tree-sitter-cuda is not here (tests/source_requirements.txt)")
    folder = tmp_path_factory.mktemp("code")
    writer = Writer()
    sides = {"heat2d/naive/kokkos.book": 3e-3, "heat2d/naive/cuda": 2e-3}
    writer.result("pair", "naive", {"nx": 64, "ny": 64}, "f32", "cold", sides, 1e-3)
    run_tool("code", "--price", writer.write(folder / "made_up.jsonl"), "--out", folder / "code.html")
    return folder / "code.html"


def test_lines_that_one_text_lacks_are_marked() -> None:
    left, right = marked(["a = 1;", "", "b = 2;", "  c();"], ["a = 1;", "b = 3;", "c();"])
    assert left == [Line("a = 1;"), Line(""), Line("b = 2;", True), Line("  c();")]
    assert right == [Line("a = 1;"), Line("b = 3;", True), Line("c();")]


def test_the_page_has_the_record_s_algorithms_with_prices_and_lines(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert '<section id="heat2d">' in text and '<section id="sum">' not in text
    assert '<details id="heat2d-naive-kokkos.book">' in text and '<details id="heat2d-full_halo-kokkos">' in text
    head = next(line for line in text.splitlines() if "Kokkos by the book</b>" in line)
    assert "lines of code, 1.5" in head and "x the time of CUDA (nx=64,ny=64, f32, cold)" in head
    assert "__global__" in text and "TeamThreadRange(team, tile_y)" in text
    assert "const T&amp;" in text or "const Step&lt;T&gt;" in text


def test_an_unknown_algorithm_is_refused(tmp_path: Path) -> None:
    done = run_tool("code", "heat3d", "--out", tmp_path / "code.html", status=2)
    assert "there is no algorithm 'heat3d'; there are " in done.stderr
    assert not (tmp_path / "code.html").exists()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1400, 400])
def test_the_page_of_code_fits_on_a_desk_and_a_phone(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width, scheme)
    browser.ask("document.querySelectorAll('pre').forEach(one => one.classList.add('scroll'))")
    check_page(browser, page, scheme)
    assert browser.ask(MARKED)
    columns = browser.ask("return [...document.querySelector('.pair').children].map(one => one.getBoundingClientRect().left)")
    assert (columns[0] < columns[1]) is (width == 1400)
