"""The shell commands on a made-up machine."""

from __future__ import annotations

import re
import sys

import pytest
from machine import (APT_GET, CMAKE, COMMANDS, CTEST_XML, CXX, GPU, NOT_STARTED, PACKAGES, ROOT, Machine,
                     installed_kokkos, presets, starting)

# ---- options


def options_taken(command: str) -> set[str]:
    """The long options in a command's `case` branches, and in those that it shares."""
    alone = command in (".ci/run", "perf/kokkos_source")
    files = [ROOT / command] if alone else [ROOT / command, ROOT / "perf/common.bash"]
    branches = [line for file in files for line in file.read_text().splitlines() if re.match(r"\s+-[-\w |]+\)", line)]
    return {option for line in branches for option in re.findall(r"--[a-z][a-z0-9-]*", line.split(")")[0])}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option(bare: Machine, command: str):
    result = bare.run(command, "--help")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.startswith(f"usage: {command}")
    assert bare.take_calls() == []
    taken = options_taken(command)
    assert "--help" in taken
    assert {option for option in taken if not re.search(rf"{option}\b", result.stdout)} == set()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["--colour", "colour"])
def test_unknown_argument_is_named_in_one_line(bare: Machine, command: str, word: str):
    result = bare.run(command, word)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1 and word in result.stderr and command in result.stderr


def test_option_without_its_value(bare: Machine):
    result = bare.run("perf/run", "--filter")
    assert result.returncode == 2 and "--filter needs a value" in result.stderr


def test_table1_goes_with_no_filter(bare: Machine):
    assert bare.run("perf/run", "--table1", "--filter", "sum/*").returncode == 2


# ---- setting the machine up


@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_no_install_lists_what_is_missing(bare: Machine, command: str):
    result = bare.run(command, "--no-install")
    assert result.returncode == 3
    ask = next(line for line in result.stderr.splitlines() if "apt-get install" in line)
    for package in PACKAGES:
        assert package in ask.split()
    assert "missing Python modules: matplotlib" in result.stderr
    assert "source package trilinos (166 MB)" in result.stderr
    assert bare.take_calls() == []


def test_neither_root_nor_sudo(bare: Machine):
    bare.stub("id", "echo 1000\n")
    assert bare.run("perf/prepare").returncode == 3
    bare.stub("sudo", 'echo "sudo $*" >>"$CALLS"; exit 1\n')
    assert bare.run("perf/prepare").returncode == 3
    assert bare.take_calls() == ["sudo -n true"]


def test_sudo_without_password(bare: Machine):
    bare.stub("id", "echo 1000\n")
    bare.stub("sudo", '[ "$1" = -n ] || { echo sudo >>"$CALLS"; exec "$@"; }\n')
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    assert calls[0] == "sudo" and re.fullmatch("apt-get .* update", calls[1])


def test_no_apt_at_all(bare: Machine):
    (bare.stubs / "apt-get").unlink()
    result = bare.run("perf/prepare")
    assert result.returncode == 3 and "libcli11-dev" in result.stderr


def test_packages_are_named_before_they_are_installed(bare: Machine):
    bare.stub("apt-get", 'echo APT-GET "$@" >>/dev/stderr; exit 100\n')
    result = bare.run("perf/prepare")
    assert result.returncode == 1
    before, failure = result.stderr.split("APT-GET", 1)
    for package in PACKAGES:
        assert package in before.split("missing: ")[1].split(";")[0].split()
    assert "the whole log: " in failure


def test_bare_debian_is_set_up_once(bare: Machine):
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    installs = [line for line in calls if " install " in line and line.startswith("apt-get")]
    assert set(PACKAGES) <= set(installs[0].split()) and "-y" in installs[0]
    assert installs[1].endswith("-t bookworm-backports catch2")
    assert (bare.apt / "sources.list.d/portcost-backports.list").read_text() == (
        "deb http://mirror.example/debian bookworm-backports main\n"
    )
    assert len(starting(calls, "pip")) == 1

    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    assert [line.split()[1] for line in bare.take_calls()] == ["--build"]


def test_only_what_is_missing_is_installed(ready: Machine):
    (ready.headers / "fmt/core.h").unlink()
    assert ready.run("perf/prepare").returncode == 0
    calls = starting(ready.take_calls(), "apt-get")
    assert len(calls) == 2 and calls[1].endswith("--no-install-recommends libfmt-dev")


