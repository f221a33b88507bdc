"""The shell commands, run against stubs of the system's tools in a copy of the repository's scripts."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["perf/prepare", "perf/run", "tests/run", ".ci/run"]
PLAIN_TOOLS = (
    "awk bash cat date dirname env grep head mkdir nproc paste printf rm sed sha256sum sort tail tee touch tr"
).split()
PACKAGES = ["g++", "cmake", "ninja-build", "git", "libcli11-dev", "nlohmann-json3-dev", "libfmt-dev", "python3-venv"]

CXX = 'case "$*" in *--version*) echo "g++ {0}"; echo "Free Software Foundation";; *) echo {0};; esac\n'
CMAKE = r"""
case "$*" in
  *--version*) echo "cmake version {version}" ;;
  *--preset*)
    echo "cmake $*" >>"$CALLS"
    folder=$(sed -n 's/.*--preset \([^ ]*\).*/\1/p' <<<"$*")
    mkdir -p "$REPO/build/$folder/bin" && : >"$REPO/build/$folder/build.ninja"
    for word in "$@"; do
      case $word in -D*) word=${{word#-D}}; echo "${{word%%=*}}:UNINITIALIZED=${{word#*=}}" ;; esac
    done >"$REPO/build/$folder/CMakeCache.txt"
    cat "$STUBS/portcost" >"$REPO/build/$folder/bin/portcost" && chmod +x "$REPO/build/$folder/bin/portcost" ;;
  *--build*) echo "cmake $*" >>"$CALLS"; echo "ninja: no work to do." ;;
esac
"""
# Installing makes the packages' tools and headers appear.
APT_GET = r"""
echo "apt-get $*" >>"$CALLS"
case "$*" in *install*) ;; *) exit 0 ;; esac
for word in "$@"; do
  case $word in
    g++ | cmake | git) mv "$STUBS/later/$word" "$STUBS/" ;;
    ninja-build) mv "$STUBS/later/ninja" "$STUBS/" ;;
    libcli11-dev) mkdir -p "$HEADERS/CLI" && : >"$HEADERS/CLI/CLI.hpp" ;;
    nlohmann-json3-dev) mkdir -p "$HEADERS/nlohmann" && : >"$HEADERS/nlohmann/json.hpp" ;;
    libfmt-dev) mkdir -p "$HEADERS/fmt" && : >"$HEADERS/fmt/core.h" ;;
    catch2) mkdir -p "$HEADERS/catch2" && : >"$HEADERS/catch2/catch_all.hpp" ;;
    python3-venv) : >"$STUBS/has-venv" ;;
  esac
done
"""
# Debian 12: version 2, and version 3 once its backports are an apt source.
APT_CACHE = r"""
case "$1 $(echo "$APT"/sources.list.d/portcost-backports.*)" in
  policy*) echo "  Candidate: 2.13.10-1" ;;
  "madison $APT/sources.list.d/portcost-backports.*") ;;
  madison*) echo " catch2 | 3.7.1-0.4~bpo12+1 | http://mirror.example/debian bookworm-backports/main amd64 Packages" ;;
esac
"""
PYTHON = r"""
case "$*" in
  "-c import venv, ensurepip") [ -e "$STUBS/has-venv" ] ;;
  "-m venv"*) echo "python3 $*" >>"$CALLS"; mkdir -p "$REPO/.venv/bin" && cat "$0" >"$REPO/.venv/bin/python3" &&
    chmod +x "$REPO/.venv/bin/python3" ;;
  *"-m pip install"*) echo "pip $*" >>"$CALLS" ;;
  "- "*requirements.txt) [ -e "$STUBS/has-modules" ] ;;
  "-m pytest"*) for word in "$@"; do case $word in --junitxml=*) cat "$STUBS/pytest.xml" >"${word#*=}" ;; esac; done ;;
  *) exec REAL_PYTHON "$@" ;;
