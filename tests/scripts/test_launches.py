"""Nsight Compute: where it and NVIDIA's reader of its reports are found, and what is read of the reports."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from profiler import READER, STAND_INS, Tools, one_line
from running import ROOT

from portcost_records.counters import METRICS, OPCODES
from portcost_records.records import ExplainError
from portcost_records.ncu import Launch, find_ncu, load_reader, read_launches, short_name

ASKED = {metric.names[0]: metric for metric in METRICS}


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The made-up ncu_report, imported by this process alone for the time of a test."""
    monkeypatch.setattr(sys, "path", [str(STAND_INS), *sys.path])
    monkeypatch.delitem(sys.modules, "ncu_report", raising=False)
    import ncu_report
    monkeypatch.delitem(sys.modules, "ncu_report")
    return ncu_report


def launches_of(reader: ModuleType, folder: Path, *metrics: dict[str, tuple]) -> list[Launch]:
    """What is read of a report of launches with these metrics."""
    report = folder / "run.ncu-rep"
    report.write_text(json.dumps([{"name": "void a::b<c>(int)", "metrics": one} for one in metrics]))
    return read_launches(reader, report, ASKED)


@pytest.mark.parametrize(("name", "key", "metric", "value"), [
    ("gpu__time_duration.sum", "seconds", (3500, "second"), 3.5e-6),
    ("gpu__time_duration.sum", "seconds", (3500, "ns"), 3.5e-6),
    ("dram__bytes_read.sum", "read_bytes", (1234.5, "byte"), 1234.5),
    ("dram__bytes_read.sum", "read_bytes", (0, "byte"), 0),
    ("dram__bytes_read.sum", "read_bytes", (None, "byte"), None),
    ("dram__bytes_read.sum", "read_bytes", (float("nan"), "byte"), None),
    ("of.another.name", "seconds", (1, "ns"), None),
])
def test_values_are_read_in_base_units(tmp_path: Path, reader: ModuleType, name: str, key: str, metric: tuple,
                                       value: float | None) -> None:
    first, second = launches_of(reader, tmp_path, {name: metric}, {name: metric})
    assert first == second and first.kernel == "b<c>"
    assert first.values == ({} if value is None else {key: pytest.approx(value)})


@pytest.mark.parametrize(("metric", "values"), [
    ((9, "", {"BAR": 1, "BARRED": 2, "FADD": 3, "BAR.SYNC": 3}), {"barriers": 4, "loads": 0, "atomic_operations": 0}),
    ((9, "", {"LDG.E": 1, "LD.E.64": 2, "LDS": 4, "LDL": 8, "LDGSTS": 16}), {"barriers": 0, "loads": 3, "atomic_operations": 0}),
    ((9, "", {"ATOMG": 1, "ATOMS.ADD": 2, "RED.E": 4, "REDG.E": 8, "ATOM": 16, "REDUX": 32, "REDUX.SUM": 64}),
     {"barriers": 0, "loads": 0, "atomic_operations": 31}),
    ((9, "", {}), {}), ((9, ""), {}),
])
def test_counts_by_opcode_add_up(tmp_path: Path, reader: ModuleType, metric: tuple, values: dict[str, float]) -> None:
    (launch,) = launches_of(reader, tmp_path, {OPCODES: metric})
    assert launch.values == values
    assert launches_of(reader, tmp_path) == []


def test_nvidias_own_reader_reads_the_reports_that_it_comes_with() -> None:
    """Wherever Nsight Compute is installed, with a GPU or without."""
    try:
        program = find_ncu()
        own = load_reader(program)
    except ExplainError as error:
        pytest.skip(str(error))
    samples = sorted(Path(own.__file__).parents[1].glob("samples/*/*.ncu-rep"))
    if not samples:
        pytest.skip(f"no samples/*/*.ncu-rep beside {own.__file__}")
    for sample in samples:
        for launch in read_launches(own, sample, ASKED):
            values = launch.values
            assert 1e-6 < values["seconds"] < 1 and 1 <= values["registers"] <= 255
            assert values["block_threads"] <= 1024 and values["barriers"] <= values["instructions"]
            assert 0 < values["occupancy"] <= 100 and 0 < values["working_lanes"] <= 32
            assert values["read_bytes"] / values["seconds"] < 1e13


def test_metrics_that_the_chip_lacks_are_dropped_and_named(tools: Tools) -> None:
    done = tools.explain("sum/strided", mode="lacking")
    assert "L2 hits" not in done.stdout and "registers a thread" in done.stdout
    assert "not known to this chip" in done.stdout
    assert "lts__t_sector_hit_rate.pct" in done.stdout.split("not known to this chip")[1]
    assert len(tools.calls()) == 5  # asked once too often, and then never again
    last = tools.calls()[-1]
    assert "smsp__sass_inst_executed_op_local_ld.sum" in last[last.index("--metrics") + 1]


def test_without_counts_by_opcode_it_goes_without_barriers(tools: Tools) -> None:
    done = tools.explain("sum/strided", "--only", mode="no opcodes")
    assert "barriers (warps)" not in done.stdout and len(tools.calls()) == 2


