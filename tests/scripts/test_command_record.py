"""A bench's record that is stopped, gone on with, begun twice or not writable; --like and derive."""

import json
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from running import full_disk

PAIR = "heat2d/naive/*[aps]"
ONCE = [PAIR, "--size", "nx=64,ny=48", "--type", "f32", "--regime", "hot"]
TWICE = [*ONCE, "--size", "nx=33,ny=20"]
STEPS = [*ONCE, "heat2d/full_halo/*[aps]"]


class Command:
    """portcost in a folder of its own."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder

    def run(self, *words: str | bytes, status: int = 0, **options: object) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([self.program, *words], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
        assert done.returncode == status, done.stderr
        return done

    def bench(self, *words: str, seconds: str = "0.05", **options: object) -> subprocess.CompletedProcess[str]:
        return self.run("bench", "--seconds", seconds, *words, **options)

    def refused(self, said: str, *words: str | bytes, status: int = 2, **options: object) -> None:
        (line,) = self.run(*words, status=status, **options).stderr.splitlines()
        assert line.startswith("portcost: ") and said in line

    def stopped(self, at: str, number: int, *words: str, seconds: str = "0.4") -> str:
        """Its errors; the signal comes once they have `at`."""
        process = subprocess.Popen([self.program, "bench", "--seconds", seconds, *words], cwd=self.folder, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = ""
        for line in process.stderr:
            said += line
            if at in line:
                process.send_signal(number)
        assert process.wait() in (-number, 128 + number)
        return said

    def rows(self, name: str, kind: str = "") -> list[dict]:
        lines = re.findall(r".*\n", (self.folder / name).read_text())
        return [row for line in lines if kind in ("", (row := json.loads(line))["kind"])]

    def identities(self, name: str) -> list[str]:
        """Results and limits without their numbers."""
        keys = {"limit": ("name",), "result": ("id", "role", "size_text"), "end": ("results",)}
        return [json.dumps([row[key] for key in keys[row["kind"]]]) for row in self.rows(name) if row["kind"] in keys]

    def sides(self, name: str) -> list[str]:
        return [side["variant"] for row in self.rows(name, "result") for side in row["sides"]]

    def entries(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture(scope="module")
def start(measuring: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Command]:
    return lambda: Command(measuring, tmp_path_factory.mktemp("bench"))


@pytest.fixture
def portcost(start: Callable[[], Command]) -> Command:
    return start()


@pytest.fixture(scope="module")
def whole(start: Callable[[], Command]) -> Command:
    """With a whole record of a measurement that is not stopped."""
    command = start()
    command.bench(*TWICE, "--out", "run.jsonl")
    command.bench(*TWICE, "--out", "short.jsonl", seconds="0.001")
    return command


@pytest.fixture(scope="module")
def three(start: Callable[[], Command]) -> Command:
    """With a.jsonl and two like it."""
    command = start()
    command.bench(*STEPS, "--seed", "1", "--out", "a.jsonl")
    for seed, out in (("2", "b.jsonl"), ("3", "c.jsonl")):
        command.bench(*STEPS, "--seed", seed, "--like", "a.jsonl", "--out", out)
    return command


def test_a_stopped_bench_says_where_its_rows_are_to_go_on_with(portcost: Command, whole: Command) -> None:
    said = portcost.stopped("[  2/6]", signal.SIGTERM, *TWICE, "--out", "run.jsonl")
    assert "stopped by SIGTERM: " in said and "go on with: portcost bench --resume 'run.jsonl.part'" in said
    assert portcost.entries() == ["run.jsonl.part"]
    begun = (portcost.folder / "run.jsonl.part").read_text()
    assert len(portcost.identities("run.jsonl.part")) >= 3
    portcost.run("bench", "--resume", "run.jsonl.part")
    assert (portcost.folder / "run.jsonl").read_text().startswith(begun)
    assert portcost.identities("run.jsonl") == whole.identities("run.jsonl") and portcost.entries() == ["run.csv", "run.jsonl"]
    assert "is complete, nothing is left to measure" in portcost.run("bench", "--resume", "run.jsonl").stdout


def test_a_bench_that_is_killed_loses_no_finished_row(portcost: Command, whole: Command) -> None:
    portcost.stopped("[  2/6]", signal.SIGKILL, *TWICE, "--out", "run.jsonl")
    assert len(portcost.rows("run.jsonl.part", "result")) >= 2
    # The same command with --resume behind it does the same as --resume alone.
    portcost.bench(*TWICE, "--out", "run.jsonl", "--resume", "run.jsonl.part", seconds="0.4")
    assert portcost.identities("run.jsonl") == whole.identities("run.jsonl")


def test_output_that_nobody_can_take_is_a_failure_of_every_command(portcost: Command) -> None:
    bench = ["bench", "--seconds", "0.05", *TWICE, "--out", "run.jsonl"]
    with open("/dev/full", "w") as full:
        for words in (bench, ["list"], ["machine"], ["--help"], ["run", "heat2d/naive/openmp"]):
            said = "the output could not be written" if words == bench else "portcost: failed: "
            portcost.refused(said, *words, status=3, stdout=full)
    assert portcost.entries() == []  # stopped before its first row


def test_on_a_full_disk_finished_rows_are_kept_and_others_follow(portcost: Command, whole: Command) -> None:
    """Every result of so short a measurement has the same number of samples."""
    most = (whole.folder / "short.jsonl").stat().st_size // 3
    done = portcost.bench(*TWICE, "--out", "run.jsonl", seconds="0.001", status=3, preexec_fn=full_disk(most))
    last = done.stderr.splitlines()[-1]
    assert "'run.jsonl.part' could not be written" in last and "--resume 'run.jsonl.part'" in last
    assert portcost.rows("run.jsonl.part", "result") and (portcost.folder / "run.jsonl.part").read_text().endswith("\n")
    portcost.run("bench", "--resume", "run.jsonl.part")
    assert portcost.identities("run.jsonl") == whole.identities("run.jsonl")


def test_what_is_to_be_resumed_must_be_the_same_campaign(portcost: Command) -> None:
    portcost.stopped("[  1/6]", signal.SIGKILL, *TWICE, "--out", "run.jsonl")
    begun = (portcost.folder / "run.jsonl.part").read_text()
    for words, said in ((["--seed", "2", "--resume", "run.jsonl"], "give the same options"),
                        (["--out", "b.jsonl", "--resume", "run.jsonl"], "--out b.jsonl"),
                        (["--resume", "other.jsonl"], "other.jsonl"), (["--resume", ""], ".jsonl"),
                        (["--out", "run.jsonl"], "--resume 'run.jsonl.part'")):
        portcost.refused(said, "bench", "--seconds", "0.4", *TWICE, *words)
    assert (portcost.folder / "run.jsonl.part").read_text() == begun
    (portcost.folder / "old.jsonl.part").write_text('{"kind":"header","format":1}\n')
    portcost.refused("measure again with this version", "bench", "--resume", "old.jsonl.part")
    portcost.refused("is not UTF-8", "bench", PAIR, "--out", b"r\xff.jsonl")


def test_three_processes_are_measured_alike_and_combined(three: Command) -> None:
    done = three.run("derive", "a.jsonl", "b.jsonl", "c.jsonl", "--out", "all.jsonl")
    assert "3 processes; the unit of an interval is the process" in done.stdout
    assert all(three.sides(f"{name}.jsonl") == three.sides("a.jsonl") for name in ("b", "c", "all"))
    (header,), limits, results = (three.rows("all.jsonl", kind) for kind in ("header", "limit", "result"))
    assert len(header["processes"]) == len(limits[0]["processes"]) == 3 and three.rows("all.jsonl", "end")
    assert (results[0]["unit"], results[0]["units"]) == ("process", 3)
    samples = sum(row["samples"] for row in results)
    assert samples == sum(row["samples"] for name in "abc" for row in three.rows(f"{name}.jsonl", "result"))
    assert (three.folder / "all.csv").read_text().count("\n") == samples + 1


def test_what_cannot_be_combined_is_one_line_and_not_written(three: Command) -> None:
    three.run("derive", "a.jsonl", "b.jsonl", "--out", "two.jsonl")
    before = three.entries()
    for words, said in (("a.jsonl --out x.jsonl", "one record alone"), ("a.jsonl --format xml", "--format xml is unknown"),
                        ("a.jsonl b.jsonl --out ", "--out is empty"), ("a.jsonl a.jsonl --out x.jsonl", "one process"),
                        ("a.jsonl two.jsonl --out x.jsonl", "combined already"),
                        ("a.jsonl none.jsonl --out x.jsonl", "none.jsonl"),
                        ("a.jsonl b.jsonl --out ./a.jsonl --force", "one of the records"),
                        ("a.jsonl b.jsonl --out two.jsonl", "'two.jsonl' exists")):
        three.refused(said, "derive", *words.split(" "))
    three.refused("is combined from 2 processes and cannot be gone on with", "bench", "--resume", "two.jsonl")
    assert three.entries() == before
    three.run("derive", "a.jsonl", "b.jsonl", "--out", "two.jsonl", "--force")


def test_a_bench_like_another_is_gone_on_with_like_it(portcost: Command) -> None:
    portcost.bench(*STEPS, "--seed", "1", "--out", "a.jsonl", seconds="0.3")
    like = ["--seed", "2", "--like", "a.jsonl", "--out", "b.jsonl"]
    said = portcost.stopped("[  1/4]", signal.SIGTERM, *STEPS, *like, seconds="0.3")
    assert "--resume 'b.jsonl.part' --like 'a.jsonl'" in said
    portcost.refused("give the same --like", "bench", "--resume", "b.jsonl.part")
    portcost.run("bench", "--resume", "b.jsonl.part", "--like", "a.jsonl")
    assert portcost.sides("b.jsonl") == portcost.sides("a.jsonl")
