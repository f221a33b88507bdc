"""The command as several processes: what it prints, records, measures and solves, and how it ends.

command.py MADE_UP PORTCOST MPIEXEC NUMPROC_FLAG [TEST...]: MADE_UP is portcost_made_up_ranks, whose algorithm `rings` fails on demand.
Each run has a watchdog.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from halting import halted, ours_in, report

WATCHDOG_S = 300
BENCH = ["bench", "rings", "--seconds", "0.05"]
GRID = ["solve", "jacobi", "--size", "rows=100,columns=37,iterations=200", "--parameter", "check_every=50,fields=random"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PORTCOST_LAST_CACHE_MIB": "1"}

# Processes, arguments, and what the one line says. there.npy exists.
SOLVE_MISTAKES = [
    (4, ["--size", "rows=3,columns=5"], "Cannot distribute, too many processors: 3 rows for 4 of them"),
    (3, ["--size", "rows=0"], "rows=0"),
    (2, ["--type", "f16"], "f16"),
    (2, ["--out", "there.npy"], "exists"),
    (2, ["--out", "/nowhere/t.npy"], "/nowhere/t.npy"),
    (2, ["--out", "t.txt"], "t.txt"),
    (2, ["--graph", "g.gr"], "--graph"),
    (2, ["--parameter", "check_every=5,tolerance=-1"], "tolerance=-1"),
    (2, ["--model", "openmp", "--parameter", "halos=nccl"], "nccl: that path is from GPU to GPU"),
    (2, ["--parameter", "halos=nvlink"], "halos"),
    (2, ["--patience", "0"], "--patience 0 is out of range"),
]


@dataclass
class Ended:
    status: int
    out: str
    err: str

    def ours(self) -> list[str]:
        """What our own processes say of mistakes and failures."""
        return [line for line in ours_in(self.err) if "times mean nothing" not in line]

    def expect(self, status: int | None, line: str | None = None) -> Ended:
        """Of failures: one line, from one process."""
        if status is not None and self.status != status:
            raise AssertionError(f"ends with {self.status}, not {status}: {self.out}{self.err}")
        if status is None and self.status == 0:
            raise AssertionError(f"ends with 0: {self.out}{self.err}")
        if line is not None and (len(self.ours()) != 1 or line not in self.ours()[0]):
            raise AssertionError(f"says {self.ours()}, not once '{line}'")
        return self


class Runs:
    def __init__(self, program: str, mpiexec: str, flag: str, folder: Path) -> None:
        self.program, self.mpiexec, self.flag, self.folder = program, mpiexec, flag, folder

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def words(self, ranks: int, *words: str) -> list[str]:
        launcher = [self.mpiexec, self.flag, str(ranks)] if ranks else []
        return [*launcher, self.program, *words]

    def __call__(self, ranks: int, *words: str, fault: str = "", command: list[str] | None = None) -> Ended:
        """By so many processes; 0: without a launcher."""
        try:
            done = subprocess.run(command or self.words(ranks, *words), capture_output=True, text=True, timeout=WATCHDOG_S,
                                  check=False, env={**ENVIRONMENT, "RINGS_FAULT": fault}, cwd=self.folder)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"does not end within {WATCHDOG_S} s") from None
        return Ended(done.returncode, done.stdout, done.stderr)


def rows_of(path: str) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def checks_over_any_number(run: Runs) -> None:
    for ranks in (1, 2, 3, 4, 8):
        ended = run(ranks, "check", "rings", "--ranks", str(ranks)).expect(0)
        unfit = {1: 0, 2: 1, 3: 1, 4: 1, 8: 2}[ranks]
        wanted = f"rings: {2 * (3 - unfit)} of {2 * (3 - unfit)} answers equal the reference's"
        assert wanted in ended.out and ended.out.count("rings: ") == 1, f"{ranks} processes: {ended.out}{ended.err}"
        assert ended.out.count(f" for {ranks} of them; take fewer processes") == unfit, ended.out
        assert ended.out.count(": 2 not for these problems (") == unfit, ended.out


def kinds_of_work(run: Runs) -> None:
    alone = run(0, "check", "rings").expect(0)
    assert "rings: steps over processes are not checked" in alone.out and "1 of 1" not in alone.out, alone.out
    run(0, "bench", "rings/exchange/*").expect(2, "matches only work of several processes")
    run(2, "bench", "rings/alone/*").expect(2, "matches only work of one process")
    run(2, "list").expect(2, "portcost list is work of one process")
    listed = run(0, "list").expect(0)
    assert listed.out.count(", over processes") == 2, listed.out
    run(2, *BENCH, "--ranks", "3").expect(2, "--ranks 3, and 2 processes were started")
    run(0, *BENCH, "--ranks", "2").expect(2, "--ranks 2, and 1 process was started")
    run(2, *BENCH, "--ranks", "none").expect(2, "--ranks none is no whole number")
    run(2, *BENCH, "--size", "m=3").expect(2, "portcost: ")


def records(run: Runs) -> None:
    path = run.file("two.jsonl")
    ended = run(2, *BENCH, "--out", path).expect(0)
    assert ended.out.count("record: ") == 1 and ended.out.count("\nrings  n=5000") == 1, ended.out
    rows = rows_of(path)
    header, results = rows[0], [row for row in rows if row["kind"] == "result"]
    assert header["ranks"]["count"] == 2 and len(header["ranks"]["each"]) == 2, str(header.get("ranks"))
    assert {row["role"] for row in results} == {"null", "pair", "best"}, str(results)
    for result in results:
        own = [row for row in rows if row["kind"] == "ranks" and row["result"] == result["id"]]
        samples = [row for row in rows if row["kind"] == "sample" and row["result"] == result["id"]]
        assert result["ranks"] == 2 and result["agrees"], str(result)
        assert len(samples) == result["samples"] > 0 and len(own) == result["rank_rows"] == len(samples), "rows are missing"
        assert all(max(one["device_s"]) == sample["device_s"] and len(one["device_s"]) == 2
                  for one, sample in zip(own, samples)), "a sample is not the slowest rank's"
    run(2, *BENCH, "--out", path).expect(2, "exists: name another file")
    assert sorted(entry.name for entry in run.folder.iterdir()) == ["two.csv", "two.jsonl"], "other files are left"


def slow_ranks(run: Runs) -> None:
    path = run.file("slow.jsonl")
    run(3, "bench", "rings/*/openmp", "--seconds", "0.1", "--out", path, fault="sleeps:2").expect(0)
    rows = rows_of(path)
    samples = [row for row in rows if row["kind"] == "sample"]
    if len(os.sched_getaffinity(0)) < 3:
        crowded = "3 processes with 3 threads on "
        assert all(crowded in row["disturbed"] for row in rows if row["kind"] == "result"), "a crowded computer is not said"
    assert samples and all(sample["device_s"] > 0.2 for sample in samples), "a slow rank is not waited for"


def combining(run: Runs) -> None:
    first, second, third = (run.file(f"{name}.jsonl") for name in ("a", "b", "c"))
    run(2, *BENCH, "--seed", "1", "--out", first).expect(0)
    run(2, *BENCH, "--seed", "2", "--like", first, "--out", second).expect(0)
    run(3, *BENCH, "--seed", "3", "--like", first, "--out", third).expect(0)
    run(0, "derive", first, second, "--out", run.file("both.jsonl")).expect(0)
    rows = rows_of(run.file("both.jsonl"))
    assert {row["process"] for row in rows if row["kind"] == "ranks"} == {0, 1}, "seconds of ranks are not combined"
    run(0, "derive", first, third, "--out", run.file("no.jsonl")).expect(2, "other processes together, count: the first 2")


def going_on(run: Runs) -> None:
    path = run.file("stopped.jsonl")
    sizes = [word for n in range(5000, 5008) for word in ("--size", f"n={n}")]      # enough that a signal comes before the end
    words = run.words(2, "bench", "rings", *sizes, "--seconds", "1", "--out", path)
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=run.folder,
                          env=ENVIRONMENT) as stopped:
        begin = time.monotonic()
        part = Path(path + ".part")
        while not (part.exists() and '"kind":"result"' in part.read_text()) and time.monotonic() - begin < WATCHDOG_S:
            time.sleep(0.05)
        stopped.send_signal(signal.SIGTERM)
        _, err = stopped.communicate(timeout=WATCHDOG_S)
    assert stopped.returncode != 0 and part.exists(), f"ends with {stopped.returncode}: {err}"
    finished = part.read_text().count('"kind":"result"')
    run(3, "bench", "--resume", path).expect(2, "was measured by other processes")
    ended = run(2, "bench", "--resume", path).expect(0)
    assert f"record: {path}" in ended.out, ended.out
    rows = rows_of(path)
    assert 0 < finished < 24 == sum(row["kind"] == "result" for row in rows) and rows[-1]["kind"] == "end", "rows are missing"


def failures(run: Runs) -> None:
    run(3, "check", "rings", fault="wrong:1").expect(1)
    unequal = run(3, *BENCH, fault="wrong:2").expect(1, "some answers differ")
    assert "ANSWERS DIFFER" in unequal.out, unequal.out
    for words in (["check", "rings"], BENCH):
        run(3, *words, fault="throws:1").expect(3, "portcost: rank 1: ")
        run(3, *words, fault="throws:0").expect(3, "portcost: rank 0: ")
        died = run(3, *words, fault="dies:1").expect(None)
        assert "rank 1" in died.err, f"the launcher does not name the rank: {died.err}"
        run(3, *words, fault="leaves:2").expect(None)


def failing_together(run: Runs) -> None:
    """A failure that all ranks throw names the rank once, also where rows are kept."""
    words = [*BENCH, "--size", "n=5000", "--size", "n=5001", "--out", run.file("broken.jsonl")]
    broken = run(3, *words, fault="breaks:1").expect(3, "portcost: rank 1: the ring is broken for all")
    assert "finished rows are in" in broken.err and "rank 0" not in broken.ours()[0], broken.err


def hanging(run: Runs) -> None:
    """A rank that hangs in a run is named by itself; one that is halted, by those that wait for it."""
    for words in (["check", "rings"], BENCH):
        hung = run(3, *words, "--patience", "1", fault="hangs:1").expect(3, "portcost: rank 1: rings/exchange/")
        assert "hung: no sign of life in 1 s (--patience), in " in hung.err, hung.err
        hung = run(3, *words, "--patience", "1", fault="hangs_in_answer:2").expect(3, "portcost: rank 2: rings/exchange/")
        assert "it waits" not in hung.err, hung.err
    halted = run(3, "check", "rings", "--patience", "1", fault="stops:1").expect(3, ": rings/exchange/")
    assert "(--patience), it waits for another rank, in its first run" in halted.err, halted.err
    run(3, "check", "rings", "--patience", "0.5", fault="sleeps:1").expect(0)
    run(2, "check", "rings", "--patience", "0").expect(2, "--patience 0 is out of range")


def mismatches(run: Runs) -> None:
    both = [run.mpiexec, run.flag, "1", run.program, "check", "rings", ":", run.flag, "1", run.program, "check", "rings", "--seed", "2"]
    run(0, command=both).expect(2, "rank 1 has another command than rank 0: check rings --seed 2, not check rings")
    both = [run.mpiexec, run.flag, "2", run.program, "check", "rings", ":", run.flag, "1", "env", "OMP_SCHEDULE=dynamic", run.program,
            "check", "rings"]
    run(0, command=both).expect(2, "rank 2 has another binding of threads than rank 0")


def other_files(run: Runs) -> None:
    for number, text in enumerate(("one", "two")):
        folder = run.folder / str(number)
        folder.mkdir()
        (folder / "in").write_text(text)
    words = [run.program, *BENCH, "--parameter", "file=in"]
    both = [run.mpiexec, run.flag, "1", "--wdir", run.file("0"), *words, ":", run.flag, "1", "--wdir", run.file("1"), *words]
    run(0, command=both).expect(2, "rank 1 has another input file than rank 0")
    (run.folder / "1" / "in").unlink()
    run(0, command=both).expect(2, "portcost: rank 1: ")


def full_file_system(run: Runs) -> None:
    """A file of rank 0 can have 4 KiB (512 bytes a block)."""
    path = run.file("full.jsonl")
    limited = [run.mpiexec, run.flag, "2", "sh", "-c", f"ulimit -f 8; exec '{run.program}' bench rings --seconds 0.05 --out '{path}'"]
    run(0, command=limited).expect(3, "portcost: rank 0: ")


def limits(run: Runs) -> None:
    ended = run(2, "limits", "host exchange*", "--json").expect(0)
    found = {one["name"]: one for one in json.loads(ended.out)}
    lengths = [f"host exchange {name}" for name in ("8 B", "256 B", "4 KiB", "64 KiB", "1 MiB", "16 MiB")]
    assert list(found) == ["host exchange latency", *lengths, "host exchange"], str(list(found))
    assert found["host exchange latency"]["unit"] == "s" and all(found[name]["unit"] == "B/s" for name in lengths), "units"
    assert found["host exchange 8 B"]["value"] < found["host exchange 1 MiB"]["value"], "short messages are as fast as long ones"
    run(2, "limits", "--patience", "0").expect(2, "--patience 0 is out of range")
    for _ in range(5):      # it may have done all before it is halted
        status, err = halted(run.words(3, "limits", "host exchange*", "--patience", "1"), run.program, WATCHDOG_S, at_line=True,
                             cwd=run.folder, env=ENVIRONMENT)
        if status != 0:
            break
    assert status == 3 and ": the limit 'host exchange" in err and "it waits for another rank, while it was measured" in err, err
    run(1, "limits", "host exchange").expect(2, "no limit is called 'host exchange'")


def solve_files(run: Runs) -> None:
    """They have the bytes of one process's."""
    for model, suffix in (("openmp", "npy"), ("kokkos", "raw")):
        run(0, *GRID, "--out", f"right.{suffix}").expect(0)
        for ranks in (1, 2, 3, 4, 7, 8):
            out = f"{ranks}.{suffix}"
            ended = run(ranks, *GRID, "--model", model, "--out", out).expect(0)
            assert f"processes        {ranks}\n" in ended.out and ended.out.count("residual") == 1, ended.out
            assert Path(run.file(out)).read_bytes() == Path(run.file(f"right.{suffix}")).read_bytes(), f"{out} has other bytes"


