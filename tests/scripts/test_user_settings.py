"""Scripts that print and draw depend neither on a user's settings of matplotlib nor on the terminal's encoding."""

import os
import subprocess
from pathlib import Path

import pytest
from made_up_records import small_writer, ways_writer
from running import run_tool

RC = "text.usetex: True\nfont.family: serif\nsavefig.bbox: tight\nlines.linewidth: 9\naxes.grid: True\nsvg.fonttype: path\n"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ODD = "CPU $x_1$ µ #123456 'DejaVu Sans' id=\"a\" url(#b) $"


def run(cwd: Path, tool: str, *words: object, status: int = 0, **environment: str) -> subprocess.CompletedProcess[bytes]:
    cwd.mkdir(exist_ok=True)
    done = run_tool(tool, *words, status=status, cwd=cwd, text=False, env={**os.environ, **environment})
    assert b"Traceback" not in done.stderr
    return done


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".html", ".md", ".png")}


def settings(place: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a user whose settings are at this place."""
    folder = {"cwd": tmp_path / "run", "home": tmp_path / "home/.config/matplotlib", "named": tmp_path / "named"}.get(place)
    if folder:
        folder.mkdir(parents=True)
        (folder / "matplotlibrc").write_bytes(RC.encode() + (b"" if place == "cwd" else b"# \xe9: not UTF-8\n"))
    return {"cwd": {}, "home": {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home/.config")},
            "named": {"MATPLOTLIBRC": str(tmp_path / "named")}, "backend": {"MPLBACKEND": "nonsense"},
            "ascii": {"PYTHONIOENCODING": "ascii"}, "C": ASCII}[place]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A record with odd names, and its report without any settings."""
    folder = tmp_path_factory.mktemp("drawn")
    record = ways_writer(processor=ODD).write(folder / "r$1$.jsonl")
    run(folder, "report", record, "--out", folder / "out", "--png", folder / "out")
    return record, contents(folder / "out")


@pytest.mark.parametrize("place", ["cwd", "home", "named", "backend", "ascii", "C"])
def test_a_report_is_the_same_whatever_the_user_has_set(place: str, drawn: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    record, expected = drawn
    environment = settings(place, tmp_path)
    done = run(tmp_path / "run", "report", record, "--out", tmp_path / "out", "--png", tmp_path / "out", **environment)
    assert contents(tmp_path / "out") == expected and len(expected) > 4
    assert (b"CPU $x_1$ \\xb5 #123456" if place in ("ascii", "C") else "CPU $x_1$ µ #123456".encode()) in done.stdout


def test_a_name_is_drawn_as_it_is(drawn: tuple[Path, dict[str, bytes]]) -> None:
    page = drawn[1]["report.html"].decode()
    assert page.count(f">against the best native code; dashed: the plain native one · {ODD}<") == 1


@pytest.mark.parametrize("place", ["named", "C"])
def test_other_pictures_and_tables_are_so_too(place: str, tmp_path: Path) -> None:
    record = small_writer(processor=ODD).write(tmp_path / "r$1$.jsonl")
    environment = settings(place, tmp_path)
    made = {}
    for name, now in (("plain", {}), ("set", environment)):
        run(tmp_path / "run", "curves", record, "--filter", "heat2d/*", "--out", tmp_path / name, **now)
        made[name] = contents(tmp_path / name)
    assert made["plain"] == made["set"] != {}
    other = small_writer(processor=ODD).write(tmp_path / "µ.jsonl")
    run(tmp_path / "run", "compare", other, other, status=1, **environment)


def test_powers_are_written_without_tex() -> None:
    from portcost_records.look import set_powers
    from portcost_records.look import STYLE, canvas, matplotlib

    with matplotlib.rc_context(STYLE):
        axes = canvas(400, 400).add_subplot()
        set_powers(axes.xaxis, 2)
        set_powers(axes.yaxis)
        axes.plot([2**6, 2**9], [1e-3, 1e6])
        axes.figure.draw_without_rendering()
        ticks = {text.get_text() for axis in (axes.xaxis, axes.yaxis) for text in axis.get_ticklabels()}
    assert {"2⁸", "10⁻²", "10⁶"} <= ticks and not any("$" in text or "math" in text for text in ticks)


def test_pictures_of_records_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    paths = [ways_writer().write(tmp_path / folder / "record.jsonl") for folder in ("a", "b")]
    done = run_tool("report", *paths, "--out", tmp_path / "out", "--png", tmp_path / "out", status=2)
    assert "two records are called record" in done.stderr
    assert not list(tmp_path.glob("out/*.png"))