def test_ubuntu_2204(bare: Machine):
    bare.system("ubuntu")
    bare.stub("g++", CXX.format("11.4.0"))
    bare.stub("later/g++-12", CXX.format("12.3.0"))
    bare.stub("cmake", CMAKE.format(version="3.22.1"))
    bare.stub("apt-get", APT_GET + 'mv "$STUBS/later/g++-12" "$STUBS/"\n')
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    install = [line for line in calls if " install " in line and line.startswith("apt-get")]
    assert len(install) == 1
    assert "g++-12" in install[0].split() and not {"cmake", "catch2", "g++"} & set(install[0].split())
    assert any("cmake>=3.25" in line for line in starting(calls, "pip"))


def test_catch2_is_asked_of_apt_once(bare: Machine):
    (bare.apt / "sources.list").write_text("")
    result = bare.run("perf/prepare")
    assert result.returncode == 0 and "CMake fetches it" in result.stderr
    bare.take_calls()
    assert bare.run("perf/prepare").returncode == 0
    assert starting(bare.take_calls(), "apt-get") == []


def test_without_root_catch2_is_left_to_cmake(ready: Machine):
    (ready.headers / "catch2/catch_all.hpp").unlink()
    ready.stub("id", "echo 1000\n")
    result = ready.run("perf/prepare")
    assert result.returncode == 0 and "CMake fetches it" in result.stderr


def test_no_install_brings_not_even_catch2(ready: Machine):
    (ready.headers / "catch2/catch_all.hpp").unlink()
    result = ready.run("perf/prepare", "--no-install")
    assert result.returncode == 3 and "missing packages: catch2" in result.stderr


def test_old_compiler_named_in_cxx(ready: Machine):
    ready.stub("g++-9", CXX.format("9.4.0"))
    result = ready.run("perf/prepare", CXX="g++-9")
    assert result.returncode == 3 and "g++-9" in result.stderr


def test_no_python_environment_where_modules_are_here(bare: Machine):
    bare.put("has-modules", "")
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    assert "python3-venv" not in result.stderr
    assert starting(bare.take_calls(), "pip", "python3") == [] and not (bare.repo / ".venv").exists()


def test_python_environment_is_remade_when_requirements_change(ready: Machine):
    (ready.repo / "perf/requirements.txt").write_text("matplotlib>=3.8\n")
    assert ready.run("perf/prepare").returncode == 0
    assert len(starting(ready.take_calls(), "python3 -m venv")) == 1


@pytest.mark.parametrize("wanted, there", [("pytest>=1.0", True), ("pytest>=999", False), ("no-such-package", False)])
def test_modules_are_looked_for_in_their_versions(bare: Machine, wanted: str, there: bool):
    bare.script(bare.stubs / "python3", f'exec {sys.executable} "$@"\n')
    (bare.repo / "perf/requirements.txt").write_text(f"{wanted}  # why\n")
    result = bare.function('has_modules "$root/tests/requirements.txt" && echo there')
    assert (result.stdout == "there\n") is there, result.stderr


# ---- the preset and the build


def test_gpu_and_nvcc_take_cuda(ready: Machine):
    prefix = installed_kokkos(ready, "SERIAL;CUDA")
    ready.stub("nvidia-smi", GPU)
    ready.stub("nvcc", "")
    assert ready.run("perf/prepare", PORTCOST_CUDA_KOKKOS=prefix).returncode == 0
    calls = ready.take_calls()
    assert presets(calls) == ["cuda"]
    assert f"-DKokkos_ROOT={prefix}" in calls[0].split()


def test_gpu_without_nvcc_says_so_and_takes_the_host(ready: Machine):
    ready.stub("nvidia-smi", GPU)
    result = ready.run("perf/prepare")
    assert result.returncode == 0 and "toolkit is missing" in result.stderr
    assert (ready.repo / "build/openmp").exists() and not (ready.repo / "build/cuda").exists()


def test_nvidia_smi_without_a_gpu(ready: Machine):
    ready.stub("nvidia-smi", 'echo "No devices found"; exit 6\n')
    ready.stub("nvcc", "")
    assert "preset openmp" in ready.run("perf/prepare").stderr


def test_preset_and_kokkos_are_passed_on(ready: Machine):
    kokkos = ready.repo.parent / "kokkos"
    (kokkos / "lib/cmake/KokkosKernels").mkdir(parents=True)
    result = ready.run("perf/prepare", "--preset=openmp-checked", "--kokkos", str(kokkos), "--werror")
    assert result.returncode == 0, result.stderr
    words = ready.take_calls()[0].split()
    assert "openmp-checked" in words
    assert {f"-DKokkos_ROOT={kokkos}", f"-DKokkosKernels_ROOT={kokkos}", "-DPORTCOST_WERROR=ON"} <= set(words)


