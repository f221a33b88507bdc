"""Planting faults, tests/plant_faults: its lists and those of tests/mutate fit the sources, and a small project with faults of every kind."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT

sys.path.insert(0, str(ROOT / "tests/faults"))

from faults import choose, read_faults  # noqa: E402

CMAKE = """\
cmake_minimum_required(VERSION 3.25)
project(small CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_library(part STATIC src/half.cpp src/twice.cpp)
target_include_directories(part PUBLIC ${PROJECT_SOURCE_DIR})
add_executable(portcost_tests tests/main.cpp)
target_link_libraries(portcost_tests PRIVATE part)
add_executable(portcost_command src/twice.cpp src/half.cpp tests/main.cpp)
target_include_directories(portcost_command PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(portcost_command PROPERTIES OUTPUT_NAME portcost)
add_library(portcost_tests_shapes OBJECT src/half.cpp)
target_include_directories(portcost_tests_shapes PRIVATE ${PROJECT_SOURCE_DIR})
add_executable(portcost_tests_device_shapes tests/main.cpp)
target_link_libraries(portcost_tests_device_shapes PRIVATE portcost_tests_shapes part)
"""
SOURCES = {
    "CMakeLists.txt": CMAKE,
    "src/part.hpp": "#pragma once\nint half(int x);\nint twice(int x);\ninline int least() { return 2; }\n",
    "src/half.cpp": '#include "src/part.hpp"\nint half(int x) { return x / least(); }\n',
    "src/twice.cpp": '#include "src/part.hpp"\nint twice(int x) { return x * 2; }\n',
    # As Catch2 does: a specification and --abort; lines of dashes around the name of the test that fails.
    "tests/main.cpp": """\
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include "src/part.hpp"
int main(int, char** words) {
  const bool broken = std::strstr(words[1], "broken") != nullptr;
  if (!broken && half(8) == 4) return 0;
  const char* line = "-------------------------------------------------------------------------------";
  const bool shapes = std::strstr(words[0], "_device_shapes") != nullptr;
  const bool teams = std::strstr(words[1], "[teams]") != nullptr;
  const std::string name = (shapes ? "a device's " : "") + (teams ? std::string("teams of ") + std::getenv("OMP_NUM_THREADS") : "half");
  std::printf("%s\\n%s: a half is\\n  less\\n%s\\nmain.cpp:9\\n\\nmain.cpp:10: FAILED:\\n", line, name.c_str(), line);
  return 1;
}
""",
}


def entry(name: str, file: str, old: str, new: str, tags: str = "@tests=[half]") -> str:
    """A heading and an entry."""
    return f"{file}\n  {name} {tags}  `{old}`{new}`  # for the test\n"


FOUND = entry("found", "src/half.cpp", "x / least()", "x - least()")
HEADER = entry("header", "src/part.hpp", "return 2;", "return 3;")
LIVES = entry("lives", "src/twice.cpp", "x * 2", "x * 3")
BROKEN = entry("broken", "src/half.cpp", "x / least()", "x / nothing()")
GONE = entry("gone", "src/half.cpp", "x % least()", "x")


SCRIPTS = ("tests/plant_faults", *(f"tests/faults/{name}.py" for name in ("faults", "building", "scripts")))


class Project:
    def __init__(self, folder: Path):
        self.folder = folder
        for name, text in SOURCES.items():
            self.put(name, text)
        self.copy(*SCRIPTS)
        configure = ["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(folder / "build/openmp")]
        subprocess.run(configure, check=True, capture_output=True)

    def put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def copy(self, *names: str) -> None:
        for name in names:
            self.put(name, (ROOT / name).read_text())

    def run(self, *words: str, status: int = 0, script: str = "tests/plant_faults", **environment: str
            ) -> subprocess.CompletedProcess:
        command = [sys.executable, str(self.folder / script), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def plant(self, *faults: str, status: int = 0) -> subprocess.CompletedProcess:
        self.put("tests/faults/small.txt", "".join(faults))
        return self.run(status=status)

    def results(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "build/faults/host.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    if not (shutil.which("cmake") and shutil.which("ninja")):
        pytest.skip("needs cmake and ninja")
    return Project(tmp_path_factory.mktemp("small"))


@pytest.fixture
def project(configured: Project) -> Project:
    shutil.rmtree(configured.folder / "build/faults", ignore_errors=True)
    return configured


@pytest.mark.parametrize("script", ["plant_faults", "mutate"])
def test_the_lists_fit_the_sources(script: str):
    done = subprocess.run([sys.executable, str(ROOT / "tests" / script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_each_place_has_faults():
    faults = read_faults(ROOT / "tests/faults")
    assert all(len(choose(faults, place, [])) >= 60 for place in ("host", "gpu"))


def test_found_faults_name_the_test_and_are_not_planted_again(project: Project):
    assert "2 faults: 2 found, 0 live, 0 prove nothing" in project.plant(FOUND, HEADER).stdout
    assert {row["found_by"] for row in project.results()} == {"half: a half is less"}
    assert project.plant(FOUND, HEADER).stdout.count("\n") == 1 and len(project.results()) == 2
    project.run("--again")
    assert len(project.results()) == 4
    project.plant(FOUND.replace("x - least()", "x + least()"))
    assert len(project.results()) == 5, "a fault that changed is planted again"


def test_a_fault_of_teams_is_found_by_the_tests_of_teams_in_the_shapes_of_its_place(project: Project):
    def named(name: str) -> str:
        return FOUND.replace("found", name)

    project.plant(named("any @any @teams"), named("host @teams"), named("plain"))
    assert {row["name"]: row["found_by"] for row in project.results()} == {
        "small/any": "a device's teams of 4: a half is less", "small/host": "teams of 4: a half is less",
        "small/plain": "half: a half is less"}


def test_a_fault_is_planted_in_sources_that_are_compiled_as_one(project: Project):
    project.put("CMakeLists.txt", CMAKE + "set_property(TARGET part PROPERTY UNITY_BUILD ON)\n")
    done = project.plant(FOUND, HEADER, LIVES, status=1)
    project.put("CMakeLists.txt", CMAKE)
    assert "3 faults: 2 found, 1 live, 0 prove nothing" in done.stdout
    assert (project.folder / "build/openmp/CMakeFiles/part.dir/Unity/unity_0_cxx.cxx").exists()


def test_a_fault_that_lives_fails_the_run_and_sources_and_build_stay_as_they_are(project: Project):
    done = project.plant(FOUND, LIVES, status=1)
    assert "lives" in done.stdout.splitlines()[-2] and "small/lives: no test fails" in done.stdout.splitlines()[-2]
    project.plant(FOUND, LIVES, BROKEN, status=1)
    for name, text in SOURCES.items():
        assert (project.folder / name).read_text() == text
    assert not list((project.folder / "build/faults/host").iterdir()), "copies are removed"
    assert subprocess.run([project.folder / "build/openmp/bin/portcost_tests", "all"]).returncode == 0


@pytest.mark.parametrize(("fault", "message"), [(BROKEN, "does not compile"), (GONE, "'find' is 0 times in src/half.cpp")])
def test_a_fault_that_proves_nothing_is_an_error(project: Project, fault: str, message: str):
    done = project.plant(FOUND, fault, status=1)
    assert message in done.stdout and "1 found, 0 live, 1 prove nothing" in done.stdout


# ---- faults of the scripts ---------------------------------------------------------------------------------------------------

def of_script(name: str, replace: str, tests: str = "test_third.py::test_third", find: str = "x / 3") -> str:
    return entry(name, "perf/third.py", find, replace, f"@pytest={tests}")


@pytest.fixture
def scripts(tmp_path: Path) -> Project:
    """A tree without a build, and stand-ins of the modules that tests of the scripts need."""
    project = Project.__new__(Project)
    project.folder = tmp_path
    project.put("CMakeLists.txt", "")
    project.put("perf/third.py", "def third(x):\n    return x / 3\n\n\ndef least():\n    return 1\n")
    project.put("perf/results/large.txt", "x")
    project.put("tests/scripts/test_third.py", """\
import sys
from pathlib import Path
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "perf"))
from third import third
def test_third():
    assert third(6) == 2 and (ROOT / "perf/results/large.txt").exists() and not (ROOT / "build").exists()
