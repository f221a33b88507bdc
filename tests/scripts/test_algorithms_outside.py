"""--algorithms on a made-up machine: algorithms that lie outside the repository."""

from __future__ import annotations

import pytest
from machine import Machine, starting


@pytest.fixture
def axpy(ready: Machine) -> str:
    """An algorithm's folder beside the repository."""
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
