"""perf/portcost explain, with made-up stand-ins for Nsight Compute and portcost: what is run and shown, of sweeps (--sweep) and of
several variants in one process (--together), too, and counters held against predictions."""

import argparse
import re

import pytest
from profiler import Tools, counters_of, one_line
from running import check_golden

from portcost_records.records import Counters, ExplainError
from portcost_records.theory import Sweep, Wanted, deviations, runs_of, sizes_of, sweep_of
from portcost_records.why import columns


def test_the_text_is_the_golden_one(tools: Tools) -> None:
    """The rows of the second table, of cub beside interleaved/cuda, have the numbers of the first table's last column."""
    lines = tools.explain("sum/strided", "sum/cub/library").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    begins, ends = ([i for i, line in enumerate(lines) if line.startswith(name)] for name in ("time under", "issue slots"))
    first, second = ([re.split(" {2,}", line.strip()) for line in lines[begin:end + 1]] for begin, end in zip(begins, ends))
    assert second == [[row[0], row[-1], row[-1], "–" if row[-1] in ("0", "0 bytes") else "1.000"] for row in first]
    check_golden("explain.txt", "".join(f"{line}\n" for line in [*lines[:begins[1]], *lines[ends[1] + 1:]]))


STRIDED = ["sum/strided/kokkos", "sum/strided/cuda"]


@pytest.mark.parametrize(("words", "profiled"), [
    (["sum/strided"], ["sum/interleaved/kokkos", "sum/interleaved/cuda", *STRIDED]),
    (["sum/strided", "--only"], STRIDED),
    (["sum/strided", "--only", "sum/cub/library"], [*STRIDED, "sum/cub/library"]),
    (["sum/strided.usual", "--only"], ["sum/strided/kokkos.usual", "sum/strided/cuda"]),
    (["sum/cub/library"], ["sum/cub/library"]),
], ids=["the steps before come along", "unless left out", "options in any order", "a way of writing",
        "one alone"])
def test_what_is_profiled(tools: Tools, words: list[str], profiled: list[str]) -> None:
    shown = tools.explain(*words).stdout
    assert tools.profiled() == profiled
    assert "registers a thread" in shown and ("ratio" in shown.split()) == (len(profiled) > 1)


def test_ncu_sees_only_the_run_and_leaves_the_clocks(tools: Tools) -> None:
    tools.explain("sum/strided/cuda", "--only", "--size", "n=77", "--type", "f32", "--seed", "5", "--parameter", "a=1")
    (call,) = tools.calls()
    for option, value in (("--clock-control", "none"), ("--profile-from-start", "off")):
        assert call[call.index(option) + 1] == value
    assert call[call.index("run"):] == ["run", "sum/strided/cuda", "--repeat", "1", "--size", "n=77",
                                        "--type", "f32", "--seed", "5", "--parameter", "a=1"]


def test_predictions_and_parameters_of_a_run_are_recorded(tools: Tools) -> None:
    tools.explain("sum/strided/cuda", "--only", "--parameter", "r1=8", "--out", str(tools.folder))
    (row,) = counters_of(tools.folder / "counters.jsonl")
    assert row["parameters_text"] == "r1=8"
    assert row["values"]["predicted_load_sectors"] == 500
    assert row["units"]["predicted_load_sectors"] == "sectors"
    tools.explain("sum/strided/cuda", "--only", "--out", str(tools.folder), "--most-kernels", "2")
    (row,) = counters_of(tools.folder / "counters.jsonl")
    assert row["parameters_text"] == ""
    assert "predicted_load_sectors" not in row["values"]


def test_a_prediction_stands_below_its_counter() -> None:
    row = Counters("copies/reads/cuda", "n=32", "f32", 0, (),
                   {"seconds": 1e-6, "load_sectors": 6.0, "predicted_load_sectors": 5.0, "predicted_read_bytes": 160.0})
    lines = columns([row], [])
    place = next(i for i, line in enumerate(lines) if line.startswith("sectors loaded"))
    assert lines[place].split()[-1] == "6"
    assert lines[place + 1].split() == ["predicted", "5"]
    assert [line.split()[1:] for line in lines if line.startswith("  predicted")] == [["160", "B"], ["5"]]


@pytest.mark.parametrize(("mode", "named"), [("permission", "NVreg_RestrictProfilingToAdminUsers=0"),
                                             ("driver", "counter measurement library")])
def test_what_ncu_lacks_is_named(tools: Tools, mode: str, named: str) -> None:
    one_line(tools.explain("sum/strided", mode=mode, status=3), named)


