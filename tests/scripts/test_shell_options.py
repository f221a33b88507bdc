"""What is asked of the shell commands is looked at before anything is brought or built."""

from __future__ import annotations

import pytest
from machine import Machine, presets, starting

@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_unknown_preset_is_refused_before_anything_is_brought(bare: Machine, command: str):
    result = bare.run(command, "--preset", "opemp")
    assert result.returncode == 2 and bare.take_calls() == []
    assert result.stderr == (f"{command}: unknown preset 'opemp'; known: cuda openmp openmp-checked openmp-tsan "
                             f"(see {command} --help)\n")


def test_hidden_presets_are_unknown_and_the_users_own_are_known(ready: Machine):
    assert ready.run("perf/prepare", "--preset", "base").returncode == 2
    (ready.repo / "CMakeUserPresets.json").write_text('{"configurePresets": [\n{ "name": "mine" }\n]}')
    assert ready.run("perf/prepare", "--preset", "mine").returncode == 0
    assert presets(ready.take_calls()) == ["mine"]


@pytest.mark.parametrize("filter_, named", [
    ("heat3d", "no algorithm fits the filter 'heat3d'; known: atomics block_vote"),
    ("heat/*", "no algorithm fits the filter 'heat/*'"),
    ("x*/naive/*", "no algorithm fits the filter 'x*/naive/*'"),
    ("heat2d/naive/cud", "model 'cud'"),
    ("heat2d/naive/cuda", "asks for CUDA, and the host is measured"),
    ("heat2d/naive/reference", "never measured"),
    ("", "--filter needs a value"),
])
def test_filter_that_can_match_nothing_is_refused_before_anything_is_brought(bare: Machine, filter_: str, named: str):
    result = bare.run("perf/run", "--filter", filter_)
    assert result.returncode == 2 and bare.take_calls() == []
    assert len(result.stderr.splitlines()) == 1 and named in result.stderr


def test_filter_of_the_host_is_refused_where_the_gpu_is_measured(bare: Machine):
    result = bare.run("perf/run", "--preset", "cuda", "--filter", "heat2d/naive/openmp")
    assert result.returncode == 2 and "--preset openmp" in result.stderr and bare.take_calls() == []


@pytest.mark.parametrize("filter_", ["heat2d", "heat2d/*", "*/naive/*", "h*naive/kokkos",
                                     "?eat2d/*/openmp", "sum/cub/library"])
def test_filter_that_may_match_is_passed_on(ready: Machine, filter_: str):
    assert ready.run("perf/run", "--filter", filter_).returncode == 0
    assert all(filter_ in line for line in starting(ready.take_calls(), "portcost"))


@pytest.fixture
def axpy(ready: Machine) -> str:
    """An algorithm's folder beside the repository."""
    folder = ready.repo.parent / "own kernels" / "axpy"
    folder.mkdir(parents=True)
    (folder / "problem.hpp").write_text("")
    return str(folder)


def test_algorithms_outside_the_repository_are_built_and_may_be_measured_alone(ready: Machine, axpy: str):
    result = ready.run("perf/run", "--algorithms", axpy, "--filter", "axpy/*")
    assert result.returncode == 0, result.stderr
    calls = ready.take_calls()
    assert any(f"-DPORTCOST_ALGORITHMS={axpy}" in line for line in starting(calls, "cmake"))
    assert all("axpy/*" in line for line in starting(calls, "portcost"))
    assert ready.run("tests/run", "--algorithms", axpy, "--help").returncode == 0


@pytest.mark.parametrize("name, said", [
    ("none", "no such folder"), ("Axpy", "small letters, digits and _ only"), ("heat2d", "has an algorithm 'heat2d' already"),
    ("empty", "no problem.hpp there"), ("semi;colon", "small letters")])
def test_a_folder_that_is_no_algorithm_is_refused_before_anything_is_brought(bare: Machine, name: str, said: str):
    if name != "none":
        (bare.repo.parent / name).mkdir()
    (bare.repo / "variants/heat2d").mkdir(parents=True, exist_ok=True)
    result = bare.run("perf/run", "--algorithms", str(bare.repo.parent / name))
    assert result.returncode == 2 and bare.take_calls() == []
    assert len(result.stderr.splitlines()) == 1 and said in result.stderr
