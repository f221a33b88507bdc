"""What every test of the scripts may ask for, and where it finds the modules under test."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "perf"), str(Path(__file__).parent)]
from machine import bare, ready  # noqa: E402, F401  (fixtures)
from profiler import tools  # noqa: E402, F401  (fixtures)
from made_up_records import small_writer  # noqa: E402
from running import ROOT, Main  # noqa: E402


# Left to tests/run --all: what takes longest and changes least.
SLOW = """algorithms_built ci command_record count_lines environment explain_record kokkos_source locality_enumeration
 locality_input locality_measure locality_orders locality_paper overview perf_run perf_run_ranks plant_faults prepare repeat
 versions_run""".split()


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left to tests/run --all")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem.removeprefix("test_") in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The record of the golden pages."""
    return small_writer().write(tmp_path / "made_up.jsonl")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Main:
    return Main(capsys)


@pytest.fixture(scope="session")
def program() -> Path:
    for preset in ("cuda", "openmp", "openmp-quick", "openmp-checked"):
        path = ROOT / "build" / preset / "bin/portcost"
        if path.exists():
            return path
    pytest.skip("portcost is not built")


@pytest.fixture(scope="session")
def measuring(program: Path) -> Path:
    """A build for a GPU says first that there is none."""
    words = ["bench", "heat2d/naive/*[aps]", "--size", "nx=8,ny=8", "--seconds", "0.01"]
    if "no CUDA device answers" in subprocess.run([program, *words], capture_output=True, text=True).stderr:
        pytest.skip("this build measures a GPU, and there is none")
    return program
