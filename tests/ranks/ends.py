"""How programs of several processes end: one message, one status, no hang.

ends.py PROGRAM MPIEXEC NUMPROC_FLAG: runs the program once for each way of failing, each time with a watchdog. It sees no GPU.
With --gpus N, N processes have a GPU each, and one fails while the GPUs of the others wait for it, by each --path; with --portcost,
one that solves is halted, too. What a machine has no GPUs for is skipped; the status is 77 where that is all. By srun, which ends the
others only where it is told to, it is told.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from halting import halted, ours_in, report

WATCHDOG_S = 120
SKIPPED = 77
PATHS = ("nccl", "peer_copies", "direct_loads", "direct_stores", "host_memory", "device_pointers")

# The way, processes, the status, and what the one line of our own says; None where the launcher alone speaks.
ENDS = [
    ("nothing", 4, 0, ""),
    ("too_many", 4, 2, "portcost: Cannot distribute, too many processors: 2 rows for 4 of them"),
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

# The same of processes that have a GPU each. GPUs notice a hanging rank with direct_loads and direct_stores alone; otherwise the command's watch does.
GPU_ENDS = [
    ("nothing", 0, ""),
    ("alone", 3, "portcost: rank 1: this rank has its own trouble"),
    ("everyone", 2, "portcost: rank 0: bad input on rank 0"),
    ("dies", 137, None),
    ("leaves", 7, None),
    ("abort_hangs", 3, "portcost: rank 1: this rank ends all"),
    ("gpu_memory", 3, "portcost: rank 1: cannot allocate 17592186044416 bytes of device memory"),
]
# srun ends with the greatest status of all processes, and those that it ends itself, because another one failed alone, have this one.
SRUN_ENDED = 128 + signal.SIGTERM
ENDED_BY_LAUNCHER = ("dies", "leaves", "abort_hangs")
SLURM = {"SLURM_KILL_BAD_EXIT": "1", "SLURM_OVERCOMMIT": "1"}
GPU_HANGS = dict.fromkeys(("direct_loads", "direct_stores"),
                          (3, "portcost: rank 0: rank 1 did not take part in an exchange within 3 s"))


@dataclass
class Runs:
    program: str
    launcher: list[str]
    environment: dict[str, str] = field(default_factory=lambda: {**os.environ, **SLURM})

    @property
    def by_srun(self) -> bool:
        return Path(self.launcher[0]).name == "srun"

    def ended(self, way: str, ranks: int, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.launcher, str(ranks), self.program, way, *words], capture_output=True, text=True,
                              timeout=WATCHDOG_S, check=False, env=self.environment)

    def fault(self, way: str, ranks: int, status: int, said: str | None, gpu_path: str = "") -> str:
        """What is wrong with how one run ends; empty where nothing is."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/array"
            try:
                ended = self.ended(way, ranks, path, *filter(None, [gpu_path]))
            except subprocess.TimeoutExpired:
                return f"does not end within {WATCHDOG_S} s"
            left = [entry.name for entry in Path(folder).iterdir()]
        ours = ours_in(ended.stderr)
        expected = max(status, SRUN_ENDED) if self.by_srun and way in ENDED_BY_LAUNCHER else status
        if ended.returncode != expected:
            return f"ends with {ended.returncode}, not {expected}: {ended.stderr}"
        if said and (len(ours) != 1 or not ours[0].startswith(said.format(path=path))):
            return f"says {ours}, not once '{said}'"
        if not said and ours:
            return f"says {ours}"
        if said is None and ("task 1" if self.by_srun else "rank 1") not in ended.stderr and status == 137:
            return f"the launcher does not name the rank: {ended.stderr}"
        return f"leaves {left}" if left else ""

    def lacks(self, ranks: int, gpu_path: str) -> str:
        """Why a path cannot be taken here: what the program says of it when nothing fails."""
        try:
            ended = self.ended("nothing", ranks, "", gpu_path)
        except subprocess.TimeoutExpired:
            return ""
        ours = ours_in(ended.stderr)
        return ours[0] if ended.returncode == 2 and ours else ""

    def fault_of_halt(self, portcost: str, ranks: int, gpu_path: str) -> str:
        """One is halted by a signal while the GPUs of the others wait for it: they say so, once, within `--patience`."""
        words = [*self.launcher, str(ranks), portcost, "solve", "jacobi", "--size", "rows=900,columns=900,iterations=1000000000",
                 "--model", "cuda", "--parameter", f"halos={gpu_path}", "--patience", "5"]
        with tempfile.TemporaryDirectory() as folder:
            status, err = halted(words, portcost, WATCHDOG_S, at_line=False, after_s=10, cwd=folder, env=self.environment)
        ours = ours_in(err)
        right = status == 3 and len(ours) == 1 and ("hung: no sign of life in 5 s" in ours[0] or "did not take part in" in ours[0])
        return "" if right else f"ends with {status}: {err}"


def without_gpus(runs: Runs) -> int:
    return sum(report(f"{way}, {ranks} processes", runs.fault(way, ranks, status, said)) for way, ranks, status, said in ENDS)


def with_gpus(runs: Runs, options: argparse.Namespace) -> int | None:
    """How many are wrong; None where nothing could be run."""
    faults = ran = 0
    for path in options.path or PATHS:
        lacks = runs.lacks(options.gpus, path)
        if lacks:
            print(f"{path}: skipped: {lacks}", flush=True)
            continue
        ran += 1
        ends = [*GPU_ENDS, *([("hangs", *GPU_HANGS[path])] if path in GPU_HANGS else [])]
        for way, status, said in ends:
            faults += report(f"{path}: {way}, {options.gpus} GPUs", runs.fault(way, options.gpus, status, said, path))
        if options.portcost:
            wrong = runs.fault_of_halt(options.portcost, options.gpus, path)
            faults += report(f"{path}: a rank that is halted, {options.gpus} GPUs", wrong)
    return faults if ran else None


def main() -> int:
    parser = argparse.ArgumentParser(prog="ends.py PROGRAM MPIEXEC NUMPROC_FLAG", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, nargs="?", const=2, default=0, metavar="N", help="processes with a GPU each, at least 2 (2)")
    parser.add_argument("--path", action="append", choices=PATHS, help="of halos; may be repeated (default: all)")
    parser.add_argument("--portcost", metavar="FILE", help="the command, one of whose processes is halted")
    # The third word begins as options do.
    program, mpiexec, flag = sys.argv[1:4]
    options = parser.parse_args(sys.argv[4:])
    if options.gpus == 1 or options.gpus < 0:
        parser.error(f"--gpus {options.gpus}: one rank fails, and others wait for it: at least 2")
    if options.gpus == 0:
        # Whatever the machine has: these programs see no GPU.
        hidden = {**os.environ, **SLURM, "CUDA_VISIBLE_DEVICES": ""}
        return 1 if without_gpus(Runs(program, [mpiexec, flag], hidden)) else 0
    faults = with_gpus(Runs(program, [mpiexec, flag]), options)
    return SKIPPED if faults is None else 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
