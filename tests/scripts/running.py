"""Running the tools of perf, and the golden files that their output is compared with.

Run `PORTCOST_UPDATE_GOLDEN=1 pytest tests/scripts` to rewrite the golden files after a wanted
change, and read their diff before committing it.
"""

import json
import multiprocessing
import os
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from portcost_records.reading import read_record
from portcost_records.records import RecordError

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).resolve().parent / "golden"
TOOL = str(ROOT / "perf/setup/tool")
FORKS = multiprocessing.get_context("forkserver")
"""Processes that begin with the report's modules imported, which takes half a second otherwise."""
FORKS.set_forkserver_preload([f"portcost_records.{name}" for name in ("report", "compare", "explain")])


def run_tool(tool: str, *arguments: object, status: int = 0, text: bool = True, **options: Any) -> subprocess.CompletedProcess:
    """Runs a subcommand of perf/portcost that needs no build, which must end with `status`. With `options`, those of
    subprocess.run, the process is a new one from its start."""
    command = [TOOL, tool, *map(str, arguments)]
    if options or not text:
        done = subprocess.run([sys.executable, *command], capture_output=True, text=text, timeout=300, check=False, **options)
    else:
        done = run_forked(command)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def run_forked(command: list[str]) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("out", "err")]
        process = FORKS.Process(target=tool_in_child, args=(command, [str(path) for path in paths], dict(os.environ), os.getcwd()))
        process.start()
        process.join(300)
        assert process.exitcode is not None, f"{command} did not end in 300 s"
        return subprocess.CompletedProcess(command, process.exitcode, *(path.read_text(encoding="utf-8") for path in paths))


def tool_in_child(command: list[str], paths: list[str], environment: dict[str, str], folder: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate(paths, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), number)
    sys.argv = command
    runpy.run_path(TOOL, run_name="__main__")


def cmake_script(folder: Path, text: str, **definitions: object) -> str:
    """What CMake says that runs this script, in which ROOT and these are defined."""
    (folder / "script.cmake").write_text(text)
    command = ["cmake", f"-DROOT={ROOT}", *(f"-D{name}={value}" for name, value in definitions.items()), "-P", folder / "script.cmake"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def report_of(record: Path, *options: object) -> tuple[str, str]:
    """report.md and report.html of a record, which are written beside it."""
    run_tool("report", record, *options)
    text, page = (record.with_name(f"report.{ending}").read_text(encoding="utf-8") for ending in ("md", "html"))
    return text, page


class Main:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def printed(self, main: Callable[[list[str]], int], *words: object) -> list[str]:
        assert main([*map(str, words)]) == 0
        return self.capsys.readouterr().out.splitlines()

    def refused(self, main: Callable[[list[str]], int], *words: object) -> str:
        assert main([*map(str, words)]) == 2
        (line,) = self.capsys.readouterr().err.splitlines()
        return line


def refusal(folder: Path, content: bytes | list[dict[str, Any]]) -> str:
    """Why a record of this content is refused: one line, here without the path that it begins with."""
    path = folder / "bad.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else "".join(json.dumps(line) + "\n" for line in content).encode())
    with pytest.raises(RecordError) as error:
        read_record(path)
    said = str(error.value)
    assert said.lstrip("'").startswith(str(path)) and "\n" not in said
    return said.lstrip("'").removeprefix(str(path)).lstrip("'")


def full_disk(most: int) -> Callable[[], None]:
    """What a process begins with for which a disk is full: no file can have more bytes."""
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return limit


def without_modules(folder: Path, *names: str) -> dict[str, str]:
    """The environment in which Python does not find these modules."""
    for name in names:
        (folder / f"{name}.py").write_text(f"raise ImportError(name='{name}')\n")
    return {"PYTHONPATH": str(folder)}


def one_error(done: subprocess.CompletedProcess[str], tool: str, *named: str) -> None:
    """The last line is the command's, and names these."""
    assert done.stdout == "" and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"perf/portcost {tool}: ") and all(words in last for words in named), last


def check_golden(name: str, text: str) -> None:
    """Compares with the committed file, or rewrites it when asked to."""
    path = GOLDEN / name
    if os.environ.get("PORTCOST_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
