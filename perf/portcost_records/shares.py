"""The command perf/portcost shares: times of a step by the percentage of rows for the cores, and by the share that it finds."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from matplotlib.axes import Axes

from .look import figure_of_panels, png_bytes, set_powers
from .files import checked_output, parser_of, write_all
from .records import RecordError

ROOT = Path(__file__).resolve().parents[2]
AIM = 1.05
"""What the found share may take, of the fastest percentage."""

EPILOG = """\
examples:
  perf/portcost shares jacobi/hybrid --out shares                     (measures 8192 x 8192 nodes in f64, in both models, with one process)
  perf/portcost shares jacobi/hybrid --ranks 2 --launcher 'srun -n' --out shares
  perf/portcost shares jacobi/hybrid --read cuda=cuda.txt --read kokkos=kokkos.txt  (of what such runs have printed elsewhere)

It runs `portcost check STEP/MODEL --parameter host_share=-2`, which tries out each percentage from 0 to 100 as hybrid
tries out its own shares: a pass of `depth` sweeps with its exchange, the fastest of three, the slowest process. It goes through all
percentages three times, there and back (those that take 1.5 times the least at first, once); a time is the middle one. Then come nine
rounds of the fastest percentage, the share that was found, the GPU alone and the GPU alone once more, there and back in turns,
each on arrays of its own. What is held against each other are times of one round; the middle one of the nine ratios counts.
The two times of the GPU alone are of the same work: the middle one of their nine differences is the noise. The answer with the
found share is checked against the serial reference.

Writes NAME.json and NAME.png for --out NAME, after each model what there is of it. Needs a GPU and MPI.

exit status: 0; 1 a found share takes more than 1.05 times what the fastest percentage takes, or more than the GPU alone by more than the
noise; 2 bad input, or a run failed; 3 the output could not be written"""

LINE = re.compile(r"portcost: hybrid: (\d+) % of the rows for the cores: ([0-9.e+-]+) ms for (\d+) sweeps")
FOUND = re.compile(r"portcost: hybrid: the cores get ([0-9.]+) % of rank 0's rows: ([0-9.e+-]+) ms for (\d+) sweeps")
ROUND = re.compile(r"portcost: hybrid: a round: (\d+) % ([0-9.e+-]+) ms, the share that was found ([0-9.e+-]+) ms, the GPU alone "
                   r"([0-9.e+-]+) ms and ([0-9.e+-]+) ms")


@dataclass
class Shares:
    """Milliseconds of a pass."""

    sweeps: int = 0
    found_percent: float = 0.0
    best_percent: int = 0
    rounds_ms: list[list[float]] = field(default_factory=list)
    """In each: the fastest percentage's, the found share's, and twice the GPU's alone."""
    all_ms: dict[int, float] = field(default_factory=dict)
    """By whole percentage."""

    def _middle(self, which: int) -> float:
        return statistics.median(one[which] for one in self.rounds_ms)

    @property
    def best_ms(self) -> float:
        return self._middle(0)

    @property
    def found_ms(self) -> float:
        return self._middle(1)

    @property
    def alone_ms(self) -> float:
        return self._middle(2)

    @property
    def against_best(self) -> float:
        return statistics.median(found / best for best, found, _, _ in self.rounds_ms)

    @property
    def against_alone(self) -> float:
        return statistics.median(2 * found / (alone + again) for _, found, alone, again in self.rounds_ms)

    @property
    def noise(self) -> float:
        """How far two times of the same work are apart, as a part of one."""
        return statistics.median(abs(again / alone - 1) for _, _, alone, again in self.rounds_ms)

    def faults(self) -> list[str]:
        """What the found share is slower than. Where it is the GPU alone, it cannot be slower than that."""
        slow = []
        if self.against_best > AIM:
            slow.append(f"takes {self.against_best:.3f} times what the fastest percentage takes, more than {AIM}")
        if self.found_percent > 0 and self.against_alone > 1 + self.noise:
            slow.append(f"takes {self.against_alone:.3f} times what the GPU alone takes, more than the noise of {100 * self.noise:.1f} %")
        return slow


def shares_in(text: str, name: str) -> Shares:
    """What a run has printed. Throws RecordError where that is not all."""
    found, rounds = FOUND.search(text), ROUND.findall(text)
    times = {int(percent): float(ms) for percent, ms, _ in LINE.findall(text)}
    if found is None or not rounds or not times:
        last = text.strip().splitlines()[-1] if text.strip() else "nothing"
        raise RecordError(f"{name}: not what `portcost check STEP/MODEL --parameter host_share=-2` prints with a GPU; its "
                          f"last line: {last}")
    if len(FOUND.findall(text)) > 1:
        raise RecordError(f"{name}: more than one search: run a model by itself")
    return Shares(int(found[3]), float(found[1]), int(rounds[0][0]), [[float(ms) for ms in one[1:]] for one in rounds], times)


