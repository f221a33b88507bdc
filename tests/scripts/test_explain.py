"""perf/explain, with made-up stand-ins for Nsight Compute and portcost."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Writer, check_golden, run_tool
from fake_ncu import write_tools

from portcost_records.counters import differences, sentence, top_stalls, value_text, with_derived
from portcost_records.explain import elements_of
from portcost_records.ncu import read_value, short_name
from portcost_records.reading import read_record
from portcost_records.records import RecordError


class Tools:
    """A PATH with a made-up ncu, and a made-up portcost."""

    def __init__(self, folder: Path) -> None:
        self.folder = write_tools(folder / "bin")

    def explain(self, *words: object, mode: str = "", path: str | None = None
                ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "FAKE_NCU": mode, "PORTCOST_NCU_PLACES": "",
                       "PATH": str(self.folder) if path is None else path}
        command = [sys.executable, str(ROOT / "perf/explain"), *map(str, words),
                   "--command", str(self.folder / "portcost")]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                              env=environment, cwd=self.folder.parent)

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]

    def profiled(self) -> list[str]:
        return [call[call.index("run") + 1] for call in self.calls()]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def counters_of(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return [row for line in text.splitlines() if (row := json.loads(line))["kind"] == "counters"]


def record_of(path: Path) -> Path:
    writer = Writer(processor="Made-up GPU")
    writer.ladder("sum", {"strided": (0.5, 1.2)}, {"n": 1024}, "f32", "cold", 4096.0)
    return writer.write(path)


def one_line(done: subprocess.CompletedProcess[str], status: int, named: str) -> None:
    assert done.returncode == status, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("perf/explain: ") and named in last
    assert done.stdout == "" and "Traceback" not in done.stderr


# ---- what is run and shown


def test_the_text_is_the_golden_one(tools: Tools) -> None:
    done = tools.explain("sum/strided", "sum/cub/library")
    assert done.returncode == 0, done.stderr
    check_golden("explain.txt", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_steps_before_come_along_unless_left_out(tools: Tools) -> None:
    assert tools.explain("sum/strided").returncode == 0
    assert tools.profiled() == ["sum/interleaved/kokkos", "sum/interleaved/cuda",
                                "sum/strided/kokkos", "sum/strided/cuda"]


@pytest.mark.parametrize("words", [["--only"], ["--steps-before", "0"]])
def test_only_leaves_the_steps_before_out(tools: Tools, words: list[str]) -> None:
    assert tools.explain("sum/strided", *words).returncode == 0
    assert tools.profiled() == ["sum/strided/kokkos", "sum/strided/cuda"]


def test_pairs_and_options_come_in_any_order(tools: Tools) -> None:
    assert tools.explain("sum/strided", "--only", "sum/cub/library").returncode == 0
    assert tools.profiled() == ["sum/strided/kokkos", "sum/strided/cuda", "sum/cub/library"]


def test_one_variant_alone_is_shown(tools: Tools) -> None:
    done = tools.explain("sum/cub/library")
    assert done.returncode == 0, done.stderr
    assert tools.profiled() == ["sum/cub/library"]
    assert "registers a thread" in done.stdout and "ratio" not in done.stdout


def test_ncu_sees_only_the_run_and_leaves_the_clocks(tools: Tools) -> None:
    tools.explain("sum/strided/cuda", "--only", "--size", "n=77", "--type", "f32", "--seed", "5",
                  "--parameter", "a=1")
    (call,) = tools.calls()
    for option, value in (("--clock-control", "none"), ("--page", "raw"),
                          ("--profile-from-start", "off"), ("--print-units", "base")):
        assert call[call.index(option) + 1] == value
    assert call[call.index("run"):] == ["run", "sum/strided/cuda", "--repeat", "1", "--size", "n=77",
                                        "--type", "f32", "--seed", "5", "--parameter", "a=1"]


# ---- what goes wrong


def test_without_ncu_it_says_what_to_install(tools: Tools) -> None:
    (tools.folder / "ncu").unlink()
    one_line(tools.explain("sum/strided"), 3, "nsight-compute")


def test_ncu_is_found_in_the_usual_places(tools: Tools, tmp_path: Path) -> None:
    place = tmp_path / "places"
    for version in ("2024.3.2", "2025.10.1", "2025.9.0"):
        (place / version).mkdir(parents=True)
        (place / version / "ncu").symlink_to("/bin/false")
    (tools.folder / "ncu").unlink()
    code = ("import sys; sys.path.insert(0, sys.argv[1]); "
            "from portcost_records.ncu import find_ncu; print(find_ncu())")
    done = subprocess.run([sys.executable, "-c", code, str(ROOT / "perf")], capture_output=True,
                          text=True, check=True, env={**os.environ, "PATH": str(tools.folder),
                                                      "PORTCOST_NCU_PLACES": f"{place}/*"})
    assert done.stdout.strip() == str(place / "2025.10.1" / "ncu")


def test_no_permission_names_the_remedy(tools: Tools) -> None:
    one_line(tools.explain("sum/strided", mode="permission"), 3,
             "NVreg_RestrictProfilingToAdminUsers=0")


def test_a_driver_that_fails_is_quoted(tools: Tools) -> None:
    one_line(tools.explain("sum/strided", mode="driver"), 3, "counter measurement library")


@pytest.mark.parametrize(("pair", "named"), [
    ("sum/stridet", "did you mean 'sum/strided'"),
    ("sum/strided/cudo", "did you mean 'sum/strided/cuda'"),
    ("sun/strided", "did you mean 'sum/strided'"),
    ("sum", "'sum' is no algorithm/step"),
    ("sum/strided/openmp", "runs on the host"),
])
def test_an_unknown_pair_is_named(tools: Tools, pair: str, named: str) -> None:
    one_line(tools.explain(pair), 2, named)
    assert not (tools.folder / "calls").exists()


def test_what_portcost_refuses_is_passed_on(tools: Tools) -> None:
    one_line(tools.explain("sum/strided", "--size", "n=0"), 2, "size n=0 is out of range")


def test_a_missing_build_is_named(tools: Tools) -> None:
    (tools.folder / "portcost").unlink()
    one_line(tools.explain("sum/strided"), 3, "perf/prepare --preset cuda")


def test_metrics_that_the_chip_lacks_are_dropped_and_named(tools: Tools) -> None:
    done = tools.explain("sum/strided", mode="lacking")
    assert done.returncode == 0, done.stderr
    assert "L2 hits" not in done.stdout and "registers a thread" in done.stdout
    assert "not known to this chip" in done.stdout
    assert "lts__t_sector_hit_rate.pct" in done.stdout.split("not known to this chip")[1]
    assert len(tools.calls()) == 5  # asked once too often, and then never again
    last = tools.calls()[-1]
    assert "smsp__sass_inst_executed_op_local_ld.sum" in last[last.index("--metrics") + 1]


def test_an_old_ncu_goes_without_barriers(tools: Tools) -> None:
    done = tools.explain("sum/strided", "--only", mode="old")
    assert done.returncode == 0, done.stderr
    assert "barriers (warps)" not in done.stdout and len(tools.calls()) == 3


# ---- what is kept


def test_counters_go_into_a_copy_of_a_record(tools: Tools, tmp_path: Path) -> None:
    record = record_of(tmp_path / "run.jsonl")
    before = record.read_text()
    done = tools.explain("sum/strided", "--record", record, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    copy = tmp_path / "out" / "run.jsonl"
    assert record.read_text() == before
    assert len(read_record(copy).results) == len(read_record(record).results)
    assert read_record(copy).ended, "counters stand before the end line"
    assert [row["variant"] for row in counters_of(copy)] == [
        "sum/interleaved/kokkos", "sum/interleaved/cuda", "sum/strided/kokkos", "sum/strided/cuda"]
    row = counters_of(copy)[2]
    assert row["size_text"] == "n=1024" and row["type"] == "f32" and row["rung"] == 1
    assert row["units"].keys() == row["values"].keys()
    assert sum(kernel["launches"] for kernel in row["kernels"]) == 2
    assert list(copy.parent.iterdir()) == [copy]
    assert run_tool("compare", record, copy).returncode == 0


def test_values_add_up_or_are_the_longest_kernels(tools: Tools, tmp_path: Path) -> None:
    tools.explain("sum/strided", "--only", "--out", tmp_path)
    values = counters_of(tmp_path / "counters.jsonl")[0]["values"]
    assert values["seconds"] == pytest.approx(15e-6)
    assert values["registers"] == 24 and values["kernels"] == 2
    assert values["instructions"] == 3200 and values["instructions_per_element"] == 100
    assert values["dram_bytes"] == 2 * 4160 and values["barriers"] == 144
    assert values["stall_long_scoreboard"] == pytest.approx(60)
    assert "local_loads" not in values


def test_counters_taken_again_replace_the_old(tools: Tools, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl.gz"
    record.write_bytes(gzip.compress(record_of(tmp_path / "plain.jsonl").read_bytes()))
    for _ in range(2):
        assert tools.explain("sum/strided", "--only", "--record", record).returncode == 0
    assert len(counters_of(record)) == 2
    assert tools.explain("sum/strided", "--only", "--size", "n=2048", "--record",
                         record).returncode == 0
    assert len(counters_of(record)) == 4


def test_a_record_of_another_machine_is_refused(tools: Tools, tmp_path: Path) -> None:
    writer = Writer(processor="Another GPU")
    writer.ladder("sum", {"strided": (0.5, 1.2)}, {"n": 1024}, "f32", "cold", 4096.0)
    record = writer.write(tmp_path / "run.jsonl")
    before = record.read_text()
    one_line(tools.explain("sum/strided", "--record", record), 2, "Another GPU")
    assert record.read_text() == before


def test_a_record_without_its_end_takes_no_counters(tools: Tools, tmp_path: Path) -> None:
    record = record_of(tmp_path / "run.jsonl")
    record.write_text("".join(record.read_text().splitlines(keepends=True)[:-1]))
    one_line(tools.explain("sum/strided", "--record", record), 2, "the end line is missing")
    assert not (tools.folder / "calls").exists()


def test_a_missing_record_is_named_before_anything_runs(tools: Tools, tmp_path: Path) -> None:
    one_line(tools.explain("sum/strided", "--record", tmp_path / "no.jsonl"), 2, "no such file")
    assert not (tools.folder / "calls").exists()


def test_the_report_says_why(tools: Tools, tmp_path: Path) -> None:
    record = record_of(tmp_path / "run.jsonl")
    assert tools.explain("sum/strided", "sum/cub/library", "--record", record).returncode == 0
    done = run_tool("report", record)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    why = text[text.index("## sum: why"):text.index("## All results")]
    check_golden("why.md", why)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "sum: why (n=1024, f32)" in page and "bank conflicts" in page


def test_a_record_of_counters_alone_makes_a_report(tools: Tools, tmp_path: Path) -> None:
    assert tools.explain("sum/strided", "--out", tmp_path).returncode == 0
    done = run_tool("report", tmp_path / "counters.jsonl")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "## sum: why" in text and "## All results" not in text


@pytest.mark.parametrize(("field", "value", "message"), [
    ("variant", "sum", "is not algorithm/step/model"),
    ("kernels", "none", "'kernels' as a list"),
    ("values", {"seconds": -1}, "not a positive number"),
    ("values", {"lanes": "many"}, "needs 'lanes'"),
])
def test_broken_counters_are_refused(tmp_path: Path, field: str, value: object,
                                     message: str) -> None:
    row = {"kind": "counters", "variant": "sum/a/cuda", "size_text": "n=1", "type": "f32",
           "kernels": [], "values": {}} | {field: value}
    path = record_of(tmp_path / "run.jsonl")
    *lines, end = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, json.dumps(row), end, ""]), encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        read_record(path)


# ---- the rule


def test_equal_counters_call_nothing_out() -> None:
    values = {"seconds": 1e-3, "dram_bytes": 1e9, "instructions_per_element": 9.0,
              "working_lanes": 32.0}
    assert differences(values, dict(values)) == []
    assert "no counter differs" in sentence("a", values, "b", dict(values))


def test_what_is_small_makes_no_noise() -> None:
    a = {"bank_conflicts": 300.0, "shared_wavefronts": 1e6, "dram_bytes": 3e4}
    assert differences(a, {"bank_conflicts": 0.0, "shared_wavefronts": 1e6, "dram_bytes": 1e4}) == []


def test_the_largest_three_come_first_and_no_zero_divides() -> None:
    a = {"dram_bytes": 2e9, "instructions_per_element": 30.0, "working_lanes": 16.0,
         "registers": 64.0, "bank_conflicts": 5e6, "shared_wavefronts": 6e6}
    b = {"dram_bytes": 1e9, "instructions_per_element": 10.0, "working_lanes": 32.0,
         "registers": 32.0, "bank_conflicts": 0.0, "shared_wavefronts": 1e6}
    found = differences(a, b)
    assert [d.key for d in found] == ["bank_conflicts", "dram_bytes", "instructions_per_element"]
    assert "bank conflicts 5.00 M against 0" in found[0].text()


def test_a_counter_that_speaks_for_the_slower_side_counts_half() -> None:
    fast, slow = {"occupancy": 50.0, "seconds": 1.0}, {"occupancy": 90.0, "seconds": 1.5}
    (excuse,) = differences(slow, fast)
    (cause,) = differences(fast | {"seconds": 2.0}, slow)
    assert excuse.score == pytest.approx(cause.score / 2)


@pytest.mark.parametrize(("cell", "unit", "value"), [
    ("1,234.5", "byte", 1234.5), ("12", "Kbyte/block", 12000), ("3.5", "usecond", 3.5e-6),
    ("n/a", "", None), ("(!) n/a", "", None), ("", "", None), ("nan", "", None), ("7 (1; 2)", "", 7),
])
def test_cells_are_read_in_base_units(cell: str, unit: str, value: float | None) -> None:
    found = read_value("dram__bytes_read.sum", cell, unit)
    assert found == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(("name", "short"), [
    ("void portcost::sum::<unnamed>::step<float, 256>(const T1 *, long)", "step<float, 256>"),
    ("void cub::DeviceReduceKernel<cub::Policy<(int)4>, float>(T1, T2)",
     "DeviceReduceKernel<Policy<(int)4>, float>"),
    ("void unnamed>::wide_loads_kernel<1, unsigned int>(Launched<T2>, Plan)",
     "wide_loads_kernel<1, unsigned int>"),
    ("void launch<ParallelFor<unnamed>::Map<unnamed>::Branch, 0>, Cuda>, 256>(T1)",
     "launch<ParallelFor<Map<Branch, 0>, Cuda>, 256>"),
    ("void launch<Kokkos::For<portcost::<unnamed>::Map, <unnamed>::Cuda>>(T1)",
     "launch<For<Map, Cuda>>"),
    ("plain", "plain"),
])
def test_kernel_names_are_shortened(name: str, short: str) -> None:
    assert short_name(name) == short


def test_elements_are_what_counts() -> None:
    assert elements_of("nx=10,ny=20,steps=2", ["nx", "ny", "steps"]) == 400
    assert elements_of("n=1000,bins=256", ["n"]) == 1000


def test_derived_values_need_their_parts() -> None:
    values = with_derived({"read_bytes": 8.0, "stall_wait": 0.0}, 1, None)
    assert "dram_bytes" not in values and values["stall_wait"] == 0 and values["kernels"] == 1
    assert top_stalls(values) == "–" and value_text("lanes", None) == "–"
