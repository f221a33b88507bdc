"""`portcost solve` on the network of roads of tests/data/make_roads, its files read with NumPy; and on the equations of
tests/data/make_network, held against NumPy."""

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


@pytest.mark.parametrize("lines, said", [
    (["p sp 6 6", "a 1 2 16777216", "a 2 5 1", "a 5 6 1", "a 6 4 1", "a 1 3 16777216", "a 3 4 1"],
     "f32 rounds sums of these lengths above 16777216; --type i32 does not"),
    (["p sp 2 1", "a 1 2 -20000001"], "f32 rounds 1 of the file's lengths (the first: -20000001); --type i32 does not"),
    # What i32 would refuse is not offered: a length that is not whole, a loop out of its range, a path that is too long.
    (["p sp 2 2", "a 1 2 20000001", "a 2 1 0.5"], "f32 rounds 1 of the file's lengths (the first: 20000001)"),
    (["p sp 2 2", "a 1 2 20000001", "a 1 1 2000000000"], "f32 rounds 1 of the file's lengths (the first: 20000001)"),
    (["p sp 3 2", "a 1 2 536870911", "a 2 3 1"], "f32 rounds 1 of the file's lengths (the first: 536870911)"),
    (["p sp 3 3", "a 1 2 1", "a 2 3 2", "a 1 3 0.5"], None),
])
def test_f32_says_where_it_rounds(program: Path, tmp_path: Path, lines: list[str], said: str | None):
    (tmp_path / "g.gr").write_text("\n".join(lines) + "\n")
    text = solve_graph(program, tmp_path / "g.gr", tmp_path / "d.npy")
    assert [line.split(None, 1)[1] for line in text.splitlines() if line.startswith("  rounding")] == ([said] if said else [])


# ---- Equations.

MATRIX, RIGHT = made("make_network"), made("make_network", "--rhs")


def matrix_of(text: str) -> numpy.ndarray:
    """Of a symmetric coordinate file."""
    (rows, columns, count), *entries = numpy.loadtxt(text.splitlines(), comments="%")
    matrix = numpy.zeros((int(rows), int(columns)))
    assert count == len(entries)
    for row, column, value in entries:
        matrix[int(row) - 1, int(column) - 1] = matrix[int(column) - 1, int(row) - 1] = value
    return matrix


def test_the_network_is_always_the_same():
    """perf/solve.md shows its solution."""
    assert (digest(MATRIX), digest(RIGHT)) == ("08158ae633fcb31b", "f329eeae8cff9140")


@pytest.fixture
def network(tmp_path: Path) -> list[object]:
    """The words that name the matrix and the right sides."""
    (tmp_path / "a.mtx").write_text(MATRIX)
    (tmp_path / "b.mtx").write_text(RIGHT)
    return ["--matrix", tmp_path / "a.mtx", "--rhs", tmp_path / "b.mtx"]


def allowed_of(matrix: numpy.ndarray, right: numpy.ndarray, x: numpy.ndarray, kind: str) -> numpy.longdouble:
    """Higham's theorem 9.4, with four roundings more: the greatest of gamma |L||U||x|, and what rounding to f32 changes."""
    n, lu, rounding = len(x), matrix.copy(), numpy.longdouble(2.0 ** (-24 if kind == "f32" else -53))
    for k in range(n):
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= numpy.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    product = (numpy.abs(numpy.tril(lu, -1)) + numpy.eye(n)) @ (numpy.abs(numpy.triu(lu)) @ numpy.abs(x))
    typed = [part.astype("f4" if kind == "f32" else "f8") for part in (matrix, right)]
    rounded = numpy.abs(matrix - typed[0]) @ numpy.abs(x) + numpy.abs(right - typed[1])
    error = (3 * n + 4) * rounding
    return (error / (1 - error) * (1 + 2.0**-8) * product + rounded).max()


def number_of(said: str, name: str) -> float:
    line, = (line for line in said.splitlines() if line.startswith(f"  {name}"))
    return float(line.removeprefix(f"  {name}").split()[0])


@pytest.mark.parametrize("model", ["openmp", "kokkos"])
@pytest.mark.parametrize("kind, close", [("f32", 1e-4), ("f64", 1e-13)])
def test_voltages_are_numpys(program: Path, network: list, tmp_path: Path, model: str, kind: str, close: float):
    said = solve(program, "gauss", *network, "--out", tmp_path / "x.npy", "--type", kind, "--model", model)
    matrix, right, x = matrix_of(MATRIX), numpy.array(RIGHT.split()[-200:], float), numpy.load(tmp_path / "x.npy")
    truth = numpy.linalg.solve(matrix, right)
    assert x.shape == (200,) and x.dtype == numpy.float64
    assert numpy.abs(x - truth).max() <= close * numpy.abs(truth).max()
    norms = numpy.abs(matrix).sum(axis=1).max() * numpy.abs(x).max() + numpy.abs(right).max()
    matrix, right = matrix.astype(numpy.longdouble), right.astype(numpy.longdouble)
    error = float(numpy.abs(right - matrix @ x.astype(numpy.longdouble)).max() / norms)
    assert error > 0
    assert number_of(said, "backward error") == pytest.approx(error, rel=0.01)
    assert number_of(said, "residual") == pytest.approx(error * float(norms), rel=0.01)
    assert number_of(said, "allowed") == pytest.approx(float(allowed_of(matrix, right, x, kind) / norms), rel=0.01)
    assert f"nonzeros         {numpy.count_nonzero(matrix)} of 40000\n" in said


def test_a_matrix_that_scipy_has_written(program: Path, tmp_path: Path):
    write = pytest.importorskip("scipy.io").mmwrite
    draw = numpy.random.default_rng(1)
    matrix = draw.uniform(-1, 1, (50, 50)) + 50 * numpy.eye(50)
    write(tmp_path / "a.mtx", matrix)
    solve(program, "gauss", "--matrix", tmp_path / "a.mtx", "--out", tmp_path / "x.npy")
    assert numpy.abs(numpy.load(tmp_path / "x.npy") - 1).max() < 1e-14
