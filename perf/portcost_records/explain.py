"""The command perf/explain: the hardware counters of a pair, side by side."""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
import math
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .counters import (LABELS, RULE, SHOWN, SHOWN_OF_LADDER, UNITS, ratio_of, top_stalls,
                       value_text, with_derived)
from .files import checked_output, write_all
from .ncu import ExplainError, Ncu, combined, find_ncu, summary
from .lines import read_objects
from .reading import FORMAT, read_record
from .records import Counters, Kernel, RecordError
from .why import Comparison, Explained, explained, side_name

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 100

EPILOG = f"""\
examples:
  perf/explain sum/strided --size n=67108864                  both sides, and the steps before
  perf/explain heat2d/naive --only --record run.jsonl         adds the counters to the record
  perf/explain sum/single_pass sum/cub/library --out counters a peer beside a pair

Each variant runs once under Nsight Compute, from emptied caches, with the clocks as they are; only
its own kernels are counted. Counts are summed over a run's kernels; what cannot be added is the
longest kernel's. Times under the profiler explain, they do not measure: use portcost bench.
An element is one of the product of the size's counts (of n keys, whatever the bins); instructions
an element are 32 times the warp instructions over the elements, so idle lanes count.
{textwrap.fill(RULE, WIDTH)}

exit status: 0 done, 2 wrong usage or a bad record, 3 Nsight Compute, the build or the right to read
counters is missing, or the machine failed"""


@dataclass(frozen=True)
class Wanted:
    """A variant to be run, and where its step stands on the ladder (-1: a peer)."""

    name: str
    rung: int


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="perf/explain", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Shows the hardware counters of pairs side by side, and what differs most.")
    made.add_argument("pairs", nargs="+", metavar="PAIR",
                      help="algorithm/step (kokkos and cuda), or one variant in full, such as a peer")
    made.add_argument("--size", metavar="K=V,..", help="default: the algorithm's main size")
    made.add_argument("--type", help="f32, f64 or i32 (default: the algorithm's first)")
    made.add_argument("--parameter", action="append", default=[], metavar="K=V,..",
                      help="real-valued parameters of the algorithm")
    made.add_argument("--seed", help="seed of the inputs (default: 1)")
    steps = made.add_mutually_exclusive_group()
    steps.add_argument("--only", action="store_true", help="leave out the steps before")
    steps.add_argument("--steps-before", type=whole, metavar="N",
                       help="how many of the steps before are collected too (default: all)")
    made.add_argument("--elements", type=positive, metavar="N",
                      help="how many elements one run works on (default: the product of the "
                           "size's counts)")
    made.add_argument("--record", type=Path,
                      help="add the counters to this record, in place or, with --out, to a copy")
    made.add_argument("--out", type=Path, metavar="DIR",
                      help="write the record here (without --record: a new counters.jsonl)")
    made.add_argument("--most-kernels", type=positive, default=200, metavar="N",
                      help="profile at most the first N kernels of a run (default 200)")
    made.add_argument("--preset", default="cuda", help="the build that is run (default cuda)")
    made.add_argument("--command", type=Path, metavar="PATH",
                      help="the portcost to run (default: build/PRESET/bin/portcost)")
    return made