esac
"""
CTEST = r"""
echo "ctest $* no_skip=${PORTCOST_NO_SKIP:-0}" >>"$CALLS"
while [ "$1" != --output-junit ]; do shift; done
if [ -e "$STUBS/ctest.xml" ]; then cat "$STUBS/ctest.xml" >"$2"; fi
exit "$(cat "$STUBS/ctest-status")"
"""
PORTCOST = r"""
echo "portcost $*" >>"$CALLS"
case $1 in bench) exit "$(cat "$STUBS/bench-status")" ;; esac
"""
CTEST_XML = """<testsuite><testcase name="a" status="run"/><testcase name="b" status="run"/>
<testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=4"/></testcase>{}</testsuite>"""
NOT_STARTED = '<testcase name="d" status="notrun"><skipped message="Unable to find executable"/></testcase>'
PYTEST_XML = """<testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped message="x"/></testcase>
</testsuite></testsuites>"""
OS_RELEASE = {
    "debian": 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
    "ubuntu": 'ID=ubuntu\nVERSION_ID="22.04"\nVERSION_CODENAME=jammy\n',
}


class Machine:
    """A copy of the scripts and a PATH folder of stubs: at first a bare Debian 12, used by root."""

    def __init__(self, folder: Path):
        self.repo, self.stubs, self.apt = folder / "repo", folder / "stubs", folder / "apt"
        self.headers, self.calls = folder / "include", folder / "calls"
        for path in (self.repo, self.stubs / "later", self.apt / "sources.list.d", self.headers):
            path.mkdir(parents=True)
        self.calls.touch()
        for name in [*COMMANDS, "perf/common.bash", "perf/apt.bash"]:
            (self.repo / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.repo / name)
        (self.repo / "CMakePresets.json").write_text("{}")
        (self.repo / "perf/requirements.txt").write_text("matplotlib>=3.7\n")
        (self.repo / "tests/requirements.txt").write_text("-r ../perf/requirements.txt\npytest\n")
        self.script(self.repo / "perf/report", 'echo "report $*" >>"$CALLS"\n')
        self.system("debian")
        (self.apt / "sources.list").write_text("deb http://mirror.example/debian bookworm main\n")
        for tool in PLAIN_TOOLS:
            (self.stubs / tool).symlink_to(shutil.which(tool))
        self.stub("python3", PYTHON.replace("REAL_PYTHON", sys.executable))
        self.stub("id", "echo 0\n")
        self.stub("apt-get", APT_GET)
        self.stub("apt-cache", APT_CACHE)
        self.stub("portcost", PORTCOST)
        self.stub("ctest", CTEST)
        self.stub("later/g++", CXX.format("12.2.0"))
        self.stub("later/cmake", CMAKE.format(version="3.25.1"))
        self.stub("later/ninja", "")
        self.stub("later/git", "")
        self.stub("mv", f'exec {shutil.which("mv")} "$@"\n')
        self.stub("chmod", f'exec {shutil.which("chmod")} "$@"\n')
        self.put("bench-status", "0")
        self.put("ctest-status", "0")
        self.put("ctest.xml", CTEST_XML.format(""))
        self.put("pytest.xml", PYTEST_XML)

    @staticmethod
    def script(path: Path, text: str) -> None:
        path.write_text(f"#!{shutil.which('bash')}\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def stub(self, name: str, text: str) -> None:
        self.script(self.stubs / name, text)

    def put(self, name: str, text: str) -> None:
        (self.stubs / name).write_text(text)

    def system(self, name: str) -> None:
        (self.repo.parent / "os-release").write_text(OS_RELEASE[name])

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess:
        """A command of the repository; its first word is the path of it."""
        settings = {
            "PATH": str(self.stubs),
            "HOME": str(self.repo.parent),
            "CALLS": str(self.calls),
            "STUBS": str(self.stubs),
            "REPO": str(self.repo),
            "HEADERS": str(self.headers),
            "APT": str(self.apt),
            "CUDA_HOME": str(self.repo.parent / "no-cuda"),
            "PORTCOST_APT_FOLDER": str(self.apt),
            "PORTCOST_OS_RELEASE": str(self.repo.parent / "os-release"),
            "PORTCOST_INCLUDE_PATH": str(self.headers),
            **environment,
        }
        return subprocess.run(
            [self.repo / words[0], *words[1:]],
            env=settings, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )

    def function(self, text: str) -> subprocess.CompletedProcess:
        """Functions of perf/prepare, sourced."""
        self.script(self.repo / "call", f'command_name=call\nsource "$REPO/perf/prepare"\n{text}\n')
        return self.run("call")

    def take_calls(self) -> list[str]:
        """What the stubs noted since the last time."""
        lines = self.calls.read_text().splitlines()
        self.calls.write_text("")
        return lines


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def ready(bare: Machine) -> Machine:
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    bare.take_calls()
    return bare


def starting(calls: list[str], *prefixes: str) -> list[str]:
    return [line for line in calls if line.startswith(prefixes)]


# ---- options


def options_taken(command: str) -> set[str]:
    """The long options in a command's `case` branches, and in those that it shares."""
    files = [ROOT / command] if command == ".ci/run" else [ROOT / command, ROOT / "perf/common.bash"]
    branches = [line for file in files for line in file.read_text().splitlines() if re.match(r"\s+-[-\w |]+\)", line)]
    return {option for line in branches for option in re.findall(r"--[a-z][a-z0-9-]*", line.split(")")[0])}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option(bare: Machine, command: str):
    result = bare.run(command, "--help")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.startswith(f"usage: {command}")
    assert bare.take_calls() == []
    taken = options_taken(command)
    assert "--help" in taken
    assert {option for option in taken if not re.search(rf"{option}\b", result.stdout)} == set()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["--colour", "colour"])
