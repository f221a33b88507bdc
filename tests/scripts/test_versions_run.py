"""perf/run with several --kokkos on a made-up machine: a build folder each, rounds in turn, what is left out, stopping and going on."""

import json
from pathlib import Path

import pytest
from machine import GPU, Machine, installed_kokkos, starting

BENCH = "portcost bench sum --campaign default --seed"


@pytest.fixture
def prefixes(ready: Machine) -> list[str]:
    return [installed_kokkos(ready, "OPENMP", name, version) for name, version in (("old", "4.6.1"), ("new", "5.0.0"))]


def words_of(prefixes: list[str]) -> list[str]:
    return [word for prefix in prefixes for word in ("--kokkos", prefix)]


def run(ready: Machine, prefixes: list[str], *words: str, status: int = 0):
    return ready.run("perf/run", *words_of(prefixes), "--filter", "sum", "--out", str(ready.repo / "out"), *words, status=status)


def folder_of(ready: Machine) -> Path:
    return next((ready.repo / "out").iterdir())


def measured(ready: Machine) -> list[str]:
    """What portcost and the page were asked for, without the folder."""
    return [line.replace(f"{folder_of(ready)}/", "") for line in starting(ready.take_calls(), "portcost", "versions")]


def rows(ready: Machine) -> list[dict]:
    lines = (folder_of(ready) / "record.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def build_stub(ready: Machine, extra: str) -> None:
    """CMake's stub, with lines of bash before it."""
    first, rest = (ready.stubs / "cmake").read_text().split("\n", 1)
    ready.script(ready.stubs / "cmake", f"{extra}\n{rest}")


def portcost_stub(ready: Machine, extra: str) -> None:
    """What will be built, with lines of bash before it. It is told apart by its path."""
    first, rest = (ready.stubs / "portcost").read_text().split("\n", 1)
    ready.script(ready.stubs / "portcost", f"{extra}\n{rest}")


def test_rounds_alternate_and_the_build_of_one_version_is_left_alone(ready: Machine, prefixes: list[str]):
    before = (ready.repo / "build/openmp/CMakeCache.txt").read_bytes()
    result = run(ready, prefixes)
    a, b = ([f"{name}-{number}-of-3.jsonl" for number in (1, 2, 3)] for name in ("4.6.1", "5.0.0"))
    assert measured(ready) == [
        "portcost check sum", "portcost check sum",
        f"{BENCH} 1 --out {a[0]}", f"{BENCH} 1 --like {a[0]} --out {b[0]}",
        f"{BENCH} 2 --like {b[0]} --out {b[1]}", f"{BENCH} 2 --like {a[0]} --out {a[1]}",
        f"{BENCH} 3 --like {a[0]} --out {a[2]}", f"{BENCH} 3 --like {b[0]} --out {b[2]}",
        f"portcost derive {' '.join(a)} --force --out 4.6.1.jsonl", f"portcost derive {' '.join(b)} --force --out 5.0.0.jsonl",
        f"versions record.jsonl --out {folder_of(ready)}"]
    assert (ready.repo / "build/openmp/CMakeCache.txt").read_bytes() == before
    for name, prefix in zip(("4.6.1", "5.0.0"), prefixes):
        assert f"Kokkos_ROOT:UNINITIALIZED={prefix}\n" in (ready.repo / f"build/openmp-kokkos-{name}/CMakeCache.txt").read_text()
    assert [row for row in rows(ready) if row] == [
        {"kind": "version", "name": name, "where": prefix, "left_out": ""} for name, prefix in zip(("4.6.1", "5.0.0"), prefixes)]
    assert "versions.html" in result.stderr


def test_names_and_one_round(ready: Machine, prefixes: list[str]):
    named = [f"old={prefixes[0]}", f"5={prefixes[1]}", "distribution"]
    run(ready, named, "--repeat", "1", "--no-install")
    assert [row["name"] for row in rows(ready) if row] == ["old", "5", "distribution"]
    assert "PORTCOST_KOKKOS:UNINITIALIZED=distribution" in (ready.repo / "build/openmp-kokkos-distribution/CMakeCache.txt").read_text()


@pytest.mark.parametrize("fault, told", [
    ('case "$*" in *--preset*-B*-5.0.0*) mkdir -p build; exit 1 ;; esac', "is not configured: see "),
    ('case "$*" in *--build*-5.0.0*) echo "a.cpp:1: error: no \\"such\\" type"; exit 1 ;; esac',
     'does not build: a.cpp:1: error: no "such" type ('),
])
def test_a_version_that_is_not_built_is_left_out_and_the_rest_goes_on(ready: Machine, prefixes: list[str], fault: str, told: str):
    build_stub(ready, fault)
    result = run(ready, prefixes, "--repeat", "1", status=1)
    assert f"Kokkos 5.0.0 is left out: it {told}" in result.stderr
    assert [line.split()[1] for line in measured(ready)] == ["check", "bench", "derive", "record.jsonl"]
    old, new = [row for row in rows(ready) if row]
    assert old["left_out"] == "" and new["left_out"].startswith(told)


def test_a_version_that_ends_badly_keeps_what_it_measured(ready: Machine, prefixes: list[str]):
    portcost_stub(ready, 'case "$0 $*" in *-5.0.0/*"bench"*"--seed 2"*) exit 139 ;; esac')
    result = run(ready, prefixes, status=1)
    calls = measured(ready)
    assert not any("5.0.0-3-of-3" in line for line in calls)
    assert "portcost derive 5.0.0-1-of-3.jsonl --force --out 5.0.0.jsonl" in calls
    assert "ended with status 139 in: portcost bench" in [row for row in rows(ready) if row][1]["left_out"]
    assert result.stderr.splitlines()[-1].startswith("portcost: a version is left out, or some variants")


def test_other_answers_are_a_result(ready: Machine, prefixes: list[str]):
    ready.put("bench-status", "1")
    run(ready, prefixes, "--repeat", "1", status=1)
    assert [row["left_out"] for row in rows(ready) if row] == ["", ""]


def test_a_version_with_other_variants_is_measured_by_itself(ready: Machine, prefixes: list[str]):
    portcost_stub(ready, 'case "$*" in *"bench"*"--like "*4.6.1*"--out"*5.0.0*) exit 2 ;; esac')
    result = run(ready, prefixes, "--repeat", "1")
    assert f"{BENCH} 1 --out 5.0.0-1-of-1.jsonl" in measured(ready)
    assert "Kokkos 5.0.0 has other variants than 4.6.1-1-of-1.jsonl" in result.stderr


def test_a_run_that_is_stopped_goes_on_with_the_version_that_it_was_at(ready: Machine, prefixes: list[str]):
    portcost_stub(ready, """case "$*" in *bench*"--seed 2"*5.0.0-2-of-2*) for out in "$@"; do :; done
      [ -e "$out.part" ] || { echo '{"kind":"result","id":0}' >"$out.part"; exit 143; } ;; esac""")
    result = run(ready, prefixes, "--repeat", "2", "--seconds", "2", status=143)
    assert result.stderr.splitlines()[-1] == f"portcost: not finished; go on with: perf/run --resume {folder_of(ready)}"
    ready.take_calls()
    result = ready.run("perf/run", "--resume", str(folder_of(ready)))
    first, second = "5.0.0-1-of-2.jsonl", "5.0.0-2-of-2.jsonl"
    assert measured(ready)[:2] == [
        f"portcost bench --like {first} --resume {second}",
        "portcost bench sum --campaign default --seconds 2 --seed 2 --like 4.6.1-1-of-2.jsonl --out 4.6.1-2-of-2.jsonl"]
    assert "leave --kokkos away" in ready.refusal("perf/run", "--resume", str(folder_of(ready)), "--kokkos", prefixes[0])


def test_what_was_added_to_a_record_since_stays(ready: Machine, prefixes: list[str]):
    run(ready, prefixes, "--repeat", "1")
    counters = {"kind": "counters", "variant": "sum/tree/kokkos"}
    with (folder_of(ready) / "5.0.0.jsonl").open("a") as file:
        file.write(json.dumps(counters) + "\n")
    ready.take_calls()
    ready.run("perf/run", "--resume", str(folder_of(ready)))
    assert measured(ready) == [f"versions record.jsonl --out {folder_of(ready)}"]
    assert rows(ready)[-1] == counters


@pytest.mark.parametrize("words, told", [
    (["{0}", "{0}"], "{0} is given twice"),
    (["{0}", "a={0}"], "{0} is given twice"),
    (["a={0}", "a={1}"], "two --kokkos are called a: name them, as in --kokkos a={1}"),
    (["{0}", "record={1}"], "record.jsonl is of all versions: give it another name"),
    (["{0}", "/no/such"], "--kokkos /no/such: there is no such folder"),
    (["{0}", "/"], "--kokkos /: no Kokkos is installed there (no lib*/cmake/Kokkos/KokkosConfigVersion.cmake)"),
])
def test_what_cannot_be_versions_is_one_line(ready: Machine, prefixes: list[str], words: list[str], told: str):
    line = ready.refusal("perf/run", *words_of([word.format(*prefixes) for word in words]))
    assert told.format(*prefixes) in line


@pytest.mark.parametrize("words", [["--table1"], ["--ranks", "2"]])
def test_what_does_not_go_with_versions_is_one_line(ready: Machine, prefixes: list[str], words: list[str]):
    assert "they do not go with " + words[0] in ready.refusal("perf/run", *words_of(prefixes), *words)


def test_a_kokkos_of_the_other_processor_is_refused_before_anything_is_built(ready: Machine, prefixes: list[str]):
    cuda = installed_kokkos(ready, "CUDA;OPENMP", "cuda", "4.7.2")
    assert "built with CUDA, and the host is measured" in ready.refusal("perf/run", *words_of([prefixes[0], cuda]), status=3)
    ready.stub("nvcc", "")
    ready.stub("nvidia-smi", GPU)
    assert f"--kokkos {prefixes[0]}: that Kokkos was built without CUDA" in ready.refusal(
        "perf/run", *words_of([cuda, prefixes[0]]), status=3)
    assert "distribution serves hosts" in ready.refusal("perf/run", *words_of([cuda, "distribution"]))


PTXAS = """\
ptxas info    : Compiling entry function '_Z4plain' for 'sm_90'
ptxas info    : Function properties for _Z4plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 400 bytes cmem[0]
ptxas info    : Compiling entry function '_Z5spills' for 'sm_90'
ptxas info    : Function properties for _Z5spills
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for _Z6called
    64 bytes stack frame, 64 bytes spill stores, 64 bytes spill loads
ptxas info    : Used 255 registers
"""


def test_registers_and_spills_are_read_from_the_compilers_words(ready: Machine, tmp_path: Path):
    (tmp_path / "ptxas.txt").write_text(PTXAS)
    said = ready.function(f'source "$REPO/perf/setup/versions.bash"\nkernel_rows {tmp_path}/ptxas.txt').stdout
    assert [json.loads(line) for line in said.splitlines()] == [
        {"kind": "kernel", "name": "_Z4plain", "registers": 40, "spills": 0},
        {"kind": "kernel", "name": "_Z5spills", "registers": 255, "spills": 20}]
