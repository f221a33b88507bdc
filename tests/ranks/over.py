"""Runs the tests of several processes for 1, 2, 3, 4, 7 and 8 of them, and writes a line of each as a short log.

over.py PROGRAM MPIEXEC NUMPROC_FLAG [--out FILE]: PROGRAM is portcost_tests_ranks. ctest runs the same (`ctest -L ranks`) and says less
of it; this needs no build folder, only the program, and says how many tests were run, passed and skipped, and on which GPUs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

WATCHDOG_S = 1800
COUNTS = (1, 2, 3, 4, 7, 8)
ROOT = Path(__file__).resolve().parents[2]
# As ctest has it: more processes than cores are allowed, and threads that wait give their core away.
ENVIRONMENT = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "SLURM_OVERCOMMIT": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
TOTAL = re.compile(r"^(All tests passed.*|No tests ran.*|test cases:.*|assertions:.*)$", re.MULTILINE)


def first_lines(command: list[str]) -> list[str]:
    """What a command prints; nothing where it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    except OSError:
        return []
    return done.stdout.strip().splitlines() if done.returncode == 0 else []


def header(mpiexec: str, commit: str) -> list[str]:
    gpus = first_lines(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    changed = "-dirty" if first_lines(["git", "status", "--porcelain", "--untracked-files=no"]) else ""
    known = commit or "".join(first_lines(["git", "rev-parse", "--short=12", "HEAD"])[:1]) + changed
    mpi = first_lines([mpiexec, "--version"])[:1]
    return [f"commit: {known or 'not known'}", f"MPI: {''.join(mpi) or 'not known'}", f"cores: {len(os.sched_getaffinity(0))}",
            f"GPUs: {'; '.join(gpus) or 'none'}"]


def line_of(command: list[str], what: str) -> tuple[str, bool]:
    """How one run ends, and whether all is well."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=WATCHDOG_S, check=False,
                              env={**ENVIRONMENT, **os.environ})
    except subprocess.TimeoutExpired:
        return f"{what}: does not end within {WATCHDOG_S} s", False
    said = " ".join(re.sub(r"\s+", " ", one) for one in TOTAL.findall(done.stdout)) or "ends before its last line"
    # 4: all tests were skipped.
    well = done.returncode in (0, 4)
    if not well:
        print(done.stdout + done.stderr, file=sys.stderr, flush=True)
    status = "" if done.returncode == 0 else f", status {done.returncode}"
    return f"{what}: {said}{status}, {time.monotonic() - begin:.0f} s", well


def main() -> int:
    parser = argparse.ArgumentParser(prog="over.py PROGRAM MPIEXEC NUMPROC_FLAG", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="", help="of the program, where this folder is no git repository")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the log there, too, as it grows")
    program, mpiexec, flag = sys.argv[1:4]
    options = parser.parse_args(sys.argv[4:])
    log = header(mpiexec, options.commit)
    print("\n".join(log), flush=True)
    all_well = True
    for spec in ("[ranks]", "~[ranks]"):
        for ranks in COUNTS:
            what = f"{spec}, {ranks} {'process' if ranks == 1 else 'processes'}"
            line, well = line_of([mpiexec, flag, str(ranks), program, spec, "--colour-mode", "none"], what)
            all_well &= well
            print(line, flush=True)
            log.append(line)
            if options.out is not None:
                options.out.write_text("\n".join([*log, ""]))
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
