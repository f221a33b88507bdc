"""portcost locality and the paper: what it says, where its theorems say less than they seem to, each by a counterexample that is
executed (see perf/nests/README.md), and lemma 1 for all that reads a row-major array."""

import itertools
import random

import pytest
from locality_enumeration import execute, moved
from locality_tools import NESTS, content, locality, needs_islpy, nest_of, saved, shipped

pytestmark = needs_islpy


def reads_of(run, number: int, origin: str):
    return [read for read in run.of("S1", number) if read.datum[0] == origin]


def test_parts_of_two_loops_multiply():
    """Gauss: dividing i and j has a(k,k) read by Q2 Q3 parts, and theorem 1 gives O(Q2 n) and O(Q3 n)."""
    n, r = 24, 2
    run = execute(NESTS / "gauss.json", {"n": n})
    pivot = reads_of(run, 2, "S1")
    alone = moved(run, pivot, {"i": r})[0] + moved(run, pivot, {"j": r})[0]
    together = moved(run, pivot, {"i": r, "j": r})[0]
    assert together > 3 * alone
    q = n // r
    assert together == pytest.approx(n * q * q / 3, rel=0.15)


def test_input_data_of_one_iteration_are_read_once():
    """Matrix product: c(i,j) uses input at k = 1 alone. p = 2, at fixed k 3: theorem 1's rule for input would say O(Q3 n^2)."""
    n, r = 12, 2
    run = execute(NESTS / "matrix_product.json", {"n": n})
    assert moved(run, reads_of(run, 0, "input"), {"k": r})[0] == n * n
    found = content(NESTS / "matrix_product.json")
    assert [(one["access"], one["used"], one["few"]) for one in found["left_out"]] == [("c(i,j)", "O(n^2)", ["k"])]


def test_results_are_no_part_of_theorem_1():
    """Transpose: n^2 elements are written, and theorem 1 has no writes."""
    found = content(NESTS / "transpose.json", "--sizes", "n=64", "--blocks", "r1=8,r2=8")
    assert all(one["writes"] is None for one in found["theorem1"])
    (choice,) = found["numbers"]["choices"]
    assert choice["theorem"]["writes"] == 0 and choice["predicted"]["writes"] == 64 * 64


