"""A made-up machine: a copy of the repository's scripts and stubs of the system's tools, for the tests of the scripts."""

import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["perf/prepare", "perf/run", "perf/setup/kokkos_source", "tests/run", ".ci/run"]
PLAIN_TOOLS = (
    "awk bash cat date df dirname du env flock grep head mkdir mktemp nproc paste printf readlink rm sed sha256sum sleep sort tail tar"
    " tee touch tr mv chmod"
).split()
PACKAGES = ["g++", "cmake", "ninja-build", "git", "libcli11-dev", "nlohmann-json3-dev", "libfmt-dev", "libfftw3-dev",
            "python3-venv"]

CXX = 'case "$*" in *--version*) echo "g++ {0}" ;; *-fopenmp*) v={0}; [ "${{v%%.*}}" -ge 12 ] ;; esac\n'
CMAKE = r"""
case "$*" in
  *--version*) echo "cmake version {version}" ;;
  *cmake/probe*)
    mkdir -p "$REPO/build/probe"
    for found in fmt/core.h:fmt nlohmann/json.hpp:nlohmann_json CLI/CLI.hpp:CLI11 catch2/catch_all.hpp:Catch2 \
      fftw3.h:FFTW; do
      if [ -e "$HEADERS/${{found%:*}}" ]; then echo "${{found#*:}}"; fi
    done >"$REPO/build/probe/found.txt"
    if [ -e "$STUBS/mpicxx" ]; then echo MPI; fi >>"$REPO/build/probe/found.txt" ;;
  *--preset*)
    folder=$(sed -n 's:.* -B [^ ]*/\([^ /]*\) .*:\1:p; t; s/.*--preset \([^ ]*\).*/\1/p' <<<"$*")
    mkdir -p "$REPO/build/$folder/bin" && : >"$REPO/build/$folder/build.ninja"
    cache=$REPO/build/$folder/CMakeCache.txt changed=0 forgets=0
    touch "$cache"
    for word in "$@"; do
      case $word in -D*=*) key=${{word#-D}} key=${{key%%=*}} ;; *) key=$word ;; esac
      line=$key:UNINITIALIZED=${{word#*=}}
      case $forgets$word in
        0-U) forgets=1; continue ;;
        1*) ! grep -q "^$key:" "$cache" || {{ changed=1; grep -v "^$key:" "$cache" >"$cache.new"; }} ;;
        0-DPORTCOST_FETCH=*) ;;
        0-D*) grep -qxF -- "$line" "$cache" || changed=1
          {{ grep -v "^$key:" "$cache"; echo "$line"; }} >"$cache.new" ;;
      esac
      forgets=0
      [ ! -e "$cache.new" ] || mv "$cache.new" "$cache"
    done
    [ "$changed" = 0 ] || echo "cmake $*" >>"$CALLS" # the tests ask what changed
    [ "$changed" = 0 ] || cat "$STUBS/portcost" >"$REPO/build/$folder/bin/portcost"
    chmod +x "$REPO/build/$folder/bin/portcost" ;;
  *--build*) echo "cmake $*" >>"$CALLS"; echo "ninja: no work to do." ;;
esac
"""
# Installing makes the packages' tools and headers appear; the source package is there once the test has put its archive.
APT_GET = r"""
case "$*" in
  --version) echo "apt 2.6.1 (amd64)"; exit 0 ;;
  *"source --print-uris"*) [ ! -e "$STUBS/source.tar" ] || cat "$STUBS/uris"; exit 0 ;;
  *"source --download-only"*) cat "$STUBS/source.tar" >trilinos_13.2.0.orig.tar.gz; exit 0 ;;
esac
echo "apt-get $*" >>"$CALLS"
case "$*" in *install*) ;; *) exit 0 ;; esac
for word in "$@"; do
  case $word in
    openmpi-bin) mv "$STUBS/later/mpicxx" "$STUBS/later/mpirun" "$STUBS/" ;;
    g++ | cmake | git) mv "$STUBS/later/$word" "$STUBS/" ;;
    ninja-build) mv "$STUBS/later/ninja" "$STUBS/" ;;
    libcli11-dev) mkdir -p "$HEADERS/CLI" && : >"$HEADERS/CLI/CLI.hpp" ;;
    nlohmann-json3-dev) mkdir -p "$HEADERS/nlohmann" && : >"$HEADERS/nlohmann/json.hpp" ;;
    libfmt-dev) mkdir -p "$HEADERS/fmt" && : >"$HEADERS/fmt/core.h" ;;
    libfftw3-dev) mkdir -p "$HEADERS" && : >"$HEADERS/fftw3.h" ;;
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
  *"-m pip --version") ;;
  *"-m pip install"*) echo "pip $*" >>"$CALLS"; [ ! -e "$STUBS/no-pypi" ] ;;
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
case $1 in list) [ $# -eq 1 ] || echo "  $2" | tr '*' x ;; bench | derive)
  for out in "$@"; do :; done
  echo '{}' >"$out"
  exit "$(cat "$STUBS/bench-status")" ;;
esac
"""
CTEST_XML = """<testsuite><testcase name="a" status="run"/><testcase name="b" status="run"/>
<testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=4"/></testcase>{}</testsuite>"""
NOT_STARTED = '<testcase name="d" status="notrun"><skipped message="Unable to find executable"/></testcase>'
PYTEST_XML = """<testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped message="x"/></testcase>
</testsuite></testsuites>"""
REQUIREMENTS = {"perf/setup/": "matplotlib>=3.7", "tests/": "-r ../perf/setup/requirements.txt\npytest", "tests/browser_": "selenium",
                "tests/source_": "tree-sitter-cuda", "perf/setup/locality_": "islpy"}