def test_kokkos_is_taken_from_the_environment(ready: Machine):
    assert ready.run("perf/prepare", Kokkos_ROOT="/a", KokkosKernels_ROOT="/b").returncode == 0
    assert {"-DKokkos_ROOT=/a", "-DKokkosKernels_ROOT=/b"} <= set(ready.take_calls()[0].split())


def test_failed_build_shows_the_end_of_its_log(ready: Machine):
    ready.stub("cmake", CMAKE.format(version="3.25.1").replace('echo "ninja: no work to do."', "echo broken; exit 1"))
    result = ready.run("perf/prepare")
    assert result.returncode == 1
    assert "broken" in result.stderr and "openmp-build.log" in result.stderr


def stop_cmake(machine: Machine, text: str) -> None:
    """CMake stops with a line for the user, as cmake/PortcostCache.cmake writes it."""
    machine.stub("cmake", CMAKE.format(version="3.25.1").replace(
        "*--build*)", "*--nothing*)").replace("--preset*)", f"""--preset*)
    echo "portcost: a note for the user" >&2; echo "-- not one" >&2
    mkdir -p "$REPO/build/openmp"; echo "{text}" >"$REPO/build/openmp/portcost-stopped.txt"; exit 1 ;;
  *--never*)"""))


def test_what_stops_cmake_is_one_line_and_status_3(ready: Machine):
    stop_cmake(ready, "No installed Kokkos was found; and so on")
    result = ready.run("perf/prepare", "--werror")
    assert result.returncode == 3
    assert result.stderr.splitlines()[-2:] == [
        "portcost: a note for the user",
        "portcost: No installed Kokkos was found; and so on",
    ]


@pytest.mark.parametrize("word", ["installation", "release", "distribution"])
def test_kokkos_takes_a_source_by_name(ready: Machine, word: str):
    assert ready.run("perf/prepare", "--kokkos", word).returncode == 0
    words = ready.take_calls()[0].split()
    assert f"-DPORTCOST_KOKKOS={word}" in words and not any(word.startswith("-DKokkos_ROOT") for word in words)


def test_a_kokkos_named_before_is_forgotten(ready: Machine):
    assert ready.run("perf/prepare", "--kokkos", "/a").returncode == 0
    ready.take_calls()
    assert ready.run("perf/prepare").returncode == 0
    assert "-U Kokkos_ROOT" in ready.take_calls()[0]


def test_source_trees_in_the_environment(ready: Machine):
    assert ready.run("perf/prepare", FETCHCONTENT_SOURCE_DIR_KOKKOS="/k").returncode == 0
    assert "-DFETCHCONTENT_SOURCE_DIR_KOKKOS=/k" in ready.take_calls()[0].split()


def test_no_install_fetches_nothing(ready: Machine):
    assert ready.run("perf/prepare", "--no-install", "--kokkos", "release").returncode == 0
    assert "-DPORTCOST_FETCH=OFF" in ready.take_calls()[0].split()


# ---- the Python environment


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
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    assert "PyPI was not reached: taking the modules from the distribution" in result.stderr
    calls = bare.take_calls()
    assert any(line.endswith("python3-matplotlib python3-pytest") for line in starting(calls, "apt-get"))
    assert "--system-site-packages --without-pip" in starting(calls, "system")[0]
    assert bare.run("perf/prepare").returncode == 0
    assert starting(bare.take_calls(), "apt-get", "pip", "system") == []


def test_packages_of_the_system_python_are_used_where_they_are(bare: Machine):
    put_system_python(bare)
    bare.put("has-packages", "")
    assert bare.run("perf/prepare").returncode == 0
    calls = bare.take_calls()
    assert starting(calls, "pip") == [] and len(starting(calls, "system -m venv")) == 1
    assert "python3-venv" not in " ".join(calls)


def test_neither_pypi_nor_packages(ready: Machine):
    (ready.repo / ".venv/portcost-stamp").unlink()
    ready.put("no-pypi", "")
    ready.stub("id", "echo 1000\n")
    result = ready.run("perf/prepare")
    assert result.returncode == 3
    assert "matplotlib" in result.stderr.splitlines()[-1] and "PIP_INDEX_URL" in result.stderr.splitlines()[-1]
    assert not (ready.repo / ".venv").exists()


def test_archive_that_is_not_reached(bare: Machine):
    bare.stub("apt-get", 'echo "E: Unable to locate package g++"; exit 100\n')
    result = bare.run("perf/run")
    assert result.returncode == 3
    assert "the package archive was not reached or lacks a package: Unable to locate package g++" in result.stderr


# ---- perf/portcost


