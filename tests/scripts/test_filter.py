"""perf/run --filter on a made-up machine: what can match nothing is refused before anything is brought or built."""

from __future__ import annotations

import pytest
from machine import Machine, starting


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
                                     "?eat2d/*/openmp", "sum/cub/library", "sum/*/kokkos.usual", "sum/tree/kokkos:tile=4"])
def test_filter_that_may_match_is_passed_on(ready: Machine, filter_: str):
    assert ready.run("perf/run", "--filter", filter_).returncode == 0
    assert all(filter_ in line for line in starting(ready.take_calls(), "portcost"))
