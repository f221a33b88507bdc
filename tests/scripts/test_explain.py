"""perf/portcost explain, with made-up stand-ins for Nsight Compute and portcost: what is run and shown."""

import re

import pytest
from profiler import Tools, counters_of, one_line
from running import check_golden

from portcost_records.explain import elements_of, predictions_of
from portcost_records.explain_error import ExplainError
from portcost_records.records import Counters
from portcost_records.side_by_side import columns


def test_the_text_is_the_golden_one(tools: Tools) -> None:
    """The rows of the second table, of cub beside interleaved/cuda, have the numbers of the first table's last column."""
    lines = tools.explain("sum/strided", "sum/cub/library").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    begins, ends = ([i for i, line in enumerate(lines) if line.startswith(name)] for name in ("time under", "issue slots"))
    first, second = ([re.split(" {2,}", line.strip()) for line in lines[begin:end + 1]] for begin, end in zip(begins, ends))
    assert [row[:3] for row in second] == [[row[0], row[-1], row[-1]] for row in first]
    check_golden("explain.txt", "".join(f"{line}\n" for line in [*lines[:begins[1]], *lines[ends[1] + 1:]]))


STRIDED = ["sum/strided/kokkos", "sum/strided/cuda"]


@pytest.mark.parametrize(("words", "profiled"), [
    (["sum/strided"], ["sum/interleaved/kokkos", "sum/interleaved/cuda", *STRIDED]),
    (["sum/strided", "--only"], STRIDED),
    (["sum/strided", "--steps-before", "0"], STRIDED),
    (["sum/strided", "--only", "sum/cub/library"], [*STRIDED, "sum/cub/library"]),
    (["sum/strided.usual", "--only"], ["sum/strided/kokkos.usual", "sum/strided/cuda"]),
], ids=["the steps before come along", "unless left out", "by their number", "options in any order", "a way of writing"])
def test_what_is_profiled(tools: Tools, words: list[str], profiled: list[str]) -> None:
    tools.explain(*words)
    assert tools.profiled() == profiled


def test_one_variant_alone_is_shown(tools: Tools) -> None:
    done = tools.explain("sum/cub/library")
    assert tools.profiled() == ["sum/cub/library"]
    assert "registers a thread" in done.stdout and "ratio" not in done.stdout.split()


def test_ncu_sees_only_the_run_and_leaves_the_clocks(tools: Tools) -> None:
    tools.explain("sum/strided/cuda", "--only", "--size", "n=77", "--type", "f32", "--seed", "5",
                  "--parameter", "a=1")
    (call,) = tools.calls()
    for option, value in (("--clock-control", "none"), ("--profile-from-start", "off")):
        assert call[call.index(option) + 1] == value
    assert call[call.index("run"):] == ["run", "sum/strided/cuda", "--repeat", "1", "--size", "n=77",
                                        "--type", "f32", "--seed", "5", "--parameter", "a=1"]


def test_elements_are_what_counts() -> None:
    assert elements_of("nx=10,ny=20,steps=2", ["nx", "ny", "steps"]) == 400
    assert elements_of("n=1000,bins=256", ["n"]) == 1000


def test_predictions_are_those_of_known_counters() -> None:
    printed = "copies/reads/cuda n=32 f32\npredicted load_sectors 5\npredicted read_bytes 160\n"
    assert predictions_of(printed) == {"predicted_load_sectors": 5, "predicted_read_bytes": 160}
    assert predictions_of("copies/reads/cuda n=32 f32\n") == {}
    for wrong in ("luck 7", "load_sectors nan", "load_sectors -1"):
        with pytest.raises(ExplainError, match=f"predicts '{wrong}', which is no number of a counter"):
            predictions_of(f"predicted {wrong}\n")


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


def test_what_portcost_refuses_is_passed_on(tools: Tools) -> None:
    one_line(tools.explain("sum/strided", "--size", "n=0", status=2), "size n=0 is out of range")


def test_a_missing_build_is_named(tools: Tools) -> None:
    (tools.folder / "portcost").unlink()
    one_line(tools.explain("sum/strided", status=3), "perf/prepare --preset cuda")