@pytest.mark.parametrize(("pair", "named"), [
    ("sum/interleaved.book", "did you mean 'sum/interleaved"),
    ("sum/stridet", "did you mean 'sum/strided'"),
    ("sum/strided/cudo", "did you mean 'sum/strided/cuda'"),
    ("sun/strided", "did you mean 'sum/strided'"),
    ("sum", "'sum' is no algorithm/step"),
    ("heat2d/naive", "this build leaves out: `perf/portcost list heat2d` builds it"),
    ("sum/strided/openmp", "runs on the host"),
])
def test_an_unknown_pair_is_named(tools: Tools, pair: str, named: str) -> None:
    one_line(tools.explain(pair, status=2), named)
    assert not tools.called()


def test_what_portcost_refuses_is_passed_on_and_a_missing_build_is_named(tools: Tools) -> None:
    one_line(tools.explain("sum/strided", "--size", "n=0", status=2), "size n=0 is out of range")
    (tools.folder / "portcost").unlink()
    one_line(tools.explain("sum/strided", status=3), "perf/prepare --preset cuda")


# ---- Sweeps, and all variants in one process.

KEYS = [{"key": "n", "default": 4096}, {"key": "offset", "default": 0}, {"key": "stride", "default": 1}]
SWEEPS = ("--size", "n=64", "--sweep", "offset=0:2", "--sweep", "stride=1:3")
SIZE = ("--size", "n=64,offset=0,stride=2")


def line_of(text: str, variant: str, counter: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.split()[:2] == [variant, counter])


def test_all_sizes_run_in_one_process_with_few_counters(tools: Tools) -> None:
    tools.explain("copies/reads", *SWEEPS, "--type", "f32")
    (call,) = tools.calls()
    run = call[call.index("run"):]
    assert run[1:5] == ["copies/reads/kokkos", "copies/reads/cuda", "--repeat", "1"] or \
        run[1:5] == ["copies/reads/cuda", "copies/reads/kokkos", "--repeat", "1"]
    sizes = [run[i + 1] for i, word in enumerate(run) if word == "--size"]
    assert sizes == [f"n=64,offset={offset},stride={stride}" for offset, stride in ((0, 1), (1, 1), (2, 1), (0, 2), (0, 3))]
    assert run[-2:] == ["--type", "f32"]
    assert len(call[call.index("--metrics") + 1].split(",")) == 5


def test_what_is_as_predicted_has_no_deviation(tools: Tools) -> None:
    done = tools.explain("copies/reads", "copies/writes", *SWEEPS)
    for step in ("reads", "writes"):
        for model in ("cuda", "kokkos"):
            line = line_of(done.stdout, f"copies/{step}/{model}", "load_sectors")
            assert line[2:5] == ["5", "5", "+0.00%"]
    assert "store_sectors" not in done.stdout  # nothing is predicted of them here


def test_the_largest_deviation_is_named(tools: Tools) -> None:
    done = tools.explain("copies/reads", *SWEEPS, mode="wrong")
    assert line_of(done.stdout, "copies/reads/kokkos", "load_sectors")[2:] == ["5", "4", "+25.00%", "n=64,offset=0,stride=3"]
    assert line_of(done.stdout, "copies/reads/cuda", "load_sectors")[2:5] == ["5", "5", "+0.00%"]
    assert line_of(done.stdout, "copies/reads/cuda", "read_bytes")[2:] == ["5", "5", "-4.00%", "n=64,offset=1,stride=1"]


def test_counters_of_a_sweep_are_recorded(tools: Tools) -> None:
    tools.explain("copies/reads/cuda", *SWEEPS, "--out", str(tools.folder))
    rows = counters_of(tools.folder / "counters.jsonl")
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
def test_runs_that_do_not_fit_are_refused(tools: Tools, words: list[str], mode: str, status: int, named: str) -> None:
    one_line(tools.explain(*words, mode=mode, status=status), named)
    assert "one algorithm" not in named or not tools.called()


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
    row = Counters("copies/reads/cuda", "n=1", "f32", 0, (), {"load_sectors": 5.0, "predicted_load_sectors": 0.0})
    assert deviations([row], "load_sectors") == []


def test_all_variants_run_in_one_process_with_all_counters(tools: Tools) -> None:
    done = tools.explain("copies/reads", "copies/writes", *SIZE, "--together", "--out", str(tools.folder))
    (call,) = tools.calls()
    run = call[call.index("run"):]
    assert {word for word in run if "/" in word} == {f"copies/{step}/{model}" for step in ("reads", "writes")
                                                      for model in ("cuda", "kokkos")}
    assert len(call[call.index("--metrics") + 1].split(",")) > 30
    rows = counters_of(tools.folder / "counters.jsonl")
    assert len(rows) == 4 and {row["size_text"] for row in rows} == {SIZE[1]}
    first = rows[0]["values"]
    assert first["load_sectors"] == 16 and first["kernels"] == 1 and first["dram_bytes"] == first["read_bytes"] + 9
    assert "sectors loaded" in done.stdout
