"""portcost locality: what the paper says of Floyd and Warshall's algorithm (example 1) and of Gauss elimination (example 2)."""

import pytest
from locality_tools import NESTS, content, locality, needs_islpy

pytestmark = needs_islpy


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
