"""Algorithms outside the repository on a made-up machine: --new-algorithm copies the template, --algorithms builds them."""

import shutil
from pathlib import Path

import pytest
from machine import ROOT, Machine, starting

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
