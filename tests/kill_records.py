#!/usr/bin/env python3
"""Kills short campaigns at drawn moments and looks at what is left; see --help."""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "perf"))

from portcost_records.reading import read_record  # noqa: E402  (found through the line above)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)
WAYS = ("SIGKILL", "SIGKILL", "SIGKILL", "a signal", "a signal", "a closed pipe", "a full disk")


class Broken(Exception):
    """Something was lost, unreadable or otherwise not as promised."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="tests/kill_records.py", description=__doc__.split(";")[0] + ".",
        epilog="Each round starts a campaign, stops it (SIGKILL, a signal, a closed pipe, a full "
               "disk), perhaps stops the resumed one again, and resumes it to its end. No row that "
               "the progress named may be lost, every file must be readable, and the rows must be "
               "those of an uninterrupted campaign. Exit status: 0 all held, 1 something did not.")
    made.add_argument("--command", type=Path, default=ROOT / "build/openmp/bin/portcost",
                      help="the portcost to kill (default: build/openmp/bin/portcost)")
    made.add_argument("--kills", type=int, default=100, help="how often at least (default 100)")
    made.add_argument("--seconds", default="0.02", help="bench --seconds (default 0.02)")
    made.add_argument("--seed", type=int, default=1, help="of the draws (default 1)")
    return made


def identity(row: dict) -> str:
    """What a row is of, without what was measured; which steps were the best is measured, too."""
    names = ("kind", "id", "name", "role", "algorithm", "step", "size_text", "type", "regime")
    sides = [side["variant"] for side in row.get("sides", []) if row["role"] != "best"]
    return json.dumps([row.get(name) for name in names] + sides)


def rows_of(path: Path) -> list[str]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return sorted(identity(row) for row in rows if row["kind"] in ("limit", "result", "end"))


class Round:
    """One campaign in a folder of its own."""

    def __init__(self, options: argparse.Namespace, folder: Path, draw: random.Random) -> None:
        self.options, self.folder, self.draw = options, folder, draw
        self.record, self.part = folder / "run.jsonl", folder / "run.jsonl.part"
        self.kills = 0

    def words(self) -> list[str]:
        # Killed before its first line, it leaves an empty part, and nothing to go on with.
        begun = self.part.exists() and self.part.stat().st_size > 0
        resumed = ["--resume", "run.jsonl"] if begun else ["--out", "run.jsonl"]
        sizes = [word for size in ("nx=64,ny=48", "nx=100,ny=30", "nx=33,ny=20") for word in ("--size", size)]
        return [str(self.options.command), "bench", "heat2d/naive/*", *sizes, "--type", "f32", "--type", "f64",
                "--regime", "hot", "--seconds", self.options.seconds, *resumed]

    def run(self) -> float:
        """To the end; the seconds it took."""
        begin = time.monotonic()
        done = subprocess.run(self.words(), cwd=self.folder, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise Broken(f"{' '.join(self.words())} ended with {done.returncode}: {done.stderr}")
        return time.monotonic() - begin

    def stop(self, way: str, after_s: float, most_bytes: int) -> None:
        """Starts or resumes, stops it in this way, and looks at what it leaves."""
        before = self.part.read_bytes() if self.part.exists() else b""
        with (self.folder / "err").open("w") as err:
            process = subprocess.Popen(
                self.words(), cwd=self.folder, stdout=subprocess.PIPE, stderr=err,
                preexec_fn=(lambda: full_disk(most_bytes)) if way == "a full disk" else None)
            number = signal.SIGKILL if way == "SIGKILL" else self.draw.choice(SIGNALS)
            if way != "a full disk":
                time.sleep(after_s)
            if way == "a closed pipe":
                process.stdout.close()
            elif way != "a full disk":
                process.send_signal(number)
            status = process.wait()
        said = (self.folder / "err").read_text(encoding="utf-8", errors="replace")
        expected = {"a closed pipe": -signal.SIGPIPE, "a full disk": 3}.get(way, -number)
        self.look(status, expected, said, before)

    def look(self, status: int, expected: int, said: str, before: bytes) -> None:
        if self.record.exists():  # it was faster, or stopped only when all was done
            return
        self.kills += 1
        # A shell says 128 + the signal of both: of what was killed, and of what ended by itself so.
        if status not in (expected, 128 - expected):
            raise Broken(f"ended with {status}, not {expected}: {said}")
        done = [int(number) for number in re.findall(r"^\[ *(\d+)/\d+\].*\n", said, re.MULTILINE)]
        finished = max(done, default=0)
        if not self.part.exists():
            if finished:
                raise Broken(f"{finished} rows were finished, and nothing is left")
            return
        data = self.part.read_bytes()
        if not data.startswith(before[:whole_bytes(before)]):
            raise Broken("what was there before has changed")
        if b'"kind":"result"' in data and finished:
            found = len(read_record(self.part).results)
            if found < finished:
                raise Broken(f"{finished} rows were finished, and {found} can be read")
        elif finished:
            raise Broken(f"{finished} rows were finished, and none can be read")
        if status not in (-signal.SIGKILL, -signal.SIGPIPE, 128 + signal.SIGPIPE):
            if "--resume 'run.jsonl.part'" not in said and "nothing is kept" not in said:
                if finished:
                    raise Broken(f"it did not say how to go on: {said}")


def whole_bytes(data: bytes) -> int:
    """Up to the last complete result; what stands behind may be written again."""
    end = at = missing = 0
    for line in data.splitlines(keepends=True):
        at += len(line)
        if not line.endswith(b"\n"):
            break
        row = json.loads(line)
        missing = row["samples"] if row["kind"] == "result" else missing - (row["kind"] == "sample")
        if row["kind"] != "end" and missing <= 0:
            end = at
    return end


def full_disk(most_bytes: int) -> None:
    """What a full disk looks like: files may not grow beyond this."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def play(options: argparse.Namespace, draw: random.Random, takes_s: float, size: int,
         rows: list[str]) -> dict[str, int]:
    ways: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        one = Round(options, Path(name), draw)
        for _ in range(draw.choice((1, 1, 2, 3))):
            way, kills = draw.choice(WAYS), one.kills
            one.stop(way, draw.uniform(0, 1.05 * takes_s), draw.randrange(200, size))
            ways[way] = ways.get(way, 0) + one.kills - kills
            if one.record.exists():
                break
        if not one.record.exists():
            one.run()
        if rows_of(one.record) != rows:
            raise Broken("the rows are not those of an uninterrupted campaign")
        record = read_record(one.record)
        lines = (one.folder / "run.csv").read_text(encoding="utf-8").count("\n")
        if not record.ended or lines != len(record.samples) + 1 or one.part.exists():
            raise Broken("the record or its csv is not complete")
    return ways


def main() -> int:
    options = parser().parse_args()
    if not options.command.is_file():
        print(f"kill_records: {options.command} is missing: build it first", file=sys.stderr)
        return 3
    options.command = options.command.resolve()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        whole = Round(options, Path(name), draw)
        takes_s, rows = whole.run(), rows_of(whole.record)
        size = whole.record.stat().st_size
    print(f"an uninterrupted campaign: {len(rows)} rows, {size} bytes, {takes_s:.2f} s", flush=True)
    total: dict[str, int] = {}
    rounds = 0
    while sum(total.values()) < options.kills:
        rounds += 1
        try:
            for way, count in play(options, draw, takes_s, size, rows).items():
                total[way] = total.get(way, 0) + count
        except Exception as error:  # whatever it is, the round is to be named
            print(f"BROKEN in round {rounds} of seed {options.seed}: {error}")
            return 1
    print(f"{sum(total.values())} kills in {rounds} rounds ("
          + ", ".join(f"{count} {way}" for way, count in sorted(total.items()))
          + "): no finished row lost, every file readable, all resumed to the same rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
