"""Building a mutant and running tests until one fails."""

import os
import re
import shutil
import threading
import time
from pathlib import Path

from building import PROGRAMS, SHAPES, TESTS, BuildFolder, Edge
from faults import TEAMS, TOO_SLOW, FaultError, failed_test, run_tests
from mutants import Mutant, MutantError, Target

THE_REST = "~[command]~[teams]"  # after those that concern the file
COMMANDS = "[command]"
QUICK = ("-O1", "-fmax-errors=1")  # after the build's own options
# What openmp-checked would find, in the mutated object alone: an index past the end of an array, say, ends the program.
UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize=vptr", "-fsanitize-undefined-trap-on-error")
# A mutant may ask for any amount of memory: less than the machine has must do.
LIMITED = 'ulimit -c 0 -v "$1"; shift; exec "$@"'


class Killer:
    """A build without mutants, and what its tests take."""

    def __init__(self, build: Path, root: Path):
        self.folder, self.root = BuildFolder(build, root), root
        self.work = build.parent / "mutated"
        self.seconds: dict[tuple[str, str], float] = {}
        self.locks: dict[object, threading.Lock] = {}
        self.memory_kib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024 * 2 // 3

    def limit(self, program: str, tests: str, algorithm: str) -> float:
        """How long these tests may take; they must pass without a mutant."""
        key = program, tests, algorithm
        with self.locks.setdefault(key, threading.Lock()):
            if key not in self.seconds:
                start = time.monotonic()
                place = self.work / ("original" + re.sub(r"\W+", "_", "".join(key)))
                failed = self.failed(self.folder.build / program, tests, 600, place, algorithm)
                if failed:
                    raise MutantError(f"without a mutant, the tests {tests} of {program} do not pass: {failed}")
                self.seconds[key] = time.monotonic() - start
        return 15 + 3 * self.seconds[key]

    def failed(self, program: Path, tests: str, limit: float, work: Path, algorithm: str) -> str:
        """The test that fails, or how the program ended; empty when all pass. `algorithm`: the only one that tests of the
        whole catalogue run, unless empty."""
        temporary = work / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        threads = "4" if tests == TEAMS else str(min(4, len(os.sched_getaffinity(0))))
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive",
                       "TMPDIR": str(temporary), "PORTCOST_PLANTED_SOURCES": str(work / "sources")}  # fmt: skip
        if algorithm:
            environment["PORTCOST_TEST_ALGORITHM"] = algorithm
        words = ["bash", "-c", LIMITED, "bash", str(self.memory_kib), str(program), tests, "--abort"]
        status, text = run_tests(words, limit, env=environment)
        shutil.rmtree(temporary, ignore_errors=True)
        if status in (0, 4):  # 4: all were skipped
            return ""
        return failed_test(text) or f"{tests}: {status}"


