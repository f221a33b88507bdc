"""Runs one command under Nsight Compute and reads what it counted."""

from __future__ import annotations

import csv
import glob
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .counters import BARRIERS, METRICS, Metric

PLACES = "/usr/local/cuda/bin:/opt/nvidia/nsight-compute/*"
PERMISSION = "ERR_NVGPUCTRPERM"
SCALES = {"s": 1.0, "second": 1.0, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "usecond": 1e-6,
          "ns": 1e-9, "nsecond": 1e-9, "byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9,
          "Tbyte": 1e12}


class ExplainError(Exception):
    """One line for the user, and the exit status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Kernel:
    """One launch as Nsight Compute saw it."""

    name: str
    block: str
    grid: str
    values: dict[str, float]


@dataclass
class Ncu:
    """The program, and which metrics this chip turned out not to have."""

    program: str
    most_kernels: int
    dropped: set[str] = field(default_factory=set)
    instances: bool = True

    def asked(self) -> dict[str, Metric]:
        """The first name of each metric that is not known to be missing."""
        found = {}
        for metric in METRICS:
            name = next((name for name in metric.names if name not in self.dropped), None)
            if name and (self.instances or name != BARRIERS):
                found[name] = metric
        return found

    def profile(self, command: list[str]) -> tuple[list[Kernel], str]:
        """The kernels of the command's profiled range, and what the command printed."""
        while True:
            asked = self.asked()
            if not asked:
                raise ExplainError(3, "this Nsight Compute knows none of the counters; "
                                      "install a newer one")
            output, log = self._run(command, list(asked))
            said = f"{log}\n{output.stdout}\n{output.stderr}"
            if PERMISSION in said:
                raise ExplainError(3, "the driver lets only the administrator read the GPU's "
                                      f"counters ({PERMISSION}): run with sudo, or load the nvidia "
                                      "module with NVreg_RestrictProfilingToAdminUsers=0 (in a "
                                      "container: start it with --cap-add=SYS_ADMIN)")
            kernels = read_kernels(log, asked)
            if self.instances and re.search(r"unrecogni[sz]ed option|print-metric-instances", said):
                self.instances = False
            elif missing := named_as_missing(said, list(asked), bool(kernels)):
                self.dropped |= missing
            elif kernels:
                return kernels, output.stdout
            else:
                raise failure(said, output.stderr)

    def _run(self, command: list[str], names: list[str]
             ) -> tuple[subprocess.CompletedProcess[str], str]:
        options = ["--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
                   "--profile-from-start", "off", "--launch-count", str(self.most_kernels)]
        if self.instances:
            options += ["--print-metric-instances", "details"]
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "ncu.csv"
            line = [self.program, *options, "--metrics", ",".join(names), "--log-file", str(log),
                    *command]
            try:
                output = subprocess.run(line, capture_output=True, text=True, errors="replace",
                                        env={**os.environ, "LC_ALL": "C"}, check=False)
            except OSError as error:
                raise ExplainError(3, f"{self.program} cannot be run ({error.strerror})") from None
            text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        return output, text


def find_ncu() -> str:
    """On PATH, else in one of the usual places, the newest version first."""
    if program := shutil.which("ncu"):
        return program
    for place in os.environ.get("PORTCOST_NCU_PLACES", PLACES).split(":"):
        for folder in sorted(glob.glob(place), key=version_of, reverse=True) if place else []:
            if program := shutil.which("ncu", path=folder):
                return program
    raise ExplainError(3, "Nsight Compute (ncu) is not installed: install the package "
                          "nsight-compute of NVIDIA's CUDA repository "
                          "(https://developer.nvidia.com/nsight-compute) or put ncu on PATH")


