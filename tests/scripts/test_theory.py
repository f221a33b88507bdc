"""perf/portcost explain --sweep and --together: what is run, and counters held against predictions, with made-up stand-ins."""

import argparse

import pytest
from profiler import Tools, counters_of, one_line

from portcost_records.explain_error import ExplainError
from portcost_records.records import Counters
from portcost_records.theory import Sweep, deviations, runs_of, sizes_of, sweep_of
from portcost_records.wanted import Wanted

KEYS = [{"key": "n", "default": 4096}, {"key": "offset", "default": 0}, {"key": "stride", "default": 1}]
SWEEPS = ("--size", "n=64", "--sweep", "offset=0:2", "--sweep", "stride=1:3")
SIZE = ("--size", "n=64,offset=0,stride=2")


def line_of(text: str, variant: str, counter: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.split()[:2] == [variant, counter])


def test_all_sizes_run_in_one_process_with_few_counters(sweeps: Tools) -> None:
    sweeps.explain("copies/reads", *SWEEPS, "--type", "f32")
    (call,) = sweeps.calls()
    run = call[call.index("run"):]
    assert run[1:5] == ["copies/reads/kokkos", "copies/reads/cuda", "--repeat", "1"] or \
        run[1:5] == ["copies/reads/cuda", "copies/reads/kokkos", "--repeat", "1"]
    sizes = [run[i + 1] for i, word in enumerate(run) if word == "--size"]
    assert sizes == [f"n=64,offset={offset},stride={stride}" for offset, stride in ((0, 1), (1, 1), (2, 1), (0, 2), (0, 3))]
    assert run[-2:] == ["--type", "f32"]
    assert len(call[call.index("--metrics") + 1].split(",")) == 5


def test_what_is_as_predicted_has_no_deviation(sweeps: Tools) -> None:
    done = sweeps.explain("copies/reads", "copies/writes", *SWEEPS)
    for step in ("reads", "writes"):
        for model in ("cuda", "kokkos"):
            line = line_of(done.stdout, f"copies/{step}/{model}", "load_sectors")
            assert line[2:5] == ["5", "5", "+0.00%"]
    assert "store_sectors" not in done.stdout  # nothing is predicted of them here


def test_the_largest_deviation_is_named(sweeps: Tools) -> None:
    done = sweeps.explain("copies/reads", *SWEEPS, "--each", mode="wrong")
    assert line_of(done.stdout, "copies/reads/kokkos", "load_sectors")[2:] == ["5", "4", "+25.00%", "n=64,offset=0,stride=3"]
    assert line_of(done.stdout, "copies/reads/cuda", "load_sectors")[2:5] == ["5", "5", "+0.00%"]
    assert line_of(done.stdout, "copies/reads/cuda", "read_bytes")[2:] == ["5", "5", "-4.00%", "n=64,offset=1,stride=1"]
    assert "copies/reads/kokkos n=64,offset=0,stride=3 f32: load_sectors 30 (predicted 24), read_bytes 768 (predicted 768)" \
        in done.stdout.splitlines()


def test_counters_of_a_sweep_are_recorded(sweeps: Tools) -> None:
    sweeps.explain("copies/reads/cuda", *SWEEPS, "--out", str(sweeps.folder))
    rows = counters_of(sweeps.folder / "counters.jsonl")
    assert [row["size_text"] for row in rows][-1] == "n=64,offset=0,stride=3" and len(rows) == 5
    assert rows[-1]["values"]["load_sectors"] == rows[-1]["values"]["predicted_load_sectors"] == 24


@pytest.mark.parametrize(("words", "mode", "status", "named"), [
    (["copies/reads", *SWEEPS], "two launches", 3, "10 runs have 20 launches"),
    (["copies/reads", *SIZE, "--together"], "two launches", 3,
     "2 runs have 4 launches, and one process for all needs variants of one launch a run: leave --together away"),
    (["others/reads", *SWEEPS], "", 2, "theory says nothing of others/reads/"),
    (["others/reads", "copies/reads", *SWEEPS], "", 2, "one algorithm: these are of copies, others"),
    (["copies/reads", "others/reads", *SIZE, "--together"], "", 2, "one algorithm: these are of copies, others"),
])
def test_runs_that_do_not_fit_are_refused(sweeps: Tools, words: list[str], mode: str, status: int, named: str) -> None:
    one_line(sweeps.explain(*words, mode=mode, status=status), named)
    assert "one algorithm" not in named or not sweeps.called()


def test_sizes_of_sweeps_come_once() -> None:
    assert sizes_of("n=8", [Sweep("offset", 0, 1), Sweep("stride", 1, 2)], KEYS) == [
        "n=8,offset=0,stride=1", "n=8,offset=1,stride=1", "n=8,offset=0,stride=2"]
    assert sizes_of(None, [Sweep("n", 5, 5)], KEYS) == ["n=5,offset=0,stride=1"]
    for base, sweep, reason in (("m=8", Sweep("n", 1, 2), "'m=8' is no key=number"), ("n=x", Sweep("n", 1, 2), "'n=x'"),
                                ("n=8", Sweep("m", 1, 2), "--sweep m: the size keys are n, offset, stride"),
                                ("n=8", Sweep("n", 1, 1001), "more than 1000 sizes")):
        with pytest.raises(ExplainError, match=reason):
            sizes_of(base, [sweep], KEYS)


def test_a_sweep_is_a_key_and_two_numbers() -> None:
    assert sweep_of("offset=0:33") == Sweep("offset", 0, 33)
    for text in ("offset", "offset=3", "offset=3:2", "offset=-1:2", "=1:2"):
        with pytest.raises(argparse.ArgumentTypeError, match="give key=least:most"):
            sweep_of(text)


def test_runs_are_read_with_their_parameters_and_predictions() -> None:
    printed = ("copies/reads/cuda n=1 f32\nparameters a=2\npredicted load_sectors 3\nother line\n"
               "copies/reads/cuda n=2 f32\n")
    first, second = runs_of(printed, [Wanted("copies/reads/cuda", 0)])
    assert (first.size_text, first.parameters_text, first.values) == ("n=1", "a=2", {"predicted_load_sectors": 3})
    assert (second.size_text, second.parameters_text, second.values) == ("n=2", "", {})
    with pytest.raises(ExplainError, match="predicts 'luck 7'"):
        runs_of("copies/reads/cuda n=1 f32\npredicted luck 7\n", [Wanted("copies/reads/cuda", 0)])


def test_a_prediction_of_nothing_has_no_deviation() -> None:
    row = Counters("copies/reads/cuda", "n=1", "f32", 0, (), {"load_sectors": 5.0, "predicted_load_sectors": 0.0})
    assert deviations([row], "load_sectors") == []


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
