"""Which variants perf/portcost explain runs; and --sweep and --together: many runs in one process, and what theory says of them."""

import argparse
import dataclasses
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .counters import METRICS, PREDICTED, UNITS, with_derived
from .files import words_given
from .ncu import Launch, Ncu, kernels_of
from .records import Counters, ExplainError

COUNTED = ("seconds", "load_sectors", "store_sectors", "read_bytes", "written_bytes")
"""What is counted in a sweep: few enough for one pass of each kernel."""
SWEPT = tuple(metric for metric in METRICS if metric.key in COUNTED)
CLOSE = 0.05
MOST_SIZES = 1000
CATALOGUE = Path(__file__).resolve().parents[2] / "variants"


@dataclass(frozen=True)
class Wanted:
    """A variant to be run, and where its step stands on the ladder (-1: a peer)."""

    name: str
    rung: int


@dataclass(frozen=True)
class Sweep:
    key: str
    least: int
    most: int


def sweep_of(text: str) -> Sweep:
    found = re.fullmatch(r"(\w+)=(\d+):(\d+)", text)
    if found is None or int(found[2]) > int(found[3]):
        raise argparse.ArgumentTypeError(f"'{text}' is no sweep: give key=least:most, such as offset=0:33")
    return Sweep(found[1], int(found[2]), int(found[3]))


def sizes_of(base: str | None, sweeps: Sequence[Sweep], keys: list[dict[str, Any]]) -> list[str]:
    """The sizes of all sweeps, each once: the base with one key set. Throws ExplainError."""
    defaults = {key["key"]: int(key["default"]) for key in keys}
    given = dict(defaults)
    for part in base.split(",") if base else []:
        name, _, number = part.partition("=")
        if name not in defaults or not number.isdecimal():
            raise ExplainError(2, f"--size {base}: '{part}' is no key=number with a key of {', '.join(defaults)}")
        given[name] = int(number)
    found: dict[str, None] = {}
    for sweep in sweeps:
        if sweep.key not in defaults:
            raise ExplainError(2, f"--sweep {sweep.key}: the size keys are {', '.join(defaults)}")
        if len(found) + sweep.most - sweep.least >= MOST_SIZES:
            raise ExplainError(2, f"--sweep {sweep.key}={sweep.least}:{sweep.most}: more than {MOST_SIZES} sizes")
        for value in range(sweep.least, sweep.most + 1):
            found[",".join(f"{key}={number}" for key, number in {**given, sweep.key: value}.items())] = None
    return list(found)


def runs_of(printed: str, wanted: list[Wanted]) -> list[Counters]:
    rungs = {one.name: one.rung for one in wanted}
    found: list[Counters] = []
    for line in printed.splitlines():
        words = line.split(" ")
        if len(words) == 3 and words[0] in rungs:
            found.append(Counters(words[0], words[1], words[2], rungs[words[0]], (), {}))
        elif len(words) == 2 and words[0] == "parameters" and found:
            found[-1] = dataclasses.replace(found[-1], parameters_text=words[1])
        elif len(words) == 3 and words[0] == "predicted" and found:
            if words[1] not in UNITS or not words[2].isdecimal():
                raise ExplainError(3, f"portcost predicts '{words[1]} {words[2]}', which is no number of a counter")
            found[-1].values[PREDICTED + words[1]] = float(words[2])
    return found


def joined(runs: list[Counters], launches: list[Launch], remedy: str) -> list[Counters]:
    """Each run with the counters of its one launch. Throws ExplainError where a run has more or less than one."""
    if len(runs) != len(launches):
        raise ExplainError(3, f"{len(runs)} runs have {len(launches)} launches, and one process for all needs variants of one "
                              f"launch a run: {remedy}")
    return [dataclasses.replace(run, kernels=kernels_of([launch]), values={**launch.values, **run.values})
            for run, launch in zip(runs, launches)]


def collect_sweep(portcost: Path, ncu: Ncu, wanted: list[Wanted], sizes: list[str], options: argparse.Namespace
                  ) -> list[Counters]:
    """All sizes of all variants in one process: starting one takes longer than counting."""
    launches, printed = ncu.profile(run_command(portcost, wanted, options, sizes))
    rows = joined(runs_of(printed, wanted), launches, "take --size without --sweep")
    if not any(key.startswith(PREDICTED) for row in rows for key in row.values):
        raise ExplainError(2, f"theory says nothing of {', '.join(one.name for one in wanted)}: --sweep compares with it")
    return rows