def measured(options: argparse.Namespace, model: str) -> Shares:
    words = [*shlex.split(options.launcher), str(options.ranks), str(options.portcost), "check", f"{options.step}/{model}",
             "--ranks", str(options.ranks), "--size", options.size, "--type", options.type, "--parameter", "host_share=-2"]
    print(shlex.join(words), flush=True)
    try:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise RecordError(f"{words[0]} cannot be run ({error.strerror}): name a launcher with --launcher") from error
    if done.returncode != 0:
        raise RecordError(f"{options.step}/{model}: the run ended with {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return shares_in(done.stderr, model)


def read(given: str) -> tuple[str, Shares]:
    model, _, path = given.partition("=")
    if not model or not path:
        raise RecordError(f"--read {given}: give MODEL=FILE, such as cuda=cuda.txt")
    try:
        return model, shares_in(Path(path).read_text(encoding="utf-8", errors="replace"), path)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror})") from error


def lines_of(model: str, shares: Shares) -> list[str]:
    """A table whose rows begin at 0, 10, 20 percent, and what follows from it."""
    lines = [f"{model}: ms for {shares.sweeps} sweeps, by percent of the rows for the cores",
             "       " + "".join(f"{'+' + str(one):>9}" for one in range(10))]
    for ten in range(0, 101, 10):
        cells = [f"{shares.all_ms[one]:9.4g}" if one in shares.all_ms else f"{'-':>9}" for one in range(ten, min(ten + 10, 101))]
        lines.append(f"{ten:5} %" + "".join(cells))
    return [*lines, f"{model}: found {shares.found_percent:g} %, {shares.found_ms:.4g} ms: {shares.against_best:.3f} times the fastest "
                    f"percentage ({shares.best_percent} %, {shares.best_ms:.4g} ms), {shares.against_alone:.3f} times the GPU alone "
                    f"({shares.alone_ms:.4g} ms); {len(shares.rounds_ms)} rounds, the same work differs by {100 * shares.noise:.1f} %"]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = parser_of("shares", "Holds the share of rows that a step finds for the cores against all others.", EPILOG)
    parser.add_argument("step", metavar="STEP", help="ALGORITHM/STEP that shares its rows, such as jacobi/hybrid")
    parser.add_argument("--size", default="rows=8192,columns=8192,iterations=8", help="default: %(default)s")
    parser.add_argument("--type", choices=("f32", "f64"), default="f64", help="default: f64")
    parser.add_argument("--model", action="append", choices=("cuda", "kokkos", "kokkos.book"), help="default: cuda and kokkos")
    parser.add_argument("--ranks", type=int, default=1, metavar="N", help="processes, each with a GPU (default: 1)")
    parser.add_argument("--launcher", default="mpirun -n", help="default: 'mpirun -n'")
    parser.add_argument("--portcost", type=Path, default=ROOT / "perf/portcost", help="the program (default: perf/portcost)")
    parser.add_argument("--read", action="append", default=[], metavar="MODEL=FILE", help="measure nothing: what a run has printed")
    parser.add_argument("--machine", default="", help="what the picture calls the machine")
    parser.add_argument("--out", type=Path, metavar="NAME", help="write NAME.json and NAME.png (default: none)")
    options = parser.parse_args(arguments)
    if options.ranks < 1:
        parser.error(f"--ranks {options.ranks}: must be at least 1")
    return options


def write(options: argparse.Namespace, found: dict[str, Shares]) -> None:
    if options.out is None:
        return
    facts = {"machine": options.machine, "size": options.size, "type": options.type, "ranks": options.ranks,
             "step": options.step, "models": {model: {**asdict(shares), "against_best": shares.against_best,
                                                       "against_alone": shares.against_alone, "noise": shares.noise}
                                               for model, shares in found.items()}}
    title = ", ".join(filter(None, (f"{options.step}, {options.size}, {options.type}", options.machine)))
    write_all({options.out.with_suffix(".json"): json.dumps(facts, indent=1) + "\n",
               options.out.with_suffix(".png"): draw(found, title)})


@checked_output("perf/portcost shares")
def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    given = map(read, options.read) if options.read else (
        (model, measured(options, model)) for model in options.model or ("cuda", "kokkos"))
    found: dict[str, Shares] = {}
    for model, shares in given:
        found[model] = shares
        print("\n".join(["", *lines_of(model, shares)]), flush=True)
        write(options, found)
    if options.out is not None:
        print(f"written: {options.out.with_suffix('.json')}, {options.out.with_suffix('.png')}")
    slow = [f"{model}: the found share {fault}" for model, shares in found.items() for fault in shares.faults()]
    for line in slow:
        print(f"perf/portcost shares: {line}", file=sys.stderr)
    return 1 if slow else 0


def draw(found: dict[str, Shares], title: str) -> bytes:
    """A PNG with a panel for each model: time over the share, the found one marked, and the GPU alone as a line."""

    def fill(axes: Axes, model: str) -> None:
        shares = found[model]
        axes.plot(list(shares.all_ms), list(shares.all_ms.values()), color="C0", marker="o", markersize=3, label="every percentage")
        axes.axhline(shares.alone_ms, color="0.4", linestyle="--", linewidth=1, label="the GPU alone")
        axes.plot([shares.found_percent], [shares.found_ms], color="C3", marker="D", markersize=8, linestyle="none",
                  label=f"found: {shares.found_percent:g} %")
        set_powers(axes.yaxis)
        axes.set_xlabel("percent of the rows for the cores")
        axes.set_ylabel(f"ms for {shares.sweeps} sweeps")
        axes.legend(fontsize=9)

    return png_bytes(figure_of_panels(title, list(found), fill, width=420, height=400), 110)
