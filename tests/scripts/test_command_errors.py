"""Mistakes at portcost's command line: exit status 2, one line that names the value, nothing written."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

PAIR, ONE = "'heat2d/naive/*[aps]'", "heat2d/naive/openmp"
HUGE = "nx=1073741824,ny=1073741824"
# Small and short, so that a mistake that is let through does not measure for minutes.
BENCH = f"bench {PAIR} --size nx=8,ny=8 --seconds 0.01"


def run(program: Path, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *shlex.split(words)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def refused(program: Path, words: str, named: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = run(program, words, folder)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "") and line.startswith("portcost: ") and named in line
    assert sorted(folder.iterdir()) == before


def as_typed(words: str, values: str) -> list[tuple[str, str]]:
    """Values that are named as they are typed."""
    return [(f"{words} {value}", value) for value in values.split()]


@pytest.mark.parametrize("words, named", [
    ("bnech", "'bnech': did you mean 'bench'"),
    ("lst --json", "'lst': did you mean 'list'"),
    ("localty nest.json", "'localty': did you mean 'locality'"),
    ("", "subcommand"),
    ("list --jsn", "--jsn"),
    ("bench --sizes nx=8", "--sizes"),
    ("machine --verbose", "--verbose"),
    ("--colour", "--colour"),
    ("list heat3d", "'heat3d' matches nothing: did you mean 'heat2d'"),
    ("check heat2d/naive/openmq", "did you mean 'heat2d/naive/openmp'"),
    ("bench 'heat2d/nave/*' --out run.jsonl", "heat2d/nave/*"),
    ("list heat2d 'nosuch/*'", "'nosuch/*' matches nothing"),
    ("check heat2d --type f16", "'f16'"),
    ("check heat2d --type i32", "'i32' is not one of heat2d's"),
    ("limits 'host coppy'", "'host coppy': did you mean 'host copy'"),
    ("check heat2d --size nz=3", "'nz'"),
    ("check heat2d --size nx=8,nx=9", "'nx' is given twice"),
    *as_typed("check heat2d --size", f"nx=-5 {HUGE}"),
    ("check heat2d --parameter dt=0.3", "dt=0.3 is unstable"),
    ("check heat2d --parameter beta=1", "'beta'"),
    *as_typed("check heat2d --parameter", "dt=nan dx=0"),
    ("check heat2d --seed abc", "abc"),
    ("check heat2d --size ''", "--size is empty"),
    (f"check {PAIR} --size nx=8,ny=8 --size nx=8,ny=8", "is named twice: once is enough"),
    ("run", "FILTER"),
    ("run heat2d/nave/openmp", "did you mean 'heat2d/naive/openmp'"),
    ("run 'heat2d/naive/referenc?'", "nothing to run"),
    (f"run {ONE} --type i32", "'i32' is not one of heat2d's"),
    (f"run {ONE} --type ''", "type ''"),
    (f"run {ONE} --size ''", "--size is empty"),
    (f"run {ONE} --size {HUGE}", HUGE),
    (f"run {ONE} --seed -1", "-1"),
    *((f"run {ONE} --repeat {repeats}", f"--repeat {repeats} ") for repeats in ("0", "many", "1000000")),
])
def test_mistakes_are_named(program: Path, words: str, named: str, tmp_path: Path) -> None:
    refused(program, words, named, tmp_path)


@pytest.mark.parametrize("words, named", [
    ("--type double", "'double'"),
    ("--regime warm", "'warm'"),
    ("--campaign fulll", "'fulll' is unknown: did you mean 'full'"),
    ("--sync never", "'never'"),
    (f"--size {HUGE}", HUGE),
    ("--size ''", "--size is empty"),
    ("--seconds 0", "--seconds 0 "),
    ("--seconds 1e9", "out of range"),
    *as_typed("--seconds", "-1 nan soon"),
    *as_typed("--seed", "-1 abc 1.5 99999999999999999999"),
    ("--size nx=8,ny=8 --size nx=8,ny=8", "is named twice: once is enough"),
    ("--type f32 --type f32", "is named twice: once is enough"),
    ("--regime hot --regime hot", "is named twice: once is enough"),
])
def test_mistakes_of_a_measurement_are_named(measuring: Path, words: str, named: str, tmp_path: Path) -> None:
    usual = [f"{option} {value}" for option, value in (("--size", "nx=8,ny=8"), ("--seconds", "0.01")) if option not in words]
    refused(measuring, f"bench {PAIR} --out run.jsonl {' '.join(usual)} {words}", named, tmp_path)


def test_records_that_cannot_be_written_and_nothing_to_measure(measuring: Path, tmp_path: Path) -> None:
    refused(measuring, "bench heat2d/naive/reference --out run.jsonl", "nothing to measure", tmp_path)
    (tmp_path / "folder.jsonl").mkdir()
    for path in ("run.txt", ".jsonl", "missing/run.jsonl", "folder.jsonl"):
        refused(measuring, f"{BENCH} --out {path}", path, tmp_path)


def test_what_is_absent_in_this_build_is_named_with_the_reason(program: Path, tmp_path: Path) -> None:
    for algorithm in json.loads(run(program, "list --json", tmp_path).stdout):
        for number, absence in enumerate(algorithm["absent"]):
            for command in ("list", "check", "run") if number == 0 else ("list",):
                refused(program, f"{command} {absence['name']}", f"{absence['name']} ({absence['reason']})", tmp_path)
