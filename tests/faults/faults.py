"""The list of planted faults: reading it, planting one in a text, choosing from it."""

import fnmatch
import hashlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ENTRY = re.compile(r"  (?P<name>\S+)(?P<tags>(?: @\S+)*)  (?P<change>\S.*?)(?:  # (?P<why>.*))?")
TAGS = {"host", "gpu", "any", "teams", "ranks", "objects", "tests", "pytest"}
PLACES = {"host", "gpu", "any"}

TOO_SLOW = "too slow"
TEAMS = "[teams]"
TEAMS_OF_ALGORITHMS = "[teams][algorithms]"  # those that PORTCOST_TEST_ALGORITHM makes tests of one algorithm


class FaultError(Exception):
    """A fault that proves nothing: its text is not there, it does not compile, its tests fail without it."""


@dataclass(frozen=True)
class Fault:
    name: str  # stem of the list's file, then model, step and what is wrong
    file: str  # from the root
    find: str
    replace: str
    why: str  # the change where the list gives no reason
    tests: tuple[str, ...]  # specifications of Catch2, run one after the other
    place: str
    within: str = ""  # the text is the first one after this, which stands once in the file
    teams: bool = False  # found on a host by the tests of teams, in a device's shapes
    ranks: int = 0  # found by the tests of several processes, run by so many
    pytest: tuple[str, ...] = ()  # of scripts: files of tests/scripts, or tests in them (file::test)
    objects: str = "*"  # which objects that see the file are built again; "": its tests read the text

    def key(self) -> str:
        fields = {name: value for name, value in asdict(self).items() if name not in ("name", "why")}
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:16]

    def planted(self, text: str) -> str:
        begin = 0
        if self.within:
            begin = self.only(text, self.within, "within") + len(self.within)
            at = text.find(self.find, begin)
            if at < 0:
                raise FaultError(f"{self.name}: 'find' is not in {self.file} after 'within'")
        else:
            at = self.only(text, self.find, "find")
        return text[:at] + self.replace + text[at + len(self.find) :]

    def only(self, text: str, wanted: str, field: str) -> int:
        count = text.count(wanted)
        if count != 1:
            raise FaultError(f"{self.name}: '{field}' is {count} times in {self.file}, not once")
        return text.find(wanted)

    @property
    def algorithm(self) -> str:
        """Whose kernels the fault is in, or, where many share the file, whose list names it; empty outside the variants."""
        top, *rest = Path(self.file).parts
        if top != "variants":
            return ""
        return rest[0] if len(rest) > 1 and rest[0] != "shared" else self.name.split("/")[0]

    def tests_of_teams(self) -> tuple[str, ...]:
        return (f"{TEAMS_OF_ALGORITHMS},{TEAMS}[{self.algorithm}]" if self.algorithm else TEAMS,)

    def tests_at(self, place: str) -> tuple[str, ...]:
        """On a GPU only the tests that need one concern a fault of the device."""
        if place == "host":
            return self.tests_of_teams() if self.teams else self.tests
        return tuple(",".join(part + "[gpu]" for part in tests.split(",")) for tests in self.tests)


def fields_of(words: str, where: str) -> dict:
    """The fields that tags set, such as `@any @ranks=2`."""
    fields: dict = {}
    for word in words.split():
        tag, _, value = word.removeprefix("@").partition("=")
        if tag not in TAGS or not word.startswith("@"):
            raise FaultError(f"{where}: unknown tag: {word}")
        if tag in PLACES:
            fields["place"] = tag
        elif tag in ("tests", "pytest"):
            fields[tag] = tuple(value.split(";"))
        else:
            fields[tag] = int(value) if tag == "ranks" else tag == "teams" or value
    return fields


def fault_of(stem: str, line: str, file: str, fields: dict) -> Fault:
    """The fault of an entry, below a heading of this file, with fields from the list and the heading."""
    entry = ENTRY.fullmatch(line)
    parts = entry["change"].split("`") if entry else []
    if len(parts) != 4:
        raise FaultError(f"{stem}: no entry with one `old`new`: {line}")
    name = f"{stem}/{entry['name']}"
    within, _, before = parts[0].rpartition(" ... ")
    before, old, new, after = (unescaped(text) for text in (before, *parts[1:]))
    place = "gpu" if file.endswith((".cu", ".cuh")) else "host"
    rest = {"place": place, "tests": (), **fields, **fields_of(entry["tags"], name)}
    why = entry["why"] or entry["change"]
    return Fault(name, file, before + old + after, before + new + after, why, within=unescaped(within), **rest)


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def faults_of(path: Path) -> list[Fault]:
    faults, everywhere, file, here = [], {}, "", {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            everywhere = fields_of(line, path.name)
        elif line.startswith(" "):
            faults.append(fault_of(path.stem, line, file, {**everywhere, **here}))
        elif line and not line.startswith("#"):
            file, _, tags = line.partition(" ")
            here = fields_of(tags, path.name)
    return faults


def hash_of(root: Path, paths: Iterable[Path]) -> str:
    """Of these files, their names and their content."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def read_faults(folder: Path) -> list[Fault]:
    """All faults of the folder's lists, in the order of their names."""
    faults = [fault for path in sorted(folder.glob("*.txt")) for fault in faults_of(path)]
    names = [fault.name for fault in faults]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FaultError(f"names that stand twice: {', '.join(twice)}")
    return sorted(faults, key=lambda fault: fault.name)


def choose(faults: list[Fault], place: str, only: list[str]) -> list[Fault]:
    """Those of a place whose names match a pattern (all, if there is none)."""
    chosen = [f for f in faults if f.place in (place, "any")]
    return [f for f in chosen if not only or any(fnmatch.fnmatch(f.name, pattern) for pattern in only)]


def failed_test(text: str) -> str:
    """The name of the test in which the first assertion failed: it stands between lines of dashes."""
    before = re.split(r"^\S+:\d+: FAILED", text, maxsplit=1, flags=re.M)[0] if "FAILED" in text else text
    headings = re.findall(r"^-{70,}\n((?:.+\n)+?)-{70,}$", before, flags=re.M)
    return " ".join(headings[-1].split()) if headings else ""


def run_tests(command: list[str], limit: float, **how: Any) -> tuple[int | str, str]:
    """Exit status, or "too slow", and what was printed. `how`: options of subprocess.Popen."""
    child = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             errors="replace", **how)  # fmt: skip
    try:
        text = "".join(child.communicate(timeout=limit))
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # with the commands that tests have started
        child.communicate()
        return TOO_SLOW, ""
    return child.returncode, text
