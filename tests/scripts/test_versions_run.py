"""perf/run with several --kokkos on a made-up machine: a build folder each, rounds in turn, what is left out, stopping and going on."""

import json
from pathlib import Path

import pytest
from machine import GPU, Machine, installed_kokkos

BENCH = "portcost bench sum --campaign default --seed"
OLD, NEW = "4.6.1", "5.0.0"


@pytest.fixture
def prefixes(ready: Machine) -> list[str]:
    return [installed_kokkos(ready, "OPENMP", name, version) for name, version in (("old", OLD), ("new", NEW))]


def words_of(prefixes: list[str]) -> list[str]:
    return [word for prefix in prefixes for word in ("--kokkos", prefix)]


def run(ready: Machine, prefixes: list[str], *words: str, status: int = 0) -> str:
    return ready.run("perf/run", *words_of(prefixes), "--filter", "sum", "--out", str(ready.repo / "out"), *words, status=status).stderr


def rows(ready: Machine) -> list[dict]:
    found = map(json.loads, (ready.folder() / "record.jsonl").read_text().splitlines())
    return [row for row in found if row]  # the stub of portcost writes empty ones


def before(ready: Machine, stub: str, lines: str) -> None:
    """Puts lines of bash before a stub's own. portcost is told apart by its path."""
    ready.script(ready.stubs / stub, f"{lines}\n" + (ready.stubs / stub).read_text().split("\n", 1)[1])


def test_rounds_alternate_and_the_build_of_one_version_is_left_alone(ready: Machine, prefixes: list[str]):
    cache = (ready.repo / "build/openmp/CMakeCache.txt").read_bytes()
    run(ready, prefixes)
    a, b = ([f"{name}-{number}-of-3.jsonl" for number in (1, 2, 3)] for name in (OLD, NEW))
    assert ready.calls_in_folder("portcost", "versions") == [
        "portcost check sum", "portcost check sum",
        f"{BENCH} 1 --out {a[0]}", f"{BENCH} 1 --like {a[0]} --out {b[0]}",
        f"{BENCH} 2 --like {b[0]} --out {b[1]}", f"{BENCH} 2 --like {a[0]} --out {a[1]}",
        f"{BENCH} 3 --like {a[0]} --out {a[2]}", f"{BENCH} 3 --like {b[0]} --out {b[2]}",
        f"portcost derive {' '.join(a)} --force --out {OLD}.jsonl", f"portcost derive {' '.join(b)} --force --out {NEW}.jsonl",
        f"versions record.jsonl --out {ready.folder()}"]
    assert (ready.repo / "build/openmp/CMakeCache.txt").read_bytes() == cache
    for name, prefix in zip((OLD, NEW), prefixes):
        assert f"Kokkos_ROOT:UNINITIALIZED={prefix}\n" in (ready.repo / f"build/openmp-kokkos-{name}/CMakeCache.txt").read_text()
    assert rows(ready) == [{"kind": "version", "name": name, "where": prefix, "left_out": ""}
                           for name, prefix in zip((OLD, NEW), prefixes)]


def test_names_sources_and_other_answers(ready: Machine, prefixes: list[str]):
    ready.put("bench-status", "1")
    run(ready, [f"old={prefixes[0]}", f"5={prefixes[1]}", "distribution"], "--repeat", "1", "--no-install", status=1)
    assert [(row["name"], row["left_out"]) for row in rows(ready)] == [("old", ""), ("5", ""), ("distribution", "")]
    assert "PORTCOST_KOKKOS:UNINITIALIZED=distribution" in (ready.repo / "build/openmp-kokkos-distribution/CMakeCache.txt").read_text()


@pytest.mark.parametrize("fault, told", [
    ('case "$*" in *--preset*-B*-5.0.0*) exit 1 ;; esac', "is not configured: see "),
    ('case "$*" in *--build*-5.0.0*) echo "a.cpp:1: error: no \\"such\\" type"; exit 1 ;; esac',
     'does not build: a.cpp:1: error: no "such" type ('),
])
def test_a_version_that_is_not_built_is_left_out_and_the_rest_goes_on(ready: Machine, prefixes: list[str], fault: str, told: str):
    before(ready, "cmake", fault)
    assert f"Kokkos {NEW} is left out: it {told}" in run(ready, prefixes, "--repeat", "1", status=1)
    assert [line.split()[1] for line in ready.calls_in_folder("portcost", "versions")] == ["check", "bench", "record.jsonl"]
    old, new = rows(ready)
    assert old["left_out"] == "" and new["left_out"].startswith(told)