def test_unknown_argument_is_named_in_one_line(bare: Machine, command: str, word: str):
    result = bare.run(command, word)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1 and word in result.stderr and command in result.stderr


def test_option_without_its_value(bare: Machine):
    result = bare.run("perf/run", "--filter")
    assert result.returncode == 2 and "--filter needs a value" in result.stderr


def test_table1_goes_with_no_filter(bare: Machine):
    assert bare.run("perf/run", "--table1", "--filter", "sum/*").returncode == 2


# ---- setting the machine up


@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_no_install_lists_what_is_missing(bare: Machine, command: str):
    result = bare.run(command, "--no-install")
    assert result.returncode == 3
    ask = next(line for line in result.stderr.splitlines() if "apt-get install" in line)
    for package in PACKAGES:
        assert package in ask.split()
    assert bare.take_calls() == []


def test_neither_root_nor_sudo(bare: Machine):
    bare.stub("id", "echo 1000\n")
    assert bare.run("perf/prepare").returncode == 3
    bare.stub("sudo", 'echo "sudo $*" >>"$CALLS"; exit 1\n')
    assert bare.run("perf/prepare").returncode == 3
    assert bare.take_calls() == ["sudo -n true"]


def test_sudo_without_password(bare: Machine):
    bare.stub("id", "echo 1000\n")
    bare.stub("sudo", '[ "$1" = -n ] || { echo sudo >>"$CALLS"; exec "$@"; }\n')
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    assert calls[:2] == ["sudo", "apt-get -o DPkg::Lock::Timeout=120 update"]


def test_no_apt_at_all(bare: Machine):
    (bare.stubs / "apt-get").unlink()
    result = bare.run("perf/prepare")
    assert result.returncode == 3 and "libcli11-dev" in result.stderr


def test_packages_are_named_before_they_are_installed(bare: Machine):
    bare.stub("apt-get", 'echo APT-GET "$@" >>/dev/stderr; exit 100\n')
    result = bare.run("perf/prepare")
    assert result.returncode == 1
    before, failure = result.stderr.split("APT-GET", 1)
    for package in PACKAGES:
        assert package in before.split("missing: ")[1].split(";")[0].split()
    assert "the whole log: " in failure


def test_bare_debian_is_set_up_once(bare: Machine):
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    installs = [line for line in calls if " install " in line and line.startswith("apt-get")]
    assert set(PACKAGES) <= set(installs[0].split()) and "-y" in installs[0]
    assert installs[1].endswith("-t bookworm-backports catch2")
    assert (bare.apt / "sources.list.d/portcost-backports.list").read_text() == (
        "deb http://mirror.example/debian bookworm-backports main\n"
    )
    assert len(starting(calls, "pip")) == 1

    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    assert [line.split()[1] for line in bare.take_calls()] == ["--build"]


def test_only_what_is_missing_is_installed(ready: Machine):
    (ready.headers / "fmt/core.h").unlink()
    assert ready.run("perf/prepare").returncode == 0
    calls = starting(ready.take_calls(), "apt-get")
    assert len(calls) == 2 and calls[1].endswith("--no-install-recommends libfmt-dev")


