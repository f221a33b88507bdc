"""`portcost solve` on the equations of tests/data/make_network, held against NumPy."""

from pathlib import Path

import numpy
import pytest
from test_solve import digest, made, solve

MATRIX, RIGHT = made("make_network"), made("make_network", "--rhs")


def matrix_of(text: str) -> numpy.ndarray:
    """Of a symmetric coordinate file."""
    lines = [line.split() for line in text.splitlines() if not line.startswith("%")]
    matrix = numpy.zeros((int(lines[0][0]), int(lines[0][1])))
    assert int(lines[0][2]) == len(lines) - 1
    for row, column, value in lines[1:]:
        matrix[int(row) - 1, int(column) - 1] = matrix[int(column) - 1, int(row) - 1] = float(value)
    return matrix


def right_of(text: str) -> numpy.ndarray:
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    return numpy.array([float(line) for line in lines[1:]])


# ---- The data.


def test_the_network_is_always_the_same():
    """perf/solve.md shows its solution."""
    assert (digest(MATRIX), digest(RIGHT)) == ("08158ae633fcb31b", "f329eeae8cff9140")


# ---- The command, where it has been built.


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
    matrix, right, x = matrix_of(MATRIX), right_of(RIGHT), numpy.load(tmp_path / "x.npy")
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