def version_of(folder: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", folder)]


def named_as_missing(said: str, names: list[str], has_kernels: bool) -> set[str]:
    """Metrics that an error line names; a warning counts only where nothing was measured."""
    marks = ("==ERROR==",) if has_kernels else ("==ERROR==", "==WARNING==")
    lines = " ".join(line.replace("\\", "") for line in said.splitlines()
                     if line.startswith(marks) and "metric" in line.lower())
    return {name for name in names
            if re.search(rf"(?<!\w){re.escape(name.split('.')[0])}(?!\w)", lines)}


def failure(said: str, stderr: str) -> ExplainError:
    """Why nothing was measured: portcost's own line, else Nsight Compute's."""
    for line in stderr.splitlines():
        if line.startswith("portcost: "):
            return ExplainError(3 if line.startswith("portcost: failed") else 2,
                                line.removeprefix("portcost: "))
    lines = [line.strip() for line in said.splitlines() if line.startswith("==ERROR==")]
    lines = lines or [line.strip() for line in said.splitlines() if line.startswith("==WARNING==")]
    return ExplainError(3, f"Nsight Compute measured nothing: {lines[0] if lines else 'no reason given'}")


def read_kernels(log: str, asked: dict[str, Metric]) -> list[Kernel]:
    """The rows of the raw page: a header, a row of units, a row a launch."""
    lines = [line for line in log.splitlines() if line.startswith('"')]
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    header, *rows = csv.reader(lines[start:])
    units: dict[str, str] = {}
    kernels = []
    for row in rows:
        cells = dict(zip(header, row))
        if not cells["ID"]:
            units = cells
            continue
        values = {metric.key: value for name, metric in asked.items()
                  if (value := read_value(name, cells.get(name, ""), units.get(name, ""))) is not None}
        kernels.append(Kernel(short_name(cells.get("Kernel Name", "")), cells.get("Block Size", ""),
                              cells.get("Grid Size", ""), values))
    return kernels


def read_value(name: str, cell: str, unit: str) -> float | None:
    """The number in base units; None for "n/a" and the like."""
    if name == BARRIERS:
        counts = re.findall(r"([A-Z][\w.]*):\s*([\d.,]+)", cell)
        if not counts:
            return None
        return sum(number(count) or 0.0 for opcode, count in counts if opcode.split(".")[0] == "BAR")
    value = number(cell.split(" (")[0])
    return None if value is None else value * SCALES.get(unit.split("/")[0], 1.0)


def number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "").strip())
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def short_name(name: str, most: int = 90) -> str:
    """A demangled name without "void", namespaces and parameters."""
    name = name.replace("(anonymous namespace)::", "")
    name = re.sub(r"(^|::|[\s,(<])<unnamed>::", r"\1", name)
    # ncu takes namespaces off itself, and half an unnamed one with them: "Outer<unnamed>::Inner>".
    name = name.replace("unnamed>::", "")
    name = re.sub(r"\b\w+::", "", name.removeprefix("void "))
    depth, end = 0, len(name)
    for place, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth <= 0:
            end = place
            break
    name = name[:end]
    return name if len(name) <= most else name[:most - 1] + "…"


def combined(kernels: list[Kernel]) -> dict[str, float]:
    """Sums over the kernels where a metric adds up, the longest kernel's figure elsewhere."""
    longest = max(kernels, key=lambda kernel: kernel.values.get("seconds", 0.0)).values
    values: dict[str, float] = {}
    for metric in METRICS:
        if metric.additive:
            found = [kernel.values[metric.key] for kernel in kernels if metric.key in kernel.values]
            if found:
                values[metric.key] = sum(found)
        elif metric.key in longest:
            values[metric.key] = longest[metric.key]
    return values


def summary(kernels: list[Kernel]) -> list[dict[str, object]]:
    """Each kernel by name: launches, time together, and the shape of its first launch."""
    found: dict[str, dict[str, object]] = {}
    for kernel in kernels:
        row = found.setdefault(kernel.name, {"name": kernel.name, "launches": 0, "seconds": 0.0,
                                             "block": kernel.block, "grid": kernel.grid})
        row["launches"] += 1
        row["seconds"] += kernel.values.get("seconds", 0.0)
    return sorted(found.values(), key=lambda row: -row["seconds"])
