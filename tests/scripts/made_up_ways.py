"""Made-up records of several ways of writing: for the headline of perf/portcost report. No number was measured on any machine."""

from typing import Any

from made_up_records import COPY_RATE, LAUNCH_S, Json, Writer

# The row's name: (time over the limit, the native step that stands beside it, lines of code)
KOKKOS_ROWS = {
    "plain.usual": (9.0, "plain", 14), "plain.usual:tile=64x4": (2.4, "plain", 15), "plain.usual:tile=32x8": (2.9, "plain", 15),
    "plain.usual:index=int64": (6.0, "plain", 15), "plain.usual:index=int64,tile=64x4": (2.2, "plain", 16),
    "plain": (1.95, "plain", 24), "tile.book": (1.3, "tile", 38), "tile": (1.04, "tile", 52),
}
NATIVE_STEPS = {"plain": (1.9, 22), "tile": (1.02, 49)}
PEERS = {"cub": (1.01, False), "range": (1.6, True)}


def variant_of(row: str, algorithm: str = "heat") -> str:
    """"heat/plain/kokkos.usual:tile=64x4"."""
    step = row.split(".")[0]
    return f"{algorithm}/{step}/kokkos{row.removeprefix(step)}"


def ways_writer(algorithm: str = "heat", **options: Any) -> Writer:
    """Three ways of writing at a main size and at a small one, two peers, lines of code, and the counters of two variants."""
    writer = Writer(**options)
    writer.lines[0]["variants"] = [
        *({"name": variant_of(row, algorithm), "lines": lines} for row, (_, _, lines) in KOKKOS_ROWS.items()),
        *({"name": f"{algorithm}/{step}/{writer.native}", "lines": lines} for step, (_, lines) in NATIVE_STEPS.items()),
        {"name": f"{algorithm}/cub/library"}]
    writer.limit("device copy", COPY_RATE, "B/s")
    for n in (2**28, 2**10):
        add_size(writer, algorithm, n)
    add_counters(writer, variant_of("plain.usual", algorithm), 9e-3, 40.0)
    add_counters(writer, variant_of("plain.usual:tile=64x4", algorithm), 2.4e-3, 12.0)
    return writer


def add_size(writer: Writer, algorithm: str, n: int) -> None:
    floor_s, size = 8.0 * n / COPY_RATE, {"n": n}

    def add(role: str, step: str, variants: dict[str, float]) -> Json:
        return writer.result(role, step, size, "f32", "cold", variants, floor_s)

    def seconds(factor: float) -> float:
        return floor_s * factor + LAUNCH_S

    natives = {step: seconds(factor) for step, (factor, _) in NATIVE_STEPS.items()}
    kokkos = {row: seconds(factor) + 0.4 * LAUNCH_S for row, (factor, _, _) in KOKKOS_ROWS.items()}
    fastest = min(natives, key=lambda step: natives[step])
    for row, (_, step, _) in KOKKOS_ROWS.items():
        add("pair", row, {variant_of(row, algorithm): kokkos[row], f"{algorithm}/{step}/{writer.native}": natives[step]})
    for peer, (factor, portable) in PEERS.items():
        solo = add("solo", peer, {f"{algorithm}/{peer}/library": seconds(factor)})
        solo["sides"][0]["portable"] = portable
    best = min(kokkos, key=lambda row: kokkos[row])
    add("best", "best", {variant_of(best, algorithm): kokkos[best], f"{algorithm}/{fastest}/{writer.native}": natives[fastest]})


def add_counters(writer: Writer, variant: str, seconds: float, instructions: float) -> None:
    writer.lines.append({
        "kind": "counters", "variant": variant, "size_text": f"n={2**28}", "type": "f32", "rung": 0, "commit": "0123456789ab",
        "kernels": [{"name": "kernel", "launches": 1, "seconds": seconds}],
        "values": {"seconds": seconds, "instructions_per_element": instructions, "dram_bytes": 2.1e9}, "units": {}})