def test_ubuntu_2204(bare: Machine):
    bare.system("ubuntu")
    bare.stub("g++", CXX.format("11.4.0"))
    bare.stub("later/g++-12", CXX.format("12.3.0"))
    bare.stub("cmake", CMAKE.format(version="3.22.1"))
    bare.stub("apt-get", APT_GET + 'mv "$STUBS/later/g++-12" "$STUBS/"\n')
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    install = [line for line in calls if " install " in line and line.startswith("apt-get")]
    assert len(install) == 1
    assert "g++-12" in install[0].split() and not {"cmake", "catch2", "g++"} & set(install[0].split())
    assert any("cmake>=3.25" in line for line in starting(calls, "pip"))


def test_catch2_is_asked_of_apt_once(bare: Machine):
    (bare.apt / "sources.list").write_text("")
    result = bare.run("perf/prepare")
    assert result.returncode == 0 and "CMake fetches it" in result.stderr
    bare.take_calls()
    assert bare.run("perf/prepare").returncode == 0
    assert starting(bare.take_calls(), "apt-get") == []


def test_missing_catch2_alone_stops_nobody(ready: Machine):
    (ready.headers / "catch2/catch_all.hpp").unlink()
    result = ready.run("perf/prepare", "--no-install")
    assert result.returncode == 0 and "CMake fetches it" in result.stderr


def test_old_compiler_named_in_cxx(ready: Machine):
    ready.stub("g++-9", CXX.format("9.4.0"))
    result = ready.run("perf/prepare", CXX="g++-9")
    assert result.returncode == 3 and "g++-9" in result.stderr


def test_no_python_environment_where_modules_are_here(bare: Machine):
    bare.put("has-modules", "")
    result = bare.run("perf/prepare")
    assert result.returncode == 0, result.stderr
    assert "python3-venv" not in result.stderr
    assert starting(bare.take_calls(), "pip", "python3") == [] and not (bare.repo / ".venv").exists()


def test_python_environment_is_remade_when_requirements_change(ready: Machine):
    (ready.repo / "perf/requirements.txt").write_text("matplotlib>=3.8\n")
    assert ready.run("perf/prepare").returncode == 0
    assert len(starting(ready.take_calls(), "python3 -m venv")) == 1


@pytest.mark.parametrize("wanted, there", [("pytest>=1.0", True), ("pytest>=999", False), ("no-such-package", False)])
def test_modules_are_looked_for_in_their_versions(bare: Machine, wanted: str, there: bool):
    bare.script(bare.stubs / "python3", f'exec {sys.executable} "$@"\n')
    (bare.repo / "perf/requirements.txt").write_text(f"{wanted}  # why\n")
    result = bare.function('has_modules "$root/tests/requirements.txt" && echo there')
    assert (result.stdout == "there\n") is there, result.stderr


# ---- backports

DEB822 = """# Debian
Types: deb deb-src
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/security.gpg
"""
DEB822_BACKPORTS = """sources
Types: deb
Suites: bookworm-backports
Components: main
URIs: http://mirror.example/debian
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
"""
ONE_LINE = """# deb http://old.example/debian bookworm main
deb-src http://mirror.example/debian bookworm main
deb http://mirror.example/debian-security bookworm-security main
deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/debian bookworm contrib main
"""
ONE_LINE_BACKPORTS = """list
deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/debian bookworm-backports main
"""


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("sources.list.d/debian.sources", DEB822, DEB822_BACKPORTS),
        ("sources.list.d/debian.sources", "Enabled: no\n" + DEB822[9:], ""),
        ("sources.list.d/debian.list", ONE_LINE, ONE_LINE_BACKPORTS),
        ("sources.list", ONE_LINE, ONE_LINE_BACKPORTS),
        ("sources.list", "deb\thttp://mirror.example/debian  bookworm\tmain\n",
         "list\ndeb http://mirror.example/debian bookworm-backports main\n"),
        ("sources.list", "deb http://mirror.example/other stable main\n", ""),
    ],
)
def test_backports_source(bare: Machine, name: str, text: str, expected: str):
    (bare.apt / "sources.list").unlink()
    (bare.apt / name).write_text(text)
    result = bare.function('backports_source "$PORTCOST_APT_FOLDER" || true')
    assert result.stdout == expected, result.stderr


def test_ubuntu_has_no_debian_backports(bare: Machine):
    bare.system("ubuntu")
    assert bare.function('backports_source "$PORTCOST_APT_FOLDER" || echo none').stdout == "none\n"


