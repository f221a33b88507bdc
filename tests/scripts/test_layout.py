"""The firewall around Kokkos, the direction of dependencies and the shape of the folders: rules over the names and texts of
sources, so that a planted violation can show that they work. Each returns a line a violation."""

import ast
import re
from pathlib import PurePath

import pytest
from running import ROOT

Sources = dict[str, str]
"""Paths from the root, with their text."""

ALGORITHMS = sorted(path.parent.name for path in ROOT.glob("variants/*/algorithm.cpp"))
TEMPLATE = "perf/setup/template/"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
OWN_HEADERS = r"variants/shared/kokkos_(space|team|tiles|ranks|tricks|usual|graph|compat|fft(_peer)?)\.hpp"
SEES_KOKKOS = re.compile(
    OWN_HEADERS + r"|variants/shared/kokkos_runtime\.cpp"
    r"|variants/[^/]+/(kokkos\.cpp|kokkos/[^/]+\.[ch]pp|library_kokkos(_kernels|_fft)?\.cpp|reproducers/[^/]+/[^/]+\.[ch]pp)"
    r"|tests/(test_kokkos_space\.cpp|book/[^/]+\.[ch]pp|stagger\.hpp|tsan_(fences\.hpp|races\.cpp))")
SEES_CUDA = re.compile(r".*\.cuh?|src/memory/cuda_check\.hpp|src/timing/stopwatch\.cpp")
OF_CUDA = re.compile(r"(cuda|cub/|thrust/|cublas|cufft|cusolver|curand|cooperative_groups|nvml|mma\.h).*|.*\.cuh")
# The last one puts a function in place of MPI's.
SEES_MPI = re.compile(r"src/distributed/([^/]+\.cpp|mpi_calls\.hpp)|tests/ranks/failing\.cpp")
IN_FOLDERS = re.compile(
    r"(problem|rule|(host_)?bodies|schedule|known_defects|ranks(_[a-z0-9_]+)?)\.hpp"
    r"|(reference|openmp|kokkos|library_[a-z_]+|truth|algorithm|solver|ranks(_[a-z0-9_]+)?)\.cpp"
    r"|(cuda|library_[a-z_]+)\.cu|README\.md|libraries\.cmake|paper_table\.json|lines_of_code\.json"
    r"|reproducers/[a-z0-9_]+/([a-z0-9_]+\.(cpp|cu)|CMakeLists\.txt|README\.md)"
    r"|openmp/[a-z0-9_]+\.[ch]pp|kokkos/[a-z0-9_]+\.[ch]pp|cuda/[a-z0-9_]+\.(cu|cuh|hpp)")
MUST_HAVE = ("problem.hpp", "reference.cpp", "truth.cpp", "algorithm.cpp", "README.md")
TOPS = ("src", "variants", "perf", "tests")  # each may include itself and those before


def is_source(path: str) -> bool:
    return PurePath(path).suffix in (".cpp", ".hpp", ".cu", ".cuh")


def algorithm_of(path: str) -> str:
    found = re.match(r"variants/(?!shared/)([^/]+)/", path)
    return found[1] if found else ""


def as_in_catalogue(path: str) -> str:
    """The template of an algorithm is held to the rules of the catalogue's folders: it will be copied into one."""
    return path.replace(TEMPLATE, "variants/", 1) if path.startswith(TEMPLATE) else path


def without_comments(text: str) -> str:
    return re.sub("//.*", "", text)


