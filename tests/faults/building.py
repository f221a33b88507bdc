"""Builds what a fault changes, beside a build folder that stays as it is.

A build folder of Ninja knows the command of every object, library and program, and which files each object includes. The
faulty file lies alone in a folder of its own that precedes the project's among the include folders; the commands that see
it, and those that see what these make, are run with their outputs moved to that folder too. All else is shared, so many
faults can be built at the same time.
"""

import fnmatch
import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from faults import Fault, FaultError

TESTS = "bin/portcost_tests"
RANKS = "bin/portcost_tests_ranks"  # run as several processes
SHAPES = "bin/portcost_tests_device_shapes"  # Kokkos kernels in a device's shapes, on a host
SHAPED_OBJECTS = "*/portcost_tests_shapes.dir/*"
PROGRAMS = ("bin/portcost", "bin/portcost_made_up")  # which tests run


class MissingError(Exception):
    """What is needed is not there."""


@dataclass(frozen=True)
class Edge:
    output: str  # relative to the build folder
    source: str  # of an object: its source, absolute
    command: str

    @property
    def compiles(self) -> bool:
        return self.output.endswith(".o")


def ninja(build: Path, *arguments: str) -> str:
    done = subprocess.run(["ninja", "-C", str(build), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FaultError(f"ninja {' '.join(arguments)} in {build} failed: {done.stderr.strip()}")
    lines = done.stdout.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("ninja: "))


def makes(build: Path, program: str) -> bool:
    rules = build / "build.ninja"
    return rules.exists() and f"build {program}:" in rules.read_text(encoding="utf-8")


def bring_up_to_date(build: Path, programs: set[str]) -> None:
    """The build from which faulty ones are made: the tests, these programs and the command."""
    if not (build / "build.ninja").exists():
        raise MissingError(f"{build} is no finished build: tests/run makes one, --build names another")
    targets = [*sorted(Path(program).name for program in {TESTS, *programs}), "portcost_command"]
    done = subprocess.run(["cmake", "--build", str(build), "--target", *targets], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FaultError(f"the sources do not build as they are:\n{(done.stdout + done.stderr)[-3000:]}")


def read_edges(build: Path) -> list[Edge]:
    edges = []
    for row in json.loads(ninja(build, "-t", "compdb", "-x")):
        output = row["output"]
        if output.endswith((".o", ".a")) or output in (TESTS, SHAPES, RANKS, *PROGRAMS):
            source = str((build / row["file"]).resolve())
            edges.append(Edge(output, source, row["command"]))
    return edges


def read_includes(build: Path, root: Path) -> dict[str, set[str]]:
    """For each file of the project, by its path from the root, the objects that include it."""
    includes: dict[str, set[str]] = {}
    output = ""
    for line in ninja(build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            output = line.split(":")[0]
        elif line.strip():
            path = Path(os.path.normpath(build / line.strip()))
            if path.is_relative_to(root):
                includes.setdefault(str(path.relative_to(root)), set()).add(output)
    return includes


class BuildFolder:
    """A finished build, from which faulty ones are made."""

    def __init__(self, build: Path, root: Path):
        self.build, self.root = build, root
        self.edges = read_edges(build)
        self.includes = read_includes(build, root)

    def objects_of(self, fault: Fault) -> list[Edge]:
        source = str((self.root / fault.file).resolve())
        seen = self.includes.get(fault.file, set())
        found = [e for e in self.edges if e.compiles and (e.source == source or e.output in seen)]
        return [e for e in found if fnmatch.fnmatch(e.output, fault.objects)]

    def plant(self, fault: Fault, work: Path, program: str = TESTS) -> Path:
        """Builds the tests with the fault in `work` and returns the folder of their program."""
        self.put(fault, work)
        if not fault.objects:  # its tests read the text
            return self.build
        shaped = program == SHAPES
        objects = [e for e in self.objects_of(fault) if shaped == fnmatch.fnmatch(e.output, SHAPED_OBJECTS)]
        if not objects:
            raise FaultError(f"{fault.name}: nothing that is built here sees {fault.file}")
        changed: set[str] = set()
        for edge in objects:
            self.compile(edge, fault, work, changed)
        with_command = any("[command" in tests for tests in fault.tests)
        self.link(work, changed, {program, *PROGRAMS} if with_command else {program})
        if program not in changed:
            raise FaultError(f"{fault.name}: the tests do not contain {objects[0].output}")
        return work

    def put(self, fault: Fault, work: Path) -> None:
        """The faulty file, alone in a folder of sources."""
        text = (self.root / fault.file).read_text(encoding="utf-8")
        faulty = work / "sources" / fault.file
        faulty.parent.mkdir(parents=True, exist_ok=True)
        faulty.write_text(fault.planted(text), encoding="utf-8")

    def compile(self, edge: Edge, fault: Fault, work: Path, changed: set[str], more: tuple[str, ...] = ()) -> None:
        self.run(self.compile_words(edge, fault, work, more), work, edge, changed)

    def link(self, work: Path, changed: set[str], programs: set[str]) -> None:
        """Libraries and these programs, where they use what has changed; the tests last, because some know the programs' paths."""
        linked = [e for e in self.edges if not e.compiles and (e.output.endswith(".a") or e.output in programs)]
        for tests in (False, True):
            waiting = [e for e in linked if (e.output in (TESTS, SHAPES, RANKS)) == tests]
            while ready := self.next_ready(waiting, changed):
                waiting.remove(ready)
                self.run(ready.command, work, ready, changed)
            if not tests:
                self.follow_commands(work, changed)

    def next_ready(self, waiting: list[Edge], changed: set[str]) -> Edge | None:
        """One that uses what has changed, the programs last because they use the most."""
        ready = [e for e in waiting if changed & set(shlex.split(e.command))]
        return min(ready, key=lambda e: (e.output in PROGRAMS, e.output), default=None)

    def follow_commands(self, work: Path, changed: set[str]) -> None:
        """Tests that name a program that has changed run the one in `work`."""
        for edge in self.edges:
            command = edge.command
            for program in (one for one in PROGRAMS if one in changed):
                there, here = (f'{folder / program}\\"' for folder in (self.build, work))  # whole: others begin with the same name
                command = command.replace(there, here)
            if edge.compiles and edge.output not in changed and command != edge.command:
                self.run(command, work, edge, changed)

    def compile_words(self, edge: Edge, fault: Fault, work: Path, more: tuple[str, ...] = ()) -> str:
        """The faulty file comes first among those included; a warning about it is no matter."""
        words = shlex.split(edge.command)
        source = str((self.root / fault.file).resolve())
        words = [str(work / "sources" / fault.file) if str((self.build / w).resolve()) == source else w for w in words]
        if Path(edge.source).parent.name == "Unity":
            together = self.put_together(edge, fault, work)
            words = [together if str((self.build / w).resolve()) == edge.source else w for w in words]
        first = next(i for i, word in enumerate(words) if word.startswith("-"))
        words[first:first] = ["-I", str(work / "sources"), "-w"]
        return shlex.join([*words, *more])

    def put_together(self, edge: Edge, fault: Fault, work: Path) -> str:
        """Of several sources that are compiled as one, a list of them that has the faulty one in its place."""
        copy = work / edge.output.replace(".o", "")
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = Path(edge.source).read_text(encoding="utf-8")
        copy.write_text(text.replace(f'"{self.root / fault.file}"', f'"{work / "sources" / fault.file}"'), encoding="utf-8")
        return str(copy)

    def run(self, command: str, work: Path, edge: Edge, changed: set[str]) -> None:
        """Runs a command, which may be several joined by &&, with changed files read from and left in `work`."""
        moved = changed | {edge.output}
        (work / edge.output).parent.mkdir(parents=True, exist_ok=True)
        for part in command.split(" && "):
            words = [self.moved(word, moved, work) for word in shlex.split(part)]
            if words in ([], [":"]):
                continue
            done = subprocess.run(words, cwd=self.build, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                what = "does not compile" if edge.compiles else "cannot be linked"
                message = (done.stderr or done.stdout).strip()[-2000:]
                raise FaultError(f"{what}: {edge.output}\n{message}")
        changed.add(edge.output)

    @staticmethod
    def moved(word: str, moved: set[str], work: Path) -> str:
        stem = word[:-2] if word.endswith(".d") else word
        return str(work / word) if stem in moved else word
