"""perf/setup/tool: the subcommands of perf/portcost that need no build, the Python that runs them, and what they are free of."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_records import small_writer, ways_writer
from running import ROOT, run_tool


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    return tmp_path / "bare/bin/python3"


def own_python(project: Path, text: str) -> None:
    fake = project / ".venv/bin/python3"
    fake.parent.mkdir(parents=True)
    fake.write_text(f"#!/bin/sh\n{text}\n")
    fake.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "perf/setup").mkdir(parents=True)
    shutil.copy(ROOT / "perf/setup/tool", tmp_path / "perf/setup/tool")
    shutil.copytree(ROOT / "perf/portcost_records", tmp_path / "perf/portcost_records")
    return tmp_path


def run(python: Path | str, project: Path, tool: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([python, project / "perf/setup/tool", tool, *words], cwd="/", capture_output=True, text=True, check=False)


@pytest.mark.parametrize("tool", ["report", "compare", "explain"])
def test_the_projects_environment_goes_on(bare_python: Path, project: Path, tool: str):
    own_python(project, 'echo "project: $*"')
    done = run(bare_python, project, tool, "a b", "--help")
    assert done.stdout == f"project: {project}/perf/setup/tool {tool} a b --help\n", done.stderr


def test_a_python_that_has_matplotlib_is_kept(project: Path):
    own_python(project, "exit 9")
    assert run(sys.executable, project, "report", "--help").stdout.startswith("usage: perf/portcost report")


def test_without_both_the_remedy_is_named(bare_python: Path, project: Path):
    small_writer().write(project / "record.jsonl")
    done = run(bare_python, project, "report", str(project / "record.jsonl"))
    assert done.returncode == 3 and "nothing is built yet" in done.stderr and "perf/prepare builds it" in done.stderr
    (project / "build").symlink_to(ROOT / "build")
    done = run(bare_python, project, "report", str(project / "record.jsonl"))
    assert done.returncode == 2
    assert "the Python module matplotlib is missing; perf/prepare brings it" in done.stderr


TOOLS = re.findall(r'^    "([a-z-]+)": \(', (ROOT / "perf/setup/tool").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("tool", TOOLS)
def test_each_subcommand_has_help(tool: str) -> None:
    assert run_tool(tool, "--help").stdout.startswith(f"usage: perf/portcost {tool} ")


def test_all_are_listed_with_a_summary_and_an_unknown_one_is_named() -> None:
    listed = [line.split()[0] for line in run_tool("--list").stdout.splitlines()[1:] if len(line.split()) > 2]
    assert len(listed) > 8 and listed == TOOLS
    done = run_tool("reprot", status=2)
    assert "no subcommand 'reprot'" in done.stderr and "report" in done.stderr


def test_none_has_the_name_of_a_subcommand_of_the_program_which_suggests_them_for_a_mistyped_name() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "perf").glob("*/*.cpp"))
    commands = set(re.findall(r'add_(?:subcommand|run)\(\s*"(\w+)"', text))
    assert {"list", "check", "bench", "timeline"} <= commands and not commands & set(TOOLS)
    known = re.search(r"known = \{(.*?)\};", (ROOT / "perf/command/portcost.cpp").read_text(encoding="utf-8"), re.S)
    assert known and re.findall(r'"([a-z-]+)"', known[1]) == TOOLS


# ---- Neither a user's settings of matplotlib nor the terminal's encoding change what is printed and drawn.


RC = "text.usetex: True\nfont.family: serif\nsavefig.bbox: tight\nlines.linewidth: 9\naxes.grid: True\nsvg.fonttype: path\n"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ODD = "CPU $x_1$ µ #123456 'DejaVu Sans' id=\"a\" url(#b) $"


def run_as_user(cwd: Path, tool: str, *words: object, status: int = 0, **environment: str) -> subprocess.CompletedProcess[bytes]:
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
    run_as_user(folder, "report", record, "--out", folder / "out", "--png", folder / "out")
    return record, contents(folder / "out")


@pytest.mark.parametrize("place", ["cwd", "home", "named", "backend", "ascii", "C"])
def test_a_report_is_the_same_whatever_the_user_has_set(place: str, drawn: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    record, expected = drawn
    environment = settings(place, tmp_path)
    done = run_as_user(tmp_path / "run", "report", record, "--out", tmp_path / "out", "--png", tmp_path / "out", **environment)
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
        run_as_user(tmp_path / "run", "curves", record, "--filter", "heat2d/*", "--out", tmp_path / name, **now)
        made[name] = contents(tmp_path / name)
    assert made["plain"] == made["set"] != {}
    other = small_writer(processor=ODD).write(tmp_path / "µ.jsonl")
    run_as_user(tmp_path / "run", "compare", other, other, status=1, **environment)


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root takes another user's place")
@pytest.mark.parametrize("launcher", ["perf/run", "perf/prepare", "perf/portcost", "tests/run", "tests/fresh_root", ".ci/run"])
def test_a_checkout_in_a_closed_folder_is_an_error(tmp_path: Path, launcher: str):
    checkout = tmp_path / "checkout"
    (checkout / launcher).parent.mkdir(parents=True)
    shutil.copy(ROOT / launcher, checkout / launcher)
    tmp_path.chmod(0o700)
    done = subprocess.run(["bash", launcher, "--help"], cwd=checkout, user="nobody", capture_output=True, text=True, timeout=20,
                          check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"readlink: {launcher}: Permission denied\n") and done.stderr.count("\n") == 2