def fault(path: str, name: str, quoted: bool) -> str:
    if ((not quoted and name.startswith("Kokkos")) or re.fullmatch(OWN_HEADERS, name)) and not SEES_KOKKOS.fullmatch(path):
        return "Kokkos does not belong here"
    if OF_CUDA.fullmatch(name) and not SEES_CUDA.fullmatch(path):
        return "CUDA does not belong here"
    if name in ("mpi.h", "mpi-ext.h") and not SEES_MPI.fullmatch(path):
        return "MPI does not belong here"
    if name == "nccl.h" and path != "src/distributed/nccl_path.cpp":
        return "NCCL does not belong here"
    if not quoted or "/reproducers/" in path or name in ("build_info.hpp", "portcost_commit.hpp"):  # the last two are generated
        return ""
    if "/" not in name or ".." in name:
        return "is not named from the root"
    if name.split("/")[0] not in TOPS[:TOPS.index(path.split("/")[0]) + 1]:
        return "points the wrong way"
    mine, its = algorithm_of(path), algorithm_of(name)
    return "is another algorithm's" if mine and its and mine != its else ""


def include_violations(sources: Sources) -> list[str]:
    """Headers of Kokkos, CUDA and MPI only where they may be; perf and tests include variants and src, variants include src; no
    algorithm includes another's files."""
    found = []
    for path, text in sources.items():
        place = as_in_catalogue(path)
        for mark, name in INCLUDE.findall(text) if is_source(path) else ():
            own = place != path and name.startswith(algorithm_of(place) + "/")
            if why := fault(place, f"variants/{name}" if own else name, mark == '"'):
                found.append(f"{path}: {name} {why}")
    return found


def naming_violations(sources: Sources, algorithms: list[str]) -> list[str]:
    """src names no algorithm, comments apart: as a string, a path or a namespace; a word such as "sum" may mean anything."""
    forms = {name: re.compile(rf'"{name}["/]|\b{name}(::|/)|namespace {name}\b') for name in algorithms}
    return [f"{path}: names {name}" for path, text in sources.items() if path.startswith("src/")
            for name, form in forms.items() if form.search(without_comments(text))]


def folder_violations(sources: Sources, algorithms: list[str]) -> list[str]:
    """Every algorithm's folder has the files that it must have, and only those that it may have."""
    found = []
    for name in algorithms:
        files = {path.removeprefix(f"variants/{name}/") for path in sources if algorithm_of(path) == name}
        missing = [file for file in MUST_HAVE if file not in files]
        missing += [] if any(re.match(r"kokkos(\.cpp$|/)", file) for file in files) else ["kokkos.cpp"]
        found += [f"variants/{name}/{file} is missing" for file in missing]
        found += [f"variants/{name}/{file} has no place there" for file in sorted(files) if not IN_FOLDERS.fullmatch(file)]
    return found


def uses_of_shapes(code: str) -> int:
    """Uses of kokkos_shapes other than as an argument: `f(kokkos_shapes)`, `F<kokkos_shapes, A>`. In formatted code a comparison
    and an `if` have a space before what stands here."""
    every, argument, cast = (len(re.findall(form, code)) for form in (
        r"\bkokkos_shapes\b", r"([\w>][<(]|,)\s*kokkos_shapes\s*(,|\)|>(?!=))",
        r"(_cast<[^()]*>|\bPlace|\bint)[({]\s*kokkos_shapes"))
    return every - argument + cast


ASKED = re.compile(r"\b(kokkos_on_host|kokkos_place|KOKKOS_IF_ON_\w+|SpaceAccessibility|__CUDA_ARCH__)\b"
                   r"|[=!]=\s*Place::|Place::\w+\s*[=!]=|\bcase\s+Place::")
SHAPE = re.compile(r"return place == Place::\w+\s*\?|ShapeIn<kokkos_place\(\),")


