"""portcost locality --measure: runs variants over a grid of block sizes under Nsight Compute and notes the bytes they moved.

Needs neither islpy nor jsonschema. The file has a JSON object a line: a header, then a row for each choice, written as soon as it
is counted, then an end.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from portcost_records.counters import Metric
from portcost_records.explain import ask, find_portcost
from portcost_records.ncu import Ncu
from portcost_records.ncu_install import find_ncu, load_reader

from .affine import parse_affine
from .blocks import Blocks, every_choice, read_blocks, read_sizes
from .errors import MISSING, USAGE, LocalityError
from .nest import Loop, Nest
from .sample import choose, total

FORMAT = 1
SECTOR = 32
"""Bytes."""
CACHES = 4
"""Arrays must be so many times as large as the last cache, for it not to hold what blocks exchange."""

BLOCKS = Metric("grid_blocks", ("launch__grid_size",), "blocks")
COUNTED = (
    BLOCKS,
    Metric("seconds", ("gpu__time_duration.sum",), "s", True),
    Metric("read_bytes", ("dram__bytes_read.sum",), "B", True),
    Metric("written_bytes", ("dram__bytes_write.sum",), "B", True),
    Metric("read_sectors", ("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_op_read.sum"), "sectors", True),
    Metric("written_sectors", ("lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sectors_op_write.sum"), "sectors", True),
)
"""Few enough for one pass: a kernel that ran twice would find the last cache as its first run left it."""
NCU_OPTIONS = ("--cache-control", "none")
"""What a launch leaves in the last cache the next one finds there, as without a profiler."""


@dataclass(frozen=True)
class Setting:
    """A variant with the block sizes that it has by itself, and the parameters that hold the others."""

    name: str
    fixed: Blocks
    parameters: dict[Loop, str]
    multiples: dict[Loop, int]
    grid: str

    def words(self, blocks: Blocks) -> list[str]:
        """Of `portcost run`."""
        return [word for loop, name in self.parameters.items() for word in ("--parameter", f"{name}={blocks[loop]}")]


def setting_of(nest: Nest, variant: str, sizes: dict[str, int], listing: list[dict[str, Any]]) -> Setting:
    """What the nest and the build say of a variant, "floyd_warshall/deep_k/cuda"."""
    if nest.measure is None:
        raise nest.error("/measure", "is missing: it says which variants run this nest, and which parameters are block sizes "
                                     "(perf/nests/README.md)")
    algorithm = nest.measure["algorithm"]
    variants = nest.measure["variants"]
    parts = variant.split("/")
    if len(parts) != 3 or parts[0] != algorithm or parts[1] not in variants:
        steps = ", ".join(f"{algorithm}/{step}" for step in variants)
        raise LocalityError(USAGE, f"--measure {variant}: {nest.path} names {steps}; add the model, as "
                                   f"{algorithm}/{next(iter(variants))}/cuda")
    known = next((one for one in listing if one["name"] == algorithm), None)
    if known is None:
        raise LocalityError(MISSING, f"--measure {variant}: the build leaves {algorithm} out: `perf/portcost list {algorithm}` "
                                     "builds it")
    found = next((one for one in known["variants"] if one["name"] == variant), None)
    if found is None or found["place"] != "device":
        device = [one["name"] for one in known["variants"] if one["place"] == "device" and one["step"] == parts[1]]
        raise LocalityError(USAGE, f"--measure {variant}: counters are the GPU's, and of this step there run on it: "
                                   f"{', '.join(device) or 'none'}")
    pointer = f"/measure/variants/{parts[1]}/blocks"
    by_block = {loop.block: loop for loop in nest.loops}
    fixed: Blocks = {}
    parameters: dict[Loop, str] = {}
    multiples: dict[Loop, int] = {}
    for name, about in variants[parts[1]]["blocks"].items():
        if name not in by_block:
            raise nest.error(f"{pointer}/{name}", f"the nest has no such block size: {', '.join(by_block)}")
        if isinstance(about, dict):
            parameters[by_block[name]] = about["parameter"]
            multiples[by_block[name]] = about.get("multiple_of", 1)
        else:
            fixed[by_block[name]] = number_of(nest, about, f"{pointer}/{name}", sizes)
    if missing := [name for name, loop in by_block.items() if loop not in fixed and loop not in parameters]:
        raise nest.error(pointer, f"does not say what {', '.join(missing)} is")
    return Setting(variant, fixed, parameters, multiples, variants[parts[1]].get("grid", ""))


def number_of(nest: Nest, text: object, pointer: str, sizes: dict[str, int]) -> int:
    try:
        return parse_affine(str(text), tuple(nest.parameters)).value(sizes)
    except ValueError as error:
        raise nest.error(pointer, f"'{text}', {error}") from None


def choices_of(nest: Nest, setting: Setting, text: str | None) -> list[Blocks]:
    """The grid of a variant: --blocks, else the nest's."""
    if not setting.parameters:
        return [setting.fixed]
    if not text and not setting.grid:
        wanted = ",".join(f"{loop.block}=.." for loop in setting.parameters)
        raise LocalityError(USAGE, f"--blocks is missing: {nest.path} names no grid for {setting.name}: give --blocks {wanted}")
    choices = every_choice(read_blocks(text or setting.grid, nest, setting.fixed))
    for blocks in choices:
        for loop, multiple in setting.multiples.items():
            if blocks[loop] % multiple:
                raise LocalityError(USAGE, f"--blocks {loop.block}={blocks[loop]}: {setting.name} takes multiples of {multiple}")
    return choices


