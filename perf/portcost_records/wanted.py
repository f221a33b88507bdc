"""Which variants perf/portcost explain runs: those requested, and those of the steps before."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .records import ExplainError

CATALOGUE = Path(__file__).resolve().parents[2] / "variants"


@dataclass(frozen=True)
class Wanted:
    """A variant to be run, and where its step stands on the ladder (-1: a peer)."""

    name: str
    rung: int


def choose(listing: list[dict[str, Any]], options: argparse.Namespace
           ) -> tuple[list[Wanted], list[Wanted]]:
    """The variants requested, and those of the steps before."""
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


def ladder_order(one: Wanted) -> tuple[str, bool, int]:
    return one.name.split("/")[0], one.rung < 0, one.rung


def run_command(portcost: Path, wanted: Sequence[Wanted], options: argparse.Namespace, sizes: Sequence[str]) -> list[str]:
    """The call of `portcost run` that runs these variants once at each of the sizes (none: the main one)."""
    command = [str(portcost), "run", *(one.name for one in wanted), "--repeat", "1"]
    for size in sizes:
        command += ["--size", size]
    for name in ("type", "seed"):
        if value := getattr(options, name):
            command += [f"--{name}", value]
    for parameter in options.parameter:
        command += ["--parameter", parameter]
    return command
