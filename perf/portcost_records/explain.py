"""The command perf/portcost explain: the hardware counters of a pair, side by side."""

import argparse
import dataclasses
import gzip
import json
import math
import signal
import subprocess
import sys
import textwrap
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .counters import UNITS, with_derived
from .differences import EQUAL_WORK, RULE
from .files import ROOT, checked_output, parser_of, positive, write_all
from .ncu import Ncu, combined, find_ncu, kernels_of, load_reader
from .derived import raw_rows
from .reading import FORMAT, read_record
from .records import Counters, ExplainError, RecordError
from .theory import SWEPT, Wanted, choose, collect_sweep, collect_together, run_command, runs_of, sizes_of, sweep_of, theory_text
from .why import TEAM_KERNELS, WIDTH, text_of

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

EPILOG = f"""\
examples:
  perf/portcost explain sum/strided --size n=67108864                  both sides, and the steps before
  perf/portcost explain heat2d/naive --only --record run.jsonl         adds the counters to the record
  perf/portcost explain sum/single_pass sum/cub/library --out counters a peer beside a pair
  perf/portcost explain strides/reads strides/writes --size n=1048576 --sweep offset=0:33 --sweep stride=1:64

Each variant runs once under Nsight Compute, from emptied caches, with the clocks as they are; only
its own kernels are counted. Counts are summed over a run's kernels; what cannot be added is the
longest kernel's. Times under the profiler explain, they do not measure: use portcost bench.
An element is one of the product of the size's counts (of n keys, whatever the bins); instructions
an element are 32 times the warp instructions over the elements, so idle lanes count.
{textwrap.fill(RULE, WIDTH)}
{textwrap.fill(EQUAL_WORK, WIDTH)}

exit status: 0 done, 2 wrong usage or a bad record, 3 Nsight Compute, the build or the right to read
counters is missing, or the machine failed, 128 + N stopped by signal N (what was counted is kept)"""


@checked_output("perf/portcost explain")
def main(arguments: list[str] | None = None) -> int:
    made = parser_of("explain", "Shows the hardware counters of pairs side by side, and what differs most.", EPILOG)
    made.add_argument("pairs", nargs="*", metavar="PAIR",
                      help="algorithm/step (kokkos and cuda), or one variant in full, such as a peer")
    made.add_argument("--size", metavar="K=V,..", help="default: the algorithm's main size")
    made.add_argument("--type", help="f32, f64 or i32 (default: the algorithm's first)")
    made.add_argument("--parameter", action="append", default=[], metavar="K=V,..", help="parameters of the algorithm")
    made.add_argument("--seed", help="seed of the inputs (default: 1)")
    made.add_argument("--sweep", action="append", default=[], type=sweep_of, metavar="K=A:B",
                      help="count sectors and bytes at each number of a size key, in one process, and print how far they "
                           "are from what theory says; repeatable: one key varies at a time")
    made.add_argument("--together", action="store_true",
                      help="all variants in one process, since starting one takes longer than counting: of one algorithm, and of "
                           "one launch a run")
    made.add_argument("--only", action="store_true", help="leave out the steps before")
    made.add_argument("--elements", type=positive, metavar="N",
                      help="how many elements one run works on (default: the product of the size's counts)")
    made.add_argument("--record", type=Path, help="add the counters to this record, in place or, with --out, to a copy")
    made.add_argument("--out", type=Path, metavar="DIR", help="write the record here (without --record: a new counters.jsonl)")
    made.add_argument("--reasons", action="store_true",
                      help="count nothing: put the reasons for unequal work that the ladders state now into the counters of "
                           "--record (any build will do; a host's does not know a GPU's steps)")
    made.add_argument("--most-kernels", type=positive, default=200, metavar="N",
                      help="profile at most the first N kernels of a run (default 200)")
    made.add_argument("--preset", default="cuda", help="the build that is run (default cuda)")
    made.add_argument("--command", type=Path, metavar="PATH", help="the portcost to run (default: build/PRESET/bin/portcost)")
    options = made.parse_intermixed_args(arguments)
    for number in STOPS:
        signal.signal(number, stop)
    if options.reasons != (not options.pairs):
        raise ExplainError(2, "name at least one PAIR, such as sum/strided; --reasons takes none")
    portcost = find_portcost(options)
    listing = json.loads(ask(portcost, "list", "--json"))
    by_name = {algorithm["name"]: algorithm for algorithm in listing}
    if options.reasons:
        return renew_reasons(by_name, options)
    asked, before = choose(listing, options)
    record = read_record(options.record) if options.record else None
    if record and (missing := record.missing_end()):
        raise RecordError(f"{missing}: counters are added to complete records")
    program = find_ncu()
    ncu = Ncu(program, load_reader(program), options.most_kernels)
    machine: dict[str, Any] = {}
    if options.record or options.out:
        machine = json.loads(ask(portcost, "machine", "--json"))
    if record and record.header.processor != (here := machine["machine"]["processor"]):
        raise ExplainError(2, f"{options.record} was measured on {record.header.processor}, and this is {here}: name a record of "
                              "this machine")
    if options.sweep:
        return sweep(portcost, dataclasses.replace(ncu, most_kernels=10**9, metrics=SWEPT), asked, by_name, machine, options)
    wanted = sorted((*asked, *before), key=lambda one: (one.name.split("/")[0], one.rung < 0, one.rung))
    rows, stopped = count(portcost, ncu, wanted, by_name, options)
    if rows:
        shown = {row.variant for row in rows} if stopped else {one.name for one in asked}
        print("\n".join(text_of(rows, shown, ncu.dropped)))
        if machine:
            path = write_record(rows, machine, options)
            print(f"\nrecord: {path}")
    return 128 + stopped if stopped else 0


