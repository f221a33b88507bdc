"""The command perf/portcost scaling: strong and weak scaling of work over processes, from records of several numbers of them."""

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.axes import Axes

from .look import figure_of_panels, png_bytes, set_powers
from .curves import matches
from .derived import Derived, Estimate, term
from .files import checked_output, parser_of, write_pictures
from .reading import read_record
from .records import Interval, Record, RecordError
from .words import time_text

SAME_WORK = 0.02
"""A process has the same work in two problems whose least bytes or operations differ by no more than this share."""

EPILOG = """\
examples:
  for n in 1 2 4 8; do perf/run --ranks $n --filter 'jacobi/*' --size rows=8192,columns=8192 --out results/$n; done
  perf/portcost scaling results/*/*/record.jsonl --out pictures

Strong: one problem, by more processes; the speed-up is the time of the fewest processes over that of more, and the ideal is
their number over the fewest. Weak: each process has the same work (what its limit counts) in problems that grow with their
number; the efficiency is the time of the fewest over that of more, and the ideal is 1. Times are those of the slowest process.
A picture has both, where there are such records.

exit status: 0; 2 bad input; 3 the output could not be written"""


@dataclass(frozen=True)
class Point:
    ranks: int
    problem: str
    time: Estimate
    work: float
    """Of a process: what its limit counts."""
    disturbed: str
    own: tuple[float, float] | None
    """Median seconds of the fastest process and of the slowest."""
    derived: Derived


@dataclass
class Series:
    """One variant on one problem (strong) or on problems of the same work for a process (weak)."""

    name: str
    kind: str
    points: list[Point] = field(default_factory=list)

    @property
    def first(self) -> Point:
        return self.points[0]

    def gain(self, point: Point) -> float:
        return self.first.time.value / point.time.value

    def share(self, point: Point) -> tuple[float, Interval | None]:
        """Of the ideal, and its interval."""
        scale = self.first.ranks / point.ranks if self.kind == "strong" else 1
        found = None
        if point is not self.first:
            found = point.derived.product([self.first.time.term(1), point.time.term(-1)]).interval
        return self.gain(point) * scale, found and Interval(found.value * scale, found.low * scale, found.high * scale)


Found = dict[tuple[str, ...], list[Point]]
"""By variant, parameters, type and regime."""


def take(found: Found, record: Record, filters: Sequence[str]) -> None:
    for result in record.results:
        if result.role not in ("pair", "solo"):
            continue
        for index, side in enumerate(result.sides):
            if side.device is None or not matches(side.variant, filters):
                continue
            key = (side.variant, result.parameters_text, result.type, result.regime)
            points = found.setdefault(key, [])
            if any(point.ranks == record.header.ranks and point.problem == result.size_text for point in points):
                # A native side stands in several rows: with each way of writing. The first will do.
                continue
            points.append(Point(record.header.ranks, result.size_text, record.derived.product([term(result.id, index)]),
                                result.floor.work if result.floor else 0.0, result.disturbed, side.ranks_s, record.derived))


def series_of(found: Found) -> list[Series]:
    made: list[Series] = []
    for (variant, *rest), points in found.items():
        words = " ".join(filter(None, rest))
        for problem in dict.fromkeys(point.problem for point in points):
            same = sorted((point for point in points if point.problem == problem), key=lambda point: point.ranks)
            if len(same) > 1:
                made.append(Series(f"{variant} {problem} {words}", "strong", same))
        made += [Series(f"{variant} {words}", "weak", chain) for chain in weak_chains(points)]
    return made


def weak_chains(points: Sequence[Point]) -> list[list[Point]]:
    """Points of the same work for a process, each of another number of processes and of another problem."""
    chains: list[list[Point]] = []
    for point in sorted(points, key=lambda one: one.ranks):
        for chain in chains:
            if (point.work > 0 and math.isclose(chain[0].work, point.work, rel_tol=SAME_WORK) and point.ranks > chain[-1].ranks
                    and all(point.problem != other.problem for other in chain)):
                chain.append(point)
                break
        else:
            chains.append([point])
    return [chain for chain in chains if len(chain) > 1]


def table(series: Series) -> list[str]:
    strong = series.kind == "strong"
    head = f"{'processes':>9}  {'time':>9}  {'speed-up' if strong else 'efficiency':>10}  {'of the ideal':<24}  fastest process"
    lines = ["", f"{series.kind}: {series.name}", head]
    for point in series.points:
        of_ideal, interval = series.share(point)
        share = f"{of_ideal:.3f}" + (f" [{interval.low:.3f}, {interval.high:.3f}]" if interval else "")
        own = f"{point.own[0] / point.own[1]:.2f} of the slowest's time" if point.own else ""
        lines.append(f"{point.ranks:>9}  {time_text(point.time.value):>9}  {series.gain(point):>10.3f}  {share:<24}  {own}".rstrip())
        if not strong:
            lines[-1] += f"   {point.problem}"
        if point.disturbed:
            lines.append(f"{'':>11}disturbed: {point.disturbed}")
    return lines