def test_a_version_that_ends_badly_keeps_what_it_measured(ready: Machine, prefixes: list[str]):
    before(ready, "portcost", 'case "$0 $*" in *-5.0.0/*"bench"*"--seed 2"*) exit 139 ;; esac')
    assert run(ready, prefixes, status=1).splitlines()[-1].startswith("portcost: a version is left out, or some variants")
    calls = ready.calls_in_folder("portcost", "versions")
    assert not any(f"{NEW}-3-of-3" in line for line in calls) and any(f"{OLD}-3-of-3" in line for line in calls)
    assert (ready.folder() / f"{NEW}.jsonl").is_file() and not any("derive" in line and NEW in line for line in calls)
    assert "ended with status 139 in: portcost bench" in rows(ready)[1]["left_out"]


def test_processes_that_cannot_be_combined_leave_the_last(ready: Machine, prefixes: list[str]):
    before(ready, "portcost", 'case "$*" in *derive*5.0.0-1-of-2*5.0.0-2-of-2*) exit 2 ;; esac')
    run(ready, prefixes, "--repeat", "2", status=1)
    assert [row["left_out"] for row in rows(ready)] == ["", "has one process of 2: portcost derive did not combine them"]


def test_a_version_with_other_variants_is_measured_by_itself(ready: Machine, prefixes: list[str]):
    before(ready, "portcost", 'case "$*" in *"bench"*"--like "*4.6.1*"--out"*5.0.0*) exit 2 ;; esac')
    assert f"Kokkos {NEW} has other variants than {OLD}-1-of-1.jsonl" in run(ready, prefixes, "--repeat", "1")
    assert f"{BENCH} 1 --out {NEW}-1-of-1.jsonl" in ready.calls_in_folder("portcost", "versions")


def test_a_run_that_is_stopped_goes_on_with_the_version_that_it_was_at(ready: Machine, prefixes: list[str]):
    before(ready, "portcost", """case "$*" in *bench*"--seed 2"*5.0.0-2-of-2*) for out in "$@"; do :; done
      [ -e "$out.part" ] || { echo '{"kind":"result","id":0}' >"$out.part"; exit 143; } ;; esac""")
    told = run(ready, prefixes, "--repeat", "2", "--seconds", "2", status=143)
    assert told.splitlines()[-1] == f"portcost: not finished; go on with: perf/run --resume {ready.folder()}"
    ready.take_calls()
    ready.run("perf/run", "--resume", str(ready.folder()))
    assert ready.calls_in_folder("portcost", "versions")[:2] == [
        f"portcost bench --like {NEW}-1-of-2.jsonl --resume {NEW}-2-of-2.jsonl",
        f"portcost bench sum --campaign default --seconds 2 --seed 2 --like {OLD}-1-of-2.jsonl --out {OLD}-2-of-2.jsonl"]
    assert "leave --kokkos away" in ready.refusal("perf/run", "--resume", str(ready.folder()), "--kokkos", prefixes[0])


def test_what_was_added_to_a_record_since_stays(ready: Machine, prefixes: list[str]):
    run(ready, prefixes, "--repeat", "1")
    with (ready.folder() / f"{NEW}.jsonl").open("a") as file:
        file.write('{"kind":"counters"}\n')
    ready.take_calls()
    ready.run("perf/run", "--resume", str(ready.folder()))
    assert ready.calls_in_folder("portcost", "versions") == [f"versions record.jsonl --out {ready.folder()}"]
    assert rows(ready)[-1] == {"kind": "counters"}


@pytest.mark.parametrize("words, told", [
    (["{0}", "a={0}"], "{0} is given twice"),
    (["a={0}", "a={1}"], "two --kokkos are called a: name them, as in --kokkos a={1}"),
    (["{0}", "record={1}"], "record.jsonl is of all versions: give it another name"),
    (["{0}", "/no/such"], "--kokkos /no/such: there is no such folder"),
    (["{0}", "/"], "--kokkos /: no Kokkos is installed there (no lib*/cmake/Kokkos/KokkosConfigVersion.cmake)"),
    (["{0}", "{1}", "--table1"], "they do not go with --table1"),
    (["{0}", "{1}", "--ranks=2"], "they do not go with --ranks"),
])
def test_what_cannot_be_versions_is_one_line(ready: Machine, prefixes: list[str], words: list[str], told: str):
    given = words_of([word.format(*prefixes) for word in words[:2]])
    assert told.format(*prefixes) in ready.refusal("perf/run", *given, *words[2:])


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
    assert [tuple(json.loads(line).values()) for line in said.splitlines()] == [("kernel", "_Z4plain", 40, 0), ("kernel", "_Z5spills", 255, 20)]
