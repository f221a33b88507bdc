"""The orders of blocks that nests of portcost locality state as formulas, against the tiles of each launch."""

import json

import pytest
from locality_tools import shipped
from running import ROOT

from portcost_locality.affine import value_of


def test_formulas():
    assert value_of("n*n * (2 - r1/n) / 2", {"n": 4, "r1": 2}) == 12 and value_of("-n", {"n": 4}) == -4
    assert value_of("min(n, 3) + max(n, 5, 2)", {"n": 4}) == 8
    for wrong in ("n ** 2", "m", "n +", "f(n)", "n / 0", "'n'", "min(n)", "n.max(1)", "max(n, key=n)"):
        with pytest.raises(ValueError):
            value_of(wrong, {"n": 4})


def test_the_order_of_deep_k_is_that_of_its_rounds():
    """The formula in the nest against the tiles of each launch, as variants/floyd_warshall/problem.hpp orders them."""
    order = shipped("floyd_warshall")["measure"]["variants"]["deep_k"]["order"]
    for n, r1, tile in ((4096, 256, 64), (8192, 1024, 64), (8192, 128, 64), (8192, 2048, 64), (8192, 1920, 64)):
        tiles = n // tile
        reads = writes = 0
        for first in range(0, tiles, r1 // tile):
            depth = min(r1 // tile, tiles - first)
            for _ in range(depth):
                cross, inner = 2 * (tiles - 1), (depth - 1) * (tiles - 1) + (tiles - depth) * (depth - 1)
                reads += 1 + 3 * cross + 3 * inner
                writes += 1 + cross + inner
            rest = (tiles - depth) ** 2
            reads += rest * (1 + 2 * depth)
            writes += rest
        names = {"n": n, "r1": r1, "r2": tile, "r3": tile}
        for side, count in (("reads", reads), ("writes", writes)):  # exact where r1 divides n
            assert value_of(order[side], names) == pytest.approx(count * tile * tile, rel=0.04 if n % r1 else 1e-9)

    def moved(r1: int) -> float:
        names = {"n": 8192, "r1": r1, "r2": 64, "r3": 64}
        return value_of(order["reads"], names) + value_of(order["writes"], names)
    assert min(range(128, 3073, 128), key=moved) == 512


def tiles_of_block_r1(n: int, r1: int, tile: int) -> tuple[float, int]:
    """Tiles that all launches read and write, as variants/gauss/problem.hpp orders them."""
    rows, columns = n // tile, n // tile + 1  # the right sides take a column of tiles
    deep, part = max(1, r1 // tile), min(r1, tile)
    reads, writes = 0.0, 0
    for first in range(0, rows, deep):
        end = min(first + deep, rows)
        launches = [((rows - end) * (columns - end), 2 * tile * (end - first))] if deep > 1 else []
        for k in range(first, end):
            launches += tile // part * [(1, 0), (columns + rows - 2 * k - 2, part),
                                        ((end - k - 1) * (columns - k - 1) + (rows - end) * (end - k - 1), 2 * part),
                                        ((rows - k - 1) * (columns - k - 1) if deep == 1 else 0, 2 * part)]
        reads += sum(tiles * (1 + lines / tile) for tiles, lines in launches)
        writes += sum(tiles for tiles, _ in launches)
    return reads, writes


@pytest.mark.parametrize("n", [4096, 8192])
def test_the_order_of_block_r1_is_that_of_its_rounds(n: int):
    order, tile = shipped("gauss")["measure"]["variants"]["block_r1"]["order"], 64
    for r1 in (1, 4, 16, 64, 128, 192, 512, 1280):
        names = {"n": n, "r1": r1, "r2": tile, "r3": tile}
        for side, tiles in zip(("reads", "writes"), tiles_of_block_r1(n, r1, tile)):
            assert value_of(order[side], names) == pytest.approx(tiles * tile * tile, rel=0.025)


def test_block_r1_wrote_the_tiles_of_its_launches_and_no_byte_more():
    """By the committed counters, which are of whole runs."""
    header, *choices, _ = map(json.loads, (ROOT / "perf/results/h200/gauss_bytes.jsonl").read_text().splitlines())
    found = [one for one in choices if one["variant"] == "gauss/block_r1/cuda"]
    assert len(found) >= 24 and header["type"] == "f32"
    for one in found:
        writes = tiles_of_block_r1(header["sizes"]["n"], one["blocks"]["r1"], 64)[1]
        assert one["l2_written_bytes"] == writes * 64 * 64 * 4
