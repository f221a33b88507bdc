"""Runs one command under Nsight Compute."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from .counters import METRICS, Metric
from .explain_error import ExplainError
from .launches import Launch, read_launches

PERMISSION = "ERR_NVGPUCTRPERM"


@dataclass
class Ncu:
    """The program, NVIDIA's reader of its reports, and which metrics this chip turned out not to
    have."""

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
        """The first name of each metric that is not known to be missing."""
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
                raise ExplainError(3, "this Nsight Compute knows none of the counters; "
                                      "install a newer one")
            output, said, launches = self._run(command, asked)
            if PERMISSION in said:
                raise ExplainError(3, "the driver lets only the administrator read the GPU's "
                                      f"counters ({PERMISSION}): run with sudo, or load the nvidia "
                                      "module with NVreg_RestrictProfilingToAdminUsers=0 (in a "
                                      "container: start it with --cap-add=SYS_ADMIN)")
            if missing := named_as_missing(said, list(asked), bool(launches)):
                self.dropped |= missing
            elif launches:
                return launches, output.stdout
            else:
                raise failure(said, output.stderr)

    def _run(self, command: list[str], asked: dict[str, Metric]
             ) -> tuple[subprocess.CompletedProcess[str], str, list[Launch]]:
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