class Unit:
    """One file, its mutants one after the other, in a folder of its own."""

    def __init__(self, killer: Killer, target: Target):
        self.killer, self.target = killer, target
        self.work = killer.work / re.sub(r"[/.]", "_", target.file)
        first = (killer.root / target.file).read_text(encoding="utf-8").splitlines()[0]
        self.unchanged = Mutant(target.file, 1, first, first)
        self.original: dict[str, bytes] = {}  # what each object is without a mutant
        self.sound: bool | None = None  # the original does nothing undefined

    def objects(self, shapes: bool) -> list[Edge]:
        seen = self.killer.folder.objects_of(Mutant(self.target.file, 1, "", ""))
        return [edge for edge in seen if ("portcost_tests_shapes" in edge.output) == shapes]

    def compile_original(self) -> None:
        """In the same folder and by the same command as mutants, so that equal code is an equal file."""
        self.killer.folder.put(self.unchanged, self.work)
        for edge in self.objects(False) + self.objects(True):
            self.killer.folder.compile(edge, self.unchanged, self.work, set(), QUICK)
            self.original[edge.output] = (self.work / edge.output).read_bytes()

    def undefined(self, mutant: Mutant) -> str:
        """The test in which the mutant does what no C++ program may, and the original does not."""
        if self.sound is None:
            self.killer.folder.put(self.unchanged, self.work)
            self.sound = self.trapped(self.unchanged) == ""
            self.killer.folder.put(mutant, self.work)
        by = self.trapped(mutant) if self.sound else ""
        # That build is slower than the one whose tests set the limits of time.
        return f"undefined behaviour: {by}" if by and not by.endswith(TOO_SLOW) else ""

    def trapped(self, mutant: Mutant) -> str:
        folder, changed = self.killer.folder, set()
        for edge in self.objects(False):
            folder.compile(edge, mutant, self.work, changed, (*QUICK, *UNDEFINED))
        folder.link(self.work, changed, {TESTS})
        return self.first_failure(TESTS, self.target.tests)

    def compile(self, mutant: Mutant, shapes: bool, changed: set[str]) -> None:
        """Adds to `changed` what differs from the original."""
        for edge in self.objects(shapes):
            self.killer.folder.compile(edge, mutant, self.work, changed, QUICK)
            if (self.work / edge.output).read_bytes() == self.original[edge.output]:
                changed.remove(edge.output)

    def kill(self, mutant: Mutant) -> dict:
        if not self.original:
            self.compile_original()
        start = time.monotonic()
        row = {"file": mutant.file, "line": mutant.line, "was": mutant.was, "is": mutant.now, "by": ""}
        self.killer.folder.put(mutant, self.work)
        try:
            row["outcome"], row["by"] = self.outcome(mutant)
            if row["outcome"] == "survived" and self.same_optimised(mutant):
                row["outcome"] = "same object"
        except FaultError:
            row["outcome"] = "does not build"
        row["seconds"] = round(time.monotonic() - start, 1)
        return row

    def same_optimised(self, mutant: Mutant) -> bool:
        """The build's own optimiser makes the same code of both: the mutant is the original (Papadakis and others, Trivial
        Compiler Equivalence, ICSE 2015)."""
        made = []
        for text in (self.unchanged, mutant):
            self.killer.folder.put(text, self.work)
            for edge in self.objects(False) + self.objects(True):
                self.killer.folder.compile(edge, text, self.work, set())
                made.append((self.work / edge.output).read_bytes())
        half = len(made) // 2
        return made[:half] == made[half:]

    def outcome(self, mutant: Mutant) -> tuple[str, str]:
        folder, changed = self.killer.folder, set()
        self.compile(mutant, False, changed)
        on_host = bool(changed)
        if on_host:
            folder.link(self.work, changed, {TESTS})
            if by := self.first_failure(TESTS, self.target.tests) or self.undefined(mutant):
                return "killed", by
            if by := self.first_failure(TESTS, (THE_REST, TEAMS)):
                return "killed", by
        shaped: set[str] = set()
        self.compile(mutant, True, shaped)
        if shaped:
            changed |= shaped
            folder.link(self.work, changed, {SHAPES})
            if by := self.first_failure(SHAPES, (TEAMS,)):
                return "killed", by
        if on_host:
            folder.link(self.work, changed, {*PROGRAMS, TESTS})
            if by := self.first_failure(TESTS, (COMMANDS,)):
                return "killed", by
        return ("survived" if changed else "same object"), ""

    def first_failure(self, program: str, all_tests: tuple[str, ...]) -> str:
        for tests in all_tests:
            own = tests in self.target.tests
            algorithm = self.target.algorithm if own else ""
            limit = self.killer.limit(program, tests, algorithm)
            # Tests that do not concern the file may fail by chance on a busy machine: what they say must hold twice.
            for _ in range(1 if own else 2):
                by = self.killer.failed(self.work / program, tests, limit, self.work, algorithm)
                if not by:
                    break
            if by:
                return by
        return ""
