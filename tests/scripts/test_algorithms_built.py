"""Which algorithms are built and measured, on a made-up machine: PORTCOST_ONLY and what perf/run and perf/portcost ask for."""

import re
import shutil
from pathlib import Path

import pytest
from machine import ROOT, Machine, starting
from running import cmake_script

CATALOGUE = re.search(r"set\(catalogue\n(.*?)\)", (ROOT / "variants/CMakeLists.txt").read_text(), re.DOTALL)[1].split()
WITH_H = ";".join(sorted(name for name in CATALOGUE if name.startswith("h")))
SCRIPT = """
cmake_minimum_required(VERSION 3.25)
include(${ROOT}/cmake/PortcostCatalogue.cmake)
list(TRANSFORM NAMES PREPEND ${ROOT}/variants/)
portcost_choose_algorithms("${ONLY}" chosen ${NAMES})
list(TRANSFORM chosen REPLACE ".*/" "")
message(NOTICE "${chosen}")
"""


def choose(folder: Path, only: str) -> str:
    """What CMake makes of this value, one name after the other, or its error."""
    return " ".join(cmake_script(folder, SCRIPT, NAMES=";".join(CATALOGUE), ONLY=only).split())


def in_default_campaign(name: str) -> bool:
    return ".in_default_campaign = false" not in (ROOT / "variants" / name / "algorithm.cpp").read_text()


@pytest.mark.skipif(not shutil.which("cmake"), reason="no cmake")
def test_which_algorithms_are_built(tmp_path: Path):
    default = [name for name in CATALOGUE if in_default_campaign(name)]
    assert "heat2d" in default and "histogram" not in default
    assert choose(tmp_path, "") == ";".join(CATALOGUE)
    assert choose(tmp_path, "default") == ";".join(default)
    assert choose(tmp_path, "none") == ""
    assert choose(tmp_path, "none;histogram") == "histogram"
    wanted = [name for name in CATALOGUE if name in (*default, "histogram")]
    assert choose(tmp_path, "histogram;default") == ";".join(wanted)
    error = choose(tmp_path, "default;histogramm")
    assert "PORTCOST_ONLY names 'histogramm', which is no algorithm" in error and "heat2d" in error


def only_of(machine: Machine) -> str | None:
    """What was configured last since the calls were taken; None: nothing was."""
    found = [re.search(r"-DPORTCOST_ONLY=(\S*)", line) for line in starting(machine.take_calls(), "cmake")]
    values = [match[1] for match in found if match]
    return values[-1] if values else None


@pytest.fixture
def fresh(ready: Machine) -> Machine:
    """Ready, but nothing is built."""
    shutil.rmtree(ready.repo / "build")
    return ready


@pytest.mark.parametrize("words, only", [
    ([], "default"), (["--full"], ""), (["--filter", "histogram/*"], "histogram"), (["--filter", "*/naive/*"], ""),
    (["--filter", "h*"], WITH_H), (["--filter", "h[ei]*/naive"], WITH_H), (["--table1"], "heat2d"), (["--filter", "sum/*", "--full"], "sum")])
def test_a_run_builds_what_it_measures(fresh: Machine, words: list[str], only: str):
    fresh.run("perf/run", *words)
    assert only_of(fresh) == only


def test_runs_in_turn_add_and_never_take_away(fresh: Machine):
    for words, only in ((["--filter", "histogram/*"], "histogram"), ([], "histogram;default"),
                        (["--filter", "histogram/*"], None), ([], None), (["--full"], ""), ([], None)):
        fresh.run("perf/run", *words)
        assert only_of(fresh) == only


def test_what_the_default_campaign_holds_is_not_asked_for_again(fresh: Machine):
    fresh.run("perf/run")
    cache = fresh.repo / "build/openmp/CMakeCache.txt"
    cache.write_text(cache.read_text() + "PORTCOST_BUILT:INTERNAL=heat2d;sum\n")
    fresh.take_calls()
    fresh.run("perf/run", "--filter", "sum/*")
    assert only_of(fresh) is None


