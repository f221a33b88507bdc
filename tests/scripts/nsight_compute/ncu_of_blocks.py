"""A stand-in for Nsight Compute that counts launches of a made-up blocked algorithm: their number and bytes depend on the block
size r1. FAKE_NCU in the environment names what is to go wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

words = sys.argv[1:]
(Path(__file__).parent / "calls").open("a").write(json.dumps(words) + "\n")
options, place = {}, 0
while words[place].startswith("--"):
    if words[place] == "--force-overwrite":
        place += 1
    else:
        options[words[place]] = words[place + 1]
        place += 2
command = words[place:]
Path(options["--log-file"]).write_text("==PROF== Connected\n")
done = subprocess.run(command, capture_output=True, text=True)
sys.stdout.write(done.stdout)
sys.stderr.write(done.stderr)
if done.returncode:
    sys.exit(done.returncode)
mode = os.environ.get("FAKE_NCU", "")
n = int(re.search(r"n=(\d+)", " ".join(command))[1])
r1 = int(next((word.split("=")[1] for word in command if word.startswith("r1=")), 1))

launches, invocations = [], {}
wanted = options.get("--kernel-id", ":::").removeprefix(":::")
for k in range(0, n, r1):
    for name, blocks in (("panel", 1), ("rest", max(1, ((n - k) // 64) ** 2))):
        invocations[name] = invocations.get(name, 0) + 1
        if wanted and not re.fullmatch(wanted, str(invocations[name])):
            continue
        read, written = blocks * 4 * (64 * 64 + 2 * 64 * r1), blocks * 4 * 64 * 64
        if mode == "rising" and r1 > 32:
            read *= r1
        every = {"launch__grid_size": (blocks,), "gpu__time_duration.sum": (1000,),
                 "lts__t_sectors_srcunit_tex_op_read.sum": (read // 32,),
                 "lts__t_sectors_srcunit_tex_op_write.sum": (written // 32,),
                 "dram__bytes_read.sum": (read // 2,), "dram__bytes_write.sum": (written,)}
        if mode == "no sectors":
            every = {key: number for key, number in every.items() if not key.startswith("lts")}
        launches.append({"name": f"void {name}(float*)", "metrics": {key: every.get(key, (None,)) for key in
                                                                     options["--metrics"].split(",")}})
Path(options["--export"]).write_text(json.dumps(launches))
