"""A stand-in for Nsight Compute that makes up counters of each run that the command prints: of a copy as many sectors as are
predicted, of a blocked algorithm what its launches move, which depends on the block size r1. Of a range it gives the sums.
FAKE_NCU in the environment names what is to go wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

MODE = os.environ.get("FAKE_NCU", "")
LOADS, STORES = (f"l1tex__t_sectors_pipe_lsu_mem_global_op_{name}.sum" for name in ("ld", "st"))
L2_READ, L2_WRITTEN = (f"lts__t_sectors_srcunit_tex_op_{name}.sum" for name in ("read", "write"))
READ, WRITTEN, SECONDS = "dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum"


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


words = sys.argv[1:]
(Path(__file__).parent / "calls").open("a").write(json.dumps(words) + "\n")
options, place = {}, 0
while words[place].startswith("--"):
    if words[place] == "--force-overwrite":
        place += 1
    else:
        options[words[place]] = words[place + 1]
        place += 2
Path(options["--log-file"]).write_text("==PROF== Connected\n")
done = subprocess.run(words[place:], capture_output=True, text=True)
sys.stdout.write(done.stdout)
sys.stderr.write(done.stderr)
if done.returncode:
    sys.exit(done.returncode)
shown = []
for name, size, said in re.findall(r"^(\S+/\S+) (\S+) \S+\n((?:(?:predicted|parameters) .*\n)*)", done.stdout, flags=re.MULTILINE):
    launches = copy(name, size, said) if "offset=" in size else blocked(name, size, said)
    shown += [added(launches)] if options.get("--replay-mode") == "app-range" else launches
if MODE == "a range lost" or MODE.startswith("a range lost of ") and MODE.split()[-1] in words:
    shown.pop()
metrics = [metric for metric in options["--metrics"].split(",") if not (MODE == "no sectors" and metric.startswith("lts"))]
Path(options["--export"]).write_text(json.dumps([{"name": f"void {name}(float*)", "metrics": {
    metric: (counters.get(metric),) for metric in metrics}} for name, counters in shown]))
