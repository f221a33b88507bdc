"""perf/portcost scaling, and what readers make of records of several processes, on made-up records."""

from pathlib import Path

import pytest
from made_up_records import COPY_RATE, Writer
from portcost_records import compare, scaling
from portcost_records.reading import read_record
from portcost_records.records import RecordError
from running import Main


def over_ranks(ranks: int, sizes: dict[int, float], seed: int = 1) -> Writer:
    """`rows` on so many rows, in these seconds; each process moves its share of the bytes."""
    made = Writer(seed, native="openmp", processor="Made-up CPU")
    made.lines[0]["ranks"] = {"count": ranks, "mpi": "Made-up MPI", "each": [{"computer": "node"}] * ranks}
    for rows, seconds in sizes.items():
        sides = {f"jacobi/rows/{model}": seconds for model in ("kokkos", "openmp")}
        result = made.result("pair", "rows", {"rows": rows}, "f64", "cold", sides, 1e6 * rows / ranks / COPY_RATE)
        samples = [line for line in made.lines if line["kind"] == "sample" and line["result"] == result["id"]]
        for number, sample in enumerate(samples):
            sample["side"] = number % 2
            own = [sample["device_s"] * (1 if rank == 0 else 0.5) for rank in range(ranks)]
            made.lines.append({"kind": "ranks", "result": result["id"], "process": 0, "allocation": 0, "block": sample["block"],
                               "side": sample["side"], "device_s": own})
        result["rank_rows"], result["ranks"] = len(samples), ranks
    return made


def written(folder: Path, ranks: int, sizes: dict[int, float], name: str = "") -> str:
    return str(over_ranks(ranks, sizes).write(folder / f"{name or ranks}.jsonl"))


def test_one_problem_by_more_processes_is_strong(tmp_path: Path, cli: Main) -> None:
    records = [written(tmp_path, 1, {1000: 8e-3}), written(tmp_path, 2, {1000: 5e-3}), written(tmp_path, 4, {1000: 2e-3})]
    out = "\n".join(cli.printed(scaling.main, *records, "--out", tmp_path / "pictures"))
    table = out.split("strong: jacobi/rows/kokkos rows=1000 f64 cold\n")[1].splitlines()[1:4]
    cells = [line.split() for line in table]
    assert [cell[0] for cell in cells] == ["1", "2", "4"]
    assert [float(cell[3]) for cell in cells] == pytest.approx([1, 1.6, 4], rel=0.01)
    assert [float(cell[4]) for cell in cells] == pytest.approx([1, 0.8, 1], rel=0.01)
    assert "[" in table[1] and "0.50 of the slowest's time" in table[1]
    assert "weak: " not in out
    assert (tmp_path / "pictures/jacobi_scaling.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_work_for_each_process_is_weak(tmp_path: Path, cli: Main) -> None:
    records = [written(tmp_path, 4, {4000: 10e-3}), written(tmp_path, 1, {1000: 8e-3})]
    out = "\n".join(cli.printed(scaling.main, *records, "--filter", "*/openmp"))
    cells = [line.split() for line in out.split("weak: jacobi/rows/openmp f64 cold\n")[1].splitlines()[1:3]]
    assert [float(cell[3]) for cell in cells] == pytest.approx([1, 0.8], rel=0.01)
    assert "rows=1000" in cells[0] and "rows=4000" in cells[1]
    assert "strong: " not in out and "kokkos" not in out


def test_records_that_do_not_go_together(tmp_path: Path, cli: Main) -> None:
    two, again = written(tmp_path, 2, {1000: 8e-3}), written(tmp_path, 2, {1000: 8e-3}, "again")
    assert "no variant was measured on one problem" in cli.refused(scaling.main, two, written(tmp_path, 1, {3000: 8e-3}))
    assert "all records are of 2 processes" in cli.refused(scaling.main, two, again)
    alone = Writer(native="openmp", processor="Made-up CPU")
    alone.result("pair", "rows", {"rows": 1000}, "f64", "cold", {"jacobi/rows/kokkos": 1e-3, "jacobi/rows/openmp": 1e-3}, 1e-4)
    assert "perf/run --ranks 1" in cli.refused(scaling.main, two, alone.write(tmp_path / "alone.jsonl"))
    other = over_ranks(4, {1000: 2e-3})
    other.lines[0]["machine"]["processor"] = "Another CPU"
    assert "measured on Another CPU" in cli.refused(scaling.main, two, other.write(tmp_path / "other.jsonl"))


def test_compare_takes_the_same_number_of_processes(tmp_path: Path, cli: Main) -> None:
    two, four, again = (written(tmp_path, ranks, {1000: 8e-3}, name) for ranks, name in ((2, "a"), (4, "b"), (2, "c")))
    assert any("2 processes on Made-up CPU" in line for line in cli.printed(compare.main, two, again))
    assert "measured on 4 processes on Made-up CPU" in cli.refused(compare.main, two, four)


@pytest.mark.parametrize(("change", "said"), [
    (lambda rows: rows[3]["device_s"].__setitem__(0, 1.0), "are not those of its slowest rank"),
    (lambda rows: rows[3]["device_s"].pop(), "has the seconds of 1 ranks, and the header counts 2"),
    (lambda rows: rows[3].__setitem__("block", 99), "has the seconds of another sample's ranks"),
    (lambda rows: rows[3].__setitem__("result", 7), "should be the ranks of a sample of the result before it"),
])
def test_changed_seconds_are_noticed(tmp_path: Path, change, said: str) -> None:
    made = over_ranks(2, {1000: 8e-3})
    change([line for line in made.lines if line["kind"] == "ranks"])
    with pytest.raises(RecordError, match=said):
        read_record(made.write(tmp_path / "changed.jsonl"))