def whole(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0 up")
    return value


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 up")
    return value


@checked_output("perf/explain")
def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_intermixed_args(arguments)
    try:
        return explain(options)
    except RecordError as error:
        print(f"perf/explain: {error}", file=sys.stderr)
        return error.status
    except ExplainError as error:
        print(f"perf/explain: {error}", file=sys.stderr)
        return error.status


def explain(options: argparse.Namespace) -> int:
    portcost = find_portcost(options)
    listing = json.loads(ask(portcost, "list", "--json"))
    asked, before = choose(listing, options)
    counted = {algorithm["name"]: [key["key"] for key in algorithm["size_keys"] if key["counts"]]
               for algorithm in listing}
    if options.record and (missing := read_record(options.record).missing_end()):
        raise RecordError(f"{missing}: counters are added to complete records")
    ncu = Ncu(find_ncu(), options.most_kernels)
    machine: dict[str, Any] = {}
    if options.record or options.out:
        machine = json.loads(ask(portcost, "machine", "--json"))
        check_machine(options.record, machine)
    wanted = sorted({w.name: w for w in (*asked, *before)}.values(), key=ladder_order)
    rows = []
    for number, one in enumerate(wanted, start=1):
        print(f"perf/explain: [{number}/{len(wanted)}] {one.name}", file=sys.stderr)
        rows.append(collect(portcost, ncu, one, counted[one.name.split("/")[0]], options))
    print("\n".join(text_of(rows, {one.name for one in asked}, ncu)))
    if machine:
        path = write_record(rows, machine, options)
        print(f"\nrecord: {path}")
    return 0


def ladder_order(one: Wanted) -> tuple[str, bool, int]:
    return one.name.split("/")[0], one.rung < 0, one.rung


# ---- what is run

def find_portcost(options: argparse.Namespace) -> Path:
    path = options.command or ROOT / "build" / options.preset / "bin" / "portcost"
    if not path.is_file():
        raise ExplainError(3, f"{path} is missing: build it with perf/prepare --preset "
                              f"{options.preset}")
    return path.resolve()


def ask(portcost: Path, *words: str) -> str:
    done = subprocess.run([str(portcost), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExplainError(3, f"portcost {' '.join(words)} failed: {done.stderr.strip()}")
    return done.stdout


def choose(listing: list[dict[str, Any]], options: argparse.Namespace
           ) -> tuple[list[Wanted], list[Wanted]]:
    """The variants asked for, and those of the steps before."""
    asked: dict[str, Wanted] = {}
    before: dict[str, Wanted] = {}
    for pair in options.pairs:
        algorithm = next((a for a in listing if a["name"] == pair.split("/")[0]), None)
        found = variants_of(algorithm, pair) if algorithm else []
        if not found:
            raise ExplainError(2, unknown(pair, listing))
        elsewhere = [v["name"] for v in found if v["place"] != "device"]
        if elsewhere:
            raise ExplainError(2, f"{elsewhere[0]} runs on the host, and counters are the GPU's: "
                                  "name a step with CUDA and Kokkos sides and a preset with CUDA")
        ladder = rungs(algorithm)
        asked |= {v["name"]: wanted(v, ladder) for v in found}
        if found[0]["step"] in ladder and any(v["model"] in ("cuda", "kokkos") for v in found):
            before |= {v["name"]: wanted(v, ladder)
                       for step in earlier(ladder, found[0]["step"], options)
                       for v in variants_of(algorithm, f"{algorithm['name']}/{step}")}
    return list(asked.values()), [one for name, one in before.items() if name not in asked]


def variants_of(algorithm: dict[str, Any], pair: str) -> list[dict[str, Any]]:
    """The variant of a full name; of a step its kokkos and cuda sides."""
    if pair.count("/") == 2:
        return [v for v in algorithm["variants"] if v["name"] == pair]
    if pair.count("/") != 1:
        return []
    return [v for v in algorithm["variants"]
            if v["step"] == pair.split("/")[1] and v["model"] in ("cuda", "kokkos")]


def rungs(algorithm: dict[str, Any]) -> list[str]:
    """The steps of the ladder that have a side on the device, in order."""
    there = {v["step"] for v in algorithm["variants"]
             if v["model"] in ("cuda", "kokkos") and v["place"] == "device"}
    return [step for step in algorithm["steps"] if step in there]


def earlier(ladder: list[str], step: str, options: argparse.Namespace) -> list[str]:
    steps = ladder[:ladder.index(step)]
    count = 0 if options.only else options.steps_before
    return steps if count is None else steps[max(0, len(steps) - count):]


def wanted(variant: dict[str, Any], ladder: list[str]) -> Wanted:
    peer = variant["model"] not in ("cuda", "kokkos") or variant["step"] not in ladder
    return Wanted(variant["name"], -1 if peer else ladder.index(variant["step"]))


def unknown(pair: str, listing: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(
        name for a in listing for v in a["variants"]
        for name in ((f"{a['name']}/{v['step']}", v["name"]) if v["model"] in ("cuda", "kokkos")
                     else (v["name"],))))
    near = difflib.get_close_matches(pair, names, 1, 0.0)
    return (f"'{pair}' is no algorithm/step or variant: did you mean '{near[0] if near else ''}'? "
            "`portcost list` shows every name")


# ---- what is counted

def collect(portcost: Path, ncu: Ncu, one: Wanted, counted: list[str],
            options: argparse.Namespace) -> Counters:
    command = [str(portcost), "run", one.name, "--repeat", "1"]
    for name in ("size", "type", "seed"):
        if value := getattr(options, name):
            command += [f"--{name}", value]
    for parameter in options.parameter:
        command += ["--parameter", parameter]
    kernels, printed = ncu.profile(command)
    ran = re.search(rf"^{re.escape(one.name)} (\S+) (\S+)$", printed, flags=re.MULTILINE)
    if not ran:
        raise ExplainError(3, f"portcost run {one.name} did not finish under Nsight Compute")
    elements = options.elements or elements_of(ran[1], counted)
    if len(kernels) == options.most_kernels:
        print(f"perf/explain: {one.name}: only its first {len(kernels)} kernels were profiled; "
              f"see --most-kernels", file=sys.stderr)
        if not options.elements:
            elements = None  # an unknown part of the work
    return Counters(one.name, ran[1], ran[2], one.rung,
                    tuple(Kernel(str(row["name"]), int(row["launches"]), float(row["seconds"]))
                          for row in summary(kernels)),
                    with_derived(combined(kernels), len(kernels), elements))


def elements_of(size_text: str, counted: list[str]) -> float:
    """nx=10,ny=20,steps=2: 400; keys that only shape the work, such as bins, do not count."""
    values = dict(part.split("=") for part in size_text.split(","))
    return math.prod(int(values[key]) for key in counted)


# ---- what is shown

def text_of(rows: list[Counters], asked: set[str], ncu: Ncu) -> list[str]:
    lines: list[str] = []
    for group in explained(rows):
        for pair in group.pairs():
            if pair.a.variant in asked or pair.b.variant in asked:
                lines += ["", *side_by_side(pair, before_of(group, pair))]
        for peer in group.peers():
            if peer.a.variant in asked:
                lines += ["", *side_by_side(peer, [])]
        alone = {row.variant for pair in (*group.pairs(), *group.peers())
                 for row in (pair.a, pair.b)}
        for row in group.rows:
            if row.variant in asked and row.variant not in alone:
                lines += ["", *columns([row], [])]
        if len(group.rows) > 2:
            lines += ["", *ladder_lines(group)]
    if ncu.dropped:
        lines += ["", *wrapped(f"not known to this chip: {', '.join(sorted(ncu.dropped))}")]
    return lines[1:]


def before_of(group: Explained, pair: Comparison) -> list[Counters]:
    """Both sides of the step directly before, where it was collected."""
    rows = [row for row in group.rows if 0 <= row.rung < pair.a.rung]
    last = max((row.rung for row in rows), default=-1)
    return sorted((row for row in rows if row.rung == last), key=lambda row: row.model == "cuda")


def side_by_side(pair: Comparison, before: list[Counters]) -> list[str]:
    return [*wrapped(pair.sentence()), "", *columns([pair.a, pair.b], before)]


def columns(sides: list[Counters], before: list[Counters]) -> list[str]:
    """A row a counter: the sides, their ratio, and the step before."""
    shown = [*sides, *before]
    compared = len(sides) == 2
    first = sides[0]
    lines = wrapped(f"{first.algorithm}, {first.size_text}, {first.type}")
    for part in (0, 1):
        names = [(row.step if part == 0 else row.model) for row in shown]
        heads = [fitted(name, 14) for name in names]
        if compared:
            heads.insert(2, f"{'ratio' if part else '':>12}")
        lines.append((f"{'':<26}" + "".join(heads)).rstrip())
    for key in SHOWN:
        if not any(key in row.values for row in shown):
            continue
        cells = [f"{value_text(key, row.values.get(key)):>14}" for row in shown]
        if compared:
            ratio = ratio_of(*(row.values.get(key) for row in sides))
            cells.insert(2, f"{ratio:>12}")
        lines.append(f"{LABELS[key]:<26}" + "".join(cells))
    for row in shown:
        lines += wrapped(f"stalls of {side_name(row)}: {top_stalls(row.values)}")
    for row in sides:
        lines += wrapped(f"kernels of {side_name(row)}: " + "; ".join(
            f"{kernel.launches} x {kernel.name}" for kernel in row.kernels[:4])
            + ("; ..." if len(row.kernels) > 4 else ""))
    return lines


def ladder_lines(group: Explained) -> list[str]:
    lines = wrapped(f"the ladder of {group.algorithm}, {group.size_text}, {group.type}")
    heads = {"seconds": "time", "instructions_per_element": "instr/el.", "working_lanes": "lanes on",
             "bank_conflicts": "conflicts", "stall_barrier": "barrier", "occupancy": "occupancy",
             "dram_bytes_per_second": "memory"}
    lines.append(f"{'':<26}" + "".join(f"{heads[key]:>{ladder_width(key)}}"
                                          for key in SHOWN_OF_LADDER))
    for row in group.rows:
        name = f"{row.step} {row.model}"
        lines.append(f"{name if len(name) < 26 else name[:24] + '~':<26}" + "".join(
            f"{value_text(key, row.values.get(key)):>{ladder_width(key)}}" for key in SHOWN_OF_LADDER))
    for climb in group.climbs():
        lines += wrapped(climb.sentence(), "  ")
    return lines


def ladder_width(key: str) -> int:
    return 12 if key == "dram_bytes_per_second" else 10


def fitted(text: str, width: int) -> str:
    return f"{text if len(text) < width else text[:width - 2] + '~':>{width}}"


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ",
                         break_on_hyphens=False)


# ---- what is kept

def check_machine(record: Path | None, machine: dict[str, Any]) -> None:
    if not record:
        return
    there, here = read_record(record).header.processor, machine["machine"]["processor"]
    if there != here:
        raise ExplainError(2, f"{record} was measured on {there}, and this is {here}: "
                              "name a record of this machine")


def row_json(row: Counters, commit: str) -> dict[str, Any]:
    return {"kind": "counters", "variant": row.variant, "size_text": row.size_text,
            "type": row.type, "rung": row.rung, "commit": commit,
            "kernels": [vars(kernel) for kernel in row.kernels], "values": row.values,
            "units": {key: UNITS[key] for key in row.values}}


def write_record(rows: list[Counters], machine: dict[str, Any], options: argparse.Namespace) -> Path:
    """The record with these counters, written whole or not at all; older ones of the same variant,
    size and type give way."""
    if options.record:
        new = {(row.variant, row.size_text, row.type) for row in rows}
        all_rows = [fields.values for fields in read_objects(options.record)]
        kept = [row for row in all_rows if row["kind"] not in ("counters", "end")
                or row["kind"] == "counters"
                and (row["variant"], row["size_text"], row["type"]) not in new]
        path = options.out / options.record.name if options.out else options.record
    else:
        kept = [new_header(machine)]
        path = options.out / "counters.jsonl"
    end = {"kind": "end", "results": sum(row["kind"] == "result" for row in kept)}
    lines = [*kept, *(row_json(row, machine.get("commit", "")) for row in rows), end]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    write_all({path: gzip.compress(text.encode("utf-8"), mtime=0) if path.suffix == ".gz" else text})
    return path


def new_header(machine: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "header", "format": FORMAT, "tool": "portcost",
            "version": machine.get("version", ""), "commit": machine.get("commit", ""),
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": "perf/explain " + " ".join(sys.argv[1:]), "seed": 1,
            "machine": machine["machine"], "build": machine["build"], "settings": {}}
