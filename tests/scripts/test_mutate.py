"""Mutating, tests/mutate: the lists fit the sources, and a small project with mutants of every kind."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT
from test_plant_faults import Project

sys.path.insert(0, str(ROOT / "tests/mutants"))

from mutants import MutantError, read_equivalent  # noqa: E402

KILLED, SURVIVES = "x - least(); }", "x / (x == 9 ? 1 : least()); }"
SAME, BROKEN, COMMENT = "(x) / least(); }", "x / nothing(); }", "x / least(); }  // so"
# In place of universalmutator: the same interface, and mutants whose fate is known.
MUTATOR = f"""
def mutants_regexp(lines, rules, ignorePatterns, ignoreStringOnly):
    assert rules and ignorePatterns
    made = {[KILLED, SURVIVES, SAME, BROKEN, COMMENT]!r}
    at = [number for number, line in enumerate(lines, 1) if "least();" in line]
    return [(n, lines[n - 1].replace("x / least(); }}", text), "rule") for n in at for text in made]
"""
TARGETS = '[[target]]\nfiles = ["src/half.cpp"]\ntests = ["[half]"]\n'
WAS = "int half(int x) { return x / least(); }"


class Mutated(Project):
    def __init__(self, folder: Path):
        super().__init__(folder)
        self.copy("tests/mutate", *(str(path.relative_to(ROOT)) for path in (ROOT / "tests/mutants").glob("*.py")))
        self.put("python/universalmutator/__init__.py", "")
        self.put("python/universalmutator/mutator.py", MUTATOR)
        self.put("tests/mutants/targets.toml", TARGETS)

    def run(self, *words: str, status: int = 0, python_path: str = "python") -> subprocess.CompletedProcess:
        return super().run(*words, status=status, script="tests/mutate", PYTHONPATH=str(self.folder / python_path))

    def results(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "build/mutants.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Mutated:
    if not (shutil.which("cmake") and shutil.which("ninja")):
        pytest.skip("needs cmake and ninja")
    return Mutated(tmp_path_factory.mktemp("small"))


@pytest.fixture
def project(configured: Mutated) -> Mutated:
    (configured.folder / "build/mutants.jsonl").unlink(missing_ok=True)
    configured.put("tests/mutants/equivalent.toml", "")
    return configured


def entry(was: str, now: str) -> str:
    return f'[[mutant]]\nfile = "src/half.cpp"\nwas = "{was}"\nis = "{now}"\nwhy = "for the test"\n'


def test_the_lists_fit_the_sources():
    done = subprocess.run([sys.executable, str(ROOT / "tests/mutate"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_each_fate(project: Mutated):
    """What never counts is drawn over."""
    done = project.run("--draw", "4", status=1)
    fates = {row["is"].split("return ")[1]: row["outcome"] for row in project.results()}
    assert fates == {KILLED: "killed", SURVIVES: "survived", SAME: "same object", BROKEN: "does not build"}
    assert next(row for row in project.results() if row["outcome"] == "killed")["by"] == "half: a half is less"
    assert f"survived: src/half.cpp:2\n    - {WAS}" in done.stdout
    assert "only 2 mutants, of 4 that were wanted, compile to code of their own" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 mutants: 1 killed (50.0 %), 1 survived"
    # The sources and the build stay as they are.
    assert WAS in (project.folder / "src/half.cpp").read_text()
    assert subprocess.run([project.folder / "build/openmp/bin/portcost_tests", "all"]).returncode == 0


def test_equivalent_ones_are_drawn_over(project: Mutated):
    project.put("tests/mutants/equivalent.toml", entry(WAS, WAS.replace("x / least(); }", SURVIVES)))
    assert project.run("--draw", "1").stdout.splitlines()[-1] == "1 mutants: 1 killed (100.0 %), 0 survived"
    assert SURVIVES not in [row["is"].split("return ")[1] for row in project.results()]


def test_equivalent_ones_must_survive(project: Mutated):
    survivor = entry(WAS, WAS.replace("x / least(); }", SURVIVES))
    project.put("tests/mutants/equivalent.toml", survivor)
    assert project.run("--equivalent").stdout.splitlines()[-1] == "1 equivalent mutants: 1 run, 0 killed"
    project.put("tests/mutants/equivalent.toml", survivor + entry(WAS, WAS.replace("x / least(); }", KILLED)))
    done = project.run("--equivalent", status=1)
    assert done.stdout.splitlines()[-1] == "2 equivalent mutants: 2 run, 1 killed"
    assert "no equivalent: src/half.cpp:2" in done.stdout and "killed by half: a half is less" in done.stdout


def test_killed_ones_are_kept_and_the_others_tried_when_tests_change(project: Mutated):
    project.run("--draw", "2", status=1)
    first = project.results()
    project.run("--draw", "2", status=1)
    assert project.results() == first
    project.put("tests/more.cpp", "// another test\n")
    project.run("--draw", "2", status=1)
    assert [row["outcome"] for row in project.results()[len(first):]] == ["survived"]
    project.run("--draw", "2", "--again", status=1)
    assert [row["outcome"] for row in project.results()].count("killed") == 2


def test_the_first_tests_alone_and_then_the_others(project: Mutated):
    project.run("--draw", "2", "--first", status=1)
    project.run("--draw", "2", "--first", status=1)
    counts = len(project.results())
    project.run("--draw", "2", status=1)
    assert [row["outcome"] for row in project.results()[counts:]] == ["survived"]
    assert [row["first"] for row in project.results()] == [True] * counts + [False]


def test_an_entry_whose_line_is_gone_is_named(project: Mutated):
    project.put("tests/mutants/equivalent.toml", entry("int third(int x);", "int third();"))
    assert "no line of src/half.cpp reads 'int third(int x);'" in project.run("--check", status=1).stderr
    with pytest.raises(MutantError):
        read_equivalent(project.folder)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--draw", "0"], 2, "--draw 0: must be at least 1"),
        (["--file", "src/third.cpp"], 2, "no file to mutate matches src/third.cpp"),
        (["--build", "elsewhere"], 3, "elsewhere is no finished build"),
    ],
)
def test_mistakes_are_one_line(project: Mutated, words: list[str], status: int, message: str):
    assert message in project.run(*words, status=status).stderr.splitlines()[-1]