OS_RELEASE = {
    "debian": 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
    "unstable": 'PRETTY_NAME="Debian GNU/Linux forky/sid"\nID=debian\nVERSION_CODENAME=forky\n',
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
        sourced = [f"perf/setup/{path.name}" for path in (ROOT / "perf/setup").glob("*.bash")]
        for name in [*COMMANDS, *sourced, "perf/portcost"]:
            (self.repo / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.repo / name)
        shutil.copy(ROOT / "CMakePresets.json", self.repo)
        for folder in filter(Path.is_dir, (ROOT / "variants").iterdir()):
            (self.repo / "variants" / folder.name).mkdir(parents=True)
            if (folder / "paper_table.json").exists():
                shutil.copy(folder / "paper_table.json", self.repo / "variants" / folder.name)
        for name, text in REQUIREMENTS.items():
            (self.repo / f"{name}requirements.txt").write_text(text + "\n")
        listed = re.findall(r'^    "[a-z-]+": \(.*', (ROOT / "perf/setup/tool").read_text(encoding="utf-8"), re.M)
        self.script(self.repo / "perf/setup/tool", "\n".join(['echo "$*" >>"$CALLS"', "exit", *listed, ""]))
        self.system("debian")
        (self.apt / "sources.list").write_text("deb http://mirror.example/debian bookworm main\n")
        for tool in PLAIN_TOOLS:
            (self.stubs / tool).symlink_to(shutil.which(tool))
        self.stub("python3", PYTHON.replace("REAL_PYTHON", sys.executable))
        self.stub("id", "echo 0\n")
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("portcost", PORTCOST), ("ctest", CTEST),
                           ("later/g++", CXX.format("12.2.0")), ("later/cmake", CMAKE.format(version="3.25.1"))):
            self.stub(name, text)
        for name in ("ninja", "git", "mpicxx", "mpirun"):
            self.stub(f"later/{name}", "")
        for name in ("bench-status", "ctest-status"):
            self.put(name, "0")
        self.put("ctest.xml", CTEST_XML.format(""))
        self.put("pytest.xml", PYTEST_XML)

    @staticmethod
    def script(path: Path, text: str) -> None:
        path.unlink(missing_ok=True)  # what is replaced may be a link to a tool of the system
        path.write_text(f"#!{shutil.which('bash')}\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def stub(self, name: str, text: str) -> None:
        self.script(self.stubs / name, text)

    def put(self, name: str, text: str) -> None:
        (self.stubs / name).write_text(text)

    def system(self, name: str) -> None:
        (self.repo.parent / "os-release").write_text(OS_RELEASE[name])

    def run(self, *words: str, status: int = 0, **environment: str) -> subprocess.CompletedProcess:
        """A command of the repository, which must end so; its first word is the path of it."""
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
            "PORTCOST_PREFIX_PATH": str(self.headers.parent / "prefix"),
            "PORTCOST_SYSTEM_PYTHON": str(self.stubs / "system-python3"),
            **environment,
        }
        done = subprocess.run(
            [self.repo / words[0], *words[1:]],
            env=settings, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def calls_of(self, *words: str, status: int = 0, **environment: str) -> list[str]:
        self.run(*words, status=status, **environment)
        return self.take_calls()

    def refusal(self, *words: str, status: int = 2, **environment: str) -> str:
        """The one line with which a command ends before anything is brought."""
        (line,) = self.run(*words, status=status, **environment).stderr.splitlines()
        assert self.take_calls() == []
        return line

    def function(self, text: str) -> subprocess.CompletedProcess:
        """Functions of perf/prepare, sourced."""
        self.script(self.repo / "call", f'command_name=call\nsource "$REPO/perf/prepare"\n{text}\n')
        return self.run("call")

    def take_calls(self) -> list[str]:
        """What the stubs noted since the last time."""
        lines = self.calls.read_text().splitlines()
        self.calls.write_text("")
        return lines

    def leave_stopped(self, header: str = '{"kind":"header"}') -> str:
        """The folder of a perf/run that was stopped with this header in its record."""
        folder = self.repo / "out/20260102-030405"
        folder.mkdir(parents=True)
        (folder / "record.jsonl.part").write_text(header + "\n")
        return str(folder)

    def folder(self) -> Path:
        """The results of a perf/run with --out REPO/out."""
        return next((self.repo / "out").iterdir())

    def calls_in_folder(self, *prefixes: str) -> list[str]:
        return [line.replace(f"{self.folder()}/", "") for line in starting(self.take_calls(), *prefixes)]


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def ready(bare: Machine) -> Machine:
    bare.calls_of("perf/prepare")
    return bare


def starting(calls: list[str], *prefixes: str) -> list[str]:
    return [line for line in calls if line.startswith(prefixes)]


def presets(calls: list[str]) -> list[str]:
    return [re.search(r"--preset (\S+)", line)[1] for line in calls if "--preset" in line]


GPU = 'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"\n'


def installed_kokkos(machine: Machine, devices: str, name: str = "kokkos", version: str = "4.6.1") -> str:
    prefix = machine.repo.parent / name
    folder = prefix / "lib/cmake/Kokkos"
    folder.mkdir(parents=True)
    (folder / "KokkosConfigCommon.cmake").write_text(f"set(Kokkos_DEVICES {devices})\n")
    (folder / "KokkosConfigVersion.cmake").write_text(f'set(PACKAGE_VERSION "{version}")\nif(PACKAGE_VERSION)\nendif()\n')
    return str(prefix)