def place_violations(sources: Sources) -> list[str]:
    """No variant asks whether it runs on a host: in an algorithm's folder kokkos_shapes is an argument, of a function or a
    template, and nothing else. Kokkos sources compare no place with another, but for a function that returns the shape of a place,
    and ask neither kokkos_on_host nor what they are compiled for. What a place changes is a shape (such a function, ShapeIn), or a
    step that only one place has (host_step, device_step, host_row). Plain Kokkos asks by Kokkos's own traits."""
    found = []
    for path, text in sources.items():
        place = as_in_catalogue(path)
        if not is_source(place) or not algorithm_of(place) or re.search(r"/kokkos/book\.[ch]pp$", place):
            continue
        code = without_comments(text)
        if uses_of_shapes(code) > 0:
            found.append(f"{path}: kokkos_shapes is not an argument")
        if re.match(r"variants/[^/]+/(library_)?kokkos", place) and (asked := ASKED.search(SHAPE.sub("", code))):
            found.append(f"{path}: asks where it runs ({asked[0]})")
    return found


def licence_violations(sources: Sources) -> list[str]:
    return [f"{path} does not start with its licence" for path, text in sources.items()
            if is_source(path) and not text.startswith("// SPDX-License-Identifier: Apache-2.0\n")]


OTHER_MEANINGS = ("launches", "options", "random")
"""Also a counter and its unit; the options of a command; random sizes of tests."""


def script_violations(scripts: Sources, algorithms: list[str]) -> list[str]:
    """The scripts name no algorithm: in Python as a whole word of text, or before a '/' (help and examples are sentences), in shell
    outside of help, comments and awk's programs, where the word may mean anything. What belongs to one stands in its folder."""
    found = []
    for path, text in scripts.items():
        if path.endswith(".py") or "python" in text.split("\n")[0]:
            texts = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
            words = {one.split("/")[0] for one in texts if isinstance(one, str) and not re.search(r"\s", one)}
        else:
            code = re.sub(r"<<'HELP'\n.*?\nHELP\n", "\n", text, flags=re.DOTALL)
            words = set(re.findall(r"(?<![\w-])\w+(?![\w-])", re.sub(r"(^|\s)#.*|\bawk '[^']*'", "", code)))
        found += [f"{path}: names {name}" for name in algorithms if name in words]
    return found


def test_the_sources_keep_the_rules():
    paths = [path for top in TOPS for path in (ROOT / top).rglob("*") if path.is_file() and "results" not in path.parts]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    sources = {name: path.read_text(errors="replace") for name, path in names.items() if is_source(name) or algorithm_of(name)}
    assert {"src/statistics/statistics.cpp", "variants/catalogue.hpp", "perf/command/portcost.cpp", f"{TEMPLATE}axpy/problem.hpp"
            } <= sources.keys()
    assert include_violations(sources) + naming_violations(sources, ALGORITHMS) + folder_violations(sources, ALGORITHMS) == []
    assert place_violations(sources) + licence_violations(sources) == []
    of_perf = [name for name in names if name.startswith("perf/") and name.count("/") < 3]
    texts = {name: names[name].read_text(errors="replace") for name in of_perf}
    scripts = {name: text for name, text in texts.items() if name.endswith((".py", ".bash")) or text.startswith("#!")}
    assert len(scripts) > 40 and script_violations(scripts, [one for one in ALGORITHMS if one not in OTHER_MEANINGS]) == []
    # Catch2 would read a bracket as the begin of a tag.
    assert [title for text in sources.values() for title in re.findall(r'TEST_CASE\("([^"]*\[[^"]*)"', text)] == []


def quoted(*names: str) -> list[str]:
    return [f'#include "{name}"' for name in names]


SHARED = [f"variants/shared/kokkos_{name}.hpp" for name in ("space", "compat", "tiles", "tricks", "usual", "graph", "fft", "fft_peer")]
AXPY, WAVE = f"{TEMPLATE}axpy/", "variants/wave/"


