"""The hardware counters that explain a pair: which are read, what follows from them, and how they stand in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from .words import RATE_UNITS, bytes_text, ratio_text, significant, time_text

Values = Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """One number asked of Nsight Compute, under the first of its names that the chip knows."""

    key: str
    names: tuple[str, ...]
    unit: str
    additive: bool = False
    """Summed over a run's kernels; otherwise the longest kernel's."""


def _one(key: str, name: str, unit: str, additive: bool = False) -> Metric:
    return Metric(key, (name,), unit, additive)


OPCODES = "sass__inst_executed_per_opcode"
"""Its instances are counts by opcode, which BY_OPCODE adds up."""

BY_OPCODE = {"barriers": ("BAR",), "loads": ("LD", "LDG"), "atomic_operations": ("ATOM", "ATOMG", "ATOMS", "RED", "REDG")}
"""Loads are those of global memory, and those whose address says at run time which memory it is in."""

STALLS = ("barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss",
          "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
          "no_instruction", "not_selected", "short_scoreboard", "sleeping", "tex_throttle", "wait")

METRICS = (
    _one("seconds", "gpu__time_duration.sum", "s", additive=True),
    _one("registers", "launch__registers_per_thread", "a thread"),
    _one("block_threads", "launch__block_size", "threads"),
    _one("grid_blocks", "launch__grid_size", "blocks"),
    _one("static_shared_bytes", "launch__shared_mem_per_block_static", "B"),
    _one("dynamic_shared_bytes", "launch__shared_mem_per_block_dynamic", "B"),
    _one("occupancy_limit", "sm__maximum_warps_per_active_cycle_pct", "%"),
    _one("occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "%"),
    _one("instructions", "smsp__inst_executed.sum", "warp instructions", additive=True),
    Metric("lanes", ("smsp__thread_inst_executed_per_inst_executed.ratio",
                     "smsp__average_thread_inst_executed_per_inst_executed.ratio"), "of 32"),
    Metric("working_lanes", ("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
                             "smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio"),
           "of 32"),
    _one("uniform_branches", "smsp__sass_average_branch_targets_threads_uniform.pct", "%"),
    _one("read_bytes", "dram__bytes_read.sum", "B", additive=True),
    _one("written_bytes", "dram__bytes_write.sum", "B", additive=True),
    _one("l2_hits", "lts__t_sector_hit_rate.pct", "%"),
    _one("load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
         "wavefronts", additive=True),
    _one("store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
         "wavefronts", additive=True),
    _one("shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts",
         additive=True),
    _one("load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors", additive=True),
    _one("store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors", additive=True),
    *(_one(key, OPCODES, "warp instructions", additive=True) for key in BY_OPCODE),
    _one("issue_slots", "smsp__issue_active.avg.pct_of_peak_sustained_active", "%"),
    Metric("local_loads", ("smsp__inst_executed_op_local_ld.sum",
                           "smsp__sass_inst_executed_op_local_ld.sum"),
           "warp instructions", additive=True),
    Metric("local_stores", ("smsp__inst_executed_op_local_st.sum",
                            "smsp__sass_inst_executed_op_local_st.sum"),
           "warp instructions", additive=True),
    *(_one(f"stall_{reason}", f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio",
           "%") for reason in STALLS),
)

DERIVED_UNITS = {"instructions_per_element": "lane slots", "dram_bytes": "B",
                 "dram_bytes_per_second": "B/s", "bank_conflicts": "wavefronts",
                 "shared_bytes": "B", "local_accesses": "warp instructions",
                 "kernels": "launches"}
PREDICTED = "predicted_"
"""Before the key of a counter: what the algorithm's theory says of it (`portcost run` prints it)."""

UNITS = {metric.key: metric.unit for metric in METRICS} | DERIVED_UNITS
UNITS |= {PREDICTED + key: unit for key, unit in UNITS.items()}


def with_derived(raw: Values, kernels: int, elements: float | None) -> dict[str, float]:
    """Adds what follows from the counters; stalls become percents of all stalls."""
    values = dict(raw)
    for key, parts in (("dram_bytes", ("read_bytes", "written_bytes")),
                       ("bank_conflicts", ("load_conflicts", "store_conflicts")),
                       ("shared_bytes", ("static_shared_bytes", "dynamic_shared_bytes")),
                       ("local_accesses", ("local_loads", "local_stores"))):
        if all(part in raw for part in parts):
            values[key] = sum(raw[part] for part in parts)
    if raw.get("seconds") and "dram_bytes" in values:
        values["dram_bytes_per_second"] = values["dram_bytes"] / raw["seconds"]
    if elements and "instructions" in raw:
        values["instructions_per_element"] = 32 * raw["instructions"] / elements
    values["kernels"] = kernels
    stalls = [key for key in raw if key.startswith("stall_")]
    total = sum(raw[key] for key in stalls)
    for key in stalls:
        values[key] = 100 * raw[key] / total if total else 0.0
    return values


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
    "load_sectors": "sectors loaded", "store_sectors": "sectors stored",
    "loads": "loads of global memory", "atomic_operations": "atomic operations", "barriers": "barriers (warps)",
    "stall_barrier": "stalled at barriers", "issue_slots": "issue slots used",
    "local_loads": "spill loads", "local_stores": "spill stores",
    "local_accesses": "spills, loads and stores",
}
SHOWN = tuple(key for key in LABELS if key not in ("shared_bytes", "dram_bytes", "bank_conflicts", "local_accesses"))
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