def test_reads_that_share_data_are_counted_one_by_one():
    """heat2d: five reads have O(Q1 M^2) each, so that r1 is ranked first; a border of i moves twice as much as one of t."""
    found = content(NESTS / "heat2d.json")
    assert [one["blocks"] for one in found["ranking"]] == [["r1"], ["r2", "r3"]]
    n = 12
    run = execute(NESTS / "heat2d.json", {"steps": n, "n": n})
    of_values = [read for read in run.reads if read.datum[0] == "S1"]
    along_t, along_i = moved(run, of_values, {"t": n // 2})[0], moved(run, of_values, {"i": n // 2})[0]
    assert along_t == n * n and along_i == pytest.approx(2 * n * n, rel=0.1)


def test_a_loop_of_one_part_moves_nothing():
    """Floyd-Warshall, r2 = n: theorem 1 has O(Q2 n^2) = O(n^2) reads for any distance that grows."""
    n = 12
    run = execute(NESTS / "floyd_warshall.json", {"n": n})
    assert moved(run, reads_of(run, 2, "S1"), {"i": n}) == (0, 0)
    found = content(NESTS / "floyd_warshall.json", "--sizes", f"n={n}", "--blocks", f"r1={n},r2={n},r3={n}")["numbers"]
    (row,) = [one for one in found["by_loop"] if (one["loop"], one["access"]) == ("i", "a(k,j)")]
    assert (row["Q"], row["reads"]) == (1, n * n)
    assert found["choices"][0]["predicted"]["reads"] == n * n + 2 * n  # the input


def test_a_short_distance_at_one_value_of_the_loop(tmp_path):
    """All n^2 values cross the border between k = 4 and k = 5; theorem 1 has O(Q1 n), and k has two values."""
    nest = {"name": "once", "parameters": {"n": {"default": 16, "least": 8}}, "arrays": {"b": {"extents": ["n", "n"]},
                                                                                           "c": {"extents": ["n", "n"]}},
            "body": [{"loop": "k", "from": 1, "to": "n", "body": [
                {"loop": "i", "from": 1, "to": "n", "parallel": True, "body": [
                    {"loop": "j", "from": 1, "to": "n", "parallel": True, "body": [
                        {"statement": "S1", "writes": "b(i, j)", "reads": [], "where": ["k = 4"]},
                        {"statement": "S2", "writes": "c(i, j)", "reads": ["b(i, j)"], "where": ["k = 5"]}]}]}]}]}
    found = content(saved(tmp_path, nest))
    (along_k,) = [one for one in found["theorem1"] if one["loop"] == "k" and one["from"] == "S1"]
    assert along_k["reads"] == "O(Q1 n)" and along_k["doubtful"]
    run = execute(nest, {"n": 16})
    assert moved(run, [read for read in run.reads if read.statement == "S2"], {"k": 1})[0] == 16 * 16
    assert "takes for granted that a short distance occurs at all values" in locality(tmp_path / "once.json").stdout


def test_a_distance_of_one_and_blocks_of_one(tmp_path):
    """The paper's two-dimensional blocks: d = r = 1, between its cases d < r and d > r."""
    n = 12
    run = execute(NESTS / "floyd_warshall.json", {"n": n})
    assert moved(run, reads_of(run, 0, "S1"), {"k": 1})[0] == (n - 1) * n * n
    found = content(NESTS / "floyd_warshall.json", "--sizes", f"n={n}", "--blocks", "r1=1,r2=4,r3=4")["numbers"]
    (row,) = [one for one in found["by_loop"] if (one["loop"], one["access"]) == ("k", "a(i,j)")]
    assert row["reads"] == n * n * n and row["case"].startswith("short distance")


def test_unchanged_writes_are_checked(tmp_path):
    """Without them, loops i and j of Floyd and Warshall's algorithm are not parallel: a(i,k) is read behind k = j's write."""
    nest = shipped("floyd_warshall")
    del nest["body"][0]["body"][0]["body"][0]["body"][0]["changes_nothing_where"]
    done = locality(saved(tmp_path, nest), status=2)
    assert "called parallel, but carries" in done.stderr
    assert "/body/0/body/0/body/0/body/0" in done.stderr and "changes_nothing_where" in done.stderr
    # In that order half of the reads use the value of the same k.
    sequential = execute(NESTS / "floyd_warshall.json", {"n": 8}, parallel=False)
    assert any(read.datum[0] == "S1" and read.datum[1][0] == read.at[0] for read in sequential.of("S1", 1))


# ---- lemma 1 -----------------------------------------------------------------------------------------------------------------

def elements_of_a_thread(columns: list[tuple[int, ...]], sizes: list[int], last: int) -> list[tuple[int, ...]]:
    """What a thread reads in the iterations of its loops up to s, the others at their first value."""
    boxes = [range(size) if at < last else range(1) for at, size in enumerate(sizes)]
    return [tuple(sum(column[row] * here for column, here in zip(columns, at)) for row in range(len(columns[0])))
            for at in itertools.product(*boxes)]


def test_lemma_1_for_drawn_accesses(tmp_path):
    """With the sizes advised each iteration of the loops up to s reads another element; any size stands for 5."""
    from portcost_locality.affine import parse_reference
    from portcost_locality.nest import read_nest
    from portcost_locality.threads import advice

    draw = random.Random(1)
    for number in range(60):
        rows = [[draw.choice((0, 0, 0, 1, 1, -1, 2)) for _ in range(3)] for _ in range(draw.choice((1, 2, 3)))]
        text = ", ".join(" + ".join(f"{factor}*{loop}" for factor, loop in zip(row, "ijk")) for row in rows)
        nest = nest_of([("i", 1, "n"), ("j", 1, "n"), ("k", 1, "n")], {"writes": "b(i, j, k)", "reads": [f"a({text})"]},
                       {"a": len(rows), "b": 3}, parallel=draw.choice(("", "i", "ij", "ijk")))
        statement = read_nest(saved(tmp_path, nest)).statements[0]
        found = advice(statement, parse_reference(f"a({text})", ("i", "j", "k")), 32)
        sizes = [5 if one.size is None else 1 for one in found.sizes]
        elements = elements_of_a_thread([one.column for one in found.sizes], sizes, found.last)
        assert len(set(elements)) == len(elements), (number, text, sizes)


def test_lemma_1_needs_s_among_the_independent_columns(tmp_path):
    """a(i+j): S = {i} asks nothing of the loops before s = 2 that are not in S, and a thread of 2 x 2 reads one element twice."""
    assert len(set(elements_of_a_thread([(1,), (1,)], [2, 2], 2))) == 3
    nest = nest_of([("i", 1, "n"), ("j", 1, "n")], {"writes": "b(i, j)", "reads": ["a(i + j)"]}, {"a": 1, "b": 2})
    (read,) = [one for one in content(saved(tmp_path, nest))["threads"] if not one["written"]]
    assert read["S"] == [2] and [one["size"] for one in read["sizes"]] == [1, None]


def test_theorem_2_names_what_it_does_not_cover(tmp_path):
    nest = nest_of([("i", 1, "n"), ("j", 1, "n")], {"writes": "b(i, j)", "reads": ["a(2, i + j)", "a(i, 64*j)"]},
                   {"a": 2, "b": 2}, parallel="ij")
    found = {one["access"]: one for one in content(saved(tmp_path, nest))["threads"]}
    assert not found["a(2,i+j)"]["theorem2_applies"] and "several loops run along a row" in found["a(2,i+j)"]["why_not"]
    assert found["a(i,64*j)"]["theorem2_applies"] and found["a(i,64*j)"]["spatial"] == []  # 64 elements are more than a line
    wide = content(tmp_path / "made_up.json", "--line-bytes", "512")["threads"]
    assert [one["spatial"] for one in wide if one["access"] == "a(i,64*j)"] == [["j"]]


def test_lower_terms_decide_between_equals(tmp_path):
    """Each loop has a read of Q n^2, and x(i) gives j and k one of Q n."""
    nest = nest_of([("i", 1, "n"), ("j", 1, "n"), ("k", 1, "n")],
                   {"writes": "c(i, j, k)", "reads": ["a(i, j)", "a(j, k)", "a(i, k)", "x(i)"]}, {"a": 2, "c": 3, "x": 1})
    assert [one["blocks"] for one in content(saved(tmp_path, nest))["ranking"]] == [["r2", "r3"], ["r1"]]


def test_only_terms_with_parts_rank(tmp_path):
    """a(i,j) is O(n^2) for i and j however they are divided; w(x) is O(Q n) for y."""
    nest = nest_of([("i", 1, "n"), ("j", 1, "n")], {"writes": "b(i, j)", "reads": ["a(i, j)"]}, {"a": 2, "b": 2, "c": 2, "w": 1})
    other = nest_of([("x", 1, "n"), ("y", 1, "n")], {"writes": "c(x, y)", "reads": ["w(x)"]}, {})
    other["body"][0]["body"][0]["body"][0]["statement"] = "S2"
    nest["body"] += other["body"]
    found = content(saved(tmp_path, nest))
    assert [(one["blocks"], one["terms"]) for one in found["ranking"]] == [
        (["r4"], [{"exponent": 1, "reads": 1, "writes": 0}]), (["r1", "r2", "r3"], [])]


def test_the_largest_distance_decides(tmp_path):
    """c(t) is made at i = 1 and read at i = 1 .. 3: distances 0 .. 2."""
    nest = nest_of([("t", 1, "n"), ("i", 1, 3)], {"writes": "c(t)", "reads": ["x(t)"], "where": ["i = 1"]},
                   {"c": 1, "d": 2, "x": 1})
    nest["body"][0]["body"][0]["body"].append({"statement": "S2", "writes": "d(t, i)", "reads": ["c(t)"]})
    for size, case in ((1, "long distance"), (2, "short distance")):
        found = content(saved(tmp_path, nest), "--blocks", f"r1=4,r2={size}")
        (distance,) = [each for one in found["dependences"] if one["kind"] == "flow" for each in one["distances"]
                       if each["loop"] == "i"]
        assert (distance["least"], distance["largest"]) == (0, 2)
        (row,) = [one for one in found["numbers"]["by_loop"] if (one["loop"], one["access"]) == ("i", "c(t)")]
        assert row["case"].startswith(case)


def test_transpose_and_matrix_product():
    text = locality(NESTS / "transpose.json").stdout
    assert "Reads have neighbours along j and writes along i" in text
    found = content(NESTS / "matrix_product.json")
    assert [one["blocks"] for one in found["ranking"]] == [["r3"], ["r1", "r2"]]
    by_access = {one["access"]: one for one in found["threads"] if not one["written"]}
    assert by_access["a(i,k)"]["broadcast"] == ["j"] and by_access["b(k,j)"]["broadcast"] == ["i"]
    assert by_access["b(k,j)"]["spatial"] == ["j"] and by_access["a(i,k)"]["spatial"] == []


# ---- What the paper says of Floyd and Warshall's algorithm (example 1) and of Gauss elimination (example 2).


@pytest.fixture(scope="module")
def floyd_warshall() -> dict:
    return content(NESTS / "floyd_warshall.json")


@pytest.fixture(scope="module")
def gauss() -> dict:
    return content(NESTS / "gauss.json")


def flows(found: dict) -> dict[str, list[str]]:
    return {one["access"]: one["vectors"] for one in found["dependences"] if one["kind"] == "flow"}


def volumes(found: dict, loop: str) -> dict[str, tuple[str | None, str | None]]:
    return {one["access"]: (one["reads"], one["writes"]) for one in found["theorem1"] if one["loop"] == loop}


def test_vectors_data_and_theorem_1_of_floyd_warshall(floyd_warshall: dict):
    assert flows(floyd_warshall) == {"a(i,j)": ["(1,0,0)"], "a(i,k)": ["(1,0,j-k)"], "a(k,j)": ["(1,i-k,0)"]}
    assert {one["access"]: (one["p"], one["p_at_fixed"]) for one in floyd_warshall["data"]} == {
        "a(i,j)": (3, {"k": 3, "i": 3, "j": 3}), "a(i,k)": (2, {"k": 2, "i": 2, "j": 3}), "a(k,j)": (2, {"k": 2, "i": 3, "j": 2})}
    short, none = ("O(Q1 n)", "O(Q1 n)"), (None, None)
    assert volumes(floyd_warshall, "k") == {"a(i,j)": ("O(Q1 n^2)", "O(Q1 n^2)"), "a(i,k)": short, "a(k,j)": short}
    assert volumes(floyd_warshall, "i") == {"a(i,j)": none, "a(i,k)": none, "a(k,j)": ("O(Q2 n^2)", "O(n^2)")}
    assert volumes(floyd_warshall, "j") == {"a(i,j)": none, "a(i,k)": ("O(Q3 n^2)", "O(n^2)"), "a(k,j)": none}


@pytest.mark.parametrize("name", ["floyd_warshall", "gauss"])
def test_the_ranking_is_r1_then_r2_and_r3(name: str):
    found = content(NESTS / f"{name}.json")
    assert [one["blocks"] for one in found["ranking"]] == [["r1"], ["r2", "r3"]]
    text = locality(NESTS / f"{name}.json").stdout
    assert "1. r1: 1 of reads and 1 of writes with Q n^2" in text and "2. r2 = r3 (a tie): 1 of reads with Q n^2" in text


def test_threads_of_floyd_warshall(floyd_warshall: dict):
    assert floyd_warshall["thread_sizes"] == {"k": 1, "i": 1, "j": 1}
    by_access = {one["access"]: one for one in floyd_warshall["threads"] if not one["written"]}
    sizes = {access: tuple(each["size"] for each in one["sizes"]) for access, one in by_access.items()}
    assert sizes == {"a(i,j)": (1, None, 1), "a(i,k)": (None, None, None), "a(k,j)": (None, 1, 1)}
    assert {access: (one["s"], one["broadcast"], one["spatial"]) for access, one in by_access.items()} == {
        "a(i,j)": (3, [], ["j"]), "a(i,k)": (2, ["j"], []), "a(k,j)": (3, ["i"], ["j"])}
    # r = 1 for k, or any size where threads meet after each k
    assert [each["or_any_with_barriers"] for each in by_access["a(i,j)"]["sizes"]] == [True, False, False]
    assert all(one["theorem2_applies"] for one in by_access.values())


def test_gauss_is_like_floyd_warshall_but_for_the_pivot(gauss: dict):
    assert flows(gauss) == {"a(i,j)": ["(1,0,0)"], "a(i,k)": ["(1,0,j-k)"], "a(k,k)": ["(1,i-k,j-k)"], "a(k,j)": ["(1,i-k,0)"]}
    assert volumes(gauss, "i")["a(k,k)"] == ("O(Q2 n)", "O(n)") and volumes(gauss, "j")["a(k,k)"] == ("O(Q3 n)", "O(n)")
    assert volumes(gauss, "k")["a(k,k)"] == ("O(Q1)", "O(Q1)")
    (pivot,) = [one for one in gauss["threads"] if one["access"] == "a(k,k)"]
    assert pivot["broadcast"] == ["i", "j"] and pivot["spatial"] == []


def test_a_larger_r1_moves_less_than_larger_r2_or_r3():
    """The paper's example: 2D blocks (r1 = 1), cubes, and r1 > r2, r3 of the same number of operations."""
    words = [NESTS / "floyd_warshall.json", "--sizes", "n=4096"]
    volume = {blocks: content(*words, "--blocks", blocks)["numbers"]["choices"][0]["predicted"]["bytes"]
              for blocks in ("r1=1,r2=512,r3=512", "r1=64,r2=64,r3=64", "r1=256,r2=32,r3=32", "r1=128,r2=64,r3=64")}
    flat, cube, deep, deeper = volume.values()
    assert flat > 10 * cube and deeper < cube < deep


def test_numbers_are_the_letters_with_values():
    found = content(NESTS / "floyd_warshall.json", "--sizes", "n=4096", "--blocks", "r1=16,r2=32,r3=64")["numbers"]
    assert found["M"] == 4096
    by_loop = {(one["loop"], one["access"]): (one["Q"], one["reads"], one["writes"]) for one in found["by_loop"]}
    n = 4096
    assert by_loop[("k", "a(i,j)")] == (256, 256 * n * n, 256 * n * n)
    assert by_loop[("k", "a(i,k)")] == (256, 256 * n, 256 * n)
    assert by_loop[("i", "a(k,j)")] == (128, 128 * n * n, n * n)
    assert by_loop[("j", "a(i,k)")] == (64, 64 * n * n, n * n)
    assert by_loop[("j", "a(k,j)")] == (64, 0, 0)
    (choice,) = found["choices"]
    assert choice["theorem"]["bytes"] == 4 * sum(reads + writes for _, reads, writes in by_loop.values())
    # all blocks: (Q1 - 1) n^2 + 2 (Q1 - 1) n + (Q2 - 1) n^2 + (Q3 - 1) n^2 and the input once
    assert choice["predicted"]["reads"] == (255 + 127 + 63) * n * n + 2 * 255 * n + n * n + 2 * n
    assert choice["predicted"]["writes"] == 255 * n * n + 2 * 255 * n + 2 * n * n + n * n


def test_no_value_is_written_twice():
    """However many reads need it: with blocks of one operation each writes its own."""
    found = content(NESTS / "floyd_warshall.json", "--sizes", "n=4096", "--blocks", "r1=1,r2=1,r3=1")["numbers"]
    assert found["choices"][0]["predicted"]["writes"] == 4096**3


def test_equal_choices_share_a_rank():
    found = content(NESTS / "floyd_warshall.json", "--blocks", "r1=64,r2=32,64,r3=32,64")["numbers"]["choices"]
    assert [(one["rank"], tuple(one["blocks"].values())) for one in found] == [
        (1, (64, 64, 64)), (2, (64, 32, 64)), (2, (64, 64, 32)), (4, (64, 32, 32))]
    text = locality(NESTS / "floyd_warshall.json", "--blocks", "r1=64,r2=32,64,r3=32,64").stdout
    assert "Choices within 0.5 % share a rank." in text
