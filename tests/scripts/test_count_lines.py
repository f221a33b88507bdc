"""perf/portcost count-lines: the lines of code of each variant, and that the committed counts are of these sources."""

import json
import os
import shutil
from pathlib import Path

import pytest
from running import ROOT, cmake_script, run_tool, without_modules

ALGORITHMS = sorted(path.parent for path in (ROOT / "variants").glob("*/algorithm.cpp"))

CUDA = """// A comment is no code.
#include "problem.hpp"

namespace portcost::made_up {
namespace {
constexpr int threads = 256;  // 1: of first and second

__device__ float twice(float x) { return 2 * x; }  // 1: of first

template <class T>
__global__ void __launch_bounds__(threads) first_kernel(const T* in, T* out) {
  // A blank line and this one do not count.

  out[threadIdx.x] = twice(in[threadIdx.x]);
}

template <class T>
void first(const Work<T>& s, const Stream& on) {
  first_kernel<<<1, threads, 0, on.native()>>>(s.in, s.out);
}
void second(const Work<float>& twice, const Stream&) {
  twice.out[0] = threads;
}
static_assert(threads > 0);
}  // namespace
Rungs cuda_rungs() {
  return {rung(works, "first", [](const auto& s, const Stream& on) { first(s, on); }),
          rung(works, "second", second)};
}
}
"""
OTHER = "namespace portcost::made_up {\nconstexpr int threads = 1;\nvoid range(int) {\n}\n}\n"
FIRST, SECOND = 1 + 1 + 4 + 4 + 1, 1 + 3 + 1
"""Counted by hand. The second hides `twice` by a parameter of that name."""

KOKKOS = """
namespace portcost::made_up {
using Space = KokkosSpace;
template <class T>
struct First {
  using On = Teams<8>;
  Work<T> s;
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const { On::begin(team); }
};
Rungs kokkos_rungs() {
  const auto first = []<class T>(const Work<T>& s, const Stream& on) {
    Kokkos::parallel_for("portcost::made_up::first", First<T>{s});
  };
  return {rung(works, "first", first)};
}
}
"""
TEAM = 6 + 3 + 1

USUAL_ROW = """const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "first", f).written(Way::usual, dials);
  };"""
USUAL = """
#include "kokkos/loop.hpp"
namespace portcost::made_up {
template <int items>
void range(const Work<float>& s, const Stream& on) {
  Kokkos::parallel_for("x", 1, KOKKOS_LAMBDA(const int i) { s.out[i] = items; });
}
constexpr bool left = true;
Rungs kokkos_usual_rungs() {
  USUAL_ROW
  return {usual("", range<1>), usual(left ? "layout=right" : "layout=left", range<2>)};
}
}
"""
RANGE = 4 + 3 + 1

WRITTEN = """
namespace portcost::made_up {
void range(const Work<float>& s, const Stream& on) {
}
Rungs kokkos_written_rungs() {
  return {rung(works, "first", range).written(Way::book),
          rung(works, "first", range).unless(none).written(Way::usual),
          rung(works, "first", range)
              .written(Way::usual, "items=4"),
          device_step(works, "second", range)};
}
}
"""

BOOK = """
namespace portcost::made_up::book {
using Grid = Kokkos::View<float**>;
inline void first(const Grid& out) {}
}
"""
BOOK_ROWS = """
#include "kokkos/book.hpp"
namespace portcost::made_up {
template <class F>
Rung step(std::string_view name, const F& f) {
  return rung(works, name, f).written(Way::book);
}
Rungs kokkos_book_rungs() {
  const auto other = [](const Work& s, const Stream&) {};
  return {step("first", [](const Work& s, const Stream&) { book::first(s.out); }),
          step("second", other)};
}
}
"""

PLACED = """
namespace portcost::made_up {
struct DeviceCut {
  static constexpr std::string_view dial = "tile=4x64";
};
struct HostCut {
  static constexpr std::string_view other = "tile=1x1", *more = nullptr;
  static constexpr std::string_view dial = "tile=16x4096";
};
using GoodCut = ShapeIn<kokkos_shapes, DeviceCut, HostCut>;
void cut(const Work<float>& s, const Stream&) {}
Rungs kokkos_usual_rungs() {
  USUAL_ROW
  return {usual(GoodCut::dial, cut), device_step(works, "second", cut, "not on hosts")};
}
}
"""

