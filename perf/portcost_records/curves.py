"""The command perf/portcost curves: rates over sizes, as a table and a picture, and the sizes at which one step overtakes another."""

import collections
import fnmatch
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .look import figure_of_panels, png_bytes, set_powers
from .files import checked_output, parser_of, write_pictures
from .reading import read_record
from .records import Interval, Record, RecordError, Result, Side

Curve = dict[int, float]
"""Seconds by the work of a run: bytes or operations, what the limit that binds counts."""
Group = tuple[str, str, str, str, str]
"""Algorithm, parameters that are not as their default, type, the limit that binds, and the size key that work is counted
per, with its number."""
Curves = dict[Group, dict[str, Curve]]
"""Of each group the curve of each variant, "step/model"."""
Costs = dict[str, dict[int, Result]]
"""Of each row ("pinned_to_device", "strides.book") the pair at each work."""

EPILOG = """\
examples:
  perf/portcost curves RECORD --filter 'sum/*' --out pictures
  perf/portcost curves RECORD --filter 'heat2d/*' --against naive
  perf/portcost curves RECORD --filter '*/p*_to_device' --filter '*/p*_to_host' --out pictures   (of transfer_bandwidth: Figures 3.2, 3.3)

Work is what the limit that binds a result counts, such as bytes, and a rate is work over the median device
time. Below the rates stand Kokkos's times over the native side's, and what a pair's smallest work takes more with
Kokkos, by the processor's clock and by the caller's. --per KEY counts the work of one of KEY (one array of a batch), each number of KEY apart. --against STEP prints
up to which work each other step of the same model is faster; between two sizes measured it is interpolated.

exit status: 0; 2 bad input; 3 the output could not be written"""


def work_text(count: float) -> str:
    """ "31 Ki" """
    for unit in ("", " Ki", " Mi"):
        if count < 1024:
            return f"{count:.4g}{unit}" if count >= 1000 else f"{count:.3g}{unit}"
        count /= 1024
    return f"{count:.3g} Gi"


def matches(variant: str, filters: Sequence[str]) -> bool:
    names = (variant, variant.rsplit("/", 1)[0])
    return not filters or any(fnmatch.fnmatchcase(name, one) for name in names for one in filters)


def wanted(record: Record, filters: list[str]) -> list[tuple[Result, Side]]:
    """The sides that were timed and match: cold, where the record has that regime."""
    found = [(result, side) for result in record.results if result.role in ("pair", "solo") for side in result.sides
             if side.device is not None and result.floor is not None and result.floor.floor_s > 0
             and matches(side.variant, filters)]
    cold = [one for one in found if one[0].regime == "cold"]
    return cold or found


def group_of(result: Result, per: str) -> tuple[Group, int]:
    """The curve's group, and the work. Throws RecordError where the size has no such key."""
    if per and per not in result.size:
        raise RecordError(f"--per {per}: {result.algorithm} has no such key; its keys: {', '.join(result.size)}")
    work = round(result.floor.work / (result.size[per] if per else 1))
    return (result.algorithm, result.parameters_text, result.type, result.floor.name,
            f"{per}={result.size[per]}" if per else ""), work


def curves_of(record: Record, filters: list[str], per: str) -> Curves:
    """Throws RecordError where a size has no such key, and where two sizes of a variant are the same work."""
    found: Curves = {}
    size_of: dict[tuple[Group, str, int], str] = {}
    for result, side in wanted(record, filters):
        group, work = group_of(result, per)
        other = size_of.setdefault((group, side.variant, work), result.size_text)
        if other != result.size_text:
            raise RecordError(f"{side.variant}: {other} and {result.size_text} are the same work: a curve needs sizes of "
                              f"different work")
        found.setdefault(group, {}).setdefault(side.variant.split("/", 1)[1], {}).setdefault(work, side.device.median)
    return found


def costs_of(record: Record, filters: list[str], per: str) -> dict[Group, Costs]:
    found: dict[Group, Costs] = {}
    sides = wanted(record, filters)
    count = collections.Counter(result.id for result, _ in sides)
    for result, side in sides:
        if result.role == "pair" and side.model == "kokkos" and count[result.id] == 2 and result.ratio is not None:
            group, work = group_of(result, per)
            found.setdefault(group, {}).setdefault(side.row_name, {}).setdefault(work, result)
    return found


