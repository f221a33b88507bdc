"""perf/portcost explain --together: all variants in one process, with made-up stand-ins."""

from __future__ import annotations

from profiler import Tools, counters_of, one_line

SIZE = ("--size", "n=64,offset=0,stride=2")


def test_all_variants_run_in_one_process_with_all_counters(sweeps: Tools) -> None:
    done = sweeps.explain("copies/reads", "copies/writes", *SIZE, "--together", "--out", str(sweeps.folder))
    (call,) = sweeps.calls()
    run = call[call.index("run"):]
    assert {word for word in run if "/" in word} == {f"copies/{step}/{model}" for step in ("reads", "writes")
                                                      for model in ("cuda", "kokkos")}
    assert len(call[call.index("--metrics") + 1].split(",")) > 30
    rows = counters_of(sweeps.folder / "counters.jsonl")
    assert len(rows) == 4 and {row["size_text"] for row in rows} == {SIZE[1]}
    first = rows[0]["values"]
    assert first["load_sectors"] == 16 and first["kernels"] == 1 and first["dram_bytes"] == first["read_bytes"] + 9
    assert "sectors loaded" in done.stdout


def test_variants_of_more_launches_are_refused(sweeps: Tools) -> None:
    one_line(sweeps.explain("copies/reads", *SIZE, "--together", mode="two launches", status=3),
             "2 runs have 4 launches, and one process for all needs variants of one launch a run: leave --together away")


def test_variants_of_two_algorithms_are_refused(sweeps: Tools) -> None:
    done = sweeps.explain("copies/reads", "others/reads", *SIZE, "--together", status=2)
    one_line(done, "one algorithm: these are of copies, others")
    assert not sweeps.called()
