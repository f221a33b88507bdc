"""perf/setup/kokkos_source: Kokkos from the distribution's source package, on a made-up machine."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from machine import APT_GET, Machine

URIS = """'http://mirror.example/debian/t.dsc' trilinos_13.2.0-4.dsc 12545 SHA256:0
'http://mirror.example/debian/t.tar.gz' trilinos_13.2.0.orig.tar.gz 165860771 SHA256:0
"""
TREE = {
    "packages/kokkos/CMakeLists.txt": "set(Kokkos_VERSION_MAJOR 3)\nset(Kokkos_VERSION_MINOR 4)\nset(Kokkos_VERSION_PATCH 01)\n",
    "packages/kokkos/core/a.hpp": "",
    "packages/kokkos-kernels/CMakeLists.txt": "",
    "packages/teuchos/CMakeLists.txt": "",
}


@pytest.fixture
def offering(bare: Machine) -> Machine:
    bare.put("uris", URIS)
    with tarfile.open(bare.stubs / "source.tar", "w") as archive:
        for name, text in TREE.items():
            member = tarfile.TarInfo(f"Trilinos-13-2-0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return bare


def cache_of(machine: Machine) -> Path:
    return machine.repo.parent / ".cache/portcost"


def refused(machine: Machine, **environment: str) -> str:
    result = machine.run("perf/setup/kokkos_source", status=3, **environment)
    assert len(result.stderr.splitlines()) == 1 and result.stdout == ""
    return result.stderr


def test_only_the_two_folders_are_kept_and_what_a_killed_call_left_is_removed(offering: Machine):
    (cache_of(offering) / ".unfinished.abc/download").mkdir(parents=True)
    result = offering.run("perf/setup/kokkos_source")
    kept = cache_of(offering) / "trilinos-13.2.0-4"
    assert result.stdout == f"{kept}\n"
    assert sorted(path.name for path in kept.iterdir()) == ["kokkos", "kokkos-kernels", "origin"]
    assert (kept / "kokkos/core/a.hpp").exists()
    assert (kept / "origin").read_text().endswith("source package trilinos 13.2.0-4\n")
    assert "trilinos 13.2.0-4, 159 MiB, from mirror.example" in result.stderr and "Kokkos 3.4.01" in result.stderr
    assert [path.name for path in cache_of(offering).iterdir() if path.name.startswith(".unfinished")] == []


def test_a_second_call_asks_nobody(offering: Machine):
    offering.run("perf/setup/kokkos_source", "--kept", status=1)
    offering.run("perf/setup/kokkos_source")
    (offering.stubs / "apt-get").unlink()
    result = offering.run("perf/setup/kokkos_source")
    assert result.stderr == ""
    assert offering.run("perf/setup/kokkos_source", "--kept").stdout == result.stdout


def test_debian_unstable_has_the_codename_of_testing(offering: Machine):
    offering.system("unstable")
    (offering.apt / "sources.list").write_text("deb http://mirror.example/debian sid main\n")
    offering.run("perf/setup/kokkos_source")


def test_apt_works_in_a_folder_of_its_own(offering: Machine):
    """Neither the system's lists nor its sources are touched, and root is not asked for."""
    offering.stub("id", "echo 1000\n")
    before = sorted(offering.apt.rglob("*"))
    (update,) = offering.calls_of("perf/setup/kokkos_source")
    folder = str(cache_of(offering) / ".unfinished")
    for option in ("Dir::Etc::SourceParts", "Dir::State::Lists", "Dir::Cache"):
        assert f"{option}={folder}" in update
    assert "Dir::Etc::SourceList=/dev/null" in update and "sudo" not in update
    assert sorted(offering.apt.rglob("*")) == before


def test_cache_is_where_the_variables_say(offering: Machine, tmp_path: Path):
    result = offering.run("perf/setup/kokkos_source", XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert result.stdout.startswith(str(tmp_path / "xdg/portcost/trilinos"))
    result = offering.run("perf/setup/kokkos_source", PORTCOST_CACHE=str(tmp_path / "own"))
    assert result.stdout.startswith(str(tmp_path / "own/trilinos"))


@pytest.mark.parametrize("change, said", [
    (lambda machine: (machine.stubs / "apt-get").unlink(), "no apt-get"),
    (lambda machine: (machine.apt / "sources.list").unlink(), "names no source of packages for bookworm main"),
    (lambda machine: (machine.repo.parent / "os-release").write_text('NAME="Other Linux"\nID=other\nVERSION_CODENAME=x\n'),
     "Other Linux is neither Debian nor Ubuntu"),
    (lambda machine: machine.stub("apt-get", APT_GET.replace("apt 2.6.1", "apt 1.0.9")), "apt 1.0.9 (amd64) is too old"),
    (lambda machine: machine.stub("apt-get", APT_GET.replace("*install*) ;; *) exit 0", "*update*) exit 100")),
     "the archive at mirror.example could not be read"),
    (lambda machine: (machine.stubs / "source.tar").unlink(), "holds no source package trilinos"),
    (lambda machine: machine.put("uris", URIS.replace("13.2.0", "12.18.1")), "older than 3.4")])
def test_a_machine_that_brings_no_source_package(offering: Machine, change: Callable[[Machine], object], said: str):
    change(offering)
    assert said in refused(offering)


@pytest.mark.parametrize("tool, text, status, said", [
    ("df", "echo Filesystem; echo 'x 100 0 102400 0% /'\n", 3, "has 100 MiB free"),
    ("tar", "echo 'tar: a: Cannot write: No space left on device' >&2; exit 2\n", 3, "No space left on device"),
    ("tar", "kill -TERM $PPID; sleep 5\n", 143, "")],
    ids=["a full disk before the download", "a full disk while unpacking", "interrupted"])
def test_nothing_is_left(offering: Machine, tool: str, text: str, status: int, said: str):
    offering.stub(tool, text)
    lines = offering.run("perf/setup/kokkos_source", status=status).stderr.splitlines() or [""]
    assert said in lines[-1] and (tool != "df" or len(lines) == 1)
    assert [path.name for path in cache_of(offering).iterdir() if path.name != ".lock"] == []


def test_cache_that_cannot_be_written(offering: Machine, tmp_path: Path):
    (tmp_path / "file").touch()
    line = refused(offering, PORTCOST_CACHE=str(tmp_path / "file/cache"))
    assert "cannot be written: name another folder in PORTCOST_CACHE" in line


def test_reason_goes_to_a_file_for_the_build(bare: Machine, tmp_path: Path):
    assert bare.run("perf/setup/kokkos_source", "--reason", str(tmp_path / "why"), status=3).stderr == ""
    assert (tmp_path / "why").read_text() == (
        f"the archive at mirror.example holds no source package trilinos (log: {bare.repo}/build/logs/kokkos-source.log)\n"
    )
