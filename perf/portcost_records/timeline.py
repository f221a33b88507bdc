"""The command perf/portcost draw-timeline: runs variants and draws when their copies and kernels ran; a row is a stream."""

import argparse
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from matplotlib.patches import Patch

from .derived import raw_rows
from .files import checked_output, parser_of, words_given, write_all, write_pictures
from .look import STYLE, WIDE, colour, matplotlib, png_bytes, stacked
from .reading import Fields
from .records import RecordError

KINDS = {"copy in": "kokkos", "kernel": "slower", "copy out": "faster"}
COPIES = ("copy in", "copy out")

EPILOG = """\
examples:
  perf/portcost draw-timeline transfer_overlap --out pictures
  perf/portcost draw-timeline 'transfer_overlap/ring/*' --size n=67108864,streams=4 --parameter chunks=16,buffers=4 --out pictures
  perf/portcost draw-timeline --from pictures/timeline.jsonl --out pictures

An event comes when its stream has got there. A copy whose stream is ready may still wait for the copy engine, which is busy
with another stream's copy in the same direction: then it is drawn pale until that other copy has ended, and full from there on.
(That a direction has one engine, which copies one array at a time, is an assumption; the file has the events alone.)

exit status: 0; 1 an answer was wrong; 2 bad input; 3 the machine failed, or the output could not be written"""


@dataclass(frozen=True)
class Span:
    """One copy or kernel; times in seconds. From `begin` on its stream was ready, from `full` on it was worked on."""

    what: str
    piece: int
    queue: int
    begin: float
    full: float
    end: float


@dataclass(frozen=True)
class Run:
    variant: str
    problem: str
    processor: str
    truth: str
    right: bool
    spans: tuple[Span, ...]

    @property
    def end(self) -> float:
        return max(span.end for span in self.spans)

    @property
    def step(self) -> str:
        return self.variant.split("/")[1]

    def busy(self, *kinds: str) -> float:
        """Seconds in which all of these kinds were under way."""
        covered = [merged([(span.full, span.end) for span in self.spans if span.what == kind]) for kind in kinds]
        common = covered[0]
        for other in covered[1:]:
            common = [(max(a, c), min(b, d)) for a, b in common for c, d in other if max(a, c) < min(b, d)]
        return sum(end - begin for begin, end in common)

    def line(self) -> str:
        """ "v2/cuda: 9.81 ms; copy in 60 %, kernel 3 %, copy out 62 %, both ways 31 %; all elements, ..." """
        shares = [f"{kind} {100 * self.busy(kind) / self.end:.0f} %" for kind in KINDS]
        shares.append(f"both ways {100 * self.busy(*COPIES) / self.end:.0f} %")
        return f"{self.variant.split('/', 1)[1]}: {self.end * 1e3:.4g} ms; {', '.join(shares)}; {self.truth}"


