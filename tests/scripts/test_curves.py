"""perf/portcost curves and scaling, on made-up records: tables, crossovers, pictures; and other readers of several processes."""

import re
from pathlib import Path

import pytest
from made_up_records import COPY_RATE, Writer
from running import Main

from portcost_records import compare, curves, scaling
from portcost_records.reading import read_record
from portcost_records.records import RecordError


def pair(made: Writer, algorithm: str, step: str, size: dict[str, int], work: int, seconds: dict[str, float]) -> None:
    sides = {f"{algorithm}/{step}/{model}": one for model, one in seconds.items()}
    made.result("pair", step, size, "f32", "cold", sides, work / COPY_RATE)


def copies(folder: Path, name: str = "made_up", slower: dict[int, float] = {4096: 1.0, 2**20: 1.0, 2**30: 1.0}) -> Path:
    """2 us and 10 GB/s by CUDA; 3 us and 10 GB/s by Kokkos; `slower` by this factor at each size."""
    made = Writer()
    for step in ("there", "back"):
        for size, factor in slower.items():
            pair(made, "copies", step, {"bytes": size}, size,
                 {model: factor * (fixed + size / 10e9) for model, fixed in (("kokkos", 3e-6), ("cuda", 2e-6))})
    return made.write(folder / f"{name}.jsonl")


def batches(folder: Path) -> Path:
    """Of 256 each, one by one: 2 us each and 10 GB/s; packed: 20 us and 5 GB/s. They are equal where all bytes take
    512 - 20 us more at 5 than at 10 GB/s: 4.92 MB, or 19219 bytes each."""
    made = Writer(samples=8)
    for n in (64, 1024, 4096, 16384):
        total = 256 * 4 * n
        for step, seconds in (("one_by_one", 256 * 2e-6 + total / 10e9), ("packed", 20e-6 + total / 5e9)):
            pair(made, "batches", step, {"count": 256, "n": n}, total, {"kokkos": seconds, "cuda": seconds})
    return made.write(folder / "batches.jsonl")


def test_a_rate_is_work_over_time_and_pictures_are_drawn_where_they_are_asked_for(tmp_path: Path, cli: Main) -> None:
    lines = cli.printed(curves.main, copies(tmp_path), "--out", tmp_path / "pictures")
    picture = tmp_path / "pictures" / "made_up_copies_f32.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert lines[-1] == f"picture: {picture}"
    assert lines[2] == "copies f32"
    assert lines[3].split() == ["10^9/s", "for", "work", "of", "4", "Ki", "1", "Mi", "1", "Gi"]
    row = next(line for line in lines if line.startswith("there/cuda "))
    values = [float(word) for word in row.split()[1:]]
    assert values == pytest.approx([4096 / (2e-6 + 4096 / 10e9) / 1e9, 9.81, 10.0], rel=0.01)
    fixed = next(line for line in lines if line.startswith("there/kokkos ") and line.endswith("for 4 Ki"))
    assert float(fixed.split()[1]) == pytest.approx(3.41, rel=0.01)


def test_records_of_one_machine_make_one_curve(tmp_path: Path, cli: Main) -> None:
    whole = cli.printed(curves.main, copies(tmp_path))
    both = cli.printed(curves.main, copies(tmp_path, "small", {4096: 1.0, 2**20: 1.0}),
                       copies(tmp_path, "large", {2**20: 1.5, 2**30: 1.0}))
    assert both[0].startswith("small, large: ")
    assert both[3] == whole[3]
    for before, after in zip(whole[4:8], both[4:8], strict=True):
        assert after.split()[0] == before.split()[0]
        assert [float(one) for one in after.split()[1:]] == pytest.approx([float(one) for one in before.split()[1:]], rel=0.01)


def test_records_of_two_machines_make_none(tmp_path: Path, cli: Main) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(copies(tmp_path).read_text().replace(read_record(tmp_path / "made_up.jsonl").header.processor, "Other"))
    assert "other.jsonl is of Other" in cli.refused(curves.main, tmp_path / "made_up.jsonl", other)


@pytest.mark.parametrize(("filter_", "named"), [("copies/th*", {"there/cuda", "there/kokkos", "there:"}),
                                               ("*/kokkos", {"there/kokkos", "back/kokkos"})])
def test_a_filter_takes_steps_and_variants(tmp_path: Path, cli: Main, filter_: str, named: set[str]) -> None:
    assert {line.split()[0] for line in cli.printed(curves.main, copies(tmp_path), "--filter", filter_)[4:]} == named


def test_what_a_pair_costs_stands_below_the_rates(tmp_path: Path, cli: Main) -> None:
    lines = cli.printed(curves.main, copies(tmp_path))
    (row,) = [line for line in lines if line.startswith("back: kokkos / cuda ")]
    assert [float(word) for word in row.split()[4:]] == pytest.approx([3.41 / 2.41, 1.0094, 1.0], rel=0.005)
    # 1 us more by both clocks, and samples that scatter by 0.3 %.
    (line,) = [line for line in lines if line.startswith("back: kokkos - cuda ")]
    found = re.fullmatch(r"\+(\S+) us \[(\S+), (\S+)\], wall \+(\S+) us \[(\S+), (\S+)\] for 4 Ki", line.split("device ")[1])
    assert found
    device, low, high, wall, wall_low, wall_high = map(float, found.groups())
    assert low <= device <= high and wall_low <= wall <= wall_high
    assert (device, wall) == pytest.approx((1, 1), rel=0.02) and high - low < 0.04


