"""portcost solve over processes: files with the bytes of one process's, and mistakes as one line and a status.

solve.py PORTCOST MPIEXEC NUMPROC_FLAG: each run has a watchdog.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from halting import halted, ours_in, report

WATCHDOG_S = 300
GRID = ["solve", "jacobi", "--size", "rows=100,columns=37,iterations=200", "--parameter", "check_every=50,fields=random"]
RANKS = (1, 2, 3, 4, 7, 8)
MODELS = ("openmp", "kokkos")

# Processes, arguments, and what the one line says. {there} is a file that exists.
MISTAKES = [
    (4, ["--size", "rows=3,columns=5"], "Cannot distribute, too many processes: 3 rows for 4 of them"),
    (3, ["--size", "rows=0"], "rows=0"),
    (2, ["--type", "f16"], "f16"),
    (2, ["--out", "{there}"], "exists"),
    (2, ["--out", "/nowhere/t.npy"], "/nowhere/t.npy"),
    (2, ["--out", "t.txt"], "t.txt"),
    (2, ["--graph", "g.gr"], "--graph"),
    (2, ["--parameter", "check_every=5,tolerance=-1"], "tolerance=-1"),
    (2, ["--model", "openmp", "--parameter", "halos=nccl"], "nccl: that path is from GPU to GPU"),
    (2, ["--parameter", "halos=nvlink"], "halos"),
    (2, ["--patience", "0"], "--patience 0 is out of range"),
]


class Runs:
    def __init__(self, portcost: str, launcher: list[str], folder: Path):
        self.portcost, self.launcher, self.folder = portcost, launcher, folder

    def run(self, ranks: int, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Of 0 ranks: without a launcher."""
        launched = [*self.launcher, str(ranks)] if ranks else []
        command = [*launched, self.portcost, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_S, check=False, cwd=self.folder)

    def fault_of_file(self, ranks: int, model: str, right: Path) -> str:
        out = self.folder / f"{model}{ranks}{right.suffix}"
        done = self.run(ranks, [*GRID, "--model", model, "--out", str(out)])
        if done.returncode != 0:
            return f"ends with {done.returncode}: {done.stderr}"
        if f"processes        {ranks}\n" not in done.stdout or done.stdout.count("residual") != 1:
            return f"prints {done.stdout}"
        return "" if out.read_bytes() == right.read_bytes() else f"{out.name} has other bytes than {right.name}"

    def fault_of_mistake(self, ranks: int, arguments: list[str], said: str, there: Path) -> str:
        before = sorted(self.folder.iterdir())
        done = self.run(ranks, ["solve", "jacobi", *(word.format(there=there) for word in arguments)])
        lines = ours_in(done.stderr)
        if done.returncode != 2 or len(lines) != 1 or said not in lines[0]:
            return f"ends with {done.returncode} and says {lines}, not '{said}'"
        left = sorted(set(self.folder.iterdir()) - set(before))
        return f"leaves {left}" if left else ""

    def fault_of_halt(self) -> str:
        """A rank that is halted, for which others wait: they say so."""
        grid = ["solve", "jacobi", "--size", "rows=90,columns=90,iterations=1000000000", "--model", "openmp", "--patience", "2"]
        status, err = halted([*self.launcher, "3", self.portcost, *grid], self.portcost, WATCHDOG_S, at_line=False)
        said = ": jacobi/deep_halos/openmp rows=90,columns=90,iterations=1000000000,fields=zero f64 hung: no sign of life in 2 s"
        right = status == 3 and said in err and "(--patience), it waits for another rank, in its first run" in err
        return "" if right else f"ends with {status}: {err}"


def main() -> int:
    portcost, mpiexec, flag = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(portcost, [mpiexec, flag], Path(folder))
        right = [Path(folder) / "right.npy", Path(folder) / "right.raw"]
        for path in right:
            runs.run(0, [*GRID, "--out", str(path)])
        faults = sum(report(f"{model}, {ranks} processes", runs.fault_of_file(ranks, model, path))
                     for ranks in RANKS for model, path in zip(MODELS, right))
        faults += report("a rank that is halted", runs.fault_of_halt())
        faults += sum(report(f"{arguments}, {ranks} processes", runs.fault_of_mistake(ranks, arguments, said, right[0]))
                      for ranks, arguments, said in MISTAKES)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
