"""Where Nsight Compute and NVIDIA's reader of its reports are found, and what is said where they are not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from profiler import READER, Tools, one_line
from running import ROOT

FIND = """import sys; sys.path.insert(0, sys.argv[1])
from portcost_records.ncu_install import find_ncu, load_reader
print(load_reader(find_ncu()).__file__ if sys.argv[2] == "reader" else find_ncu())"""


def found(what: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", FIND, str(ROOT / "perf"), what], text=True, check=True,
                          capture_output=True, env={**os.environ, "PORTCOST_NCU_PLACES": "", **environment})
    return done.stdout.strip()


def installed_versions(folder: Path, reader: Path) -> None:
    """Each with a program and a reader of its own."""
    for version in ("2024.3.2", "2025.10.1", "2025.9.0"):
        (folder / version / READER).parent.mkdir(parents=True)
        shutil.copy(reader, folder / version / READER)
        (folder / version / "ncu").symlink_to("/bin/false")


def test_without_ncu_it_says_what_to_install(tools: Tools) -> None:
    (tools.folder / "ncu").unlink()
    one_line(tools.explain("sum/strided", status=3), "nsight-compute")


def test_ncu_is_found_in_the_usual_places(tools: Tools, tmp_path: Path) -> None:
    place = tmp_path / "places"
    installed_versions(place, tools.reader)
    (tools.folder / "ncu").unlink()
    assert found("ncu", PATH=str(tools.folder),
                 PORTCOST_NCU_PLACES=f"{place}/*") == str(place / "2025.10.1" / "ncu")


def test_the_reader_is_the_one_of_the_program_behind_a_link(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/ncu").symlink_to(tools.folder / "ncu")
    installed_versions(tmp_path / "places", tools.reader)
    assert found("reader", PATH=str(tmp_path / "links"),
                 PORTCOST_NCU_PLACES=f"{tmp_path}/places/*") == str(tools.reader)


def test_the_reader_of_a_toolkits_script_is_in_the_toolkit(tools: Tools, tmp_path: Path) -> None:
    """There, bin/ncu is a script that calls the program of one of the versions beside bin."""
    for version in ("2024.3.2", "2025.1.0"):
        place = tmp_path / f"nsight-compute-{version}" / READER
        place.parent.mkdir(parents=True)
        shutil.copy(tools.reader, place)
    tools.reader.unlink()
    assert found("reader", PATH=str(tools.folder)) == str(tmp_path / "nsight-compute-2025.1.0" / READER)


def test_the_reader_is_found_in_the_usual_places(tools: Tools, tmp_path: Path) -> None:
    installed_versions(tmp_path / "places", tools.reader)
    tools.reader.unlink()
    assert found("reader", PATH=str(tools.folder),
                 PORTCOST_NCU_PLACES=f"{tmp_path}/places/*") == str(tmp_path / "places/2025.10.1" / READER)


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
