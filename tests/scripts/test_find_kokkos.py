"""What CMake makes of Kokkos and of peers, tried with made-up installations: PortcostKokkos.cmake's choice of a Kokkos, and
libraries.cmake, in which an algorithm says which libraries its peers need (PortcostPeers.cmake)."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from running import ROOT

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(choice LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH {ROOT}/cmake)
set(PROJECT_SOURCE_DIR {ROOT})
include(PortcostCache)
include(PortcostKokkos)
message(NOTICE "kernels: ${{PORTCOST_KOKKOS_KERNELS}} ${{PORTCOST_KOKKOS_KERNELS_VERSION}}")
"""
pytestmark = pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake or no ninja")


class Chooser:
    """A project that only chooses its Kokkos, on a machine of its own: no system paths, no network, an empty cache."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "source").mkdir()
        (folder / "source/CMakeLists.txt").write_text(PROJECT)

    def install(self, name: str, version: str, devices: str = "OPENMP;SERIAL", package: str = "Kokkos",
                targets: bool = True) -> Path:
        """A made-up installation; returns its prefix."""
        prefix = self.folder / name
        config = prefix / "lib/cmake" / package
        config.mkdir(parents=True)
        (config / f"{package}ConfigVersion.cmake").write_text(
            f'set(PACKAGE_VERSION "{version}")\nset(PACKAGE_VERSION_COMPATIBLE FALSE)\n'
            'if(NOT PACKAGE_FIND_VERSION)\n  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n')
        (config / f"{package}Config.cmake").write_text(
            f"set({package}_DEVICES {devices})\nmessage(NOTICE loaded:{prefix.name}:{package})\n")
        if targets:
            (config / f"{package}Targets.cmake").touch()
        return prefix

    def choose(self, *definitions: str, prefixes: Sequence[Path] = (), **environment: Any) -> str:
        shutil.rmtree(self.folder / "build", ignore_errors=True)
        return self.again(*definitions, f"-DCMAKE_PREFIX_PATH={';'.join(map(str, prefixes))}",
                          "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF",
                          "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DPORTCOST_FETCH=OFF", "-DPORTCOST_NVCC=",
                          f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}",
                          **environment)

    def again(self, *definitions: str, stops: bool = False, **environment: str) -> str:
        """What CMake says, or, where it stops, the line for the user."""
        kept = {name: value for name, value in os.environ.items() if "kokkos" not in name.lower()}
        done = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.folder / "source", "-B", self.folder / "build", *definitions],
            env=kept | {"PORTCOST_CACHE": str(self.folder / "cache")} | environment,
            capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode != 0) == stops, done.stderr
        return (self.folder / "build/portcost-stopped.txt").read_text() if stops else done.stderr


@pytest.fixture
def chooser(tmp_path: Path) -> Chooser:
    return Chooser(tmp_path)


@pytest.mark.parametrize(
    "version, devices, targets, why",
    [
        ("3.4.01", "SERIAL", False, "it is a part of Trilinos"),
        ("3.3.0", "OPENMP", True, "3.4 <= version < 6 is needed"),
        ("6.0.0", "OPENMP", True, "3.4 <= version < 6 is needed"),
        ("4.0.1", "CUDA;OPENMP", True, "4.1 <= version < 6 is needed"),
        ("4.6.1", "CUDA;OPENMP", True, "it was built with CUDA, and this is a build for the host alone"),
        ("4.6.1", "SERIAL", True, "on one thread"),
    ],
)
def test_an_unfit_one_is_passed_over_unread(chooser: Chooser, version: str, devices: str, targets: bool, why: str):
    unfit, fit = chooser.install("unfit", version, devices, targets=targets), chooser.install("fit", "4.7.2")
    said = chooser.choose("-DPORTCOST_BACKEND=openmp", prefixes=[unfit, fit])
    (line,) = [line for line in said.splitlines() if "passing over Kokkos " in line and "Kernels" not in line]
    assert version in line and why in line and "unfit" in line
    assert "loaded:unfit" not in said and "loaded:fit:Kokkos" in said


@pytest.mark.parametrize("named", ["${_IMPORT_PREFIX}/lib/libkokkosalgorithms.a", "/no/such/libkokkosalgorithms.a"])
def test_an_incomplete_one_is_passed_over(chooser: Chooser, named: str):
    """As Debian's libkokkos-dev 5.2.2: the targets name a library that no package holds."""
    broken, fit = chooser.install("broken", "5.2.2"), chooser.install("fit", "4.7.2")
    for prefix in (broken, fit):
        (prefix / "lib/libkokkoscore.so").touch()
        (prefix / "lib/cmake/Kokkos/KokkosTargets-none.cmake").write_text(
            'list(APPEND _cmake_import_check_files_for_Kokkos::kokkoscore "${_IMPORT_PREFIX}/lib/libkokkoscore.so" )\n')
    with (broken / "lib/cmake/Kokkos/KokkosTargets-none.cmake").open("a") as file:
        file.write(f'list(APPEND _cmake_import_check_files_for_Kokkos::kokkosalgorithms "{named}" )\n')
    missing = named.replace("${_IMPORT_PREFIX}", str(broken))
    said = chooser.choose(prefixes=[broken, fit])
    assert (f"it lacks {missing}; where these archives have no objects, as in Debian's package of Kokkos 5, "
            f"this mends it: sudo sh -c 'ar cr {missing}'") in said
    assert "loaded:fit:Kokkos" in said


