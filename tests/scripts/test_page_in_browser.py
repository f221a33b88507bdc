"""The report's page in a browser: at a desk and on a phone, in light and in dark."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import BAD_PICTURES, CLIPPED, FIGURES, FIRST_CELLS, SCHEMES, TOO_WIDE, WIDTHS, Browser
from made_up_records import Writer, small_writer
from made_up_ways import ways_writer
from running import run_tool


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


def host_writer() -> Writer:
    """A host: one clock, long names, a step made for GPUs, and a row that others disturbed."""
    writer = ways_writer("a_rather_long_name", native="openmp", processor="Made-up CPU with a rather long name, 16 cores", seed=2)
    for line in [line for line in writer.lines if line["kind"] == "sample"]:
        line["wall_s"] = line["device_s"]
    for line in [line for line in writer.lines if line["kind"] == "result"]:
        writer.settle(line)
        if line["role"] == "pair":
            what = "other processes took 1.0 of 2 processors"
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


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["gpu", "host", "both"])
def test_the_page_fits_and_shows_every_picture(browser: Browser, pages: dict[str, Path], name: str, width: int,
                                               scheme: str) -> None:
    browser.open(pages[name], width, scheme)
    assert browser.ask(TOO_WIDE) == []
    assert browser.ask(CLIPPED) == []
    assert browser.ask(FIGURES) >= 4
    assert browser.ask(BAD_PICTURES) == []
    assert browser.console() == []
    assert browser.requests() == [pages[name].as_uri()]
    assert browser.colour("body", "backgroundColor") == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]


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


@pytest.mark.parametrize("fault, script, what", [
    ("<div class=scroll style='overflow-x: auto'><table><td>" + "x" * 200 + "<td>last</table></div>", CLIPPED, "TD: last"),
    ("<div class=scroll><table style='table-layout: fixed; width: 80px'><td style='overflow: hidden'>" + "y" * 50
     + "</table></div>", CLIPPED, "TD: yyy"),
    ("<p style='width: 1500px'>x</p>", TOO_WIDE, "the page: "),
    ("<figure><svg aria-label='nothing' width='0' height='0'></svg></figure>", BAD_PICTURES, "nothing"),
    ("<figure><svg aria-label='cut' width='300' height='100'><text x='290' y='50'>words</text></svg></figure>", BAD_PICTURES,
     'cut: cuts off "words"'),
])
def test_faults_of_a_page_are_seen(browser: Browser, tmp_path: Path, fault: str, script: str, what: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!DOCTYPE html><body>{fault}</body>", encoding="utf-8")
    browser.open(page, 400, "light")
    assert any(what in found for found in browser.ask(script))


def test_what_a_page_loads_and_says_is_seen(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html><img src='other.png'><script>console.log('said')</script>", encoding="utf-8")
    browser.open(page, 400, "light")
    assert any("other.png" in address for address in browser.requests())
    assert any("said" in line for line in browser.console())