def measure(nest: Nest, options: argparse.Namespace) -> Path:
    """Writes the file and says where it is."""
    sizes = nest.sizes(read_sizes(options.sizes) if options.sizes else {})
    if options.type:
        nest = replace(nest, type=options.type)
    portcost = find_portcost(options)
    listing = json.loads(ask(portcost, "list", "--json"))
    machine = json.loads(ask(portcost, "machine", "--json"))
    settings = [setting_of(nest, variant, sizes, listing) for variant in options.measure]
    work = [(setting, blocks) for setting in settings for blocks in choices_of(nest, setting, options.blocks)]
    if not options.any_size:
        check_size(nest, sizes, machine["machine"].get("last_cache_bytes"))
    out = options.out or Path(f"{nest.name}.jsonl")
    if out.exists() and not options.force:
        raise LocalityError(USAGE, f"{out} is there already: name another file with --out, or replace it with --force")
    program = find_ncu()
    reader = load_reader(program)
    listing_ncu = Ncu(program, reader, 10**9, metrics=(BLOCKS,), options=NCU_OPTIONS)
    counting_ncu = Ncu(program, reader, 10**9, metrics=COUNTED, options=NCU_OPTIONS)
    part = out.with_name(f"{out.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    with part.open("w", encoding="utf-8") as file:
        def write(row: dict[str, Any]) -> None:
            file.write(json.dumps(row) + "\n")
            file.flush()

        write({"kind": "header", "format": FORMAT, "nest": nest.name, "sizes": sizes, "type": nest.type, "machine": machine,
               "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "command": sys.argv[1:],
               "metrics": {metric.key: list(metric.names) for metric in COUNTED}, "most_launches": options.most_launches,
               "sample": "launches with as many blocks of a kernel are a class; launches of each class at even distances are "
                         "counted and stand for the others"})
        for number, (setting, blocks) in enumerate(work, 1):
            name = ",".join(f"{loop.block}={blocks[loop]}" for loop in nest.loops)
            print(f"perf/portcost locality: [{number}/{len(work)}] {setting.name} {name}", file=sys.stderr, flush=True)
            write(counted(nest, portcost, setting, blocks, sizes, listing_ncu, counting_ncu, options.most_launches))
        write({"kind": "end", "choices": len(work)})
    part.replace(out)
    print(f"perf/portcost locality: {len(work)} choices are in {out}", file=sys.stderr)
    return out


def check_size(nest: Nest, sizes: dict[str, int], cache: int | None) -> None:
    bytes_needed = CACHES * (cache or 0)
    if nest.bytes_of_arrays(sizes) < bytes_needed:
        text = ", ".join(f"{name}={value}" for name, value in sizes.items())
        needed = nest.bytes_of_arrays(sizes) / 2**20
        raise LocalityError(USAGE, f"--sizes {text}: the arrays take {needed:.0f} MiB, and the last cache of "
                                   f"{cache / 2**20:.0f} MiB would hold what blocks exchange: take {CACHES} times that, or "
                                   "--any-size")


def counted(nest: Nest, portcost: Path, setting: Setting, blocks: Blocks, sizes: dict[str, int], listing: Ncu, counting: Ncu,
            most: int) -> dict[str, Any]:
    """The row of one choice. A counter that this chip lacks is null."""
    size_words = ",".join(f"{key}={number_of(nest, text, f'/measure/sizes/{key}', sizes)}" for key, text in
                          nest.measure["sizes"].items())
    command = [str(portcost), "run", setting.name, "--repeat", "1", "--size", size_words, "--type", nest.type,
               *setting.words(blocks)]
    listed, _ = listing.profile(command)
    sample = choose(listed, most)
    counting.options = (*NCU_OPTIONS, *sample.options)
    launches, _ = counting.profile(command)
    values = {metric.key: total(listed, launches, metric.key) for metric in COUNTED if metric.additive}
    sectors = {side: values.pop(f"{side}_sectors") for side in ("read", "written")}
    return {"kind": "choice", "variant": setting.name, "blocks": {loop.block: blocks[loop] for loop in nest.loops},
            "launches": len(listed), "counted_launches": len(launches),
            **values, **{f"l2_{side}_bytes": None if count is None else SECTOR * count for side, count in sectors.items()}}
