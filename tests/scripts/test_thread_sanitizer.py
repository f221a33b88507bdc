"""Preparing a machine for the preset openmp-tsan, which takes clang where the others take g++; and apt sources made from those
that the system has, for Debian's backports."""


import pytest
from machine import APT_GET, CMAKE, CXX, Machine, starting

# A clang; it links programs with OpenMP and ThreadSanitizer unless the file `unlinked` is there.
CLANG = 'case "$*" in *--version*) echo "clang version {0}";; *) v={0}; [ "${{v%%.*}}" -ge 15 -a ! -e "$STUBS/unlinked" ];; esac\n'
INSTALLS_CLANG = APT_GET.replace(
    "  case $word in\n",
    '  case $word in\n    clang | clang-1?) mv "$STUBS/later/$word" "$STUBS/clang++${word#clang}" ;;\n    libomp*) rm -f "$STUBS/unlinked" ;;\n',
)


@pytest.fixture
def machine(bare: Machine) -> Machine:
    """Says which compiler CMake is given."""
    bare.stub("apt-get", INSTALLS_CLANG)
    bare.stub("later/cmake", CMAKE.format(version="3.25.1").replace('echo "cmake $*"', 'echo "cmake CXX=${CXX:-} $*"'))
    return bare


def installed(machine: Machine, calls: list[str]) -> set[str]:
    return set(" ".join(line for line in calls if line.startswith("apt-get") and " install " in line).split())


def packages(suffix: str) -> set[str]:
    return {f"clang{suffix}", f"llvm{suffix}", f"libomp{suffix}-dev", f"libclang-rt{suffix}-dev"}


@pytest.mark.parametrize(("system", "suffix"), [("debian", "-16"), ("ubuntu", "-15")])
def test_a_bare_machine_gets_a_clang_that_is_new_enough(machine: Machine, system: str, suffix: str):
    machine.system(system)
    machine.stub(f"later/clang{suffix}", CLANG.format(f"{suffix[1:]}.0.6"))
    # The other brings its CMake from elsewhere.
    calls = machine.calls_of("perf/prepare", "--preset", "openmp-tsan", status=0 if system == "debian" else 1)
    assert packages(suffix) <= installed(machine, calls)
    assert not installed(machine, calls) & {"g++", "g++-12"}
    assert system != "debian" or starting(calls, f"cmake CXX=clang++{suffix} -S")


def test_the_clang_that_is_there_is_taken_if_it_links(machine: Machine):
    machine.stub("clang++", CLANG.format("19.1.7"))
    calls = machine.calls_of("perf/prepare", "--preset", "openmp-tsan")
    assert not installed(machine, calls) & packages("-16") and starting(calls, "cmake CXX=clang++ -S")


def test_clang_without_its_libraries_gets_them(machine: Machine):
    machine.stub("clang++", CLANG.format("14.0.6"))
    machine.stub("clang++-16", CLANG.format("16.0.6"))
    machine.stub("later/clang-16", CLANG.format("16.0.6"))
    machine.put("unlinked", "")
    calls = machine.calls_of("perf/prepare", "--preset", "openmp-tsan")
    assert packages("-16") <= installed(machine, calls) and starting(calls, "cmake CXX=clang++-16 -S")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_another_compiler_is_refused_in_one_line(machine: Machine, compiler: str):
    machine.stub("g++", CXX.format("12.2.0"))
    machine.stub("clang++", CLANG.format("14.0.6"))
    assert machine.refusal("tests/run", "--preset", "openmp-tsan", CXX=compiler, status=3) == (
        f"portcost: CXX names '{compiler}', and the preset openmp-tsan needs clang >= 15 with its OpenMP library and "
        "ThreadSanitizer's. Name such a clang or unset CXX.")


def test_other_presets_still_take_gcc(machine: Machine):
    machine.stub("clang++-16", CLANG.format("16.0.6"))
    calls = machine.calls_of("perf/prepare", "--preset", "openmp")
    assert "g++" in installed(machine, calls) and starting(calls, "cmake CXX= -S")


# ---- Apt sources of Debian's backports.

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


@pytest.mark.parametrize("system, name, text, expected", [
    ("debian", "sources.list.d/debian.sources", DEB822, DEB822_BACKPORTS),
    ("debian", "sources.list.d/debian.sources", "Enabled: no\n" + DEB822[9:], "none\n"),
    ("debian", "sources.list.d/debian.list", ONE_LINE, ONE_LINE_BACKPORTS),
    ("debian", "sources.list", ONE_LINE, ONE_LINE_BACKPORTS),
    ("debian", "sources.list", "deb\thttp://mirror.example/debian  bookworm\tmain\n",
     "list\ndeb http://mirror.example/debian bookworm-backports main\n"),
    ("debian", "sources.list", "deb http://mirror.example/other stable main\n", "none\n"),
    ("ubuntu", "sources.list", "deb http://mirror.example/debian bookworm main\n", "none\n"),
])
def test_backports_source(bare: Machine, system: str, name: str, text: str, expected: str):
    bare.system(system)
    (bare.apt / "sources.list").unlink()
    (bare.apt / name).write_text(text)
    result = bare.function('backports_source "$PORTCOST_APT_FOLDER" || echo none')
    assert result.stdout == expected, result.stderr