def merged(stretches: list[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for begin, end in sorted(stretches):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def with_turns(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Copies of one direction take turns: each is worked on from the end of the one that ended before it."""
    free = dict.fromkeys(COPIES, 0.0)
    full: dict[int, float] = {}
    for span in sorted(spans, key=lambda one: one.end):
        full[id(span)] = max(span.begin, min(free.get(span.what, 0.0), span.end))
        if span.what in free:
            free[span.what] = span.end
    return tuple(replace(span, full=full[id(span)]) for span in spans)


def read_runs(path: Path) -> list[Run]:
    try:
        rows = raw_rows(path)
    except ValueError:
        raise RecordError(f"{path}: a line is no JSON: name what perf/portcost draw-timeline has written") from None
    runs: list[Run] = []
    for number, row in enumerate(rows, 1):
        fields = Fields(row, path, f"line {number}")
        kind = fields.get("kind", str)
        if kind == "timeline":
            size = ",".join(f"{key}={value}" for holder in ("size", "parameters")
                            for key, value in fields.inner(holder).values.items())
            runs.append(Run(fields.get("variant", str), f"{size} {fields.get('type', str)}", fields.get("processor", str),
                            fields.get("truth", str), fields.get("right", bool), ()))
            if runs[-1].variant.count("/") != 2:
                fields.fail(f"'{runs[-1].variant}' is not algorithm/step/model")
        elif kind == "span" and runs:
            what, begin, end = fields.get("what", str), fields.get("begin_s", float, 0.0), fields.get("end_s", float, 0.0)
            if fields.get("variant", str) != runs[-1].variant or what not in KINDS or end < begin:
                fields.fail(f"no span of {runs[-1].variant}, or one of no known kind, or one that ends before it begins")
            span = Span(what, fields.get("piece", int), fields.get("queue", int), begin, begin, end)
            runs[-1] = replace(runs[-1], spans=(*runs[-1].spans, span))
        else:
            fields.fail(f"a line of kind '{kind}' has no place here")
    if not runs or any(not run.spans for run in runs):
        raise RecordError(f"{path}: a run has no spans, or there is no run: name what perf/portcost draw-timeline has written")
    return [replace(run, spans=with_turns(run.spans)) for run in runs]


def draw(runs: list[Run]) -> bytes:
    rows = [max(span.queue for span in run.spans) + 1 for run in runs]
    with matplotlib.rc_context(STYLE):
        figure, panels = stacked([30 * one for one in rows], f"{runs[0].variant.split('/')[0]} {runs[0].step}",
                                 f"{runs[0].problem}, {runs[0].processor}", WIDE, left=70, right=20, top=48, bottom=85, above=44)
        for axes, run, count in zip(panels, runs, rows):
            axes.set_title(f"{run.variant.split('/')[2]}, {run.end * 1e3:.4g} ms", loc="left", size=11)
            for span in run.spans:
                fill = colour(KINDS[span.what])
                axes.barh(span.queue, (span.full - span.begin) * 1e3, left=span.begin * 1e3, height=0.7, color=fill,
                          alpha=0.2, linewidth=0)
                axes.barh(span.queue, (span.end - span.full) * 1e3, left=span.full * 1e3, height=0.7, color=fill,
                          edgecolor="white", linewidth=0.5)
            axes.set(yticks=range(count), ylim=(count - 0.5, -0.5), ylabel="stream", xlim=(0, 1e3 * max(one.end for one in runs)))
            axes.grid(True, axis="x")
        axes.set_xlabel("milliseconds")
        handles = [Patch(color=colour(role), label=kind) for kind, role in KINDS.items()]
        handles.append(Patch(color=colour("ink"), alpha=0.2, label="ready, and waiting for its turn"))
        figure.legend(handles=handles, ncols=4, loc="lower left", fontsize=10)
        return png_bytes(figure, 110)


def words_of(options: argparse.Namespace) -> list[str]:
    return ["timeline", *options.filter, *words_given(options, "size", "type", "repeat", "seed")]


def run_variants(options: argparse.Namespace, to: Path) -> int:
    """Leaves what the command prints in a file; its exit status, where it has printed anything."""
    command = Path(__file__).resolve().parents[1] / "portcost"
    done = subprocess.run([str(command), *words_of(options)], stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return done.returncode or 2
    write_all({to: done.stdout})
    print(f"events: {to}")
    return done.returncode


@checked_output("perf/portcost draw-timeline")
def main(arguments: list[str] | None = None) -> int:
    parser = parser_of("draw-timeline", "Draws when each copy and kernel of a run began and ended.", EPILOG)
    parser.add_argument("filter", nargs="*", help="variants, as perf/portcost run takes them")
    parser.add_argument("--size", help="key=value,... (default: the main size)")
    parser.add_argument("--type", help="f32 or f64 (default: the algorithm's first)")
    parser.add_argument("--parameter", action="append", default=[], help="key=value,...")
    parser.add_argument("--repeat", help="how many runs; the last is drawn (default: 3)")
    parser.add_argument("--seed", help="of the inputs (default: 1)")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="draw what was written before; run nothing")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where events and pictures go")
    options = parser.parse_args(arguments)
    if bool(options.filter) == (options.source is not None):
        parser.error("name variants to run, or a file with --from")
    path, status = options.source or options.out / "timeline.jsonl", 0
    if options.source is None:
        status = run_variants(options, path)
        if status not in (0, 1):
            return status
    runs = read_runs(path)
    pictures: dict[Path, str | bytes] = {}
    for step, group in groupby(sorted(runs, key=lambda run: (run.step, run.problem)), lambda run: (run.step, run.problem)):
        of_step = list(group)
        for run in of_step:
            print(run.line())
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", f"{of_step[0].variant.split('/')[0]}_{step[0]}_{step[1]}")
        pictures[options.out / f"timeline_{name}.png"] = draw(of_step)
    write_pictures(pictures)
    return max(status, int(any(not run.right for run in runs)))