def count(portcost: Path, ncu: Ncu, wanted: list[Wanted], by_name: dict[str, Any], options: argparse.Namespace
          ) -> tuple[list[Counters], int]:
    rows: list[Counters] = []
    stopped = 0
    try:
        if options.together:
            print(f"perf/portcost explain: {len(wanted)} variants", file=sys.stderr)
            keys = counted_keys(by_name[wanted[0].name.split("/")[0]])
            rows += collect_together(portcost, ncu, wanted, lambda size: elements_of(size, keys), options)
        for number, one in enumerate([] if options.together else wanted, start=1):
            print(f"perf/portcost explain: [{number}/{len(wanted)}] {one.name}", file=sys.stderr)
            rows.append(collect(portcost, ncu, one, counted_keys(by_name[one.name.split("/")[0]]), options))
    except Stopped as error:
        stopped = error.args[0]
        print(f"perf/portcost explain: stopped by {signal.Signals(stopped).name}: {len(rows)} of {len(wanted)} variants are counted",
              file=sys.stderr)  # fmt: skip
    return [dataclasses.replace(row, reasons=reasons_of(by_name[row.algorithm], row.variant)) for row in rows], stopped


def sweep(portcost: Path, ncu: Ncu, asked: list[Wanted], by_name: dict[str, Any], machine: dict[str, Any],
          options: argparse.Namespace) -> int:
    """Of variants of one algorithm; the steps before are left out."""
    names = {one.name.split("/")[0] for one in asked}
    if len(names) > 1:
        raise ExplainError(2, f"--sweep takes the steps of one algorithm: these are of {', '.join(sorted(names))}")
    sizes = sizes_of(options.size, options.sweep, by_name[names.pop()]["size_keys"])
    print(f"perf/portcost explain: {len(sizes)} sizes of {len(asked)} variants", file=sys.stderr)
    rows = collect_sweep(portcost, ncu, asked, sizes, options)
    print("\n".join(theory_text(rows)))
    if machine:
        print(f"record: {write_record(rows, machine, options)}")
    return 0


class Stopped(Exception):
    """By the signal that is its argument."""


def stop(number: int, _frame: object) -> None:
    for one in STOPS:
        signal.signal(one, signal.SIG_IGN)  # while the counters are written
    raise Stopped(number)


def counted_keys(algorithm: dict[str, Any]) -> list[str]:
    return [key["key"] for key in algorithm["size_keys"] if key["counts"]]


def reasons_of(algorithm: dict[str, Any], variant: str) -> dict[str, str]:
    """Why the work of a Kokkos variant differs from its native side's, as the ladder states it."""
    _, step, model = variant.split("/")
    return {one["what"]: one["reason"] for one in algorithm["unequal_work"] if one["step"] == step and model in TEAM_KERNELS}