@pytest.mark.parametrize("lines, refusing, taking", [
    (["#include <Kokkos_Core.hpp>", "  #  include <KokkosBlas.hpp>", *quoted(*SHARED)],
     ["src/memory/buffer.hpp", f"{WAVE}openmp.cpp", f"{WAVE}cuda.cu", f"{WAVE}algorithm.cpp", f"{WAVE}problem.hpp",
      "perf/command/bench.cpp", "tests/test_text.cpp", "variants/shared/matrix_tiles.hpp", "variants/shared/cuda_tiles.cuh"],
     [f"{WAVE}kokkos.cpp", f"{WAVE}kokkos/naive.cpp", f"{WAVE}library_kokkos.cpp", f"{WAVE}library_kokkos_kernels.cpp", *SHARED,
      "variants/shared/kokkos_runtime.cpp", "tests/test_kokkos_space.cpp"]),
    (["#include <mpi.h>", "#include <mpi-ext.h>"],
     ["src/memory/buffer.hpp", "src/distributed/array.hpp", "src/distributed/reductions.cu", f"{WAVE}kokkos.cpp",
      "tests/ranks/main.cpp"],
     ["tests/ranks/failing.cpp", "src/distributed/files.cpp", "src/distributed/mpi_calls.hpp"]),
    (["#include <nccl.h>"], ["src/distributed/device_path.cpp", f"{WAVE}cuda.cu"], ["src/distributed/nccl_path.cpp"]),
    (["#include <cuda_runtime.h>", "#include <cub/cub.cuh>", "#include <cublas_v2.h>", "#include <cooperative_groups.h>"],
     ["src/memory/buffer.hpp", f"{WAVE}kokkos.cpp", f"{WAVE}problem.hpp", "variants/shared/matrix_tiles.hpp"],
     [f"{WAVE}cuda.cu", "variants/shared/cuda_graph.cuh", "src/memory/cuda_check.hpp"]),
    (quoted("variants/shared/cuda_tiles.cuh"), [f"{WAVE}kokkos.cpp", f"{WAVE}problem.hpp"], [f"{WAVE}cuda/tiles.cuh"]),
    (quoted("variants/catalogue.hpp"), ["src/a.cpp"], []),
    (quoted("perf/command/result.hpp"), ["src/a.cpp", f"{WAVE}algorithm.cpp", f"{AXPY}openmp.cpp"], []),
    (quoted("tests/support.hpp"), [f"{WAVE}algorithm.cpp", "perf/command/text.cpp"], []),
    (quoted("variants/heat2d/rule.hpp", "../heat2d/rule.hpp"), [f"{WAVE}algorithm.cpp", f"{AXPY}openmp.cpp"], []),
    (quoted(f"{WAVE}rule.hpp"), [], [f"{WAVE}algorithm.cpp", "variants/catalogue.cpp"]),
    (quoted("src/machine/limits.hpp"), [], ["perf/command/text.cpp"]),
    (quoted(SHARED[0]), [f"{AXPY}openmp.cpp"], [f"{AXPY}kokkos.cpp"]),
    (quoted("axpy/problem.hpp"), ["perf/command/text.cpp"], [f"{AXPY}kokkos.cpp"]),
])
def test_headers_outside_their_files_and_wrong_dependencies(lines: list[str], refusing: list[str], taking: list[str]):
    for line in lines:
        text = f"// a comment\n{line}\nint x;\n"
        assert [path for path in [*refusing, *taking] if include_violations({path: text})] == refusing, line


def test_algorithms_names_and_lacking_licences_are_found():
    for text, named in (('if (name == "wave") return 1;', True), ("wave::solve();", True), ('f("wave/naive/cuda");', True),
                        ("int wave = 0;  // wave::solve()", False), ("shockwave::solve();", False)):
        assert bool(naming_violations({"src/a.cpp": text}, ["wave"])) == named
        assert naming_violations({"perf/a.cpp": text}, ["wave"]) == []
    licence = "// SPDX-License-Identifier: Apache-2.0\n"
    sources = {"src/a.cpp": "#include <vector>\n", "src/b.cpp": licence, f"{WAVE}README.md": "# wave\n"}
    assert licence_violations(sources) == ["src/a.cpp does not start with its licence"]