@pytest.mark.parametrize(("option", "file", "told"), [
    ("DEBUG_BOUNDS_CHECK", "none", "BUILT with DEBUG_BOUNDS_CHECK"),
    ("AGGRESSIVE_VECTORIZATION", "debug", "BUILT without optimisation (CMAKE_BUILD_TYPE=Debug)"),
    ("AGGRESSIVE_VECTORIZATION", "release", ""),
])
def test_one_whose_times_are_worthless_is_named(chooser: Chooser, option: str, file: str, told: str):
    prefix = chooser.install("a", "4.7.2")
    config = prefix / "lib/cmake/Kokkos/KokkosConfig.cmake"
    config.write_text(config.read_text() + f"set(Kokkos_OPTIONS {option})\n")
    (prefix / f"lib/cmake/Kokkos/KokkosTargets-{file}.cmake").touch()
    said = chooser.choose(prefixes=[prefix])
    assert told in said and ("times are refused" in said) == (told != "")


@pytest.mark.parametrize("option, on, told", [("DEBUG", "ON", "BUILT with DEBUG:"), ("DEBUG_BOUNDS_CHECK", "ON", "BUILT with DEBUG_BOUNDS_CHECK:"),
                                              ("DEBUG", "OFF", "")])
def test_a_source_tree_that_is_built_so_is_named(chooser: Chooser, option: str, on: str, told: str):
    tree = chooser.folder / "tree"
    tree.mkdir()
    (tree / "CMakeLists.txt").write_text("".join(f"set(Kokkos_VERSION_{part} 4)\n" for part in ("MAJOR", "MINOR", "PATCH")))
    said = chooser.choose(f"-DFETCHCONTENT_SOURCE_DIR_KOKKOS={tree}", f"-DKokkos_ENABLE_{option}={on}")
    assert told in said and ("times are refused" in said) == (told != "")


def test_an_unfit_one_that_was_named_is_refused(chooser: Chooser):
    unfit, fit = chooser.install("unfit", "3.4.01", "SERIAL", targets=False), chooser.install("fit", "4.7.2")
    line = chooser.choose(f"-DKokkos_ROOT={unfit}", prefixes=[fit], stops=True)
    assert "part of Trilinos" in line and "Name another installation" in line
    chooser.choose(prefixes=[fit], Kokkos_ROOT=str(unfit), stops=True)


@pytest.mark.parametrize(("definitions", "installed", "told"), [
    (["-DKokkos_ROOT=/no/such/folder"], True, "There is no Kokkos in /no/such/folder"),
    (["-DPORTCOST_BACKEND=cuda"], True, "No installed Kokkos fits (passed over: 4.6.1)"),
    (["-DPORTCOST_BACKEND=cuda", "-DPORTCOST_KOKKOS=distribution"], False, "it serves the host presets only"),
    (["-DPORTCOST_KOKKOS=installation"], False, "nothing else was asked for"),
    (["-DFETCHCONTENT_SOURCE_DIR_KOKKOS=/no/such"], False,
     "FETCHCONTENT_SOURCE_DIR_KOKKOS is '/no/such', which holds no CMakeLists.txt"),
])
def test_what_is_asked_for_and_not_there_is_refused(chooser: Chooser, definitions: list[str], installed: bool, told: str):
    prefixes = [chooser.install("a", "4.6.1")] if installed else []
    assert told in chooser.choose(*definitions, prefixes=prefixes, stops=True)


def test_nothing_found_and_nothing_to_be_fetched(chooser: Chooser):
    line = chooser.choose(stops=True)
    assert line.startswith("No installed Kokkos was found, and nothing is to be fetched. Needed: ")
    assert len(line.splitlines()) == 1 and "source package trilinos" in line and "--kokkos" in line


def test_kokkos_without_kernels(chooser: Chooser):
    said = chooser.choose(prefixes=[chooser.install("a", "5.2.2")])
    assert "comes without Kokkos Kernels" in said and "kernels: FALSE none" in said


