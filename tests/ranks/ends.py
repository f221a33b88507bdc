"""How programs of several processes end: one message, one status, no hang.

ends.py PROGRAM MPIEXEC NUMPROC_FLAG: runs the program once for each way of failing, each time with a watchdog.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

WATCHDOG_S = 120
# Whatever the machine has: these programs see no GPU.
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}

# The way, processes, the status, and what the one line of our own says; None where the launcher alone speaks.
ENDS = [
    ("nothing", 4, 0, ""),
    ("too_many", 4, 2, "portcost: Cannot distribute, too many processes: 2 rows for 4 of them"),
    ("wide_halo", 4, 2, "portcost: a halo of 3 rows is wider than the block of process 2, which has 2 of 10"),
    ("mismatch", 4, 2, "portcost: rank 2 has another build than rank 0: commit b, not commit a"),
    ("other_array", 4, 2, "portcost: rank 1 has another array than rank 0: 1 x 21 x 100 points"),
    ("alone", 4, 3, "portcost: rank 1: this rank has its own trouble"),
    ("everyone", 3, 2, "portcost: rank 0: bad input on rank 0"),
    ("everyone", 1, 2, "portcost: bad input on rank 0"),
    ("dies", 3, 137, None),
    ("leaves", 3, 7, None),
    ("file", 3, 3, "portcost: rank 0: '{path}.part' cannot have 1600000 bytes: File too large"),
    ("file_memory", 3, 3, "portcost: rank 1: cannot allocate 33555200 bytes of host memory"),
    ("abort_hangs", 3, 3, "portcost: rank 1: this rank ends all"),
    ("nccl", 3, 2, "portcost: nccl: that path is from GPU to GPU: on hosts take automatic or host_memory"),
    ("device_pointers", 3, 2, "portcost: device_pointers: that path is from GPU to GPU: on hosts take automatic or host_memory"),
    ("no_gpu", 3, 2, "portcost: there is no GPU for this rank: 0 GPUs are visible to it, and its computer has 3 ranks"),
    ("unknown", 2, 2, "portcost: the first argument names no way of failing"),
]


def fault(run: list[str], way: str, ranks: int, status: int, said: str | None) -> str:
    """What is wrong with how one run ends; empty where nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/array"
        try:
            ended = subprocess.run(
                [*run[1:], str(ranks), run[0], way, path], capture_output=True, text=True, timeout=WATCHDOG_S, check=False,
                env=ENVIRONMENT,
            )
        except subprocess.TimeoutExpired:
            return f"does not end within {WATCHDOG_S} s"
        ours = [line for line in ended.stderr.splitlines() if line.startswith("portcost: ")]
        left = [entry.name for entry in Path(folder).iterdir()]
    if ended.returncode != status:
        return f"ends with {ended.returncode}, not {status}: {ended.stderr}"
    if said and (len(ours) != 1 or not ours[0].startswith(said.format(path=path))):
        return f"says {ours}, not once '{said}'"
    if not said and ours:
        return f"says {ours}"
    if said is None and "rank 1" not in ended.stderr and status == 137:
        return f"the launcher does not name the rank: {ended.stderr}"
    return f"leaves {left}" if left else ""


def main() -> int:
    program, mpiexec, flag = sys.argv[1:4]
    faults = 0
    for way, ranks, status, said in ENDS:
        wrong = fault([program, mpiexec, flag], way, ranks, status, said)
        print(f"{way}, {ranks} processes: {wrong or 'ok'}")
        faults += bool(wrong)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
