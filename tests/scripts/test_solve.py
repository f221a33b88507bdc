"""`portcost solve` on the network of tests/data/make_roads, its files read with NumPy, and tests/solve_against_scipy."""

import hashlib
import io
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from running import ROOT

NO_PATH = 2**31 - 1


def made(script: str, *words: object) -> str:
    command = [sys.executable, ROOT / "tests/data" / script, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.fixture(scope="module")
def roads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("roads") / "roads.gr"
    path.write_text(made("make_roads"))
    return path


def edges_of(text: str) -> tuple[int, list[tuple[int, int, int]]]:
    lines = [line.split() for line in text.splitlines()]
    vertices, = (int(words[2]) for words in lines if words[0] == "p")
    return vertices, [(int(u) - 1, int(v) - 1, int(w)) for kind, u, v, w in (x for x in lines if x[0] == "a")]


def lengths_of(text: str) -> numpy.ndarray:
    vertices, edges = edges_of(text)
    matrix = numpy.full((vertices, vertices), numpy.inf)
    numpy.fill_diagonal(matrix, 0)
    for u, v, length in edges:
        matrix[u, v] = min(matrix[u, v], length)
    return matrix


def distances_of(text: str) -> numpy.ndarray:
    """By repeated squaring in min-plus, no Floyd-Warshall."""
    d = lengths_of(text)
    while True:
        shorter = numpy.array([(row[:, None] + d).min(axis=0) for row in d])
        if (shorter == d).all():
            return d
        d = shorter


# ---- The data.


def test_the_network_is_like_roads_and_always_the_same(roads: Path):
    text = roads.read_text()
    assert digest(text) == "68a51d7b8f70766c"  # perf/solve.md shows its distances
    vertices, edges = edges_of(text)
    pairs = {(u, v) for u, v, _ in edges}
    assert vertices == 300 and 900 < len(edges) == len(pairs) < 1200
    one_way = sum((v, u) not in pairs for u, v in pairs)
    assert 20 < one_way < 100
    assert all(1 <= length < 500 and u != v for u, v, length in edges)


def walked(lengths: numpy.ndarray, hops: numpy.ndarray) -> numpy.ndarray:
    """How far it is to go by the hops from every vertex to every other; infinity where that does not arrive."""
    n = len(hops)
    to = numpy.arange(n)
    at, way = numpy.repeat(to[:, None], n, axis=1), numpy.zeros((n, n))
    for _ in range(n):
        there = hops[at, to]
        way += lengths[at, there]
        at = there
    return numpy.where(at == to, way, numpy.inf)


# ---- The command, where it has been built.


@pytest.fixture(scope="module")
def truth(roads: Path) -> numpy.ndarray:
    return distances_of(roads.read_text())


def solve(program: Path, algorithm: str, *words: object) -> str:
    done = subprocess.run([program, "solve", algorithm, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def solve_graph(program: Path, graph: Path, out: Path, *words: str) -> str:
    return solve(program, "floyd_warshall", "--graph", graph, "--out", out, *words)


def is_numpys(path: Path) -> bool:
    """The file is, to the byte, what NumPy would write."""
    file = io.BytesIO()
    numpy.save(file, numpy.load(path))
    return path.read_bytes() == file.getvalue()


@pytest.mark.parametrize("words", [["--type", "f32"], ["--type", "i32"], ["--type", "i32", "--model", "kokkos"],
                                   ["--model", "openmp"]])
def test_distances_and_paths_of_the_network(program: Path, roads: Path, truth: numpy.ndarray, tmp_path: Path, words: list[str]):
    said = solve_graph(program, roads, tmp_path / "d.npy", "--paths", *words)
    d, hops = numpy.load(tmp_path / "d.npy"), numpy.load(tmp_path / "d.next.npy")
    assert is_numpys(tmp_path / "d.npy") and is_numpys(tmp_path / "d.next.npy")
    whole = "i32" in words
    assert d.dtype == (numpy.int32 if whole else numpy.float32) and hops.dtype == numpy.int32
    assert (d == numpy.where(numpy.isinf(truth), NO_PATH, truth) if whole else d == truth).all()
    finite = numpy.isfinite(truth)
    n = len(truth)
    assert f"reachable pairs  {finite.sum() - n} of {n * (n - 1)}\n" in said
    assert f"diameter         {truth[finite].max():.0f} (" in said
    assert (hops[~finite] == -1).all() and (hops.diagonal() == numpy.arange(n)).all()
    assert (walked(lengths_of(roads.read_text()), hops)[finite] == truth[finite]).all()


# ---- Beside scipy, which is made up here.

SCIPY = """
import numpy
class csr_matrix:
    def __init__(self, entries, shape):
        lengths, (rows, columns) = entries
        self.d = numpy.full(shape, numpy.inf)
        self.d[rows, columns] = lengths
        numpy.fill_diagonal(self.d, 0)
        for k in range(shape[0]):
            self.d = numpy.minimum(self.d, self.d[:, k, None] + self.d[None, k])
"""
CSGRAPH = """
def dijkstra(graph, indices): return graph.d[list(indices)]
def floyd_warshall(graph): return graph.d + OFF
"""
SOLVES = """#!{python}
import sys
sys.path.insert(0, {tests!r})
import numpy, test_solve
words = {{one: sys.argv[at + 1] for at, one in enumerate(sys.argv[:-1])}}
d = test_solve.distances_of(open(words["--graph"]).read())
whole = numpy.where(numpy.isinf(d), 2**31 - 1, d).astype("i4")
numpy.save(words["--out"], d.astype("f4") if words["--type"] == "f32" else whole)
print("  time             2.00 ms, ...\\n  in all           0.5 s")
"""


def beside(folder: Path, solves: str, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """tests/solve_against_scipy with a portcost of this text, and modules from the folder."""
    program = folder / "portcost"
    program.write_text(solves.format(python=sys.executable, tests=str(Path(__file__).parent)))
    program.chmod(0o755)
    done = subprocess.run([sys.executable, ROOT / "tests/solve_against_scipy", "--portcost", program, *words],
                          env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done


def against_scipy(folder: Path, csgraph: str, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    package = folder / "scipy/sparse"
    package.mkdir(parents=True)
    (folder / "scipy/__init__.py").write_text("__version__ = '1.0'\n")
    (package / "__init__.py").write_text(SCIPY)
    (package / "csgraph.py").write_text(csgraph)
    return beside(folder, SOLVES, "any", "--vertices", "60", "--dense", "50", *words, status=status)


@pytest.mark.parametrize("kind", ["f32", "i32"])
def test_times_and_distances_beside_scipy(tmp_path: Path, kind: str):
    done = against_scipy(tmp_path, CSGRAPH.replace("OFF", "0"), "--type", kind)
    assert done.stdout.count("all distances are equal") == 2
    assert "times as long as portcost's 0.002 s (from file to file 0.5 s)" in done.stdout


def test_other_distances_than_scipy_end_with_1(tmp_path: Path):
    done = against_scipy(tmp_path, CSGRAPH.replace("OFF", "1"), status=1)
    assert "\n  2500 distances differ\n" in done.stdout
    assert done.stdout.count("all distances are equal") == 1


@pytest.mark.parametrize("csgraph, words, said", [
    ("raise ImportError('no csgraph here')\n", [], "scipy is missing (no csgraph here): pip install scipy"),
    (CSGRAPH, ["--portcost", "/nonexistent/portcost"], "/nonexistent/portcost cannot be run (No such file or directory)")])
def test_what_is_missing_is_one_line(tmp_path: Path, csgraph: str, words: list[str], said: str):
    done = against_scipy(tmp_path, csgraph, *words, status=3)
    assert len(done.stderr.splitlines()) == 1 and said in done.stderr