# ---- the preset and the build


def presets(calls: list[str]) -> list[str]:
    return [re.search(r"--preset (\S+)", line)[1] for line in calls if "--preset" in line]


GPU = 'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"\n'


def installed_kokkos(machine: Machine, devices: str) -> str:
    prefix = machine.repo.parent / "kokkos"
    (prefix / "lib/cmake/Kokkos").mkdir(parents=True)
    (prefix / "lib/cmake/Kokkos/KokkosConfigCommon.cmake").write_text(f"set(Kokkos_DEVICES {devices})\n")
    return str(prefix)


def test_gpu_and_nvcc_take_cuda(ready: Machine):
    prefix = installed_kokkos(ready, "SERIAL;CUDA")
    ready.stub("nvidia-smi", GPU)
    ready.stub("nvcc", "")
    assert ready.run("perf/prepare", PORTCOST_CUDA_KOKKOS=prefix).returncode == 0
    calls = ready.take_calls()
    assert presets(calls) == ["cuda"]
    assert f"-DKokkos_ROOT={prefix}" in calls[0].split()


def test_gpu_without_nvcc_says_so_and_takes_the_host(ready: Machine):
    ready.stub("nvidia-smi", GPU)
    result = ready.run("perf/prepare")
    assert result.returncode == 0 and "toolkit is missing" in result.stderr
    assert (ready.repo / "build/openmp").exists() and not (ready.repo / "build/cuda").exists()


def test_nvidia_smi_without_a_gpu(ready: Machine):
    ready.stub("nvidia-smi", 'echo "No devices found"; exit 6\n')
    ready.stub("nvcc", "")
    assert "preset openmp" in ready.run("perf/prepare").stderr


def test_preset_and_kokkos_are_passed_on(ready: Machine):
    kokkos = ready.repo.parent / "kokkos"
    (kokkos / "lib/cmake/KokkosKernels").mkdir(parents=True)
    result = ready.run("perf/prepare", "--preset=openmp-checked", "--kokkos", str(kokkos), "--werror")
    assert result.returncode == 0, result.stderr
    words = ready.take_calls()[0].split()
    assert "openmp-checked" in words
    assert {f"-DKokkos_ROOT={kokkos}", f"-DKokkosKernels_ROOT={kokkos}", "-DPORTCOST_WERROR=ON"} <= set(words)


def test_kokkos_is_taken_from_the_environment(ready: Machine):
    assert ready.run("perf/prepare", Kokkos_ROOT="/a", KokkosKernels_ROOT="/b").returncode == 0
    assert {"-DKokkos_ROOT=/a", "-DKokkosKernels_ROOT=/b"} <= set(ready.take_calls()[0].split())


def test_failed_build_shows_the_end_of_its_log(ready: Machine):
    ready.stub("cmake", CMAKE.format(version="3.25.1").replace('echo "ninja: no work to do."', "echo broken; exit 1"))
    result = ready.run("perf/prepare")
    assert result.returncode == 1
    assert "broken" in result.stderr and "openmp-build.log" in result.stderr


# ---- tests/run


def test_tests_run_sums_both_runners(ready: Machine):
    result = ready.run("tests/run", "--no-skip")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-3:] == [
        "ctest: 2 passed, 0 failed, 1 skipped",
        "pytest: 1 passed, 0 failed, 1 skipped",
        "3 passed, 0 failed, 2 skipped",
    ]
    assert any(line.startswith("ctest") and line.endswith("no_skip=1") for line in ready.take_calls())


def test_test_that_could_not_start_is_a_failure(ready: Machine):
    ready.put("ctest.xml", CTEST_XML.format(NOT_STARTED))
    ready.put("ctest-status", "8")
    result = ready.run("tests/run")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "3 passed, 1 failed, 2 skipped"


@pytest.mark.parametrize("status", ["0", "8"])
def test_no_tests_is_a_failure(ready: Machine, status: str):
    (ready.stubs / "ctest.xml").unlink()
    ready.put("ctest-status", status)
    result = ready.run("tests/run", "--ctest-only")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


# ---- perf/run


