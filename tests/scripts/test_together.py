"""perf/portcost explain --together: all variants in one process, with made-up stand-ins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from profiler import STAND_INS, Tools, counters_of, one_line

SIZE = ("--size", "n=64,offset=0,stride=2")


@pytest.fixture
def together(tmp_path: Path) -> Tools:
    tools = Tools(tmp_path)
    for name, source in (("ncu", "ncu_of_runs.py"), ("portcost", "portcost_of_sizes.py")):
        (tools.folder / name).write_text(f"#!{sys.executable}\n" + (STAND_INS / source).read_text())
    return tools


def test_all_variants_run_in_one_process_with_all_counters(together: Tools) -> None:
    done = together.explain("copies/reads", "copies/writes", *SIZE, "--together", "--out", str(together.folder))
    assert done.returncode == 0, done.stderr
    (call,) = together.calls()
    run = call[call.index("run"):]
    assert {word for word in run if "/" in word} == {f"copies/{step}/{model}" for step in ("reads", "writes")
                                                      for model in ("cuda", "kokkos")}
    assert len(call[call.index("--metrics") + 1].split(",")) > 30
    rows = counters_of(together.folder / "counters.jsonl")
    assert len(rows) == 4 and {row["size_text"] for row in rows} == {SIZE[1]}
    first = rows[0]["values"]
    assert first["load_sectors"] == 16 and first["kernels"] == 1 and first["dram_bytes"] == first["read_bytes"] + 9
    assert "sectors loaded" in done.stdout


def test_variants_of_more_launches_are_refused(together: Tools) -> None:
    one_line(together.explain("copies/reads", *SIZE, "--together", mode="two launches"), 3,
             "2 runs have 4 launches, and one process for all needs variants of one launch a run: leave --together away")


def test_variants_of_two_algorithms_are_refused(together: Tools) -> None:
    one_line(together.explain("copies/reads", "others/reads", *SIZE, "--together"), 2, "one algorithm: these are of copies, others")
    assert not together.called()
