"""Plants faults in the scripts: in a copy of the tree, on which tests of the scripts run. Nothing is built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from faults import Fault, FaultError, hash_of, run_tests

NEEDED = ("pytest", "islpy", "jsonschema")  # modules without which tests would be skipped and find nothing
LEFT_OUT = {".git", "build", "__pycache__", ".pytest_cache"}
LINKED = (".venv", "perf/results")  # large, and no fault is planted there
LONGEST = 300  # seconds, without a fault


def python_of(root: Path) -> str:
    """The project's own Python where it was made."""
    own = root / ".venv/bin/python3"
    return str(own) if os.access(own, os.X_OK) else sys.executable


def lacks(root: Path) -> str:
    """A needed module that is not there."""
    for name in NEEDED:
        done = subprocess.run([python_of(root), "-c", f"import {name}"], capture_output=True, check=False)
        if done.returncode != 0:
            return name
    return ""


def hash_of_scripts(root: Path) -> str:
    """Of what the tests of the scripts run."""
    found = [path for top in ("perf", "tests/scripts") for path in (root / top).rglob("*") if path.is_file()]
    left_out = root / "perf/results"
    return hash_of(root, (path for path in found if "__pycache__" not in path.parts and left_out not in path.parents))


def copy_of(root: Path, folder: Path) -> None:
    """The tree without what was built."""
    linked = {root / name for name in LINKED}

    def left_out(place: str, names: list[str]) -> list[str]:
        return [name for name in names if name in LEFT_OUT or Path(place, name) in linked]

    shutil.copytree(root, folder, ignore=left_out, symlinks=True)
    for path in linked:
        if path.exists():
            (folder / path.relative_to(root)).symlink_to(path.resolve())


class Scripts:
    """Runs tests of the scripts, without a fault and with one."""

    def __init__(self, root: Path, results: Path):
        self.root, self.results = root, results
        self.seconds: dict[tuple[str, ...], float] = {}  # that tests take without a fault

    def test(self, copy: Path, tests: tuple[str, ...], limit: float) -> tuple[int | str, str]:
        command = [python_of(self.root), "-m", "pytest", "-x", "-q", "-rfEs", "-p", "no:cacheprovider"]
        command += [f"tests/scripts/{name}" for name in tests]
        return run_tests(command, limit, cwd=copy, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def without_fault(self, faults: list[Fault]) -> None:
        """Every set of tests once: they must pass, or they would find anything."""
        copy = self.results / "scripts"
        shutil.rmtree(copy, ignore_errors=True)
        wanted = sorted({fault.pytest for fault in faults})
        if wanted:
            copy_of(self.root, copy)
        for tests in wanted:
            start = time.monotonic()
            status, text = self.test(copy, tests, LONGEST)
            self.seconds[tests] = time.monotonic() - start
            if status != 0:
                raise FaultError(f"without a fault, the tests {' '.join(tests)} do not pass ({status}):\n{text[-2000:]}")
        shutil.rmtree(copy, ignore_errors=True)

    def judge(self, fault: Fault, work: Path) -> str:
        """The test that finds it; empty when none does."""
        copy_of(self.root, work)
        path = work / fault.file
        text = fault.planted(path.read_text(encoding="utf-8"))
        if path.suffix == ".py":
            try:
                compile(text, fault.file, "exec")
            except SyntaxError as error:
                raise FaultError(f"does not compile: {error}") from None
        path.write_text(text, encoding="utf-8")
        status, said = self.test(work, fault.pytest, 30 + 3 * self.seconds[fault.pytest])
        if status == 0:
            return ""
        if status not in (1, "too slow"):  # 1: tests failed
            raise FaultError(f"the tests cannot be run with it ({status}):\n{said[-2000:]}")
        found = re.search(r"^(?:FAILED|ERROR) tests/scripts/(\S+)", said, flags=re.M)
        return found[1] if found else f"{' '.join(fault.pytest)}: {status}"