LOOP = """
namespace portcost::made_up {
struct A {};
struct B {
  int b;
};
template <class F>
Rungs every_step(const F& f) {
  Rungs result;
  add(f(A(), "first"));
  add(f(B(), "second"));
  return result;
}
}
"""
LOOPED = """
#include "kokkos/loop.hpp"
namespace portcost::made_up {
Rungs kokkos_looped_rungs() {
  return every_step([](auto step, const char* name) { return rung(works, name, step); });
}
}
"""
FIRST_OF_LOOP, SECOND_OF_LOOP = 3 + 6 + 1, 3 + 6 + 3


SHARED = """
#include "variants/shared/fft_openmp.hpp"
namespace portcost::made_up {
Rungs openmp_rungs() {
  return {rung(works, "first", [](const auto& s, const Stream&) { fft::by_openmp::for_modes(s); }),
          rung(works, "second", [](const auto& s, const Stream&) { s(); })};
}
}
"""
FOR_MODES = 9
"""Of fft_openmp.hpp, without comments."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where sources are counted."""
    pytest.importorskip("tree_sitter_cuda", reason="the Python module tree-sitter-cuda is not here "
                                                   "(python3 -m pip install -r tests/source_requirements.txt)")
    return tmp_path


def made_up(folder: Path, **sources: str) -> Path:
    algorithm = folder / "made_up"
    (algorithm / "kokkos").mkdir(parents=True)
    (algorithm / "algorithm.cpp").write_text("\n")
    for name, text in sources.items():
        (algorithm / name.replace("__", "/").replace("_cu", ".cu").replace("_cpp", ".cpp").replace("_hpp", ".hpp")
         ).write_text(text.replace("USUAL_ROW", USUAL_ROW))
    return algorithm


def counts(algorithm: Path) -> dict[str, int]:
    from portcost_sources.counting import lines_of

    return {name.removeprefix("made_up/"): len(lines) for name, lines in lines_of(algorithm).items()}


def test_the_committed_counts_are_of_these_sources(folder: Path):
    run_tool("count-lines", "--check")
    assert "there is no algorithm.cpp" in run_tool("count-lines", folder, status=1).stderr


@pytest.mark.parametrize("sources, found", [
    ({"cuda_cu": CUDA}, {"first/cuda": FIRST, "second/cuda": SECOND}),
    ({"cuda_cu": CUDA, "cuda_other_cu": OTHER}, {"first/cuda": FIRST, "second/cuda": SECOND}),
    ({"kokkos_cpp": KOKKOS}, {"first/kokkos": TEAM}),
    ({"kokkos__usual_cpp": USUAL, "kokkos__loop_hpp": LOOP},
     {"first/kokkos.usual": RANGE, "first/kokkos.usual:layout=right": RANGE + 1, "first/kokkos.usual:layout=left": RANGE + 1}),
    ({"kokkos__written_cpp": WRITTEN},
     {"first/kokkos.book": 3, "first/kokkos.usual": 3, "first/kokkos.usual:items=4": 3, "second/kokkos": 3}),
    ({"kokkos__book_hpp": BOOK, "kokkos__book_cpp": BOOK_ROWS, "kokkos_cpp": KOKKOS.replace("Work", "Grid")},
     {"first/kokkos": TEAM, "first/kokkos.book": 4 + 2 + 1, "second/kokkos.book": 4 + 1 + 1}),
    ({"kokkos__usual_cpp": PLACED},
     {"first/kokkos.usual:tile=4x64": 13, "first/kokkos.usual:tile=16x4096": 13, "second/kokkos": 2}),
    ({"kokkos__looped_cpp": LOOPED, "kokkos__loop_hpp": LOOP}, {"first/kokkos": FIRST_OF_LOOP, "second/kokkos": SECOND_OF_LOOP}),
    ({"kokkos__looped_cpp": LOOPED.replace("step); });", "step).written(Way::book); });"), "kokkos__loop_hpp": LOOP},
     {"first/kokkos.book": FIRST_OF_LOOP, "second/kokkos.book": SECOND_OF_LOOP}),
    ({"openmp_cpp": SHARED}, {"first/openmp": 1 + FOR_MODES, "second/openmp": 1}),
    ({"openmp_cpp": SHARED.replace("fft_openmp", "fft")}, {"first/openmp": 1, "second/openmp": 1}),
], ids=["native code counts what its row names", "what lies in another source does not count",
        "a team's kernel counts with its row", "usual forms are named by their dials", "a row that says its way and dials",
        "the book's files count for the book alone", "a form that a place names counts under both names",
        "a row of a loop counts the loop and its own", "a row of a loop by the book",
        "kernels that algorithms share count where they are included", "and nowhere else"])