def test_kernels_of_another_version_are_passed_over(chooser: Chooser):
    kokkos = chooser.install("a", "4.6.1")
    other = chooser.install("b", "3.4.01", package="KokkosKernels")
    said = chooser.choose(prefixes=[kokkos, other])
    assert "passing over Kokkos Kernels 3.4.01" in said and "kernels: FALSE" in said
    line = chooser.choose(f"-DKokkosKernels_ROOT={other}", prefixes=[kokkos], stops=True)
    assert "its version must match that of Kokkos, 4.6.1" in line


def test_kernels_of_the_same_prefix_go_before_others(chooser: Chooser):
    elsewhere = chooser.install("elsewhere", "4.6.1", package="KokkosKernels")
    kokkos = chooser.install("a", "4.6.1")
    shutil.copytree(elsewhere, kokkos, dirs_exist_ok=True)
    config = kokkos / "lib/cmake/KokkosKernels/KokkosKernelsConfig.cmake"
    config.write_text(config.read_text().replace("elsewhere", "same"))
    said = chooser.choose(f"-DKokkos_ROOT={kokkos}", prefixes=[elsewhere])
    assert "loaded:same:KokkosKernels" in said and "kernels: TRUE" in said


def test_an_installation_that_fits_is_taken_and_what_was_found_is_not_taken_for_named(chooser: Chooser):
    """A second configuration looks again; a folder named meanwhile wins."""
    first, second = chooser.install("first", "4.6.1"), chooser.install("second", "4.7.2")
    said = chooser.choose(prefixes=[first])
    assert "portcost: Kokkos 4.6.1, installation" in said and "loaded:first:Kokkos" in said
    assert "loaded:first" in chooser.again()
    said = chooser.again(f"-DKokkos_ROOT={second}")
    assert "loaded:second" in said and "loaded:first" not in said


# ---- Peers.

PEERS = """
cmake_minimum_required(VERSION 3.25)
project(peers LANGUAGES NONE)
include({root}/cmake/PortcostPeers.cmake)
set(folder ${{CMAKE_SOURCE_DIR}}/wave)
set(PORTCOST_CUDA {cuda})
add_library(Blas::blas INTERFACE IMPORTED)
include(${{folder}}/libraries.cmake)
message(NOTICE "needs: ${{peer_needs_library_blas}}; files: ${{peer_absent_files}}; rows: ${{peer_absences}}")
"""


def peers(folder: Path, text: str, cuda: str = "FALSE") -> tuple[int, str]:
    """What CMake makes of this libraries.cmake: its status and what it says, in one line."""
    wave = folder / "wave"
    wave.mkdir(exist_ok=True)
    for name in ("library_blas.cpp", "library_fast.cu"):
        (wave / name).touch()
    (wave / "libraries.cmake").write_text(text)
    (folder / "CMakeLists.txt").write_text(PEERS.format(root=ROOT, cuda=cuda))
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"],
                          capture_output=True, text=True, check=False)
    return done.returncode, " ".join(done.stderr.split())


DOT = "portcost_peer(library_blas.cpp STEPS dot LIBRARY BLAS NEEDS Blas::blas)"
FAST = "portcost_peer(library_fast.cu STEPS fast LIBRARY Fast)"


@pytest.mark.parametrize("text, cuda, needs, steps, file, reason", [
    (DOT, "FALSE", "Blas::blas", [], "", ""),
    (DOT.replace("dot", "dot norm").replace("blas)", "blas Fast::fast)"), "FALSE", "", ["dot", "norm"], "library_blas.cpp",
     "BLAS was not found when this was built"),
    (DOT.replace("Blas::blas)", 'No::no WITHOUT [[no "BLAS"]])'), "FALSE", "", ["dot"], "library_blas.cpp", r'no \"BLAS\"'),
    (FAST, "FALSE", "", ["fast"], "library_fast.cu", "Fast needs CUDA, and this build is for the host"),
    (FAST, "TRUE", "", [], "", "")])
def test_a_peer_is_built_with_its_library_or_absent_with_a_reason(tmp_path: Path, text: str, cuda: str, needs: str, steps: list[str],
                                                                   file: str, reason: str):
    absent = " ".join(f'{{"{step}", Model::library, "{reason}"}},' for step in steps)
    said = f"needs: {needs}; files: {f'{tmp_path}/wave/{file}' if file else ''}; rows: {absent}".rstrip()
    assert peers(tmp_path, text, cuda) == (0, said)


@pytest.mark.parametrize("call, told", [
    *((f"library_blas.cpp {words}", "it takes STEPS and LIBRARY")
      for words in ("LIBRARY Blas", "STEPS dot", "STEPS dot LIBRARY Blas, too")),
    *((f"{file} STEPS slow LIBRARY Slow", "there is no such file") for file in ("library_slow.cpp", "algorithm.cpp"))])
def test_a_peer_without_its_file_or_with_other_words_is_refused(tmp_path: Path, call: str, told: str):
    status, said = peers(tmp_path, f"portcost_peer({call})")
    assert status != 0 and told in said