def solve_mistakes(run: Runs) -> None:
    run(0, *GRID, "--out", "there.npy").expect(0)
    for ranks, words, said in SOLVE_MISTAKES:
        run(ranks, "solve", "jacobi", *words).expect(2, said)
    assert [entry.name for entry in run.folder.iterdir()] == ["there.npy"], "other files are left"


def solve_hanging(run: Runs) -> None:
    """A rank that is halted, for which others wait: they say so."""
    grid = ["solve", "jacobi", "--size", "rows=90,columns=90,iterations=1000000000", "--model", "openmp", "--patience", "2"]
    status, err = halted(run.words(3, *grid), run.program, WATCHDOG_S, at_line=False, cwd=run.folder)
    said = ": jacobi/deep_halos/openmp rows=90,columns=90,iterations=1000000000,fields=zero f64 hung: no sign of life in 2 s"
    assert status == 3 and said in err and "(--patience), it waits for another rank, in its first run" in err, err


def shares_said_once(run: Runs) -> None:
    """Of all sizes and types."""
    ended = run(2, "check", "jacobi/hybrid/openmp", "--ranks", "2").expect(0)
    assert ended.err.count("rows are shared") == 1, ended.err


OF_PORTCOST: list[Callable[[Runs], None]] = [solve_files, solve_mistakes, solve_hanging, shares_said_once]
TESTS = [checks_over_any_number, kinds_of_work, records, slow_ranks, combining, going_on, failures, failing_together, hanging, mismatches,
         other_files, full_file_system, limits, *OF_PORTCOST]


def main() -> int:
    made_up, portcost, mpiexec, flag, *wanted = sys.argv[1:]
    faults = 0
    for test in TESTS:
        if wanted and test.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong = ""
            try:
                test(Runs(portcost if test in OF_PORTCOST else made_up, mpiexec, flag, Path(folder)))
            except AssertionError as error:
                wrong = str(error) or "is wrong"
        faults += report(test.__name__.replace("_", " "), wrong)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
