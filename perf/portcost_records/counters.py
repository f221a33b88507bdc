"""The hardware counters that explain a pair: which are read, what follows from them, and how they stand in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from .words import RATE_UNITS, bytes_text, ratio_text, significant, time_text

Values = Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """A counter: a number asked of Nsight Compute, or, without a name there, what follows from others."""

    key: str
    names: tuple[str, ...]
    """It is asked under the first that the chip knows."""
    unit: str
    additive: bool = False
    """Summed over a run's kernels; otherwise the longest kernel's."""
    label: str = ""
    """In tables; empty of one that stands in none."""


def _one(key: str, label: str, unit: str, *names: str, additive: bool = False) -> Metric:
    return Metric(key, names, unit, additive, label)


_sum = partial(_one, additive=True)
OPCODES = "sass__inst_executed_per_opcode"
"""Its instances are counts by opcode, which BY_OPCODE adds up."""

BY_OPCODE = {"barriers": ("BAR",), "loads": ("LD", "LDG"), "atomic_operations": ("ATOM", "ATOMG", "ATOMS", "RED", "REDG")}
"""Loads are those of global memory, and those whose address says at run time which memory it is in."""

STALLS = ("branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss",
          "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
          "no_instruction", "not_selected", "short_scoreboard", "sleeping", "tex_throttle", "wait")
"""Those that tables show together."""


def _stall(reason: str, label: str = "") -> Metric:
    return _one(f"stall_{reason}", label, "%", f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio")


COUNTERS = (
    _sum("seconds", "time under the profiler", "s", "gpu__time_duration.sum"),
    _one("kernels", "kernel launches", "launches"),
    _one("block_threads", "threads a block", "threads", "launch__block_size"),
    _one("grid_blocks", "blocks", "blocks", "launch__grid_size"),
    _one("registers", "registers a thread", "a thread", "launch__registers_per_thread"),
    _one("static_shared_bytes", "shared memory, static", "B", "launch__shared_mem_per_block_static"),
    _one("dynamic_shared_bytes", "shared memory, dynamic", "B", "launch__shared_mem_per_block_dynamic"),
    _one("shared_bytes", "shared memory a block", "B"),
    _one("occupancy_limit", "occupancy, possible", "%", "sm__maximum_warps_per_active_cycle_pct"),
    _one("occupancy", "occupancy, achieved", "%", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    _sum("instructions", "warp instructions", "warp instructions", "smsp__inst_executed.sum"),
    _one("instructions_per_element", "instructions an element", "lane slots"),
    _one("lanes", "threads an instruction", "of 32", "smsp__thread_inst_executed_per_inst_executed.ratio",
         "smsp__average_thread_inst_executed_per_inst_executed.ratio"),
    _one("working_lanes", "threads at work", "of 32", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
         "smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio"),
    _one("uniform_branches", "branches that agree", "%", "smsp__sass_average_branch_targets_threads_uniform.pct"),
    _one("dram_bytes", "device memory moved", "B"),
    _sum("read_bytes", "device memory read", "B", "dram__bytes_read.sum"),
    _sum("written_bytes", "device memory written", "B", "dram__bytes_write.sum"),
    _one("dram_bytes_per_second", "device memory rate", "B/s"),
    _one("l2_hits", "L2 hits", "%", "lts__t_sector_hit_rate.pct"),
    _sum("load_conflicts", "bank conflicts, loads", "wavefronts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    _sum("store_conflicts", "bank conflicts, stores", "wavefronts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
    _one("bank_conflicts", "bank conflicts", "wavefronts"),
    _sum("shared_wavefronts", "shared-memory wavefronts", "wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
    _sum("load_sectors", "sectors loaded", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    _sum("store_sectors", "sectors stored", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    _sum("loads", "loads of global memory", "warp instructions", OPCODES),
    _sum("atomic_operations", "atomic operations", "warp instructions", OPCODES),
    _sum("barriers", "barriers (warps)", "warp instructions", OPCODES),
    _stall("barrier", "stalled at barriers"),
    *map(_stall, STALLS),
    _one("issue_slots", "issue slots used", "%", "smsp__issue_active.avg.pct_of_peak_sustained_active"),
    _sum("local_loads", "spill loads", "warp instructions", "smsp__inst_executed_op_local_ld.sum",
         "smsp__sass_inst_executed_op_local_ld.sum"),
    _sum("local_stores", "spill stores", "warp instructions", "smsp__inst_executed_op_local_st.sum",
         "smsp__sass_inst_executed_op_local_st.sum"),
    _one("local_accesses", "spills, loads and stores", "warp instructions"),
)
"""In the order of the tables."""
METRICS = tuple(counter for counter in COUNTERS if counter.names)
LABELS = {counter.key: counter.label for counter in COUNTERS if counter.label}
PREDICTED = "predicted_"
"""Before the key of a counter: what the algorithm's theory says of it (`portcost run` prints it)."""
UNITS = {before + counter.key: counter.unit for before in ("", PREDICTED) for counter in COUNTERS}


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


def top_stalls(values: Values) -> str:
    """"long scoreboard 61 %, barrier 12 %, wait 9 %"."""
    stalls = sorted(((value, key) for key, value in values.items() if key.startswith("stall_")),
                    key=lambda stall: (-stall[0], stall[1]))
    return ", ".join(f"{key.removeprefix('stall_').replace('_', ' ')} {value:.0f} %"
                     for value, key in stalls[:3] if value >= 0.5) or "–"
