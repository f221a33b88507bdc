"""Which Kokkos the build takes: PortcostKokkos.cmake's choice, tried with made-up installations."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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

    def choose(self, *definitions: str, prefixes: list[Path] | None = None, **environment: str):
        shutil.rmtree(self.folder / "build", ignore_errors=True)
        return self.again(*definitions, f"-DCMAKE_PREFIX_PATH={';'.join(map(str, prefixes or []))}",
                          "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF",
                          "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DPORTCOST_FETCH=OFF", "-DPORTCOST_NVCC=",
                          f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}",
                          **environment)

    def again(self, *definitions: str, **environment: str) -> subprocess.CompletedProcess:
        kept = {name: value for name, value in os.environ.items() if "kokkos" not in name.lower()}
        return subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.folder / "source", "-B", self.folder / "build", *definitions],
            env=kept | {"PORTCOST_CACHE": str(self.folder / "cache")} | environment,
            capture_output=True, text=True, check=False, timeout=60)

    def stopped(self) -> str:
        return (self.folder / "build/portcost-stopped.txt").read_text()


@pytest.fixture
def chooser(tmp_path: Path) -> Chooser:
    return Chooser(tmp_path)


def test_an_installation_that_fits_is_taken(chooser: Chooser):
    prefix = chooser.install("a", "4.6.1")
    done = chooser.choose(prefixes=[prefix])
    assert done.returncode == 0, done.stderr
    assert "portcost: Kokkos 4.6.1, installation" in done.stderr and "loaded:a:Kokkos" in done.stderr


@pytest.mark.parametrize(
    "version, devices, targets, why",
    [
        ("3.4.01", "SERIAL", False, "it is a part of Trilinos"),
        ("3.3.0", "OPENMP", True, "3.4 <= version < 6 is needed"),
        ("6.0.0", "OPENMP", True, "3.4 <= version < 6 is needed"),
        ("4.5.0", "CUDA;OPENMP", True, "4.6 <= version < 6 is needed"),
        ("4.6.1", "CUDA;OPENMP", True, "it was built with CUDA, and this is a build for the host alone"),
        ("4.6.1", "SERIAL", True, "on one thread"),
    ],
)
def test_an_unfit_one_is_passed_over_unread(chooser: Chooser, version: str, devices: str, targets: bool, why: str):
    unfit, fit = chooser.install("unfit", version, devices, targets=targets), chooser.install("fit", "4.7.2")
    done = chooser.choose("-DPORTCOST_BACKEND=openmp", prefixes=[unfit, fit])
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "passing over Kokkos " in line and "Kernels" not in line]
    assert version in line and why in line and "unfit" in line
    assert "loaded:unfit" not in done.stderr and "loaded:fit:Kokkos" in done.stderr


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
    done = chooser.choose(prefixes=[broken, fit])
    assert done.returncode == 0, done.stderr
    assert (f"it is incomplete, {missing} is not there; where these archives have no objects, as in Debian's package of Kokkos 5, "
            f"this mends it: sudo sh -c 'ar cr {missing}'") in done.stderr
    assert "loaded:fit:Kokkos" in done.stderr


@pytest.mark.parametrize(("option", "file", "said"), [
    ("DEBUG_BOUNDS_CHECK", "none", "BUILT with DEBUG_BOUNDS_CHECK"),
    ("AGGRESSIVE_VECTORIZATION", "debug", "BUILT without optimisation (CMAKE_BUILD_TYPE=Debug)"),
    ("AGGRESSIVE_VECTORIZATION", "release", ""),
])
def test_one_whose_times_are_worthless_is_named(chooser: Chooser, option: str, file: str, said: str):
    prefix = chooser.install("a", "4.7.2")
    config = prefix / "lib/cmake/Kokkos/KokkosConfig.cmake"
    config.write_text(config.read_text() + f"set(Kokkos_OPTIONS {option})\n")
    (prefix / f"lib/cmake/Kokkos/KokkosTargets-{file}.cmake").touch()
    done = chooser.choose(prefixes=[prefix])
    assert done.returncode == 0, done.stderr
    assert said in done.stderr and ("times are refused" in done.stderr) == (said != "")


def test_an_unfit_one_that_was_named_is_refused(chooser: Chooser):
    unfit, fit = chooser.install("unfit", "3.4.01", "SERIAL", targets=False), chooser.install("fit", "4.7.2")
    done = chooser.choose(f"-DKokkos_ROOT={unfit}", prefixes=[fit])
    assert done.returncode != 0
    assert "part of Trilinos" in chooser.stopped() and "Name another installation" in chooser.stopped()
    assert chooser.choose(prefixes=[fit], Kokkos_ROOT=str(unfit)).returncode != 0


def test_a_named_folder_without_kokkos_is_refused(chooser: Chooser):
    done = chooser.choose("-DKokkos_ROOT=/no/such/folder", prefixes=[chooser.install("a", "4.6.1")])
    assert done.returncode != 0 and "There is no Kokkos in /no/such/folder" in chooser.stopped()


def test_cuda_needs_a_kokkos_with_cuda(chooser: Chooser):
    chooser.choose("-DPORTCOST_BACKEND=cuda", prefixes=[chooser.install("a", "4.6.1")])
    assert "No installed Kokkos fits (passed over: 4.6.1)" in chooser.stopped()


def test_cuda_is_not_built_from_the_distribution(chooser: Chooser):
    chooser.choose("-DPORTCOST_BACKEND=cuda", "-DPORTCOST_KOKKOS=distribution")
    assert "it serves the host presets only" in chooser.stopped()


def test_nothing_found_and_nothing_to_be_fetched(chooser: Chooser):
    assert chooser.choose().returncode != 0
    line = chooser.stopped()
    assert len(line.splitlines()) == 1
    assert line.startswith("No installed Kokkos was found, and nothing is to be fetched. Needed: ")
    assert "source package trilinos" in line and "--kokkos" in line


def test_only_an_installation(chooser: Chooser):
    assert chooser.choose("-DPORTCOST_KOKKOS=installation").returncode != 0
    assert "nothing else was asked for" in chooser.stopped()


def test_kokkos_without_kernels(chooser: Chooser):
    done = chooser.choose(prefixes=[chooser.install("a", "5.2.2")])
    assert done.returncode == 0 and "comes without Kokkos Kernels" in done.stderr and "kernels: FALSE none" in done.stderr


def test_kernels_of_another_version_are_passed_over(chooser: Chooser):
    kokkos = chooser.install("a", "4.6.1")
    other = chooser.install("b", "3.4.01", package="KokkosKernels")
    done = chooser.choose(prefixes=[kokkos, other])
    assert done.returncode == 0 and "passing over Kokkos Kernels 3.4.01" in done.stderr
    assert "kernels: FALSE" in done.stderr
    done = chooser.choose(f"-DKokkosKernels_ROOT={other}", prefixes=[kokkos])
    assert done.returncode != 0 and "its version must match that of Kokkos, 4.6.1" in chooser.stopped()


def test_kernels_of_the_same_prefix_go_before_others(chooser: Chooser):
    elsewhere = chooser.install("elsewhere", "4.6.1", package="KokkosKernels")
    kokkos = chooser.install("a", "4.6.1")
    shutil.copytree(elsewhere, kokkos, dirs_exist_ok=True)
    text = (kokkos / "lib/cmake/KokkosKernels/KokkosKernelsConfig.cmake").read_text()
    (kokkos / "lib/cmake/KokkosKernels/KokkosKernelsConfig.cmake").write_text(text.replace("elsewhere", "same"))
    done = chooser.choose(f"-DKokkos_ROOT={kokkos}", prefixes=[elsewhere])
    assert "loaded:same:KokkosKernels" in done.stderr and "kernels: TRUE" in done.stderr


def test_what_was_found_is_not_taken_for_named(chooser: Chooser):
    """A second configuration looks again; a folder named meanwhile wins."""
    first, second = chooser.install("first", "4.6.1"), chooser.install("second", "4.7.2")
    assert "loaded:first" in chooser.choose(prefixes=[first]).stderr
    assert "loaded:first" in chooser.again().stderr
    done = chooser.again(f"-DKokkos_ROOT={second}")
    assert "loaded:second" in done.stderr and "loaded:first" not in done.stderr


def test_source_tree_that_is_none(chooser: Chooser):
    assert chooser.choose("-DFETCHCONTENT_SOURCE_DIR_KOKKOS=/no/such").returncode != 0
    assert "FETCHCONTENT_SOURCE_DIR_KOKKOS is '/no/such', which holds no CMakeLists.txt" in chooser.stopped()
