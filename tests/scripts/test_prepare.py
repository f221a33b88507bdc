"""perf/prepare on a made-up machine: what it finds missing and brings, the Python environment, the preset, Kokkos and the build."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from machine import APT_GET, CMAKE, CXX, GPU, PACKAGES, ROOT, Machine, installed_kokkos, presets, starting


@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_no_install_lists_what_is_missing(bare: Machine, command: str):
    result = bare.run(command, "--no-install", status=3)
    ask = next(line for line in result.stderr.splitlines() if "apt-get install" in line)
    for package in PACKAGES:
        assert package in ask.split()
    assert "missing Python modules: matplotlib" in result.stderr
    assert "source package trilinos (166 MB)" in result.stderr
    assert bare.take_calls() == []


def test_without_root_sudo_without_a_password_is_needed(bare: Machine):
    bare.stub("id", "echo 1000\n")
    bare.run("perf/prepare", status=3)
    bare.stub("sudo", 'echo "sudo $*" >>"$CALLS"; exit 1\n')
    assert bare.calls_of("perf/prepare", status=3) == ["sudo -n true"]
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


def test_only_what_is_missing_is_installed_and_mpi_where_it_is_asked_for(ready: Machine):
    assert starting(ready.calls_of("perf/prepare"), "apt-get") == []
    (ready.headers / "fmt/core.h").unlink()
    for words, packages in (([], "libfmt-dev"), (["--mpi"], "libopenmpi-dev openmpi-bin")):
        calls = starting(ready.calls_of("perf/prepare", *words), "apt-get")
        assert len(calls) == 2 and calls[1].endswith(f"--no-install-recommends {packages}")
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


@pytest.mark.parametrize("words, user, status, told", [([], 1000, 0, "CMake fetches it"),
                                                       (["--no-install"], 0, 3, "missing packages: catch2")])
def test_catch2_alone_is_not_installed(ready: Machine, words: list[str], user: int, status: int, told: str):
    (ready.headers / "catch2/catch_all.hpp").unlink()
    ready.stub("id", f"echo {user}\n")
    assert told in ready.run("perf/prepare", *words, status=status).stderr


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


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake or no ninja")
def test_a_header_alone_is_no_library(tmp_path: Path):
    (tmp_path / "prefix/include/nlohmann").mkdir(parents=True)
    (tmp_path / "prefix/include/nlohmann/json.hpp").touch()
    config = tmp_path / "prefix/lib/cmake/fmt/fmt-config.cmake"
    config.parent.mkdir(parents=True)
    config.touch()
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT / "cmake/probe", "-B", tmp_path / "build",
         f"-DCMAKE_FIND_ROOT_PATH={tmp_path / 'prefix'}", *(f"-DCMAKE_FIND_ROOT_PATH_MODE_{kind}=ONLY" for kind in ("PACKAGE", "INCLUDE", "LIBRARY"))],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "build/found.txt").read_text().split() == ["fmt"]


def test_archive_that_is_not_reached(bare: Machine):
    bare.stub("apt-get", 'echo "E: Unable to locate package g++"; exit 100\n')
    result = bare.run("perf/run", status=3)
    assert "the package archive was not reached or lacks a package: Unable to locate package g++" in result.stderr


# ---- The Python environment, and where its modules come from.


def put_system_python(machine: Machine) -> None:
    """The distribution's own Python, which has the modules once they are installed as packages."""
    machine.stub("system-python3", """case "$*" in
  "- "*requirements.txt) [ -e "$STUBS/has-packages" ] ;;
  "-m venv"*) echo "system $*" >>"$CALLS"; mkdir -p "$REPO/.venv/bin"; : >"$REPO/.venv/bin/python3" ;;
esac
""")
    machine.stub("apt-get", APT_GET + """case "$*" in *python3-matplotlib*) : >"$STUBS/has-packages" ;; esac\n""")


def test_python_modules_come_from_packages_where_pypi_is_not_reached(bare: Machine):
    bare.put("no-pypi", "")
    put_system_python(bare)
    assert "PyPI was not reached: taking the modules from the distribution" in bare.run("perf/prepare").stderr
    calls = bare.take_calls()
    assert any(line.endswith("python3-matplotlib python3-pytest python3-pytest-xdist") for line in starting(calls, "apt-get"))
    assert "--system-site-packages --without-pip" in starting(calls, "system")[0]
    assert starting(bare.calls_of("perf/prepare"), "apt-get", "pip", "system") == []


def test_packages_of_the_system_python_are_used_where_they_are(bare: Machine):
    put_system_python(bare)
    bare.put("has-packages", "")
    calls = bare.calls_of("perf/prepare")
    assert starting(calls, "pip") == [] and len(starting(calls, "system -m venv")) == 1
    assert "python3-venv" not in " ".join(calls)


def test_neither_pypi_nor_packages(ready: Machine):
    (ready.repo / ".venv/portcost-stamp").unlink()
    ready.put("no-pypi", "")
    ready.stub("id", "echo 1000\n")
    result = ready.run("perf/prepare", status=3)
    assert "matplotlib" in result.stderr.splitlines()[-1] and "PIP_INDEX_URL" in result.stderr.splitlines()[-1]
    assert not (ready.repo / ".venv").exists()