def test_what_counts(folder: Path, sources: dict[str, str], found: dict[str, int]):
    assert counts(made_up(folder, **sources)) == found


def test_files_are_written_checked_and_shown(folder: Path):
    algorithm = made_up(folder, cuda_cu=CUDA)
    assert f"run perf/portcost count-lines {algorithm}" in run_tool("count-lines", "--check", algorithm, status=1).stderr
    run_tool("count-lines", algorithm)
    run_tool("count-lines", "--check", algorithm)
    shown = run_tool("count-lines", "--show", "made_up/second/cuda", algorithm)
    assert "twice.out[0] = threads;" in shown.stdout and f"{SECOND} lines" in shown.stdout
    unknown = run_tool("count-lines", "--show", "made_up/third/cuda", algorithm, status=2)
    assert "did you mean made_up" in unknown.stderr
    with (algorithm / "cuda.cu").open("a") as file:
        file.write("// changed\n")
    run_tool("count-lines", "--check", algorithm, status=1)


@pytest.mark.parametrize("text, told", [("void f( {", "cuda.cu:1: the parser does not understand"),
                                        ("Rungs cuda_rungs() { return {}; }", "'cuda_rungs' has no row that can be read")])
def test_what_cannot_be_read_is_an_error(folder: Path, text: str, told: str):
    assert told in run_tool("count-lines", made_up(folder, cuda_cu=text), status=1).stderr


def test_a_missing_parser_is_named(tmp_path: Path):
    environment = {**os.environ, **without_modules(tmp_path, "tree_sitter", "tree_sitter_cuda")}
    done = run_tool("count-lines", status=3, env=environment)
    assert "pip install -r tests/source_requirements.txt" in done.stderr
    done = run_tool("code", "heat2d", "--out", tmp_path / "code.html", status=3, env=environment)
    assert "perf/portcost code: the Python module tree_sitter is missing" in done.stderr


SCRIPT = """
cmake_minimum_required(VERSION 3.25)
include(${ROOT}/cmake/PortcostCatalogue.cmake)
portcost_lines_of_code(${FOLDER} found)
message(NOTICE "found: ${found}")
"""


@pytest.mark.skipif(not shutil.which("cmake"), reason="no cmake")
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda path: path.name)
def test_the_build_takes_the_counts(tmp_path: Path, algorithm: Path):
    counts = json.loads((algorithm / "lines_of_code.json").read_text())
    wanted = ", ".join(f'{{"{name}", {lines}}}' for name, lines in counts.items() if name != "sources")
    assert wanted
    assert f"found: {wanted}\n" in cmake_script(tmp_path, SCRIPT, FOLDER=algorithm)


@pytest.mark.skipif(not shutil.which("cmake"), reason="no cmake")
def test_the_build_leaves_counts_of_other_sources(tmp_path: Path):
    copy = shutil.copytree(ROOT / "variants/heat2d", tmp_path / "heat2d")
    with (copy / "kokkos/usual.cpp").open("a") as file:
        file.write("// changed\n")
    told = cmake_script(tmp_path, SCRIPT, FOLDER=copy)
    assert "found: \n" in told and f"perf/portcost count-lines {copy} counts again" in told
    (copy / "lines_of_code.json").unlink()
    assert cmake_script(tmp_path, SCRIPT, FOLDER=copy) == "found: \n"
