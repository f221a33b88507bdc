"""Stand-ins for Nsight Compute and for portcost, written into a folder of a test.

Every number here is invented. The CSV has the form of the raw page: a header, a row of units, a row
a launch, after lines of Nsight Compute's own.
"""

from __future__ import annotations

import sys
from pathlib import Path

PROCESSOR = "Made-up GPU"
VARIANTS = {"sum": {"steps": ["interleaved", "strided", "cub"],
                    "variants": ["interleaved/reference", "interleaved/kokkos", "interleaved/cuda",
                                 "strided/kokkos", "strided/cuda", "strided/openmp",
                                 "cub/library"]}}

PORTCOST = r'''#!{python}
import json, sys

PLACES = {{"openmp": "host", "reference": "host"}}
words = sys.argv[1:]
if words[0] == "list":
    print(json.dumps([{{
        "name": name, "steps": a["steps"],
        "size_keys": [{{"key": "n", "counts": True}}, {{"key": "bins", "counts": False}}],
        "variants": [
        {{"name": f"{{name}}/{{v}}", "step": v.split("/")[0], "model": v.split("/")[1],
         "place": PLACES.get(v.split("/")[1], "device")}} for v in a["variants"]]}}
        for name, a in {variants!r}.items()]))
elif words[0] == "machine":
    print(json.dumps({{"machine": {{"processor": {processor!r}, "kind": "gpu"}},
                      "build": {{"type": "Release"}}, "commit": "abc", "version": "0.1.0"}}))
elif words[0] == "run":
    size = words[words.index("--size") + 1] if "--size" in words else "n=1024"
    if size == "n=0":
        print("portcost: size n=0 is out of range", file=sys.stderr)
        sys.exit(2)
    print(f"{{words[1]}} {{size}} f32")
'''

NCU = r'''#!{python}
import json, os, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
words = sys.argv[1:]
(here / "calls").open("a").write(json.dumps(words) + "\n")
options, place = {{}}, 0
while words[place].startswith("--"):
    if words[place] == "--csv":
        place += 1
    else:
        options[words[place]] = words[place + 1]
        place += 2
command = words[place:]
metrics = options["--metrics"].split(",")
mode = os.environ.get("FAKE_NCU", "")
log = open(options["--log-file"], "w")
print("==PROF== Connected to process 4711 (/somewhere/portcost)", file=log)

if mode == "old" and "--print-metric-instances" in options:
    print("==ERROR== unrecognised option '--print-metric-instances'. Use --help for further details.")
    sys.exit(1)
lacking = [m for m in metrics if "lts__t_sector_hit_rate" in m or "stalled_gmma" in m
           or m.startswith("smsp__inst_executed_op_local")]
if mode == "lacking" and lacking:
    for m in lacking:
        escaped = m.split(".")[0]
        print(f"==ERROR== Failed to find metric regex:^{{escaped}}\\.(sum|min|max|avg|pct|ratio)$", file=log)
    print("==ERROR== Failed to profile \"sum\" in process 4711", file=log)
    sys.exit(9)

done = subprocess.run(command, capture_output=True, text=True)
sys.stdout.write(done.stdout)
sys.stderr.write(done.stderr)
if mode == "permission":
    print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
          "Performance Counters on the target device 0. For instructions on enabling permissions "
          "and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM", file=log)
    sys.exit(0)
if done.returncode:
    print(f"==ERROR== The application returned an error code ({{done.returncode}}).", file=log)
    sys.exit(done.returncode)
if mode == "driver":
    print("==ERROR== An error was reported by the counter measurement library:", file=log)
    print("==WARNING== No kernels were profiled.", file=log)
    sys.exit(1)

variant = command[command.index("run") + 1]
kokkos, strided = variant.endswith("kokkos"), "strided" in variant
main = {{
    "gpu__time_duration.sum": ("ns", "12,000" if kokkos else "10,000"),
    "launch__registers_per_thread": ("register/thread", "24" if kokkos else "16"),
    "launch__block_size": ("", "256"), "launch__grid_size": ("", "4"),
    "launch__shared_mem_per_block_static": ("byte/block", "0" if kokkos else "1024"),
    "launch__shared_mem_per_block_dynamic": ("byte/block", "1,040" if kokkos else "0"),
    "sm__maximum_warps_per_active_cycle_pct": ("%", "100"),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", "81.25"),
    "smsp__inst_executed.sum": ("inst", "1,600" if kokkos else "800"),
    "smsp__thread_inst_executed_per_inst_executed.ratio": ("", "31.5" if strided else "17.25"),
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": (
        "", "30.5" if strided else "16.75"),
    "smsp__sass_average_branch_targets_threads_uniform.pct": ("%", "72.5"),
    "dram__bytes_read.sum": ("byte", "4,096"), "dram__bytes_write.sum": ("byte", "64"),
    "lts__t_sector_hit_rate.pct": ("%", "12.5"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": ("", "900" if strided else "0"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": ("", "0"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": ("", "1,200" if strided else "300"),
    "sass__inst_executed_per_opcode": ("inst", "800 (BAR: 72; FADD: 500; BRA: 228)"),
    "smsp__issue_active.avg.pct_of_peak_sustained_active": ("%", "33.3"),
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": ("inst", "3"),
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": ("inst", "6"),
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": ("inst", "1"),
}}
fixed = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
         "Block Size", "Grid Size", "Device", "CC"]
name = ("void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<portcost::"
        "(anonymous namespace)::Step<float>, Kokkos::TeamPolicy<Kokkos::Cuda>>>(T1)"
        if kokkos else "void portcost::sum::<unnamed>::step<float, 256>(const T1 *, T1 *, long)")


def row(cells):
    print(",".join(f'"{{cell}}"' for cell in cells), file=log)


row(fixed + metrics)
row([""] * len(fixed) + [main.get(m, ("", ""))[0] for m in metrics])
for launch, scale in ((0, 1), (1, 4)):
    cells = []
    for m in metrics:
        value = main.get(m, ("", "n/a" if "local" in m else "0"))[1]
        if scale > 1 and m.startswith(("gpu__", "launch__grid", "launch__reg")):
            value = str(int(value.replace(",", "")) // scale)
        cells.append(value)
    row([launch, 4711, "portcost", "127.0.0.1", name, 1, 7, "(256, 1, 1)", "(4, 1, 1)", 0, "9.0"]
        + cells)
print("==PROF== Disconnected from process 4711", file=log)
'''


def write_tools(folder: Path) -> Path:
    """Puts `ncu` and `portcost` into the folder."""
    folder.mkdir(exist_ok=True)
    for name, text in (("ncu", NCU), ("portcost", PORTCOST)):
        path = folder / name
        path.write_text(text.format(python=sys.executable, variants=VARIANTS, processor=PROCESSOR))
        path.chmod(0o755)
    return folder
