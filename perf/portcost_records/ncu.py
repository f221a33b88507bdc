"""Nsight Compute: where the program ncu and its reader ncu_report are, one command under it, and the launches in its report."""

import glob
import importlib
import importlib.util
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from .counters import BY_OPCODE, METRICS, OPCODES, Metric
from .records import ExplainError, Kernel, grouped

PERMISSION = "ERR_NVGPUCTRPERM"


@dataclass(frozen=True)
class Launch:
    kernel: str
    values: dict[str, float]


@dataclass
class Ncu:
    """The program, NVIDIA's reader of its reports, and which metrics this chip turned out not to have."""

    program: str
    reader: ModuleType
    most_kernels: int
    dropped: set[str] = field(default_factory=set)
    metrics: tuple[Metric, ...] = METRICS
    options: tuple[str, ...] = ()
    """Further options of ncu."""
    ranges: bool = False
    """Count a profiled range as a whole, as one launch, in place of each of its kernels. Kernels then run as without a profiler,
    and where the counters need several passes the command runs again for each."""

    def asked(self) -> dict[str, Metric]:
        found = {}
        for metric in self.metrics:
            name = next((name for name in metric.names if name not in self.dropped), None)
            if name:
                found[name] = metric
        return found

    def profile(self, command: list[str]) -> tuple[list[Launch], str]:
        """The launches of the command's profiled range, and what the command printed."""
        while True:
            asked = self.asked()
            if not asked:
                raise ExplainError(3, "this Nsight Compute knows none of the counters; install a newer one")
            output, said, launches = self._run(command, asked)
            if PERMISSION in said:
                raise ExplainError(3, f"the driver lets only the administrator read the GPU's counters ({PERMISSION}): run with "
                                      "sudo, or load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0 (in a "
                                      "container: start it with --cap-add=SYS_ADMIN). Without counters `portcost bench` shows "
                                      "beside a variant's time the least time of memory and of arithmetic alone")
            if missing := named_as_missing(said, list(asked), bool(launches)):
                self.dropped |= missing
            elif launches:
                return launches, output.stdout
            else:
                raise failure(said, output.stderr)

    def _run(self, command: list[str], asked: dict[str, Metric]) -> tuple[subprocess.CompletedProcess[str], str, list[Launch]]:
        """What the command printed; that, with what Nsight Compute said; and the launches."""
        kind = (["--replay-mode", "app-range"] if self.ranges else
                ["--profile-from-start", "off", "--launch-count", str(self.most_kernels)])
        options = ["--force-overwrite", "--clock-control", "none", *kind, *self.options]
        with tempfile.TemporaryDirectory() as folder:
            log, report = Path(folder) / "ncu.log", Path(folder) / "run.ncu-rep"
            line = [self.program, *options, "--metrics", ",".join(asked), "--log-file", str(log),
                    "--export", str(report), *command]
            try:
                output = subprocess.run(line, capture_output=True, encoding="utf-8", errors="replace",
                                        env={**os.environ, "LC_ALL": "C"}, check=False)
            except OSError as error:
                raise ExplainError(3, f"{self.program} cannot be run ({error.strerror})") from None
            text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
            launches = read_launches(self.reader, report, asked) if report.exists() else []
        return output, f"{text}\n{output.stdout}\n{output.stderr}", launches


def named_as_missing(said: str, names: list[str], has_launches: bool) -> set[str]:
    """Metrics that an error line names; a warning counts only where nothing was measured."""
    marks = ("==ERROR==",) if has_launches else ("==ERROR==", "==WARNING==")
    lines = " ".join(line.replace("\\", "") for line in said.splitlines()
                     if line.startswith(marks) and "metric" in line.lower())
    return {name for name in names if re.search(rf"(?<!\w){re.escape(name.split('.')[0])}(?!\w)", lines)}


def failure(said: str, stderr: str) -> ExplainError:
    """Why nothing was measured: portcost's own line, else Nsight Compute's."""
    for line in stderr.splitlines():
        if line.startswith("portcost: "):
            return ExplainError(3 if line.startswith("portcost: failed") else 2, line.removeprefix("portcost: "))
    lines = [line.strip() for line in said.splitlines() if line.startswith("==ERROR==")]
    lines = lines or [line.strip() for line in said.splitlines() if line.startswith("==WARNING==")]
    return ExplainError(3, f"Nsight Compute measured nothing: {lines[0] if lines else 'no reason given'}")


PLACES = "/usr/local/cuda/bin:/opt/nvidia/nsight-compute/*"
READER = "ncu_report"
READER_FOLDER = "extras/python"
REMEDY = ("install the whole package nsight-compute of NVIDIA's CUDA repository, or name its folder "
          f"{READER_FOLDER} in PYTHONPATH")


def find_ncu() -> str:
    """On PATH, else in one of the usual places, the newest version first."""
    for folder in (None, *usual_places()):
        if program := shutil.which("ncu", path=folder):
            return program
    raise ExplainError(3, "Nsight Compute (ncu) is not installed: install the package nsight-compute of NVIDIA's CUDA repository "
                          "(https://developer.nvidia.com/nsight-compute) or put ncu on PATH")