def renew_reasons(by_name: dict[str, Any], options: argparse.Namespace) -> int:
    """What was counted stays, and so do reasons of steps for which there are none now: a host does not list a GPU's steps."""
    if not options.record:
        raise ExplainError(2, "--reasons needs --record RECORD, whose rows of counters it renews")
    read_record(options.record)
    none: dict[str, Any] = {"unequal_work": []}
    rows = raw_rows(options.record)
    changed = 0
    for row in (row for row in rows if row["kind"] == "counters"):
        now = reasons_of(by_name.get(row["variant"].split("/")[0], none), row["variant"])
        if now and row.get("reasons") != now:
            row["reasons"] = now
            changed += 1
    path = options.out / options.record.name if options.out else options.record
    write_rows(path, rows)
    print(f"record: {path}; rows of counters with other reasons: {changed}")
    return 0


def find_portcost(options: argparse.Namespace) -> Path:
    path = options.command or ROOT / "build" / options.preset / "bin" / "portcost"
    if not path.is_file():
        raise ExplainError(3, f"{path} is missing: build it on a machine with a GPU, whose counters this command reads, by "
                              f"perf/prepare --preset {options.preset}")
    return path.resolve()


def ask(portcost: Path, *words: str) -> str:
    done = subprocess.run([str(portcost), *words], capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        raise ExplainError(3, f"portcost {' '.join(words)} failed: {done.stderr.strip()}")
    return done.stdout


def collect(portcost: Path, ncu: Ncu, one: Wanted, counted: list[str], options: argparse.Namespace) -> Counters:
    command = run_command(portcost, [one], options, [options.size] if options.size else [])
    launches, printed = ncu.profile(command)
    runs = runs_of(printed, [one])
    if not runs:
        raise ExplainError(3, f"portcost run {one.name} did not finish under Nsight Compute")
    elements = options.elements or elements_of(runs[0].size_text, counted)
    if len(launches) == options.most_kernels:
        print(f"perf/portcost explain: {one.name}: only its first {len(launches)} kernels were profiled; "
              f"see --most-kernels", file=sys.stderr)
        if not options.elements:
            elements = None  # an unknown part of the work
    values = with_derived(combined(launches), len(launches), elements)
    if len(launches) < options.most_kernels:  # what is predicted is of the whole run
        values |= runs[0].values
    return dataclasses.replace(runs[0], kernels=kernels_of(launches), values=values)


def elements_of(size_text: str, counted: list[str]) -> float:
    """nx=10,ny=20,steps=2: 400; keys that only shape the work, such as bins, do not count."""
    values = dict(part.split("=") for part in size_text.split(","))
    return math.prod(int(values[key]) for key in counted)


def row_json(row: Counters, commit: str) -> dict[str, Any]:
    return {"kind": "counters", "variant": row.variant, "size_text": row.size_text,
            **({} if row.parameters_text is None else {"parameters_text": row.parameters_text}),
            "type": row.type, "rung": row.rung, "commit": commit, "kernels": [vars(kernel) for kernel in row.kernels],
            "values": row.values, "units": {key: UNITS[key] for key in row.values},
            **({"reasons": dict(row.reasons)} if row.reasons else {})}


def write_record(rows: list[Counters], machine: dict[str, Any], options: argparse.Namespace) -> Path:
    """The record with these counters, written whole; older ones of the same variant, problem and type give way."""
    if options.record:
        new = {(row.variant, row.size_text, row.parameters_text, row.type) for row in rows}
        all_rows = raw_rows(options.record)
        kept = [row for row in all_rows if row["kind"] not in ("counters", "end")
                or row["kind"] == "counters"
                and (row["variant"], row["size_text"], row.get("parameters_text", ""), row["type"]) not in new]
        path = options.out / options.record.name if options.out else options.record
    else:
        kept = [{"kind": "header", "format": FORMAT, "tool": "portcost", "version": machine.get("version", ""),
                 "commit": machine.get("commit", ""), "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                 "command": "perf/portcost explain " + " ".join(sys.argv[1:]), "seed": 1, "machine": machine["machine"],
                 "build": machine["build"], "settings": {}}]
        path = options.out / "counters.jsonl"
    end = {"kind": "end", "results": sum(row["kind"] == "result" for row in kept)}
    lines = [*kept, *(row_json(row, machine.get("commit", "")) for row in rows), end]
    write_rows(path, lines)
    return path


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    write_all({path: gzip.compress(text.encode("utf-8"), mtime=0) if path.suffix == ".gz" else text})
