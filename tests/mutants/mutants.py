"""Mutants: one line of a source changed by a rule of universalmutator. Generating them, drawing some, and those known to be
equivalent to the original."""

import contextlib
import io
import random
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

RULES = ["universal.rules", "c_like.rules", "cpp.rules"]  # universalmutator's own for C++
# These change the time that code takes, never its answer (how loops are vectorised and shared out among threads, what a
# compiler for devices is told), or nothing at all once it compiles.
UNMUTATED = [
    r"^\s*#pragma (unroll|omp simd|omp parallel)",
    r"^\s*assume_team_size<",
    r"^\s*On::begin\(",
    r"^\s*static_assert",
    r"^\s*//",
]


class MutantError(Exception):
    """A list that does not fit the sources."""


@dataclass(frozen=True)
class Target:
    file: str  # from the root
    tests: tuple[str, ...]  # specifications of Catch2, those that concern the file

    @property
    def algorithm(self) -> str:
        parts = Path(self.file).parts
        return parts[1] if parts[0] == "variants" else ""


@dataclass(frozen=True)
class Mutant:
    """Has what BuildFolder asks of a planted fault."""

    file: str
    line: int  # counted from 1
    was: str  # the line without blanks at its ends
    now: str  # the same, mutated; may be several lines
    objects: str = "*"

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}"

    def planted(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        blanks = re.match(r"\s*", lines[self.line - 1])[0]
        lines[self.line - 1] = f"{blanks}{self.now}\n"
        return "".join(lines)

    def changes_text_alone(self) -> bool:
        """Between quotes."""
        was, now = (re.sub(r'"[^"]*"', '""', line) for line in (self.was, self.now))
        return was == now

    def key(self) -> tuple[str, int, str]:
        return self.file, self.line, self.now


def read_targets(root: Path) -> list[Target]:
    targets = []
    for entry in tomllib.loads((root / "tests/mutants/targets.toml").read_text(encoding="utf-8"))["target"]:
        for pattern in entry["files"]:
            found = sorted(str(path.relative_to(root)) for path in root.glob(pattern))
            if not found:
                raise MutantError(f"tests/mutants/targets.toml: no file is called {pattern}")
            targets += [Target(file, tuple(entry["tests"])) for file in found]
    return targets


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//.*", "", text, flags=re.S).strip()


def mutants_of(root: Path, target: Target) -> list[Mutant]:
    """All of a file, in the order in which universalmutator makes them."""
    from universalmutator import mutator

    lines = (root / target.file).read_text(encoding="utf-8").splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):  # it tells what it does
        names = bool(target.algorithm)  # strings of variants
        made = mutator.mutants_regexp(lines, RULES, ignorePatterns=UNMUTATED, ignoreStringOnly=names)
    mutants = [Mutant(target.file, row[0], lines[row[0] - 1].strip(), " ".join(row[1].split("\n")).strip()) for row in made]
    return [mutant for mutant in mutants if without_comments(mutant.was) != without_comments(mutant.now)]


def proportional_counts(counts: dict[str, int], total: int) -> dict[str, int]:
    """How many of `total` each file gets, in proportion to its count; what rounding leaves goes to the largest rests."""
    every = sum(counts.values())
    exact = {file: total * count / every for file, count in counts.items()}
    result = {file: int(value) for file, value in exact.items()}
    by_rest = sorted(counts, key=lambda file: (result[file] - exact[file], file))
    for file in by_rest[: total - sum(result.values())]:
        result[file] += 1
    return result


def shuffled(mutants: list[Mutant], seed: str) -> list[Mutant]:
    """The order in which a file's mutants are drawn: of the seed and the file alone, not of the other files."""
    result = list(mutants)
    random.Random(f"{seed}:{mutants[0].file if mutants else ''}").shuffle(result)
    return result


def read_equivalent(root: Path) -> dict[tuple[str, str, str], str]:
    """Why each is equivalent, by file and by the line before and after. Every one must still stand in its file."""
    known: dict[tuple[str, str, str], str] = {}
    file, lines = "", []
    for line in (root / "tests/mutants/equivalent.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            change, _, why = line.removeprefix("  ").rpartition("  # ")
            parts = change.split("`")
            if len(parts) != 4:
                raise MutantError(f"equivalent.txt: no entry with one `old`new` and a reason: {line}")
            before, old, new, after = parts
            if before + old + after not in lines:
                raise MutantError(f"equivalent.txt: no line of {file} reads {before + old + after!r}: change or remove the entry")
            known[file, before + old + after, before + new + after] = why
        elif not line.startswith("#"):
            file, source = line, root / line
            lines = [text.strip() for text in source.read_text(encoding="utf-8").splitlines()] if source.exists() else []
    return known
