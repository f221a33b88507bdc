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
    assert named in bare.refusal("perf/run", "--filter", filter_)


def test_filter_of_the_host_is_refused_where_the_gpu_is_measured(bare: Machine):
    assert "--preset openmp" in bare.refusal("perf/run", "--preset", "cuda", "--filter", "heat2d/naive/openmp")


@pytest.mark.parametrize("filter_", ["heat2d", "heat2d/*", "*/naive/*", "h*naive/kokkos",
                                     "?eat2d/*/openmp", "sum/cub/library", "sum/*/kokkos.usual", "sum/tree/kokkos:tile=4"])
def test_filter_that_may_match_is_passed_on(ready: Machine, filter_: str):
    assert all(filter_ in line for line in starting(ready.calls_of("perf/run", "--filter", filter_), "portcost"))
