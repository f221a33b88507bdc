"""The command perf/portcost knee: in_flight's rates over bytes in flight, the fewest that reach a share of the top rate."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes

from .look import figure_of_panels, is_first, png_bytes, set_powers
from .files import checked_output, parser_of, write_pictures
from .reading import read_record
from .records import Record, RecordError, Result

HOST_LOAD = 64
"""Bytes of a load on a host: a line of the cache. On a GPU it is a number."""

EPILOG = """\
examples:
  portcost bench 'in_flight/*' --out run.jsonl
  portcost limits '*read' '*latency' '*in flight' --json > limits.json
  perf/portcost knee run.jsonl --limits limits.json --out pictures
  perf/portcost knee run.jsonl --beside h200.jsonl.gz --of sum/reduce/kokkos.usual

Bytes in flight are threads times loads a thread times the bytes of a load: of a multiprocessor on a GPU, of the host.
At each number of bytes the best rate of all threads and loads counts; worst / best is how far they lie apart there.
The knee is the fewest bytes that reach the share of a model's own top rate, interpolated on the logarithm of the bytes
between two numbers that were measured. Little's law: the read rate times the latency of a load that waits for the one
before must be in flight. --of says at how many bytes in flight an array is read as fast as a variant of another record
moves its bytes.

exit status: 0; 2 bad input; 3 the output could not be written"""


@dataclass(frozen=True)
class Point:
    bytes: int
    threads: int
    loads: int
    rate: float


@dataclass(frozen=True)
class Knee:
    bytes: float
    top: float
    reached_first: bool
    """The fewest bytes measured reach the share: the knee may lie lower."""


def points_of(record: Record) -> dict[str, list[Point]]:
    """By "cuda", "kokkos.usual". Throws RecordError where no steps such as loads_4 have sizes with a number of threads."""
    found: dict[str, dict[tuple[int, int], Point]] = {}
    for result in record.results:
        if result.role not in ("pair", "solo") or result.regime != "cold" or "threads" not in result.size or result.floor is None:
            continue
        load = int(result.type[1:]) // 8 if record.header.is_gpu else HOST_LOAD
        for side in result.sides:
            loads = re.fullmatch(r"loads_(\d+)", side.step)
            if loads is None or side.device is None:
                continue
            threads, each = result.size["threads"], int(loads[1])
            rate = result.floor.work / side.device.median
            model = side.variant.split("/")[2]
            found.setdefault(model, {}).setdefault((threads, each), Point(load * threads * each, threads, each, rate))
    if not found:
        raise RecordError(f"{record.path}: no times of steps such as loads_4 with numbers of threads, in the regime cold: measure "
                          "them with `portcost bench 'in_flight/*' --out FILE.jsonl`")
    return {model: sorted(points.values(), key=lambda one: (one.bytes, one.loads)) for model, points in found.items()}


def best_rates(points: list[Point]) -> dict[int, float]:
    """The best rate at each number of bytes, in ascending order of these."""
    best: dict[int, float] = {}
    for one in points:
        best[one.bytes] = max(one.rate, best.get(one.bytes, 0.0))
    return dict(sorted(best.items()))


def bytes_at(best: dict[int, float], rate: float) -> tuple[float, bool] | None:
    """The fewest bytes with this rate, and whether the first that were measured have it; None where none have."""
    measured = list(best.items())
    for i, (count, reached) in enumerate(measured):
        if reached < rate:
            continue
        if i == 0:
            return float(count), True
        before, lower = measured[i - 1]
        return before * (count / before) ** ((rate - lower) / (reached - lower)), False
    return None


def knee_of(points: list[Point], share: float) -> Knee:
    best = best_rates(points)
    top = max(best.values())
    found = bytes_at(best, share * top)
    assert found is not None
    return Knee(found[0], top, found[1])


def bytes_text(count: float) -> str:
    return f"{count:.0f} B" if count < 1024 else f"{count / 1024:.3g} KiB"


def table(points: dict[str, list[Point]]) -> list[str]:
    best = {model: best_rates(one) for model, one in points.items()}
    counts = sorted({count for one in best.values() for count in one})
    lines = [f"{'GB/s at':<12}" + "".join(f"{model:>14}{'worst / best':>14}" for model in points)]
    for count in counts:
        cells = []
        for model, one in points.items():
            rates = [point.rate for point in one if point.bytes == count]
            cells.append(f"{max(rates) / 1e9:14.4g}{min(rates) / max(rates):14.3f}" if rates else f"{'':28}")
        lines.append(f"{bytes_text(count):<12}" + "".join(cells).rstrip())
    return lines


def knee_lines(points: dict[str, list[Point]], share: float) -> list[str]:
    knees = {model: knee_of(one, share) for model, one in points.items()}
    native = next((model for model in ("cuda", "openmp") if model in knees), None)
    lines = []
    for model, knee in knees.items():
        text = f"{model}: {100 * share:g} % of its top rate, {knee.top / 1e9:.4g} GB/s, from "
        text += f"{bytes_text(knee.bytes)} in flight on{' or fewer' if knee.reached_first else ''}"
        if native is not None and model != native:
            text += f", {knee.bytes / knees[native].bytes:.3f} times {native}'s knee"
        lines.append(text)
    return lines


def law_lines(record: Record, points: dict[str, list[Point]], share: float, limits: dict[str, float]) -> list[str]:
    """Little's law, and what the fewest bytes say of the latency."""
    place, parts = ("device", record.header.machine["multiprocessors"]) if record.header.is_gpu else ("host", 1)
    lines = []
    in_flight, latency = limits.get(f"{place} in flight"), limits.get(f"{place} latency")
    if in_flight:
        lines.append(f"Little's law, read rate times latency: {bytes_text(in_flight)}; knee over that: "
                     + ", ".join(f"{model} {knee_of(one, share).bytes / in_flight:.3f}" for model, one in points.items()))
    for model, one in points.items():
        first = one[0]
        text = f"{model}: {bytes_text(first.bytes)} in flight take {1e9 * parts * first.bytes / first.rate:.0f} ns"
        lines.append(text + (f", a load that waits for the one before {1e9 * latency:.0f} ns" if latency else ""))
    return lines