def test_no_python_environment_where_modules_are_here(bare: Machine):
    bare.put("has-modules", "")
    assert "python3-venv" not in bare.run("perf/prepare").stderr
    assert starting(bare.take_calls(), "pip", "python3") == [] and not (bare.repo / ".venv").exists()


def test_python_environment_is_remade_when_requirements_change(ready: Machine):
    (ready.repo / "perf/setup/requirements.txt").write_text("matplotlib>=3.8\n")
    assert len(starting(ready.calls_of("perf/prepare"), "python3 -m venv")) == 1


@pytest.mark.parametrize("wanted, there", [("pytest>=1.0", True), ("pytest>=999", False), ("no-such-package", False)])
def test_modules_are_looked_for_in_their_versions(bare: Machine, wanted: str, there: bool):
    bare.script(bare.stubs / "python3", f'exec {sys.executable} "$@"\n')
    (bare.repo / "perf/setup/requirements.txt").write_text(f"{wanted}  # why\n")
    result = bare.function('has_modules "$root/tests/requirements.txt" && echo there || true')
    assert (result.stdout == "there\n") is there, result.stderr


# ---- The preset, Kokkos and the build.


def test_gpu_and_nvcc_take_cuda(ready: Machine):
    prefix = installed_kokkos(ready, "SERIAL;CUDA")
    ready.stub("nvidia-smi", GPU)
    ready.stub("nvcc", "")
    calls = ready.calls_of("perf/prepare", PORTCOST_CUDA_KOKKOS=prefix)
    assert presets(calls) == ["cuda"]
    assert f"-DKokkos_ROOT={prefix}" in calls[0].split()


@pytest.mark.parametrize("smi, nvcc, told", [(GPU, False, "toolkit is missing"),
                                             ('echo "No devices found"; exit 6\n', True, "preset openmp")])
def test_without_a_gpu_or_nvcc_the_host_is_taken(ready: Machine, smi: str, nvcc: bool, told: str):
    ready.stub("nvidia-smi", smi)
    if nvcc:
        ready.stub("nvcc", "")
    assert told in ready.run("perf/prepare").stderr
    assert (ready.repo / "build/openmp").exists() and not (ready.repo / "build/cuda").exists()


def test_preset_and_kokkos_are_passed_on(ready: Machine):
    kokkos = ready.repo.parent / "kokkos"
    (kokkos / "lib/cmake/KokkosKernels").mkdir(parents=True)
    words = ready.calls_of("perf/prepare", "--preset=openmp-checked", "--kokkos", str(kokkos), "--werror")[0].split()
    assert "openmp-checked" in words
    assert {f"-DKokkos_ROOT={kokkos}", f"-DKokkosKernels_ROOT={kokkos}", "-DPORTCOST_WERROR=ON"} <= set(words)


def test_failed_build_shows_the_end_of_its_log(ready: Machine):
    ready.stub("cmake", CMAKE.format(version="3.25.1").replace('echo "ninja: no work to do."', "echo broken; exit 1"))
    result = ready.run("perf/prepare", status=1)
    assert "broken" in result.stderr and "openmp-build.log" in result.stderr


def test_what_stops_cmake_is_one_line_and_status_3(ready: Machine):
    """CMake stops with a line for the user, as cmake/PortcostCache.cmake writes it."""
    ready.stub("cmake", CMAKE.format(version="3.25.1").replace(
        "*--build*)", "*--nothing*)").replace("--preset*)", """--preset*)
    echo "portcost: a note for the user" >&2; echo "-- not one" >&2
    mkdir -p "$REPO/build/openmp"; echo "No Kokkos; and so on" >"$REPO/build/openmp/portcost-stopped.txt"; exit 1 ;;
  *--never*)"""))
    result = ready.run("perf/prepare", "--werror", status=3)
    assert result.stderr.splitlines()[-2:] == ["portcost: a note for the user", "portcost: No Kokkos; and so on"]


def test_a_kokkos_named_before_is_forgotten(ready: Machine):
    ready.run("perf/prepare", "--kokkos", "/a")
    ready.take_calls()
    assert "-U Kokkos_ROOT" in ready.calls_of("perf/prepare")[0]


@pytest.mark.parametrize(("words", "environment", "passed"), [
    ([], {"Kokkos_ROOT": "/a", "KokkosKernels_ROOT": "/b"}, {"-DKokkos_ROOT=/a", "-DKokkosKernels_ROOT=/b"}),
    ([], {"FETCHCONTENT_SOURCE_DIR_KOKKOS": "/k"}, {"-DFETCHCONTENT_SOURCE_DIR_KOKKOS=/k"}),
    (["--no-install", "--kokkos", "release"], {}, {"-DPORTCOST_FETCH=OFF"}),
    *((["--kokkos", source], {}, {f"-DPORTCOST_KOKKOS={source}"}) for source in ("installation", "release", "distribution")),
])
def test_what_cmake_is_given(ready: Machine, words: list[str], environment: dict[str, str], passed: set[str]):
    given = set(ready.calls_of("perf/prepare", *words, **environment)[0].split())
    assert passed <= given and {one for one in given if one.startswith("-DKokkos_ROOT")} <= passed