def rate_lines(curves: dict[str, Curve], costs: Costs, times: int) -> list[str]:
    """A table of rates in 10^9 a second, and of what pairs cost; below it the time of the least work, which is mostly fixed,
    and by how much it differs in a pair. A curve's work is that of one of `times`."""
    works = sorted({work for curve in curves.values() for work in curve})
    lines = [f"{'10^9/s for work of':<44}" + "".join(f"{work_text(work):>9}" for work in works)]
    for variant, curve in curves.items():
        cells = [f"{times * work / curve[work] / 1e9:9.3g}" if work in curve else f"{'':9}" for work in works]
        lines.append(f"{variant:<44}" + "".join(cells).rstrip())
    lines += ratio_lines(costs, works)
    for variant, curve in curves.items():
        least = min(curve)
        lines.append(f"{variant:<44} {curve[least] * 1e6:.3g} us for {work_text(least)}")
    return lines + difference_lines(costs, work_text(works[0]), works[0])


def crossovers(step: Curve, base: Curve) -> tuple[list[int], list[bool], list[float]]:
    """The works that both have, whether the step is faster at each, and the works at which that turns."""
    works = sorted(set(step) & set(base))
    logs = [math.log(step[work] / base[work]) for work in works]
    faster = [value < 0 for value in logs]
    turns = []
    for i in range(1, len(works)):
        if faster[i] != faster[i - 1]:
            share = logs[i - 1] / (logs[i - 1] - logs[i])
            turns.append(works[i - 1] * (works[i] / works[i - 1]) ** share)
    return works, faster, turns


def crossover_text(step: Curve, base: Curve) -> str:
    works, faster, turns = crossovers(step, base)
    if not works:
        return "not measured at the same sizes"
    measured = f"{work_text(works[0])} to {work_text(works[-1])}" if len(works) > 1 else work_text(works[0])
    said = ("not faster", "faster")
    if not turns:
        return f"{said[faster[0]]} at every size measured, {measured}"
    words = [f"{said[faster[0] ^ (number % 2 == 1)]} up to {work_text(turn)}" for number, turn in enumerate(turns)]
    return ", ".join(words) + f" (measured: {measured})"


def against_lines(group: Group, curves: dict[str, Curve], step: str) -> list[str]:
    """Each variant against the same model's of `step`, of a way of writing that has none against the model's own."""
    lines = []
    for variant, curve in curves.items():
        own, model = variant.split("/")
        base = curves.get(f"{step}/{model}") or curves.get(f"{step}/{model.split('.')[0].split(':')[0]}")
        if own != step and base:
            lines.append(f"{' '.join(filter(None, (model, group[1], group[2], group[4])))}: {own} against {step}: {crossover_text(curve, base)}")
    return lines


UNITS = {"B/s": ("bytes", "GB/s"), "FLOP/s": ("operations", "GFLOP/s"), "op/s": ("operations", "10^9 operations a second")}
"""What work and rate are called, by the unit of the limit that binds."""


def figure_of(curves: dict[str, Curve], times: int, title: str, unit: str) -> Figure:
    """A panel for each model: rates over work, both on logarithmic axes, of variants without a way of writing."""
    plain = {variant: curve for variant, curve in curves.items() if not set(".:") & set(variant.split("/")[1])}
    if not plain:
        raise RecordError("nothing to draw: a picture has variants without a way of writing, and the filter takes none")
    models = sorted({variant.split("/")[1] for variant in plain}, key=lambda model: model == "kokkos")
    steps = list(dict.fromkeys(variant.split("/")[0] for variant in plain))
    works = sorted({work for curve in plain.values() for work in curve})
    work_word, rate_word = UNITS.get(unit, ("work", "10^9 a second"))

    def fill(axes: Axes, model: str) -> None:
        for index, step in enumerate(steps):
            curve = plain.get(f"{step}/{model}", {})
            own = sorted(curve)
            axes.plot(own, [times * work / curve[work] / 1e9 for work in own], color=f"C{index}",
                      marker="os^vD"[index % 5], markersize=4, label=step)
        set_powers(axes.xaxis, 2)
        set_powers(axes.yaxis)
        axes.set_xticks(works[:: math.ceil(len(works) / 7)], labels=map(work_text, works[:: math.ceil(len(works) / 7)]))
        axes.set_xlabel(f"{work_word} of one" if times > 1 else f"{work_word} of a run")
        axes.set_ylabel(rate_word)
        if axes.get_subplotspec().is_first_col():  # one legend for all
            axes.legend(fontsize=9)

    return figure_of_panels(title, models, fill, width=420, height=420)


