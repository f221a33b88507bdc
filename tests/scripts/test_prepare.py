"""perf/prepare on a made-up machine: what it finds missing and brings."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from machine import APT_GET, CMAKE, CXX, PACKAGES, ROOT, Machine, starting


@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_no_install_lists_what_is_missing(bare: Machine, command: str):
    result = bare.run(command, "--no-install", status=3)
    ask = next(line for line in result.stderr.splitlines() if "apt-get install" in line)
    for package in PACKAGES:
        assert package in ask.split()
    assert "missing Python modules: matplotlib" in result.stderr
    assert "source package trilinos (166 MB)" in result.stderr
    assert bare.take_calls() == []


def test_neither_root_nor_sudo(bare: Machine):
    bare.stub("id", "echo 1000\n")
    bare.run("perf/prepare", status=3)
    bare.stub("sudo", 'echo "sudo $*" >>"$CALLS"; exit 1\n')
    assert bare.calls_of("perf/prepare", status=3) == ["sudo -n true"]


def test_sudo_without_password(bare: Machine):
    bare.stub("id", "echo 1000\n")
    bare.stub("sudo", '[ "$1" = -n ] || { echo sudo >>"$CALLS"; exec "$@"; }\n')
    calls = bare.calls_of("perf/prepare")
    assert calls[0] == "sudo" and re.fullmatch("apt-get .* update", calls[1])


def test_no_apt_at_all(bare: Machine):
    (bare.stubs / "apt-get").unlink()
    assert "libcli11-dev" in bare.run("perf/prepare", status=3).stderr


def test_packages_are_named_before_they_are_installed(bare: Machine):
    bare.stub("apt-get", 'echo APT-GET "$@" >>/dev/stderr; exit 100\n')
    before, failure = bare.run("perf/prepare", status=1).stderr.split("APT-GET", 1)
    for package in PACKAGES:
        assert package in before.split("missing: ")[1].split(";")[0].split()
    assert "the whole log: " in failure


def test_bare_debian_is_set_up_once(bare: Machine):
    calls = bare.calls_of("perf/prepare")
    installs = [line for line in calls if " install " in line and line.startswith("apt-get")]
    assert set(PACKAGES) <= set(installs[0].split()) and "-y" in installs[0]
    assert installs[1].endswith("-t bookworm-backports catch2")
    assert (bare.apt / "sources.list.d/portcost-backports.list").read_text() == (
        "deb http://mirror.example/debian bookworm-backports main\n"
    )
    assert len(starting(calls, "pip")) == 1

    result = bare.run("perf/prepare")
    assert [line.split()[1] for line in bare.take_calls()] == ["--build"]
    assert "configuring" not in result.stderr


def test_only_what_is_missing_is_installed(ready: Machine):
    (ready.headers / "fmt/core.h").unlink()
    calls = starting(ready.calls_of("perf/prepare"), "apt-get")
    assert len(calls) == 2 and calls[1].endswith("--no-install-recommends libfmt-dev")


def test_mpi_is_brought_where_it_is_asked_for(ready: Machine):
    assert starting(ready.calls_of("perf/prepare"), "apt-get") == []
    calls = starting(ready.calls_of("perf/prepare", "--mpi"), "apt-get")
    assert calls[1].endswith("--no-install-recommends libopenmpi-dev openmpi-bin")
    assert starting(ready.calls_of("perf/prepare", "--mpi"), "apt-get") == []


def test_ubuntu_2204(bare: Machine):
    bare.system("ubuntu")
    bare.stub("g++", CXX.format("11.4.0"))
    bare.stub("later/g++-12", CXX.format("12.3.0"))
    bare.stub("cmake", CMAKE.format(version="3.22.1"))
    bare.stub("apt-get", APT_GET + 'mv "$STUBS/later/g++-12" "$STUBS/"\n')
    calls = bare.calls_of("perf/prepare")
    install = [line for line in calls if " install " in line and line.startswith("apt-get")]
    assert len(install) == 1
    assert "g++-12" in install[0].split() and not {"cmake", "catch2", "g++"} & set(install[0].split())
    assert any("cmake>=3.25" in line for line in starting(calls, "pip"))
    bare.script(bare.repo / ".venv/bin/cmake", CMAKE.format(version="3.31.6"))
    assert starting(bare.calls_of("perf/prepare"), "apt-get") == []


def test_catch2_is_asked_of_apt_once(bare: Machine):
    (bare.apt / "sources.list").write_text("")
    assert "CMake fetches it" in bare.run("perf/prepare").stderr
    bare.take_calls()
    assert starting(bare.calls_of("perf/prepare"), "apt-get") == []


def test_without_root_catch2_is_left_to_cmake(ready: Machine):
    (ready.headers / "catch2/catch_all.hpp").unlink()
    ready.stub("id", "echo 1000\n")
    assert "CMake fetches it" in ready.run("perf/prepare").stderr


def test_no_install_brings_not_even_catch2(ready: Machine):
    (ready.headers / "catch2/catch_all.hpp").unlink()
    assert "missing packages: catch2" in ready.run("perf/prepare", "--no-install", status=3).stderr


def test_old_compiler_named_in_cxx(ready: Machine):
    ready.stub("g++-9", CXX.format("9.4.0"))
    assert "g++-9" in ready.run("perf/prepare", CXX="g++-9", status=3).stderr


def test_a_second_command_waits_for_the_first(ready: Machine):
    result = ready.function('''lock_checkout
unset PORTCOST_LOCKED
( lock_checkout; echo second ) &
sleep 0.5
echo first
flock -u "$lock"
wait''')
    assert result.stdout.splitlines() == ["first", "second"]
    assert re.search(r"waiting for call, process \d+, which is at work in this checkout", result.stderr)


def test_what_was_configured_for_another_checkout_is_made_anew(ready: Machine):
    cache = ready.repo / "build/openmp/CMakeCache.txt"
    cache.write_text(cache.read_text() + "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
    left = ready.repo / "build/openmp/left.o"
    left.touch()
    assert "was configured for /elsewhere: run perf/run" in ready.run("perf/portcost", "list", status=3).stderr
    result = ready.run("perf/prepare")
    assert "build/openmp was configured for /elsewhere: building it anew" in result.stderr
    assert not left.exists() and "configuring build/openmp" in result.stderr


REAL_CMAKE = pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("ninja") is None, reason="no cmake or ninja")


@REAL_CMAKE
def test_a_header_alone_is_no_library(tmp_path: Path):
    (tmp_path / "prefix/include/nlohmann").mkdir(parents=True)
    (tmp_path / "prefix/include/nlohmann/json.hpp").touch()
    config = tmp_path / "prefix/lib/cmake/fmt/fmt-config.cmake"
    config.parent.mkdir(parents=True)
    config.touch()
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT / "cmake/probe", "-B", tmp_path / "build",
         f"-DCMAKE_FIND_ROOT_PATH={tmp_path / 'prefix'}", "-DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "build/found.txt").read_text().split() == ["fmt"]


def test_archive_that_is_not_reached(bare: Machine):
    bare.stub("apt-get", 'echo "E: Unable to locate package g++"; exit 100\n')
    result = bare.run("perf/run", status=3)
    assert "the package archive was not reached or lacks a package: Unable to locate package g++" in result.stderr
