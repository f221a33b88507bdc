"""Counters in words: what they are called, which are shown, and their values with units."""

from __future__ import annotations

from .counters import UNITS, Values
from .words import RATE_UNITS, bytes_text, ratio_text, significant, time_text

LABELS = {
    "seconds": "time under the profiler", "kernels": "kernel launches",
    "block_threads": "threads a block", "grid_blocks": "blocks", "registers": "registers a thread",
    "static_shared_bytes": "shared memory, static", "dynamic_shared_bytes": "shared memory, dynamic",
    "shared_bytes": "shared memory a block",
    "occupancy_limit": "occupancy, possible", "occupancy": "occupancy, achieved",
    "instructions": "warp instructions", "instructions_per_element": "instructions an element",
    "lanes": "threads an instruction", "working_lanes": "threads at work",
    "uniform_branches": "branches that agree",
    "dram_bytes": "device memory moved", "read_bytes": "device memory read",
    "written_bytes": "device memory written", "dram_bytes_per_second": "device memory rate",
    "l2_hits": "L2 hits", "load_conflicts": "bank conflicts, loads",
    "store_conflicts": "bank conflicts, stores", "bank_conflicts": "bank conflicts",
    "shared_wavefronts": "shared-memory wavefronts",
    "load_sectors": "sectors loaded", "store_sectors": "sectors stored", "barriers": "barriers (warps)",
    "loads": "loads of global memory", "atomic_operations": "atomic operations",
    "stall_barrier": "stalled at barriers", "issue_slots": "issue slots used",
    "local_loads": "spill loads", "local_stores": "spill stores",
    "local_accesses": "spills, loads and stores",
}
SHOWN = ("seconds", "kernels", "block_threads", "grid_blocks", "registers", "static_shared_bytes",
         "dynamic_shared_bytes", "occupancy_limit", "occupancy", "instructions",
         "instructions_per_element", "lanes", "working_lanes", "uniform_branches", "read_bytes",
         "written_bytes",
         "dram_bytes_per_second", "l2_hits", "load_conflicts", "store_conflicts",
         "shared_wavefronts", "load_sectors", "store_sectors", "loads", "atomic_operations", "barriers", "stall_barrier", "issue_slots", "local_loads",
         "local_stores")
SHOWN_OF_LADDER = ("seconds", "instructions_per_element", "working_lanes", "bank_conflicts",
                   "stall_barrier", "occupancy", "dram_bytes_per_second")


def count_words(value: float) -> str:
    """"12", "8.81", "1.20 M"."""
    for scale, prefix in RATE_UNITS:
        if abs(value) >= scale > 1:
            return f"{significant(value / scale)} {prefix}"
    return f"{value:.0f}" if value == int(value) else significant(value)


def value_text(key: str, value: float | None) -> str:
    if value is None:
        return "–"
    unit = UNITS.get(key, "")
    if unit == "s":
        return time_text(value)
    if unit == "B/s":
        rate = value / 1e9
        return f"{f'{rate:.0f}' if rate >= 1000 else significant(rate)} GB/s"
    if unit == "B":
        if key.endswith("shared_bytes"):
            return bytes_text(value)
        return bytes_moved_text(value)
    if unit == "%":
        return f"{value:.1f} %"
    return count_words(value)


def bytes_moved_text(value: float) -> str:
    """"64 B", "8.19 kB", "1.07 GB": powers of ten, as rates are."""
    words = count_words(value)
    return f"{words}B" if words[-1].isalpha() else f"{words} B"


def ratio_of(a: float | None, b: float | None) -> str:
    if not a or not b:
        return "–"
    return ratio_text(a / b)


def top_stalls(values: Values, count: int = 3) -> str:
    """"long scoreboard 61 %, barrier 12 %, wait 9 %"."""
    stalls = sorted(((value, key) for key, value in values.items() if key.startswith("stall_")),
                    key=lambda stall: (-stall[0], stall[1]))
    return ", ".join(f"{key.removeprefix('stall_').replace('_', ' ')} {value:.0f} %"
                     for value, key in stalls[:count] if value >= 0.5) or "–"