def joined(records: list[Record]) -> Record:
    """One record of one machine, whose name and header are the first one's. Of a size that several have, the first one counts."""
    first = records[0]
    for other in records[1:]:
        if other.header.processor != first.header.processor:
            raise RecordError(f"{other.path} is of {other.header.processor} and {first.path} of {first.header.processor}: "
                              f"curves of two machines are not one; name records of one machine")
    results = [result for record in records for result in record.results]
    return replace(first, results=tuple(replace(result, id=number) for number, result in enumerate(results)))


@checked_output("perf/portcost curves")
def main(arguments: list[str] | None = None) -> int:
    parser = parser_of("curves", "Prints and draws rates over sizes, and where one step overtakes another.", EPILOG)
    parser.add_argument("record", nargs="+", help="a record, .jsonl or .jsonl.gz, or several of one machine")
    parser.add_argument("--filter", action="append", default=[], metavar="GLOB", help="variants, or steps; repeatable")
    parser.add_argument("--against", default="", metavar="STEP", help="print where other steps overtake this one")
    parser.add_argument("--per", default="", metavar="KEY", help="count the work of one of this size key")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="draw pictures there (default: none)")
    options = parser.parse_args(arguments)
    records = [read_record(path) for path in options.record]
    record = joined(records)
    groups = curves_of(record, options.filter, options.per)
    costs = costs_of(record, options.filter, options.per)
    if not groups:
        raise RecordError(f"{record.path}: no time matches {' '.join(options.filter) or 'anything'}; name variants as in 'sum/*'")
    print(f"{', '.join(one.name for one in records)}: {record.header.processor}")
    for one in records:
        if one.missing_end():
            print(one.missing_end(), file=sys.stderr)
    units = {result.floor.name: result.floor.unit for result in record.results if result.floor is not None}
    pictures: dict[Path, str | bytes] = {}
    for group, curves in groups.items():
        limits = {other[3] for other in groups if other[:3] == group[:3]}
        named = [part for part in (*group[:3], group[3] if len(limits) > 1 else "", group[4]) if part]
        heading = " ".join(named)
        times = int(group[4].split("=")[1]) if group[4] else 1
        print(f"\n{heading}")
        print("\n".join(rate_lines(curves, costs.get(group, {}), times)))
        if options.against:
            print("\n".join(against_lines(group, curves, options.against) or [f"no other step to hold against {options.against}"]))
        if options.out is not None:
            name = re.sub(r"[^A-Za-z0-9._-]", "", "_".join((record.name, *named)).replace(" ", "_"))
            pictures[options.out / f"{name}.png"] = png_bytes(
                figure_of(curves, times, f"{heading}, {record.header.processor}", units[group[3]]), 110)
    write_pictures(pictures)
    return 0


def native_of(result: Result) -> Side:
    return next(side for side in result.sides if side.model != "kokkos")


def difference_text(ratio: Interval, native_s: float) -> str:
    """"+0.31 us [0.28, 0.35]" that Kokkos takes more: (ratio - 1) times the native side's median. Its interval is the ratio's alone."""
    value, low, high = (f"{1e6 * (one - 1) * native_s:.3g}" for one in (ratio.value, ratio.low, ratio.high))
    return f"{'+' if ratio.value >= 1 else ''}{value} us [{low}, {high}]"


def ratio_lines(costs: Costs, works: list[int]) -> list[str]:
    lines = []
    for row, pairs in costs.items():
        native = native_of(next(iter(pairs.values())))
        cells = [f"{pairs[work].ratio.value:9.3f}" if work in pairs and pairs[work].ratio else f"{'':9}" for work in works]
        lines.append(f"{f'{row}: kokkos / {native.model}':<44}" + "".join(cells).rstrip())
    return lines


def difference_lines(costs: Costs, work_text: str, work: int) -> list[str]:
    """At one work: what Kokkos takes more by the processor's clock (of runs that are queued ahead) and by the caller's."""
    lines = []
    for row, pairs in costs.items():
        result = pairs.get(work)
        if result is None:
            continue
        native = native_of(result)
        said = [f"{clock} {difference_text(ratio, spread.median)}"
                for clock, ratio, spread in (("device", result.ratio, native.device), ("wall", result.wall_ratio, native.wall))
                if ratio is not None and spread is not None]
        if said:
            lines.append(f"{f'{row}: kokkos - {native.model}':<44} {', '.join(said)} for {work_text}")
    return lines
