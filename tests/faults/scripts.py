"""Plants faults in the scripts: in a copy of the tree, on which tests of the scripts run. Nothing is built."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from faults import TOO_SLOW, Fault, FaultError, hash_of

NEEDED = ("pytest", "islpy", "jsonschema")  # modules without which tests would be skipped and find nothing
LEFT_OUT = {".git", "build", "__pycache__", ".pytest_cache"}
LINKED = (".venv", "perf/results")  # large, and no fault is planted there


def python_of(root: Path) -> str:
    """The project's own Python where it was made."""
    own = root / ".venv/bin/python3"
    return str(own) if os.access(own, os.X_OK) else sys.executable


def lacks(root: Path) -> str:
    for name in NEEDED:
        done = subprocess.run([python_of(root), "-c", f"import {name}"], capture_output=True, check=False)
        if done.returncode != 0:
            return name
    return ""


def hash_of_scripts(root: Path) -> str:
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


def command_of(root: Path, tests: str) -> list[str]:
    """Runs these tests of the scripts, in a copy of the tree."""
    options = ["-x", "-q", "-rfEs", "-p", "no:cacheprovider"]
    return [python_of(root), "-m", "pytest", *options, *(f"tests/scripts/{name}" for name in tests.split())]


def plant(fault: Fault, root: Path, work: Path) -> Path:
    """A copy of the tree with the fault, in `work`."""
    copy_of(root, work)
    path = work / fault.file
    text = fault.planted(path.read_text(encoding="utf-8"))
    if path.suffix == ".py":
        try:
            compile(text, fault.file, "exec")
        except SyntaxError as error:
            raise FaultError(f"does not compile: {error}") from None
    path.write_text(text, encoding="utf-8")
    return work


def failed_script_test(status: int | str, said: str) -> str:
    """The test that failed first; empty where none is named."""
    if status not in (1, TOO_SLOW):  # 1: tests failed
        raise FaultError(f"the tests cannot be run with it ({status}):\n{said[-2000:]}")
    found = re.search(r"^(?:FAILED|ERROR) tests/scripts/(\S+)", said, flags=re.M)
    return found[1] if found else ""
