"""The command perf/portcost calls: which calls of CUDA's runtime variants make in a run, how often, and how long each takes."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .files import checked_output, parser_of, words_given, write_all
from .records import RecordError

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("runtime_calls.cpp")

EPILOG = """\
examples:
  perf/portcost calls transfer_bandwidth/pinned_to_device_waiting/cuda transfer_bandwidth/pinned_to_device_waiting/kokkos --size bytes=4096

A variant runs several times, each time between cudaProfilerStart and cudaProfilerStop, and CUDA's driver loads a library that
writes down every call of the runtime meanwhile (CUPTI). The first run, which initialises, is left out. Writing a call down takes
time, too: compare times of one table with each other, and take rates from `portcost bench`. What waits for the run's stream at
its end, a cudaStreamSynchronize, is the instrument's, for all variants.

The library is built by the host's C++ compiler (CXX) with CUPTI's headers and library (CUDA_HOME, else /usr/local/cuda), or given
(--library), as built here:
  c++ -O2 -std=c++20 -shared -fPIC -I$CUDA_HOME/include perf/portcost_records/runtime_calls.cpp -L$CUDA_HOME/lib64 -lcupti -o FILE

exit status: 0; 2 bad input; 3 the machine failed, or the output could not be written"""


@dataclass(frozen=True)
class Calls:
    variant: str
    runs: tuple[tuple[tuple[str, float], ...], ...]

    def counts(self) -> dict[str, float]:
        """Calls a run, on average, in the order of the first run."""
        total = Counter(name for run in self.runs for name, _ in run)
        return {name: count / len(self.runs) for name, count in total.items()}

    def seconds(self, name: str) -> float:
        return median(seconds for run in self.runs for called, seconds in run if called == name)

    def seconds_a_run(self) -> float:
        return median(sum(seconds for _, seconds in run) for run in self.runs)


def read_calls(variant: str, text: str) -> Calls:
    """What the library has written, without the first run."""
    runs: list[list[tuple[str, float]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words == ["run"]:
            runs.append([])
        elif len(words) == 2 and words[1].isdigit() and runs:
            runs[-1].append((words[0], int(words[1]) * 1e-9))
        else:
            raise RecordError(f"calls of {variant}, line {number}: '{line}' is neither a call nor the begin of a run")
    if len(runs) < 2:
        raise RecordError(f"{variant}: {len(runs)} runs were seen, and the first is left out: does it run on the device?")
    return Calls(variant, tuple(tuple(run) for run in runs[1:]))


def table(all_calls: list[Calls]) -> list[str]:
    names = list(dict.fromkeys(name for calls in all_calls for name in calls.counts()))
    lines = []
    for calls in all_calls:
        counts = calls.counts()
        lines.append(f"{calls.variant}: {sum(counts.values()):.4g} calls a run, {calls.seconds_a_run() * 1e6:.2f} us in them")
        for name in names:
            if name in counts:
                lines.append(f"  {counts[name]:6.4g} {name:<40} {calls.seconds(name) * 1e6:8.2f} us each")
    return lines


def built(folder: Path) -> Path:
    cuda = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not (cuda / "include" / "cupti.h").exists() or not compiler:
        raise RecordError(f"no {cuda}/include/cupti.h, or no C++ compiler: name CUDA's folder in CUDA_HOME, or a library in --library")
    library = folder / "libruntime_calls.so"
    done = subprocess.run([compiler, "-O2", "-std=c++20", "-shared", "-fPIC", f"-I{cuda}/include", str(SOURCE), "-o", str(library),
                           f"-L{cuda}/lib64", f"-Wl,-rpath,{cuda}/lib64", "-lcupti"],
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise RecordError(f"{SOURCE.name} was not compiled: {done.stderr.strip()[:500]}")
    return library


def counted(variant: str, options: argparse.Namespace, library: Path, folder: Path) -> Calls:
    out = folder / "calls.txt"
    out.unlink(missing_ok=True)
    words = [str(options.command.resolve()), "run", variant, "--repeat", str(options.repeat + 1),
             *words_given(options, "size", "type")]
    seen = {**os.environ, "CUDA_INJECTION64_PATH": str(library.resolve()), "PORTCOST_CALLS_OUT": str(out)}
    done = subprocess.run(words, env=seen, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace", check=False)
    if done.returncode != 0:
        raise RecordError(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
    if not out.exists():
        raise RecordError(f"{variant}: no calls were seen: {done.stderr.strip()[-500:] or 'does it run on the device?'}")
    return read_calls(variant, out.read_text(encoding="utf-8", errors="replace"))


def parser() -> argparse.ArgumentParser:
    made = parser_of("calls", __doc__, EPILOG)
    made.add_argument("variant", nargs="+", metavar="VARIANT", help="algorithm/step/model, in full")
    made.add_argument("--size", metavar="KEY=VALUE,...")
    made.add_argument("--type")
    made.add_argument("--parameter", action="append", default=[], metavar="KEY=VALUE,...")
    made.add_argument("--repeat", type=int, default=20, metavar="N", help="runs that count (20)")
    made.add_argument("--command", type=Path, default=ROOT / "build" / "cuda" / "bin" / "portcost", metavar="PATH", help="portcost")
    made.add_argument("--library", type=Path, metavar="FILE", help="the library, built before")
    made.add_argument("--json", type=Path, metavar="FILE", help="the table as JSON, too")
    return made


@checked_output("perf/portcost calls")
def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.repeat < 1:
        raise RecordError(f"--repeat {options.repeat}: at least 1 run must count")
    if not os.access(options.command, os.X_OK):
        raise RecordError(f"{options.command}: no such program; perf/prepare --preset cuda builds it, or --command names another")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = options.library or built(folder)
        all_calls = [counted(variant, options, library, folder) for variant in options.variant]
    print("\n".join(table(all_calls)))
    if options.json:
        rows = [{"variant": one.variant, "runs": len(one.runs), "seconds_a_run": one.seconds_a_run(),
                 "calls": [{"name": name, "a_run": count, "seconds": one.seconds(name)} for name, count in one.counts().items()]}
                for one in all_calls]
        write_all({options.json: json.dumps(rows, indent=2) + "\n"})
    return 0