def test_algorithms_named_in_scripts_are_found():
    for python, named in (('f("wave")', True), ("f('wave/naive/cuda')", True), ('f("wave of one")', False), ("wave = 1", False)):
        assert bool(script_violations({"perf/a.py": python}, ["wave"])) == named, python
    for shell, named in (("run wave", True), ("case $1 in wave/x) ;; esac", True), ("x=1 # wave", False), ("awk '{ wave }'", False),
                         ("cat <<'HELP'\nwave\nHELP\n", False), ("micro-wave shockwave", False)):
        assert bool(script_violations({"perf/a.bash": f"#!/bin/bash\n{shell}\n"}, ["wave"])) == named, shell


def test_missing_and_foreign_files_in_a_folder_are_found():
    wave = {WAVE + file: "" for file in (*MUST_HAVE, "kokkos.cpp")}
    for path in wave:
        assert folder_violations({other: "" for other in wave if other != path}, ["wave"]) == [f"{path} is missing"]
    for extra in ("notes.txt", "kokkos.cu", "helpers.hpp", "cuda/naive.cpp"):
        assert len(folder_violations(wave | {WAVE + extra: ""}, ["wave"])) == 1
    split = {path: "" for path in [*wave, f"{WAVE}kokkos/naive.cpp", f"{WAVE}cuda/naive.cu"] if path != f"{WAVE}kokkos.cpp"}
    assert folder_violations(wave, ["wave"]) == folder_violations(split, ["wave"]) == []


def asks(code: str, file: str = f"{WAVE}kokkos.cpp") -> bool:
    return bool(place_violations({file: f"// a comment\n{code}\n"}))


@pytest.mark.parametrize("code", [
    "constexpr Shape shape = shape_of(kokkos_shapes);", "using P = Pack<T, kokkos_shapes>;",
    "using S = ShapeIn<kokkos_shapes, A, B>;", "using R = ShapeIn<kokkos_place(), A, B>;", "run<kokkos_shapes>(1, 2);", "f(tiles(\n    kokkos_shapes, n));",
    "g<int>(kokkos_shapes);", "int x;  // kokkos_shapes == Place::host", "answer(is ? Place::device : Place::host);",
    "constexpr Cut cut(Place place) {\n  return place == Place::device ? a : b;\n}"])
def test_a_shape_may_depend_on_the_place(code: str):
    assert not asks(code) and not asks(code, f"{WAVE}kokkos/usual.cpp")


@pytest.mark.parametrize("code", [
    "if constexpr (kokkos_shapes == Place::host) {", "if (Place::host != kokkos_shapes) {", "return kokkos_shapes;",
    "constexpr bool host = kokkos_shapes == Place::host;", "constexpr Place q = kokkos_shapes;", "switch (kokkos_shapes) {",
    "const bool on = f(kokkos_shapes) && kokkos_shapes != place;", "auto x = static_cast<int>(kokkos_shapes);",
    "auto q = Place(kokkos_shapes);", "bool less = Place::host <\n    kokkos_shapes;"])
def test_no_source_of_an_algorithm_asks_for_shapes(code: str):
    assert asks(code) and asks(code, f"{WAVE}problem.hpp")


@pytest.mark.parametrize("code", [
    "if constexpr (kokkos_on_host) f();", "if (kokkos_place() == Place::host) f();", "if constexpr (place == Place::device) f();",
    "KOKKOS_IF_ON_HOST((f();))", "if (Place::host == here) f();", "case Place::host: f();"])
def test_no_portable_source_asks_where_it_runs(code: str):
    refusing = [f"{WAVE}kokkos.cpp", f"{WAVE}kokkos/teams.hpp", f"{WAVE}library_kokkos_kernels.cpp", f"{AXPY}kokkos.cpp"]
    taking = [f"{WAVE}algorithm.cpp", f"{WAVE}kokkos/book.cpp", "variants/shared/kokkos_team.hpp"]
    assert [file for file in [*refusing, *taking] if asks(code, file)] == refusing
