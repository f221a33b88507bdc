"""perf/portcost code: the code of two ways of writing a step side by side."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import SCHEMES, TOO_WIDE, Browser
from made_up_records import Writer
from running import run_tool

from portcost_sources.code_page import Line, marked

MARKED = "return [...document.querySelectorAll('mark')].map(one => one.textContent)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def test_the_page_fits_on_a_desk_and_a_phone(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width, scheme)
    browser.ask("document.querySelectorAll('details').forEach(one => one.open = true); "
                "document.querySelectorAll('pre').forEach(one => one.classList.add('scroll'))")
    assert browser.ask(TOO_WIDE) == []
    assert browser.ask(MARKED)
    assert browser.console() == []
    assert browser.requests() == [page.as_uri()]
    assert browser.colour("body", "backgroundColor") == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]
    columns = browser.ask("return [...document.querySelector('.pair').children].map(one => one.getBoundingClientRect().left)")
    assert (columns[0] < columns[1]) is (width == 1400)
