"""libraries.cmake: what an algorithm says of the libraries that its peers need (cmake/PortcostPeers.cmake)."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(peers LANGUAGES NONE)
include({root}/cmake/PortcostPeers.cmake)
set(folder ${{CMAKE_SOURCE_DIR}}/wave)
set(PORTCOST_CUDA {cuda})
add_library(Blas::blas INTERFACE IMPORTED)
include(${{folder}}/libraries.cmake)
message(NOTICE "needs: ${{peer_needs_library_blas}}; files: ${{peer_absent_files}}; rows: ${{peer_absences}}")
"""
pytestmark = pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake or no ninja")


def read(folder: Path, text: str, cuda: str = "FALSE") -> tuple[int, str]:
    """What CMake makes of this libraries.cmake: its status and what it says, in one line."""
    wave = folder / "wave"
    wave.mkdir(exist_ok=True)
    for name in ("library_blas.cpp", "library_fast.cu"):
        (wave / name).touch()
    (wave / "libraries.cmake").write_text(text)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT, cuda=cuda))
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"],
                          capture_output=True, text=True, check=False)
    return done.returncode, " ".join(done.stderr.split())


def test_a_peer_whose_library_is_there_is_built_with_it(tmp_path: Path):
    status, said = read(tmp_path, "portcost_peer(library_blas.cpp STEPS dot LIBRARY BLAS NEEDS Blas::blas)")
    assert (status, said) == (0, "needs: Blas::blas; files: ; rows:")


def test_one_whose_library_is_not_there_is_absent_with_a_reason(tmp_path: Path):
    _, said = read(tmp_path, "portcost_peer(library_blas.cpp STEPS dot norm LIBRARY BLAS NEEDS Blas::blas Fast::fast)")
    reason = '"BLAS was not found when this was built"'
    assert said == (f"needs: ; files: {tmp_path}/wave/library_blas.cpp; rows: "
                    f'{{"dot", Model::library, {reason}}}, {{"norm", Model::library, {reason}}},')
    _, said = read(tmp_path, "portcost_peer(library_blas.cpp STEPS dot LIBRARY BLAS NEEDS No::no WITHOUT [[no \"BLAS\"]])")
    assert said.endswith(r'"no \"BLAS\""},')


def test_a_cuda_file_needs_cuda(tmp_path: Path):
    text = "portcost_peer(library_fast.cu STEPS fast LIBRARY Fast)"
    assert '"Fast needs CUDA, and this build is for the host"' in read(tmp_path, text)[1]
    assert read(tmp_path, text, "TRUE")[1].endswith("files: ; rows:")


@pytest.mark.parametrize("text", [
    "portcost_peer(library_slow.cpp STEPS slow LIBRARY Slow)", "portcost_peer(algorithm.cpp STEPS slow LIBRARY Slow)"])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, text: str):
    status, said = read(tmp_path, text)
    assert status != 0 and "there is no such file" in said


@pytest.mark.parametrize("words", ["LIBRARY Blas", "STEPS dot", "STEPS dot LIBRARY Blas, too"])
def test_a_call_that_says_too_little_or_too_much_is_refused(tmp_path: Path, words: str):
    status, said = read(tmp_path, f"portcost_peer(library_blas.cpp {words})")
    assert status != 0 and "it takes STEPS and LIBRARY" in said