def test_perf_run_checks_measures_and_reports(ready: Machine):
    result = ready.run("perf/run", "--filter", "heat2d/*", "--full", "--seconds", "2", "--out", str(ready.repo / "out"))
    assert result.returncode == 0, result.stderr
    calls = ready.take_calls()
    check, bench, report = starting(calls, "portcost", "report")
    assert check == "portcost check heat2d/*"
    assert bench.startswith("portcost bench heat2d/* --campaign full --seconds 2 ")
    assert re.search(rf"{ready.repo}/out/\d+-\d+/\S+\.jsonl", bench) and report.startswith("report ")
    assert "report.html" in result.stderr and ".csv" in result.stderr
    assert presets(calls) == []  # what perf/prepare built with tests is not configured anew
    assert calls[0].endswith("--target portcost_command")


def test_perf_run_first_needs_no_catch2(bare: Machine):
    result = bare.run("perf/run")
    assert result.returncode == 0, result.stderr
    calls = bare.take_calls()
    assert not any("catch2" in line for line in starting(calls, "apt-get"))
    assert any("-DPORTCOST_TESTS=OFF" in line for line in calls)


def test_unequal_answers_are_reported_and_fail(ready: Machine):
    ready.put("bench-status", "1")
    result = ready.run("perf/run")
    assert result.returncode == 1 and "unequal" in result.stderr
    assert starting(ready.take_calls(), "report")


def test_broken_bench_ends_the_run(ready: Machine):
    ready.put("bench-status", "3")
    assert ready.run("perf/run").returncode == 3
    assert starting(ready.take_calls(), "report") == []


def test_table1(ready: Machine):
    assert ready.run("perf/run", "--table1").returncode == 0
    _, bench, *reports = starting(ready.take_calls(), "portcost", "report")
    assert "bench heat2d --size nx=14400,ny=14400,steps=100 --type f32 --regime hot --sync phase" in bench
    assert reports[0].startswith("report --table1 ")


# ---- .ci/run

GIT = r"""
case "$*" in
  *cpp*) echo src/a.cpp ;;
  *bash*) echo perf/common.bash ;;
  *.py*) ;;
  *ls-files*) printf '%s\n' src/a.cpp perf/prepare perf/common.bash perf/report ;;
esac
"""


@pytest.fixture
def ci(ready: Machine) -> Machine:
    (ready.repo / "src").mkdir()
    (ready.repo / "src/a.cpp").touch()
    ready.stub("git", GIT)
    for tool in ("clang-format", "shellcheck"):
        ready.stub(tool, f'echo "{tool} $*" >>"$CALLS"\n')
    return ready


def test_ci_sums_both_builds(ci: Machine):
    result = ci.run(".ci/run")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "5 passed, 0 failed, 3 skipped"
    assert "CUDA compile skipped: no nvcc" in result.stdout
    calls = ci.take_calls()
    assert presets(calls) == ["openmp", "openmp-checked"]
    assert all("-DPORTCOST_WERROR=ON" in line for line in calls if "--preset" in line)
    assert [line.split("/")[-1] for line in starting(calls, "clang-format")] == ["a.cpp"]
    assert re.search(r"prepare \S+report \S+common.bash$", starting(calls, "shellcheck")[0])


@pytest.mark.parametrize("tool", ["clang-format", "shellcheck"])
def test_ci_goes_on_after_a_failed_stage(ci: Machine, tool: str):
    ci.stub(tool, "exit 1\n")
    result = ci.run(".ci/run")
    assert result.returncode == 1 and "failed stages: " in result.stdout
    assert result.stdout.splitlines()[-1] == "5 passed, 0 failed, 3 skipped"


def test_ci_counts_failed_tests(ci: Machine):
    ci.put("ctest.xml", CTEST_XML.format(NOT_STARTED))
    ci.put("ctest-status", "8")
    result = ci.run(".ci/run")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "5 passed, 2 failed, 3 skipped"


def test_ci_compiles_cuda_with_the_kokkos_in_the_environment(ci: Machine):
    prefix = installed_kokkos(ci, "SERIAL;CUDA")
    ci.stub("nvcc", "")
    result = ci.run(".ci/run", Kokkos_ROOT=prefix)
    assert result.returncode == 0, result.stdout + result.stderr
    configured = [line.split() for line in ci.take_calls() if "--preset" in line]
    assert ["cuda" in words for words in configured] == [False, False, True]
    assert [f"-DKokkos_ROOT={prefix}" in words for words in configured] == [False, False, True]
