"""The command `portcost derive --ask`, which draws all conclusions: it refuses a record whose conclusions do not follow from
its samples, hands out the rows, and multiplies times and ratios of rows."""

import gzip
import json
import re
import subprocess
import tempfile
import weakref
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .files import ROOT
from .records import ExplainError, Interval, RecordError

PRESETS = ("openmp", "cuda", "openmp-quick", "openmp-checked")
NAME_A_RECORD = "name a .jsonl or .jsonl.gz file that portcost wrote"
UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What would steer a terminal or turn lines around, and halves of characters, which no file takes."""


@dataclass(frozen=True)
class Estimate:
    value: float
    interval: Interval | None
    """None of too few units."""
    verdict: str
    distance: float
    """Of the logarithm from 0."""
    seen: float
    """Standard error of the logarithm that the runs see in themselves."""
    error: float
    """With what they do not see."""
    terms: dict[str, Any]
    """For other questions."""

    def term(self, sign: int) -> dict[str, Any]:
        return {"estimate": self.terms, "sign": sign}


class Derived:
    """One record. The command runs as long as this object is there."""

    def __init__(self, path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            plain = unzipped(path, Path(folder) / "record.jsonl")
            self.process = subprocess.Popen([str(portcost()), "derive", "--ask", str(plain)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
            weakref.finalize(self, end, self.process)
            self.rows = []
            for line in self.process.stdout:
                self.rows.append(json.loads(line))
                if self.rows[-1]["kind"] == "ready":
                    return
            said = " ".join(self.process.stderr.read().split())
            if "see `portcost --help`" in said:  # the scripts' words are right, so the command is not of their commit
                raise ExplainError(3, f"{portcost()} is of another commit than these scripts: perf/prepare builds it anew")
            said = said.replace(str(plain), str(path)).removeprefix("portcost: ")
            raise ExplainError(2 if self.process.wait() == 2 else 3, UNSHOWABLE.sub("\ufffd", said) or f"portcost derive cannot read {path}")

    def product(self, terms: Sequence[dict[str, Any]], noise: tuple[float, float] | None = None, **how: Any) -> Estimate:
        """`how` and terms are those of perf/command/derive.hpp."""
        print(json.dumps({"terms": terms, **({"noise": noise} if noise else {}), **how}), file=self.process.stdin, flush=True)
        said = json.loads(self.process.stdout.readline())
        interval = Interval(said["value"], said["low"], said["high"]) if "low" in said else None
        return Estimate(said["value"], interval, said.get("verdict", ""), said["distance"], said["seen"], said["error"],
                        said["estimate"])


def term(result: int, side: int = -1, sign: int = 1) -> dict[str, Any]:
    """The time of a side of a row, or, without a side, its ratio; -1 divides by it."""
    return {"result": result, "side": side, "sign": sign}


def end(process: subprocess.Popen) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    process.wait()


def portcost() -> Path:
    """The command that was built; any preset's will do, and any version's of Kokkos."""
    for folder in (*PRESETS, "*-kokkos-*"):
        for path in sorted((ROOT / "build").glob(f"{folder}/bin/portcost")):
            return path
    raise ExplainError(3, "nothing is built yet, and the portcost command says what follows from a record: perf/prepare builds it")


def unzipped(path: Path, place: Path) -> Path:
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return path
        with gzip.open(path, "rb") as file:
            place.write_bytes(file.read())
        return place
    except FileNotFoundError:
        raise RecordError(f"{path}: no such file; {part_beside(path) or NAME_A_RECORD}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise RecordError(f"{path}: the gzip data is cut off or damaged; copy it again or measure again with perf/run") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); {NAME_A_RECORD}") from None


def raw_rows(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, a line each, unchecked."""
    with tempfile.TemporaryDirectory() as folder:
        text = unzipped(path, Path(folder) / "record.jsonl").read_text(encoding="utf-8-sig")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def part_beside(path: Path) -> str:
    """What is said of a stopped measurement beside this record; empty where there is none."""
    part = path.with_name(path.name.removesuffix(".gz") + ".part")
    if path.suffix == ".part" or not part.is_file():
        return ""
    return (f"{part} holds a measurement that was stopped: go on with portcost bench --resume {part}, or, where perf/run "
            f"began it, with perf/run --resume {part.parent}")


def showable(value: Any) -> Any:
    """The same, with a mark for each character that cannot be shown: what a library says of itself may hold some."""
    if isinstance(value, str):
        return UNSHOWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {showable(key): showable(one) for key, one in value.items()}
    return [showable(one) for one in value] if isinstance(value, list) else value