@pytest.mark.parametrize(("name", "short"), [
    ("void portcost::sum::<unnamed>::step<float, 256>(const T1 *, long)", "step<float, 256>"),
    ("void cub::DeviceReduceKernel<cub::Policy<(int)4>, float>(T1, T2)",
     "DeviceReduceKernel<Policy<4>, float>"),
    ("void unnamed>::wide_loads_kernel<1, unsigned int>(Launched<T2>, Plan)",
     "wide_loads_kernel<1, unsigned int>"),
    ("void launch<ParallelFor<unnamed>::Map<unnamed>::Branch, 0>, Cuda>, 256>(T1)",
     "launch<ParallelFor<Map<Branch, 0>, Cuda>, 256>"),
    ("void launch<Kokkos::For<portcost::<unnamed>::Map, <unnamed>::Cuda>>(T1)",
     "launch<For<Map, Cuda>>"),
    ("void a::f<(bool)1, (unsigned int)256, T2 (*)(int)>(int)", "f<1, 256, T2 (*)(int)>"),
    ("plain", "plain"),
])
def test_kernel_names_are_shortened(name: str, short: str) -> None:
    assert short_name(name) == short


# ---- Where they are found, and what is said where they are not.

FIND = """import sys; sys.path.insert(0, sys.argv[1])
from portcost_records.ncu import find_ncu, load_reader
print(load_reader(find_ncu()).__file__ if sys.argv[2] == "reader" else find_ncu())"""


def found(what: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", FIND, str(ROOT / "perf"), what], text=True, check=True,
                          capture_output=True, env={**os.environ, "PORTCOST_NCU_PLACES": "", **environment})
    return done.stdout.strip()


def installed_versions(places: str, reader: Path) -> None:
    """In these folders, with the version in place of the *."""
    for folder in (Path(places.replace("*", version)) for version in ("2024.3.2", "2025.10.1", "2025.9.0")):
        (folder / READER).parent.mkdir(parents=True)
        shutil.copy(reader, folder / READER)
        (folder / "ncu").symlink_to("/bin/false")


def test_without_ncu_it_says_what_to_install(tools: Tools) -> None:
    (tools.folder / "ncu").unlink()
    one_line(tools.explain("sum/strided", status=3), "nsight-compute")


def test_ncu_and_the_reader_are_found_in_the_usual_places(tools: Tools, tmp_path: Path) -> None:
    installed_versions(f"{tmp_path}/places/*", tools.reader)
    places = {"PATH": str(tools.folder), "PORTCOST_NCU_PLACES": f"{tmp_path}/places/*"}
    tools.reader.unlink()
    assert found("reader", **places) == str(tmp_path / "places/2025.10.1" / READER)
    (tools.folder / "ncu").unlink()
    assert found("ncu", **places) == str(tmp_path / "places/2025.10.1/ncu")


def test_the_reader_is_the_one_of_the_program_behind_a_link(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/ncu").symlink_to(tools.folder / "ncu")
    installed_versions(f"{tmp_path}/places/*", tools.reader)
    assert found("reader", PATH=str(tmp_path / "links"), PORTCOST_NCU_PLACES=f"{tmp_path}/places/*") == str(tools.reader)


def test_the_reader_of_a_toolkits_script_is_in_the_toolkit(tools: Tools, tmp_path: Path) -> None:
    """There, bin/ncu is a script that calls the program of one of the versions beside bin."""
    installed_versions(f"{tmp_path}/nsight-compute-*", tools.reader)
    tools.reader.unlink()
    assert found("reader", PATH=str(tools.folder)) == str(tmp_path / "nsight-compute-2025.10.1" / READER)


def test_the_reader_may_be_named_in_pythonpath(tools: Tools, tmp_path: Path) -> None:
    named = tmp_path / "named/ncu_report.py"
    named.parent.mkdir()
    tools.reader.rename(named)
    assert found("reader", PATH=str(tools.folder), PYTHONPATH=str(named.parent)) == str(named)


def test_without_the_reader_it_says_where_it_looked_before_anything_runs(tools: Tools, tmp_path: Path) -> None:
    tools.reader.unlink()
    place = tmp_path / "places/2020.1"
    place.mkdir(parents=True)
    done = tools.explain("sum/strided", PORTCOST_NCU_PLACES=f"{tmp_path}/places/*", status=3)
    one_line(done, f"is in none of {tools.reader.parent}, {place}/extras/python: install")
    assert not tools.called()


@pytest.mark.parametrize("text", [
    "raise ImportError('_ncu_report.so: undefined symbol: PyObject_X\\nmore')", "import _ncu_report",
    "raise RuntimeError('Python 2.7 or later required')", "def load_report(:"])
def test_a_reader_that_this_python_cannot_load_is_named(tools: Tools, text: str) -> None:
    tools.reader.write_text(text)
    done = tools.explain("sum/strided", status=3)
    one_line(done, f"ncu_report in {tools.reader.parent} does not load in Python 3.")
    assert "run perf/portcost explain with the system's Python" in done.stderr and not tools.called()


@pytest.mark.parametrize("text", [
    "def load_report(path): raise FileNotFoundError('no library')", "def load_report(path): pass",
    "class IAction: NameBase_DEMANGLED = 0\ndef load_report(path): raise RuntimeError('a newer version')"])
def test_a_reader_that_cannot_read_the_report_is_named(tools: Tools, text: str) -> None:
    tools.reader.write_text(text)
    one_line(tools.explain("sum/strided", status=3), f"{tools.reader} cannot read what ncu wrote (")