def test_the_picture_is_the_chapters(tmp_path: Path) -> None:
    """Bandwidth over the size of a transfer, both logarithmic, a panel for each model, a curve for each kind of memory and
    direction, and the transfers that wait left out by the filter that the README names."""
    made = Writer()
    steps = ("pageable_to_device", "pageable_to_host", "pinned_to_device", "pinned_to_host")
    for number, step in enumerate((*steps, "pinned_to_host_waiting", "mapped_to_host")):
        for size in (4096, 2**20, 2**30):
            pair(made, "transfer_bandwidth", step, {"bytes": size}, size,
                 {"kokkos": 3e-6 + size / 10e9, "cuda": (1 + number) * 1e-6 + size / 10e9})
    record = curves.read_record(made.write(tmp_path / "made_up.jsonl"))
    readme = (Path(__file__).resolve().parents[2] / "variants/transfer_bandwidth/README.md").read_text(encoding="utf-8")
    filters = ["transfer_bandwidth/p*_to_device", "transfer_bandwidth/p*_to_host"]
    assert all(f"--filter '{one}'" in readme for one in filters)
    [found] = curves.curves_of(record, filters, "").values()
    figure = curves.figure_of(found, 1, "a title", "B/s")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["cuda", "kokkos"]
    assert figure.axes[0].get_ylabel() == "GB/s"
    for axes in figure.axes:
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_xlabel() == "bytes of a run"
        assert [tick.get_text() for tick in axes.get_xticklabels()] == ["4 Ki", "1 Mi", "1 Gi"]
        assert [line.get_label() for line in axes.get_lines()] == list(steps)
        for line in axes.get_lines():
            assert list(line.get_xdata()) == [4096, 2**20, 2**30]
    third = figure.axes[0].get_lines()[2].get_ydata()
    assert list(third) == pytest.approx([size / (3e-6 + size / 10e9) / 1e9 for size in (4096, 2**20, 2**30)], rel=0.02)
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == list(steps)


def test_the_crossover_is_found_between_two_sizes(tmp_path: Path, cli: Main) -> None:
    lines = cli.printed(curves.main, batches(tmp_path), "--against", "one_by_one", "--per", "count")
    line = next(line for line in lines if line.startswith("cuda f32"))
    assert line.startswith("cuda f32 count=256: packed against one_by_one: faster up to ")
    assert line.endswith(" (measured: 256 to 64 Ki)")
    number = float(line.split("faster up to ")[1].split(" Ki")[0])
    assert number == pytest.approx(19219 / 1024, rel=0.1)  # interpolated between 16 and 64 Ki
    rate = next(line for line in lines if line.startswith("one_by_one/cuda "))
    assert float(rate.split()[-1]) == pytest.approx(7.66, rel=0.01)


def test_crossovers_and_work_by_hand() -> None:
    base = {1: 1.0, 4: 1.0, 16: 1.0}
    assert curves.crossovers({1: 0.5, 4: 2.0, 16: 0.5}, base) == ([1, 4, 16], [True, False, True], pytest.approx([2.0, 8.0]))
    for times, said in (({1: 0.5, 4: 2.0, 16: 0.5}, "faster up to 2, not faster up to 8 (measured: 1 to 16)"),
                        ({1: 0.5, 4: 0.5}, "faster at every size measured, 1 to 4"),
                        ({4: 1.5}, "not faster at every size measured, 4"), ({5: 1.5}, "not measured at the same sizes")):
        assert curves.crossover_text(times, base) == said
    assert [curves.work_text(work) for work in (1, 1023, 1024, 3 << 19, 1 << 30)] == ["1", "1023", "1 Ki", "1.5 Mi", "1 Gi"]


def test_sizes_of_the_same_work_are_refused(tmp_path: Path, cli: Main) -> None:
    made = Writer()
    for stride in (1, 2):
        pair(made, "copies", "there", {"n": 1024, "stride": stride}, 8192, {"kokkos": 1e-5, "cuda": 1e-5})
    assert ("copies/there/kokkos: n=1024,stride=1 and n=1024,stride=2 are the same work: a curve needs sizes of different "
            "work") in cli.refused(curves.main, made.write(tmp_path / "strides.jsonl"))


def test_cold_times_are_taken_where_there_are_both(tmp_path: Path, cli: Main) -> None:
    made = Writer()
    for regime, seconds in (("hot", 1e-6), ("cold", 4e-6)):
        sides = {f"copies/there/{model}": seconds for model in ("kokkos", "cuda")}
        made.result("pair", "there", {"bytes": 40_000}, "f32", regime, sides, 40_000 / COPY_RATE)
    lines = cli.printed(curves.main, made.write(tmp_path / "both.jsonl"))
    assert [float(line.split()[-1]) for line in lines if line.startswith("there/cuda ") and " us " not in line] == [
        pytest.approx(10.0, rel=0.01)]


def test_a_picture_of_nothing_is_refused(tmp_path: Path, cli: Main) -> None:
    made = Writer()
    pair(made, "copies", "there", {"bytes": 4096}, 4096, {"kokkos.usual": 1e-6, "cuda": 1e-6})
    record = str(made.write(tmp_path / "usual.jsonl"))
    assert "nothing to draw" in cli.refused(curves.main, record, "--filter", "*/kokkos.usual", "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("arguments", "reason"), [
    (["--filter", "nothing/*"], "no time matches nothing/*; name variants as in 'sum/*'"),
    (["--per", "rows"], "--per rows: copies has no such key; its keys: bytes")])
def test_bad_input_is_refused_in_one_line(arguments: list[str], reason: str, tmp_path: Path, cli: Main) -> None:
    assert reason in cli.refused(curves.main, copies(tmp_path), *arguments)


# ---- perf/portcost scaling, and what readers make of records of several processes.


def over_ranks(ranks: int, sizes: dict[int, float]) -> Writer:
    """`rows` on so many rows, in these seconds; each process moves its share of the bytes."""
    made = Writer(native="openmp", processor="Made-up CPU")
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