def usual_places() -> list[str]:
    places = os.environ.get("PORTCOST_NCU_PLACES", PLACES).split(":")
    return [folder for place in places if place for folder in newest_first(place)]


def newest_first(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern), key=lambda folder: [int(part) for part in re.findall(r"\d+", folder)], reverse=True)


def load_reader(program: str) -> ModuleType:
    """The module ncu_report of this ncu, or of the newest version that is there: it reads the reports of older ones, too."""
    places = reader_places(program)
    folder = next((place for place in places if (place / f"{READER}.py").is_file()), None)
    if folder:
        sys.path.insert(0, str(folder))
    elif importlib.util.find_spec(READER) is None:
        raise ExplainError(3, f"NVIDIA's Python module {READER} is in none of {', '.join(map(str, places))}: {REMEDY}")
    try:
        return importlib.import_module(READER)
    except (ImportError, OSError, RuntimeError, SyntaxError) as error:  # it is a compiled module
        where = folder or "PYTHONPATH"
        raise ExplainError(3, f"{READER} in {where} does not load in Python {platform.python_version()} ({first_line(error)}): "
                              "run perf/portcost explain with the system's Python, or install a newer Nsight Compute") from None


def reader_places(program: str) -> list[Path]:
    """Beside the program; in the toolkit's folder, where the program is a script there; and in the usual places."""
    home = Path(program).resolve().parent
    folders = [str(home), *newest_first(f"{glob.escape(str(home.parent))}/nsight-compute-*"), *usual_places()]
    return [Path(folder) / READER_FOLDER for folder in dict.fromkeys(folders)]


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


NANOSECOND = 1e-9


def read_launches(reader: ModuleType, report: Path, asked: Mapping[str, Metric]) -> list[Launch]:
    try:
        ranges = reader.load_report(str(report))
        actions = [part.action_by_idx(j) for part in map(ranges.range_by_idx, range(ranges.num_ranges()))
                   for j in range(part.num_actions())]
        return [Launch(short_name(action.name(reader.IAction.NameBase_DEMANGLED) or "range"), values_of(action, asked))
                for action in actions]
    except (AttributeError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise ExplainError(3, f"{reader.__file__} cannot read what ncu wrote ({first_line(error)}): both must be of one "
                              "installation of Nsight Compute, whose ncu is on PATH") from None


def values_of(action: Any, asked: Mapping[str, Metric]) -> dict[str, float]:
    values = {}
    for name, metric in asked.items():
        counter = action.metric_by_name(name)
        if name == OPCODES:
            values |= by_opcode(counter)
        # The reader gives 0 for what was not measured.
        elif counter is not None and counter.has_value() and math.isfinite(value := counter.as_double()):
            # A report holds base units, and its base unit of time is the nanosecond (the unit that
            # the reader then names may be "second").
            values[metric.key] = value * NANOSECOND if metric.unit == "s" else value
    return values


def by_opcode(counter: Any) -> dict[str, float]:
    if counter is None or not counter.num_instances() or not counter.has_correlation_ids():
        return {}
    names = counter.correlation_ids()
    counts = [(names.as_string(i).split(".")[0], counter.as_double(i)) for i in range(counter.num_instances())]
    return {key: sum(count for name, count in counts if name in opcodes) for key, opcodes in BY_OPCODE.items()}


def short_name(name: str) -> str:
    """A demangled name without "void", namespaces, parameters and casts of template arguments."""
    name = name.replace("(anonymous namespace)::", "")
    name = re.sub(r"(^|::|[\s,(<])<unnamed>::", r"\1", name)
    # ncu takes namespaces off itself, and half an unnamed one with them: "Outer<unnamed>::Inner>".
    name = name.replace("unnamed>::", "")
    name = re.sub(r"\b\w+::", "", name.removeprefix("void "))
    name = re.sub(r"\([a-z ]+\)(?=-?\d)", "", name)
    depth, end = 0, len(name)
    for place, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth <= 0:
            end = place
            break
    name = name[:end]
    return name if len(name) <= 90 else name[:89] + "…"


def combined(launches: list[Launch]) -> dict[str, float]:
    """Sums over the launches where a metric adds up, the longest launch's figure elsewhere."""
    longest = max(launches, key=lambda launch: launch.values.get("seconds", 0.0)).values
    values: dict[str, float] = {}
    for metric in METRICS:
        if metric.additive:
            found = [launch.values[metric.key] for launch in launches if metric.key in launch.values]
            if found:
                values[metric.key] = sum(found)
        elif metric.key in longest:
            values[metric.key] = longest[metric.key]
    return values


def kernels_of(launches: list[Launch]) -> tuple[Kernel, ...]:
    """Each kernel by name, the longest first: launches, and time together."""
    kernels = [Kernel(name, len(found), sum(launch.values.get("seconds", 0.0) for launch in found))
               for name, found in grouped(launches, lambda launch: launch.kernel).items()]
    return tuple(sorted(kernels, key=lambda kernel: -kernel.seconds))