def test_a_build_with_tests_keeps_all(ready: Machine):
    ready.run("perf/run", "--filter", "sum/*")
    assert only_of(ready) is None


def test_tests_run_builds_all(fresh: Machine):
    fresh.run("perf/run")
    calls = starting(fresh.calls_of("tests/run"), "cmake")
    assert any("-DPORTCOST_TESTS=ON" in line and re.search(r"-DPORTCOST_ONLY=( |$)", line) for line in calls)


def test_of_what_lies_outside_nothing_of_the_catalogue_is_built(fresh: Machine):
    folder = fresh.repo.parent / "axpy"
    folder.mkdir()
    (folder / "problem.hpp").write_text("")
    fresh.run("perf/run", "--algorithms", str(folder), "--filter", "axpy/*")
    assert only_of(fresh) == "none"


def test_a_run_that_goes_on_keeps_what_is_built(fresh: Machine):
    fresh.run("perf/run", "--filter", "sum/*", "--out", str(fresh.repo / "out"))
    fresh.take_calls()
    folder, = (fresh.repo / "out").iterdir()
    fresh.run("perf/run", "--resume", str(folder))
    assert only_of(fresh) is None


@pytest.mark.parametrize("words, only", [
    (["list"], None), (["list", "sum"], None), (["check", "heat2d/naive/*"], "sum;heat2d"),
    (["list", "histogram"], "sum;histogram"), (["bench", "--seconds", "1", "h*/naive/*"], f"sum;{WITH_H}"),
    (["bench"], "sum;default"), (["bench", "--campaign=full"], ""), (["bench", "sum", "--campaign", "full"], None),
    (["bench", "--resume"], None), (["solve", "histogram", "--graph", "g.gr"], "sum;histogram"), (["machine"], None), (["check", "nosuch"], None), ([], None)])
def test_portcost_builds_what_is_named_and_left_out(fresh: Machine, words: list[str], only: str | None):
    fresh.run("perf/run", "--filter", "sum/*")
    fresh.take_calls()
    if words[:1] == ["bench"]:
        words = [*words, str(fresh.repo / "x.jsonl")]
    fresh.run("perf/portcost", *words)
    calls = fresh.calls.read_text().splitlines()
    assert only_of(fresh) == only
    assert calls[-1] == " ".join(["portcost", *words]).rstrip() or not words
    assert any("--target portcost_command" in line for line in calls) == (only is not None)


def test_the_default_campaign_checks_what_it_measures(ready: Machine):
    for name in CATALOGUE:
        folder = ready.repo / "variants" / name
        folder.mkdir(exist_ok=True)
        shutil.copy(ROOT / "variants" / name / "algorithm.cpp", folder)
    (check,) = starting(ready.calls_of("perf/run"), "portcost check")
    assert check.split()[2:] == sorted(name for name in CATALOGUE if in_default_campaign(name))
    assert starting(ready.calls_of("perf/run", "--full"), "portcost check") == ["portcost check"]


# ---- Algorithms outside the repository: --new-algorithm copies the template, --algorithms builds them.


TEMPLATE = ROOT / "perf/setup/template/axpy"
FILES = ["README.md", "algorithm.cpp", "cuda.cu", "kokkos.cpp", "openmp.cpp", "problem.hpp", "reference.cpp"]


@pytest.fixture
def machine(bare: Machine) -> Machine:
    shutil.copytree(TEMPLATE, bare.repo / "perf/setup/template/axpy")
    return bare


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def test_an_algorithm_is_made_of_seven_short_files_named_like_its_folder(machine: Machine):
    folder = machine.repo.parent / "own kernels" / "my_norm2"
    assert machine.run("perf/run", "--new-algorithm", str(folder)).stderr == ""
    assert machine.take_calls() == []
    made = texts(folder)
    assert sorted(made) == FILES
    assert sum(text.count("\n") for text in made.values()) < 280
    assert {name: text.replace("my_norm2", "axpy") for name, text in made.items()} == texts(TEMPLATE)
    assert not any("axpy" in text for text in made.values())
    for name, text in made.items():
        assert name == "README.md" or "namespace portcost::my_norm2 {" in text
        assert name in ("README.md", "problem.hpp") or '#include "my_norm2/problem.hpp"' in text
    assert '.name = "my_norm2"' in made["algorithm.cpp"]
    machine.run("tests/run", "--algorithms", str(folder), "--help")


