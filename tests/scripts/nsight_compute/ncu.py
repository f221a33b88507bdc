"""A stand-in for Nsight Compute: runs the command and writes made-up counters of it as a report, which the module beside it reads.
FAKE_NCU in the environment names what is to go wrong.

Of `sum` it has two launches with all counters. Of other runs that the command prints: of a copy as many sectors as are predicted;
of a blocked algorithm what its launches move, which depends on the block size r1. Of a range it gives the sums."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = os.environ.get("FAKE_NCU", "")
LOADS, STORES = (f"l1tex__t_sectors_pipe_lsu_mem_global_op_{name}.sum" for name in ("ld", "st"))
L2_READ, L2_WRITTEN = (f"lts__t_sectors_srcunit_tex_op_{name}.sum" for name in ("read", "write"))
READ, WRITTEN, SECONDS = "dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum"


def launches_of_sum(variant):
    kokkos, strided = "/kokkos" in variant, "strided" in variant
    opcodes = None if MODE == "no opcodes" else {"BAR": 36, "FADD": 500, "BAR.SYNC": 36, "BRA": 228, "LDG.E.128": 20, "LD.E": 4,
                                                 "LDS": 9, "ATOMG.ADD": 2, "RED.E": 6, "REDUX.SUM": 5}
    if MODE == "unequal" and not kokkos:
        opcodes |= {"BAR": 9, "BAR.SYNC": 9}
    # Units as the real module names them: that of time is said to be the second, and is the nanosecond.
    main = {
        "gpu__time_duration.sum": (12000 if kokkos else 10000, "second"),
        "launch__registers_per_thread": (24 if kokkos else 16, "register_per_thread"),
        "launch__block_size": (256,), "launch__grid_size": (4,),
        "launch__shared_mem_per_block_static": (0 if kokkos else 1024, "byte_per_block"),
        "launch__shared_mem_per_block_dynamic": (1040 if kokkos else 0, "byte_per_block"),
        "sm__maximum_warps_per_active_cycle_pct": (100, "%"),
        "sm__warps_active.avg.pct_of_peak_sustained_active": (81.25, "%"),
        "smsp__inst_executed.sum": (1600 if kokkos else 800, "inst"),
        "smsp__thread_inst_executed_per_inst_executed.ratio": (31.5 if strided else 17.25,),
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": (30.5 if strided else 16.75,),
        "smsp__sass_average_branch_targets_threads_uniform.pct": (72.5, "%"),
        "dram__bytes_read.sum": (4096, "byte"), "dram__bytes_write.sum": (64, "byte"),
        "lts__t_sector_hit_rate.pct": (12.5, "%"),
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": (900 if strided else 0,),
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": (0,),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": (256, "sector"),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": (64, "sector"),
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": (1200 if strided else 300,),
        "sass__inst_executed_per_opcode": (800, "", opcodes),
        "smsp__issue_active.avg.pct_of_peak_sustained_active": (33.3, "%"),
        "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": (3, "inst"),
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": (6, "inst"),
        "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": (1, "inst"),
    }
    name = ("void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<portcost::"
            "(anonymous namespace)::Step<float>, Kokkos::TeamPolicy<Kokkos::Cuda>>>(T1)"
            if kokkos else "void portcost::sum::<unnamed>::step<float, 256>(const T1 *, T1 *, long)")

    def measured(metric, scale):
        """The metric of a launch; those of the second are a quarter where they depend on its length."""
        value, *rest = main.get(metric, (None if "local" in metric else 0,))
        return [value / scale if metric.startswith(("gpu__", "launch__grid", "launch__reg")) else value, *rest]

    return [{"name": name, "metrics": {m: measured(m, scale) for m in metrics}} for scale in (1, 4)]


def copy(name, size, said):
    """The launches of a copy: names, and counters by name."""
    predicted = dict(re.findall(r"^predicted (\S+) (\S+)$", said, flags=re.MULTILINE))
    sectors, read = float(predicted.get("load_sectors", 1)), float(predicted.get("read_bytes", 32))
    if MODE == "wrong" and name.endswith("/kokkos") and "stride=3" in size:
        sectors *= 1.25
    if MODE == "wrong" and "offset=1," in size:
        read *= 0.96
    launch = "copy", {LOADS: sectors, STORES: 7, READ: read, WRITTEN: 9, SECONDS: 1000}
    return [launch] * (2 if MODE == "two launches" else 1)


def blocked(variant, size, said):
    """Those of a blocked algorithm: two a round, of which the second has as many blocks as are left. A naive step reads twice as
    much."""
    n = int(re.search(r"n=(\d+)", size)[1])
    r1 = int((re.search(r"\br1=(\d+)", said) or (0, 64))[1])
    found = []
    for k in range(0, n, r1):
        for name, blocks in (("panel", 1), ("rest", max(1, ((n - k) // 64) ** 2))):
            read, written = blocks * 4 * (64 * 64 + 2 * 64 * r1), blocks * 4 * 64 * 64
            if "/naive" in variant:
                read *= 2
            if MODE == "rising" and r1 > 32:
                read *= r1
            found.append((name, {L2_READ: read // 32, L2_WRITTEN: written // 32, READ: read // 2, WRITTEN: written}))
    return found


def added(launches):
    return "range", {key: sum(counters[key] for _, counters in launches) for key in launches[0][1]}


def launches_of_runs(said):
    shown = []
    runs = re.findall(r"^(\S+/\S+) (\S+) \S+\n((?:(?:predicted|parameters) .*\n)*)", said, flags=re.MULTILINE)
    for name, size, more in runs:
        launches = copy(name, size, more) if "offset=" in size else blocked(name, size, more)
        shown += [added(launches)] if options.get("--replay-mode") == "app-range" else launches
    if MODE == "a range lost" or MODE.startswith("a range lost of ") and MODE.split()[-1] in words:
        shown.pop()
    known = [metric for metric in metrics if not (MODE == "no sectors" and metric.startswith("lts"))]
    return [{"name": f"void {name}(float*)", "metrics": {metric: (counters.get(metric),) for metric in known}}
            for name, counters in shown]


words = sys.argv[1:]
calls = Path(__file__).parent / "calls"
calls.open("a").write(json.dumps(words) + "\n")
options, place = {}, 0
while words[place].startswith("--"):
    if words[place] == "--force-overwrite":
        place += 1
    else:
        options[words[place]] = words[place + 1]
        place += 2
command = words[place:]
metrics = options["--metrics"].split(",")
log = open(options["--log-file"], "w")
if MODE == "stopped" and len(calls.read_text().splitlines()) == 3:
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)
print("==PROF== Connected to process 4711 (/somewhere/portcost)", file=log)

lacking = [m for m in metrics if "lts__t_sector_hit_rate" in m or "stalled_gmma" in m
           or m.startswith("smsp__inst_executed_op_local")]
if MODE == "lacking" and lacking:
    for m in lacking:
        escaped = m.split(".")[0]
        print(f"==ERROR== Failed to find metric regex:^{escaped}\\.(sum|min|max|avg|pct|ratio)$", file=log)
    print("==ERROR== Failed to profile \"sum\" in process 4711", file=log)
    sys.exit(9)

done = subprocess.run(command, capture_output=True, text=True)
sys.stdout.write(done.stdout)
sys.stderr.write(done.stderr)
if MODE == "permission":
    print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
          "Performance Counters on the target device 0. For instructions on enabling permissions "
          "and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM", file=log)
    sys.exit(0)
if done.returncode:
    print(f"==ERROR== The application returned an error code ({done.returncode}).", file=log)
    sys.exit(done.returncode)
if MODE == "driver":
    print("==ERROR== An error was reported by the counter measurement library:", file=log)
    print("==WARNING== No kernels were profiled.", file=log)
    sys.exit(1)
variant = command[command.index("run") + 1]
launches = launches_of_sum(variant) if variant.startswith("sum/") else launches_of_runs(done.stdout)
Path(options["--export"]).write_text(json.dumps(launches))
print("==PROF== Disconnected from process 4711", file=log)