def check_records(records: Sequence[Record]) -> None:
    for record in records:
        if not record.header.ranks:
            raise RecordError(f"{record.path}: measured by one process without a launcher, whose steps are others: measure one "
                              f"process with perf/run --ranks 1")
    first = records[0]
    for record in records[1:]:
        for what in ("processor", "kind"):
            a, b = first.header.machine[what], record.header.machine[what]
            if a != b:
                raise RecordError(f"{record.path}: measured on {b}, and {first.path} on {a}: scaling is of one kind of machine")
    if all(record.header.ranks == first.header.ranks for record in records):
        raise RecordError(f"all records are of {first.header.ranks} processes: give those of two numbers of them or more "
                          f"(perf/run --ranks N)")
    for record in records:
        if record.missing_end():
            print(record.missing_end(), file=sys.stderr)
        if record.header.commit != first.header.commit:
            print(f"NOTE: {record.path} is of commit {record.header.commit or 'unknown'}, {first.path} of "
                  f"{first.header.commit or 'unknown'}", file=sys.stderr)


@checked_output("perf/portcost scaling")
def main(arguments: list[str] | None = None) -> int:
    parser = parser_of("scaling", "Prints and draws how work over processes scales.", EPILOG)
    parser.add_argument("records", nargs="+", metavar="RECORD", help="records of perf/run --ranks, .jsonl or .jsonl.gz")
    parser.add_argument("--filter", action="append", default=[], metavar="GLOB", help="variants, or steps; repeatable")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="draw pictures there (default: none)")
    options = parser.parse_args(arguments)
    records = [read_record(path) for path in options.records]
    check_records(records)
    found: Found = {}
    for record in records:
        take(found, record, options.filter)
    series = series_of(found)
    if not series:
        raise RecordError("no variant was measured on one problem, or on the same work for each process, by two numbers of "
                          "processes: measure the same --size by each, or sizes that grow with them")
    processor = str(records[0].header.machine["processor"])
    print(f"{processor}: {', '.join(map(str, sorted({record.header.ranks for record in records})))} processes")
    for one in series:
        print("\n".join(table(one)))
    pictures: dict[Path, str | bytes] = {}
    if options.out is not None:
        for algorithm in dict.fromkeys(one.name.split("/")[0] for one in series):
            mine = [one for one in series if one.name.split("/")[0] == algorithm]
            name = re.sub(r"[^A-Za-z0-9._-]", "", f"{algorithm}_scaling.png")
            pictures[options.out / name] = draw(mine, f"{algorithm}, {processor}")
    write_pictures(pictures)
    return 0


HEADS = {"strong": ("strong: one problem", "speed-up"), "weak": ("weak: the same work for each process", "efficiency")}


def draw(series: list[Series], title: str) -> bytes:
    kinds = [kind for kind in HEADS if any(one.kind == kind for one in series)]
    return png_bytes(figure_of_panels(
        title, kinds, lambda axes, kind: panel(axes, [one for one in series if one.kind == kind], kind),
        width=480, height=460, shared=False, margins={"left": 0.09, "right": 0.97, "top": 0.86, "bottom": 0.13}), 110)


def panel(axes: Axes, series: list[Series], kind: str) -> None:
    head, word = HEADS[kind]
    ends = {one.name.partition(" ")[2] for one in series}
    shared = ends.pop() if len(ends) == 1 else ""  # size, parameters, type and regime
    counts = sorted({point.ranks for one in series for point in one.points})
    fewest = min(one.first.ranks for one in series)
    ideal = [count / fewest if kind == "strong" else 1.0 for count in counts]
    axes.plot(counts, ideal, color="0.4", linestyle="--", linewidth=1, label="ideal")
    for index, one in enumerate(series):
        # A series that begins with more processes starts on the ideal there.
        scale = one.first.ranks / fewest if kind == "strong" else 1.0
        label = one.name.split("/", 1)[1].removesuffix(f" {shared}") + " (disturbed)" * any(point.disturbed for point in one.points)
        axes.plot([point.ranks for point in one.points], [scale * one.gain(point) for point in one.points], color=f"C{index % 10}",
                  marker="os^vD"[index % 5], markersize=4, label=label)
    axes.set_title(head, loc="left", pad=16)
    axes.text(0, 1.01, shared, fontsize=7, transform=axes.transAxes)
    set_powers(axes.xaxis, 2)
    axes.set_xticks(counts, labels=[str(count) for count in counts])
    axes.minorticks_off()
    if kind == "strong":
        set_powers(axes.yaxis, 2)
        axes.set_yticks(ideal, labels=[f"{value:g}" for value in ideal])
    else:
        axes.set_ylim(0, 1.1 * max(1.0, *(one.gain(point) for one in series for point in one.points)))
    axes.set_xlabel("processes")
    axes.set_ylabel(word)
    axes.legend(fontsize=7, loc="lower right" if kind == "strong" else "best")