@pytest.mark.parametrize("words", [["--new-algorithm", "FOLDER/"], ["--new-algorithm=FOLDER"]])
def test_it_says_what_it_made_and_the_two_commands_to_type_next(machine: Machine, words: list[str]):
    folder = machine.repo.parent / "own kernels" / "mine"
    folder.mkdir(parents=True)  # one that is empty will do
    lines = machine.run("perf/run", *(word.replace("FOLDER", str(folder)) for word in words)).stdout.splitlines()
    assert str(folder) in lines[0] and [line.strip() for line in lines[1:8]] == FILES
    measure, test = (line.strip() for line in lines[-2:])
    shown = str(folder).replace(" ", "\\ ")
    assert measure.endswith(f"perf/run --algorithms {shown} --filter 'mine/*'")
    assert test.endswith(f"tests/run --algorithms {shown}")


@pytest.mark.parametrize("name, said", [
    ("Mine", "small letters, digits and _ only"), ("2mine", "small letters"), ("my-kernel", "small letters"),
    ("semi;colon", "small letters"), ("template", "taken in C++"), ("xor", "taken in C++"), ("src", "taken in C++"),
    ("my__own", "taken in C++"), ("heat2d", "has an algorithm 'heat2d' already"), ("full", "is not empty"),
    ("file", "a file is there"), ("a;b/mine", "parts folders for CMake"), ("repo/variants/mine", "outside variants")])
def test_a_folder_that_will_not_do_is_refused_and_nothing_is_made(machine: Machine, name: str, said: str):
    above = machine.repo.parent
    (above / "full").mkdir()
    (above / "full/notes.txt").write_text("mine")
    (above / "file").write_text("mine")
    before = sorted(above.rglob("*"))
    assert said in machine.refusal("perf/run", "--new-algorithm", str(above / name))
    assert sorted(above.rglob("*")) == before


@pytest.mark.parametrize("beside", [["--full"], ["--preset", "openmp"], ["--filter", "heat2d/*"], ["--no-install"],
                                    ["--new-algorithm", "other"]])
@pytest.mark.parametrize("first", [True, False])
def test_an_option_beside_it_is_refused(machine: Machine, beside: list[str], first: bool):
    own = ["--new-algorithm", str(machine.repo.parent / "mine")]
    assert "leave the other options away" in machine.refusal("perf/run", *(own + beside if first else beside + own))
    assert not (machine.repo.parent / "mine").exists()


@pytest.fixture
def axpy(ready: Machine) -> str:
    folder = ready.repo.parent / "own kernels" / "axpy"
    folder.mkdir(parents=True)
    (folder / "problem.hpp").write_text("")
    return str(folder)


def test_algorithms_outside_the_repository_are_built_and_may_be_measured_alone(ready: Machine, axpy: str):
    calls = ready.calls_of("perf/run", "--algorithms", axpy, "--filter", "axpy/*")
    assert any(f"-DPORTCOST_ALGORITHMS={axpy}" in line for line in starting(calls, "cmake"))
    assert all("axpy/*" in line for line in starting(calls, "portcost"))
    ready.run("tests/run", "--algorithms", axpy, "--help")


@pytest.mark.parametrize("name, said", [
    ("none", "no such folder"), ("Axpy", "small letters, digits and _ only"), ("heat2d", "has an algorithm 'heat2d' already"),
    ("empty", "no problem.hpp there"), ("semi;colon", "small letters")])
def test_a_folder_that_is_no_algorithm_is_refused_before_anything_is_brought(bare: Machine, name: str, said: str):
    if name != "none":
        (bare.repo.parent / name).mkdir()
    (bare.repo / "variants/heat2d").mkdir(parents=True, exist_ok=True)
    assert said in bare.refusal("perf/run", "--algorithms", str(bare.repo.parent / name))