def test_portcost_is_the_built_one(ready: Machine):
    assert ready.run("perf/portcost", "list", "--json").returncode == 0
    assert ready.take_calls() == ["portcost list --json"]


def test_portcost_of_a_preset(ready: Machine):
    result = ready.run("perf/portcost", "list", PORTCOST_PRESET="cuda")
    assert result.returncode == 3 and "perf/run --preset cuda" in result.stderr


def test_portcost_before_anything_is_built(bare: Machine):
    result = bare.run("perf/portcost", "list")
    assert result.returncode == 3 and "nothing is built yet: run perf/run" in result.stderr


def test_commands_work_through_a_link_from_any_folder(ready: Machine, tmp_path):
    link = tmp_path / "bin" / "portcost"
    link.parent.mkdir()
    link.symlink_to(ready.repo / "perf/portcost")
    assert ready.run(str(link), "machine").returncode == 0
    assert ready.take_calls() == ["portcost machine"]


# ---- tests/run


def test_tests_run_sums_both_runners(ready: Machine):
    result = ready.run("tests/run", "--no-skip")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-3:] == [
        "ctest: 2 passed, 0 failed, 1 skipped",
        "pytest: 1 passed, 0 failed, 1 skipped",
        "3 passed, 0 failed, 2 skipped",
    ]
    assert any(line.startswith("ctest") and line.endswith("no_skip=1") for line in ready.take_calls())


def test_test_that_could_not_start_is_a_failure(ready: Machine):
    ready.put("ctest.xml", CTEST_XML.format(NOT_STARTED))
    ready.put("ctest-status", "8")
    result = ready.run("tests/run")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "3 passed, 1 failed, 2 skipped"


@pytest.mark.parametrize("status", ["0", "8"])
def test_no_tests_is_a_failure(ready: Machine, status: str):
    (ready.stubs / "ctest.xml").unlink()
    ready.put("ctest-status", status)
    result = ready.run("tests/run", "--ctest-only")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


# ---- perf/run


def test_perf_run_checks_measures_and_reports(ready: Machine):
    result = ready.run("perf/run", "--filter", "heat2d/*", "--full", "--seconds", "2", "--out", str(ready.repo / "out"))
    assert result.returncode == 0, result.stderr
    calls = ready.take_calls()
    check, bench, report = starting(calls, "portcost", "report")
    assert check == "portcost check heat2d/*"
    assert bench.startswith("portcost bench heat2d/* --campaign full --seconds 2 ")
    assert re.search(rf"{ready.repo}/out/\d+-\d+/\S+\.jsonl", bench) and report.startswith("report ")
    assert "report.html" in result.stderr and ".csv" in result.stderr
    assert presets(calls) == []  # what perf/prepare built with tests is not configured anew
    assert calls[0].endswith("--target portcost_command")


def test_perf_run_first_needs_no_catch2(bare: Machine):
    result = bare.run("perf/run")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    assert not any("catch2" in line for line in starting(calls, "apt-get"))
    assert any("-DPORTCOST_TESTS=OFF" in line for line in calls)


def test_unequal_answers_are_reported_and_fail(ready: Machine):
    ready.put("bench-status", "1")
    result = ready.run("perf/run")
    assert result.returncode == 1 and "unequal" in result.stderr
    assert starting(ready.take_calls(), "report")


def test_a_gpu_that_is_asked_for_and_not_there(bare: Machine):
    """Nothing is built for what cannot be measured."""
    result = bare.run("perf/run", "--preset", "cuda")
    assert result.returncode == 3 and "needs the CUDA toolkit" in result.stderr.splitlines()[-1]
    bare.stub("nvcc", "")
    result = bare.run("perf/run", "--preset", "cuda")
    assert result.returncode == 3 and "none is visible here" in result.stderr.splitlines()[-1]
    assert presets(bare.take_calls()) == []


def test_login_node_is_said_aloud(ready: Machine):
    ready.stub("sbatch", "")
    assert "THIS LOOKS LIKE A LOGIN NODE" in ready.run("perf/run").stderr
    assert "LOGIN NODE" not in ready.run("perf/run", SLURM_JOB_ID="7").stderr


def test_broken_bench_ends_the_run(ready: Machine):
    ready.put("bench-status", "3")
    assert ready.run("perf/run").returncode == 3
    assert starting(ready.take_calls(), "report") == []


def test_table1(ready: Machine):
    assert ready.run("perf/run", "--table1").returncode == 0
    _, bench, *reports = starting(ready.take_calls(), "portcost", "report")
    assert "bench heat2d --size nx=14400,ny=14400,steps=100 --type f32 --regime hot --sync phase" in bench
    assert reports[0].startswith("report --table1 ")