def deviations(rows: list[Counters], key: str) -> list[tuple[float, Counters]]:
    """Counted over predicted less 1, of the rows that have both."""
    return [(row.values[key] / row.values[PREDICTED + key] - 1, row) for row in rows
            if key in row.values and row.values.get(PREDICTED + key)]


def theory_text(rows: list[Counters]) -> list[str]:
    lines = [f"{'counted against predicted':<42}{'counter':<16}{'sizes':>6}{'within 5 %':>12}{'largest':>10}  where"]
    for variant in dict.fromkeys(row.variant for row in rows):
        own = [row for row in rows if row.variant == variant]
        for key in COUNTED:
            found = deviations(own, key)
            if not found:
                continue
            largest, where = max(found, key=lambda one: abs(one[0]))
            close = sum(abs(one) <= CLOSE for one, _ in found)
            lines.append(f"{variant:<42}{key:<16}{len(found):>6}{close:>12}{100 * largest:>+9.2f}%  {where.size_text}")
    return lines


def collect_together(portcost: Path, ncu: Ncu, wanted: list[Wanted], elements: Callable[[str], float],
                     options: argparse.Namespace) -> list[Counters]:
    """One row a variant of one algorithm, whose runs have one launch each: else which launches are whose would be a guess."""
    names = {one.name.split("/")[0] for one in wanted}
    if len(names) > 1:
        raise ExplainError(2, f"--together takes variants of one algorithm: these are of {', '.join(sorted(names))}")
    ncu = dataclasses.replace(ncu, most_kernels=10**9)
    launches, printed = ncu.profile(run_command(portcost, wanted, options, [options.size] if options.size else []))
    rows = joined(runs_of(printed, wanted), launches, "leave --together away")
    return [dataclasses.replace(row, values=with_derived(row.values, 1, options.elements or elements(row.size_text)))
            for row in rows]


def choose(listing: list[dict[str, Any]], options: argparse.Namespace) -> tuple[list[Wanted], list[Wanted]]:
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
        if not options.only and found[0]["step"] in ladder and any(v["model"] in ("cuda", "kokkos") for v in found):
            before |= {v["name"]: wanted(v, ladder) for step in ladder[:ladder.index(found[0]["step"])]
                       for v in variants_of(algorithm, f"{algorithm['name']}/{step}")}
    return list(asked.values()), [one for name, one in before.items() if name not in asked]


def variants_of(algorithm: dict[str, Any], pair: str) -> list[dict[str, Any]]:
    """The variant of a full name; of a row's name, such as "sum/reduce.usual:index=int64", its cuda side and its Kokkos side."""
    if pair.count("/") == 2:
        return [v for v in algorithm["variants"] if v["name"] == pair]
    if pair.count("/") != 1:
        return []
    row = pair.split("/")[1]
    step = re.split("[.:]", row)[0]
    sides = {f"{algorithm['name']}/{step}/{side}" for side in ("cuda", f"kokkos{row.removeprefix(step)}")}
    found = [v for v in algorithm["variants"] if v["name"] in sides]
    return found if row == step or any(v["model"] == "kokkos" for v in found) else []


def rungs(algorithm: dict[str, Any]) -> list[str]:
    there = {v["step"] for v in algorithm["variants"] if v["model"] in ("cuda", "kokkos") and v["place"] == "device"}
    return [step for step in algorithm["steps"] if step in there]


def wanted(variant: dict[str, Any], ladder: list[str]) -> Wanted:
    peer = variant["model"] not in ("cuda", "kokkos") or variant["step"] not in ladder
    return Wanted(variant["name"], -1 if peer else ladder.index(variant["step"]))


def unknown(pair: str, listing: list[dict[str, Any]]) -> str:
    name = pair.split("/")[0]
    if name and name not in {a["name"] for a in listing} and (CATALOGUE / name).is_dir():
        return f"'{pair}' is of {name}, which this build leaves out: `perf/portcost list {name}` builds it"
    names = list(dict.fromkeys(
        name for a in listing for v in a["variants"]
        for name in ((f"{a['name']}/{v['step']}", v["name"]) if v["model"] in ("cuda", "kokkos")
                     else (v["name"],))))
    near = difflib.get_close_matches(pair, names, 1, 0.0)
    return (f"'{pair}' is no algorithm/step or variant: did you mean '{near[0] if near else ''}'? "
            "`portcost list` shows every name")


def run_command(portcost: Path, wanted: Sequence[Wanted], options: argparse.Namespace, sizes: Sequence[str]) -> list[str]:
    command = [str(portcost), "run", *(one.name for one in wanted), "--repeat", "1"]
    for size in sizes:
        command += ["--size", size]
    return command + words_given(options, "type", "seed")