def rate_of(record: Record, variant: str) -> tuple[float, Result]:
    """Bytes a second of a variant at its largest size in a record, by what binds it. Throws RecordError."""
    rows = [(result, side) for result in record.results if result.role in ("pair", "solo") and result.regime == "cold"
            and result.floor and result.floor.unit == "B/s" for side in result.sides if side.variant == variant and side.device]
    if not rows:
        raise RecordError(f"{record.path}: no time of {variant} in the regime cold that bytes bind; `perf/portcost report` lists what it has")
    result, side = max(rows, key=lambda row: row[0].floor.floor_s)
    return result.floor.work / side.device.median, result


def variant_lines(points: dict[str, list[Point]], other: Record, variants: list[str]) -> list[str]:
    lines = []
    for variant in variants:
        rate, result = rate_of(other, variant)
        said = []
        for model, one in points.items():
            found = bytes_at(best_rates(one), rate)
            said.append(f"{model} {bytes_text(found[0]) if found else 'none'}")
        lines.append(f"{variant} ({result.size_text}, {result.type}): {rate / 1e9:.4g} GB/s, the rate of so many bytes in flight: "
                     + ", ".join(said))
    return lines


def read_limits(path: Path | None, record: Record) -> dict[str, float]:
    """What `portcost limits --json` has printed, and what the record has."""
    known = {limit.name: limit.value for limit in record.limits}
    if path is None:
        return known
    try:
        found = {str(one["name"]): float(one["value"]) for one in json.loads(path.read_text(encoding="utf-8"))}
    except (OSError, ValueError, TypeError, KeyError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not what `portcost limits --json` prints"
        raise RecordError(f"{path}: cannot be used ({reason})") from None
    if bad := [name for name, value in found.items() if not (math.isfinite(value) and value > 0)]:
        raise RecordError(f"{path}: the limit '{bad[0]}' is no positive number")
    return known | found


def report(options: argparse.Namespace) -> int:
    record = read_record(options.record)
    points = points_of(record)
    limits = read_limits(options.limits, record)
    other = read_record(options.beside) if options.beside else record
    lines = [f"{record.name}: {record.header.processor}", *table(points), *knee_lines(points, options.share),
             *law_lines(record, points, options.share, limits), *variant_lines(points, other, options.of)]
    print("\n".join(lines))
    if record.missing_end():
        print(record.missing_end(), file=sys.stderr)
    if options.out is not None:
        path = options.out / f"{record.name}_knee.png"
        place = "a multiprocessor" if record.header.is_gpu else "the host"
        knees = {model: knee_of(one, options.share).bytes for model, one in points.items()}
        title = f"{record.header.processor}: reading with so much in flight of {place}"
        write_pictures({path: draw(points, knees, title)})
    return 0


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number between 0 and 1")
    return value


@checked_output("perf/portcost knee")
def main(arguments: list[str] | None = None) -> int:
    parser = parser_of("knee", "From how many bytes in flight on memory is busy, of a record of in_flight.", EPILOG)
    parser.add_argument("record", help="a record of in_flight, .jsonl or .jsonl.gz")
    parser.add_argument("--share", type=share, default=0.95, help="of the top rate, at the knee (default 0.95)")
    parser.add_argument("--limits", type=Path, metavar="FILE", help="what `portcost limits --json` has printed")
    parser.add_argument("--beside", metavar="RECORD", help="where the variants of --of are (default: the same record)")
    parser.add_argument("--of", action="append", default=[], metavar="VARIANT", help="a variant in full; repeatable")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="draw a picture there (default: none)")
    options = parser.parse_args(arguments)
    return report(options)


def draw(points: dict[str, list[Point]], knees: dict[str, float], title: str) -> bytes:
    def fill(axes: Axes, model: str) -> None:
        for index, loads in enumerate(sorted({point.loads for point in points[model]})):
            line = sorted((point.bytes, point.rate / 1e9) for point in points[model] if point.loads == loads)
            axes.plot([x for x, _ in line], [y for _, y in line], color=f"C{index}", marker="os^vD"[index % 5],
                      markersize=4, label=f"{loads} load{'s' if loads > 1 else ''} a thread")
        axes.axvline(knees[model], color="0.4", linestyle="--", linewidth=1)
        set_powers(axes.xaxis, 2)
        set_powers(axes.yaxis)
        axes.set_xlabel("bytes in flight")
        axes.set_ylabel("GB/s")
        if is_first(axes):
            axes.legend(fontsize=9)

    return png_bytes(figure_of_panels(title, list(points), fill, width=400, height=400), 110)