def test_broken():
    assert False
""")
    for name in ("islpy", "jsonschema"):
        project.put(f"modules/{name}.py", "")
    project.copy(*SCRIPTS)
    return project


def with_modules(project: Project, *words: str, status: int = 0) -> subprocess.CompletedProcess:
    return project.run(*words, status=status, PYTHONPATH=str(project.folder / "modules"))


def test_faults_of_scripts_need_no_build(scripts: Project):
    scripts.put("tests/faults/small.txt", of_script("found", "x / 4") + of_script("lives", "return 2", find="return 1")
                + of_script("broken", "x /"))
    assert "3 faults: 1 found, 1 live, 1 prove nothing" in with_modules(scripts, status=1).stdout
    found = {row["name"]: row["found_by"] for row in scripts.results()}
    assert found["small/found"] == "test_third.py::test_third" and found["small/lives"] == ""
    assert "does not compile" in found["small/broken"]
    assert (scripts.folder / "perf/third.py").read_text().startswith("def third(x):\n    return x / 3\n")
    assert not list((scripts.folder / "build/faults/host").iterdir())
    assert with_modules(scripts, "--only", "small/found").returncode == 0 and len(scripts.results()) == 3  # known by now
    scripts.put("perf/third.py", "def third(x):\n    y = x / 3\n    return y\n\n\ndef least():\n    return 1\n")
    assert with_modules(scripts, "--only", "small/found").returncode == 0 and len(scripts.results()) == 4


def test_tests_of_scripts_that_fail_without_a_fault_prove_nothing(scripts: Project):
    scripts.put("tests/faults/small.txt", of_script("found", "x / 4", "test_third.py"))
    assert "without a fault, the tests test_third.py do not pass" in with_modules(scripts, status=1).stderr


def test_faults_of_the_locality_tool_are_listed():
    faults = [fault for fault in read_faults(ROOT / "tests/faults") if fault.pytest]
    assert len(faults) >= 20 and {fault.name.split("/")[1] for fault in faults} >= {
        "theorem1", "lemma1", "dependences", "ranking", "measuring"}
    for fault in faults:
        for name in fault.pytest:
            text = (ROOT / "tests/scripts" / name.split("::")[0]).read_text()
            assert "::" not in name or f"def {name.split('::')[1].split('[')[0]}(" in text, name


def test_check_names_what_is_gone(project: Project):
    project.put("tests/faults/small.txt", FOUND + GONE)
    done = project.run("--check", status=1)
    assert "small/gone: 'find' is 0 times" in done.stderr
    assert "1 of 2 faults can be planted" in done.stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--draw", "0"], 2, "--draw 0: must be at least 1"),
        (["--only", "nothing/*"], 2, "no fault is chosen"),
        (["--build", "elsewhere"], 3, "elsewhere is no finished build"),
    ],
)
def test_mistakes_are_one_line(project: Project, words: list[str], status: int, message: str):
    project.put("tests/faults/small.txt", FOUND)
    assert message in project.run(*words, status=status).stderr.splitlines()[-1]
