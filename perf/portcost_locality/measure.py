"""portcost locality --measure: runs variants over a grid of block sizes under Nsight Compute and notes the bytes they moved.

Needs neither islpy nor jsonschema. A run is counted as a whole, from its first launch to its last, so that there is no sample; several
choices run in one process, because starting one takes longer than most runs. The file has a JSON object a line: a header, then a
row for each choice, written when its process has ended, then an end.
"""

import argparse
import datetime
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from portcost_records.counters import Metric
from portcost_records.explain import ask, find_portcost
from portcost_records.ncu import Ncu, find_ncu, load_reader
from portcost_records.theory import Wanted, runs_of

from .affine import parse_affine
from .blocks import Blocks, every_choice, read_blocks, read_sizes
from .nest import MISSING, USAGE, LocalityError, Loop, Nest

FORMAT = 2
SECTOR = 32
CACHES = 4
"""Arrays must be so many times as large as the last cache, for it not to hold what blocks exchange."""

COUNTED = (
    Metric("read_bytes", ("dram__bytes_read.sum",), "B", True),
    Metric("written_bytes", ("dram__bytes_write.sum",), "B", True),
    Metric("read_sectors", ("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_op_read.sum"), "sectors", True),
    Metric("written_sectors", ("lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sectors_op_write.sum"), "sectors", True),
)
NCU_OPTIONS = ("--cache-control", "none")
"""A run finds the last cache as the copy of its inputs left it, as without a profiler."""


@dataclass(frozen=True)
class Setting:
    """A variant with the block sizes that it has by itself, and the parameters that hold the others."""

    name: str
    fixed: Blocks
    parameters: dict[Loop, str]
    multiples: dict[Loop, int]
    grid: str

    def given(self, blocks: Blocks) -> dict[str, str]:
        return {name: str(blocks[loop]) for loop, name in self.parameters.items()}


@dataclass(frozen=True)
class Run:
    setting: Setting
    blocks: Blocks


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
    sizes = nest.sizes(read_sizes(options.sizes) if options.sizes else {})
    if options.type:
        nest = replace(nest, type=options.type)
    portcost = find_portcost(options)
    listing = json.loads(ask(portcost, "list", "--json"))
    machine = json.loads(ask(portcost, "machine", "--json"))
    settings = [setting_of(nest, variant, sizes, listing) for variant in dict.fromkeys(options.measure)]
    processes = [group[at:at + options.together] for group in
                 groups_of([(setting, choices_of(nest, setting, options.blocks)) for setting in settings])
                 for at in range(0, len(group), options.together)]
    if not options.any_size:
        check_size(nest, sizes, machine["machine"].get("last_cache_bytes"))
    out = options.out or Path(f"{nest.name}.jsonl")
    header = {"kind": "header", "format": FORMAT, "nest": nest.name, "sizes": sizes, "type": nest.type, "machine": machine,
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "command": sys.argv[1:],
              "metrics": {metric.key: list(metric.names) for metric in COUNTED}}
    kept = begun(out, header, options)
    program = find_ncu()
    ncu = Ncu(program, load_reader(program), 0, metrics=COUNTED, options=NCU_OPTIONS, ranges=True)
    left = [missing for runs in processes if (missing := [run for run in runs if not any(is_row_of(row, run) for row in kept)])]
    wanted = [run for runs in processes for run in runs]
    if strange := next((row for row in kept[1:] if not any(is_row_of(row, run) for run in wanted)), None):
        raise LocalityError(USAGE, f"--resume: {part_of(out)} has {strange['variant']} {strange['blocks']}, which is not asked for "
                                   "here: give the same --measure and --blocks")
    # Whole or not at all.
    whole = part_of(out).with_name(f"{part_of(out).name}.new")
    whole.parent.mkdir(parents=True, exist_ok=True)
    whole.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    whole.replace(part_of(out))
    with part_of(out).open("a", encoding="utf-8") as file:
        def write(row: dict[str, Any]) -> None:
            file.write(json.dumps(row) + "\n")
            file.flush()

        for number, runs in enumerate(left, 1):
            print(f"perf/portcost locality: [{number}/{len(left)}] {text_of(runs, nest)}", file=sys.stderr, flush=True)
            for row in counted(nest, portcost, runs, sizes, ncu):
                write(row)
        write({"kind": "end", "choices": len(wanted)})
    part_of(out).replace(out)
    print(f"perf/portcost locality: {len(wanted)} choices are in {out}", file=sys.stderr)
    return out


def part_of(out: Path) -> Path:
    return out.with_name(f"{out.name}.part")


def begun(out: Path, header: dict[str, Any], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows to begin with: of the file that --resume goes on with, else the header. Without --force no file is replaced."""
    part = part_of(out)
    if options.resume:
        if not part.exists():
            raise LocalityError(USAGE, f"{part} is not there: there is nothing to go on with, measure without --resume")
        return whole_rows(part, header)
    if options.force:
        return [header]
    if out.exists():
        raise LocalityError(USAGE, f"{out} is there already: name another file with --out, or replace it with --force")
    if part.exists():
        raise LocalityError(USAGE, f"{part} holds what a stopped measuring has counted: go on with it by --resume, or begin anew "
                                   "with --force")
    return [header]


def whole_rows(part: Path, header: dict[str, Any]) -> list[dict[str, Any]]:
    """Header and choices of a stopped measuring, without a line that was cut off. What `same_of` names must be the same."""
    rows: list[dict[str, Any]] = []
    for line in part.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            break
        if not isinstance(row, dict) or row.get("kind") not in ("header", "choice"):
            break
        rows.append(row)
    if not rows or rows[0]["kind"] != "header":
        raise LocalityError(USAGE, f"--resume: {part} does not begin with a header: begin anew with --force")
    for name, here in same_of(header).items():
        there = same_of(rows[0])[name]
        if there != here:
            raise LocalityError(USAGE, f"--resume: {part} was measured with the {name} {there}, and this is {here}: begin anew "
                                       "with --force")
    return rows


def same_of(header: dict[str, Any]) -> dict[str, Any]:
    """What must not differ within a file."""
    machine = header.get("machine") or {}
    return {"format": header.get("format"), "nest": header.get("nest"), "sizes": header.get("sizes"), "type": header.get("type"),
            "counters": header.get("metrics"), "processor": machine.get("machine", {}).get("processor"),
            "commit": machine.get("commit")}


def is_row_of(row: dict[str, Any], run: Run) -> bool:
    return row.get("variant") == run.setting.name and row.get("blocks") == {loop.block: size for loop, size in run.blocks.items()}


def groups_of(work: Sequence[tuple[Setting, list[Blocks]]]) -> list[list[Run]]:
    """Runs that one process can do: all variants without a parameter; of another one choices that differ in one parameter."""
    plain: list[Run] = []
    others: dict[tuple[object, ...], list[Run]] = {}
    for setting, choices in work:
        for blocks in choices:
            if setting.parameters:
                same = tuple(blocks[loop] for loop in list(setting.parameters)[1:])
                others.setdefault((setting.name, *same), []).append(Run(setting, blocks))
            else:
                plain.append(Run(setting, blocks))
    return [group for group in (plain, *others.values()) if group]


def text_of(runs: list[Run], nest: Nest) -> str:
    """"gauss/block_r1/cuda r1=4,r2=64,r3=64 to r1=32,r2=64,r3=64" """
    names = [f"{run.setting.name} " + ",".join(f"{loop.block}={run.blocks[loop]}" for loop in nest.loops) for run in runs]
    if len(names) == 1:
        return names[0]
    if len({run.setting.name for run in runs}) == 1:
        return f"{names[0]} to {names[-1].split()[1]}"
    return ", ".join(names)


def check_size(nest: Nest, sizes: dict[str, int], cache: int | None) -> None:
    bytes_needed = CACHES * (cache or 0)
    if nest.bytes_of_arrays(sizes) < bytes_needed:
        text = ", ".join(f"{name}={value}" for name, value in sizes.items())
        needed = nest.bytes_of_arrays(sizes) / 2**20
        raise LocalityError(USAGE, f"--sizes {text}: the arrays take {needed:.0f} MiB, and the last cache of {cache / 2**20:.0f} "
                                   f"MiB would hold what blocks exchange: take {CACHES} times that, or --any-size")


def counted(nest: Nest, portcost: Path, runs: list[Run], sizes: dict[str, int], ncu: Ncu) -> list[dict[str, Any]]:
    """The rows of these choices, all in one process. A counter that this chip lacks is null."""
    size_words = ",".join(f"{key}={number_of(nest, text, f'/measure/sizes/{key}', sizes)}" for key, text in
                          nest.measure["sizes"].items())
    names = list(dict.fromkeys(run.setting.name for run in runs))
    parameters = dict.fromkeys(f"{name}={value}" for run in runs for name, value in run.setting.given(run.blocks).items())
    command = [str(portcost), "run", *names, "--repeat", "1", "--size", size_words, "--type", nest.type,
               *(word for one in parameters for word in ("--parameter", one))]
    ranges, printed = ncu.profile(command)
    ordered = in_order_of(printed, runs)
    if len(ranges) != len(ordered):
        raise LocalityError(MISSING, f"Nsight Compute counted {len(ranges)} ranges, and portcost ran {len(ordered)} choices")
    rows = {id(run): row_of(nest, run, one.values) for run, one in zip(ordered, ranges)}
    return [rows[id(run)] for run in runs]


def in_order_of(printed: str, runs: list[Run]) -> list[Run]:
    """The runs in the order in which `portcost run` did them. It leaves out parameters that are as their default."""
    left, found = list(runs), []
    for one in runs_of(printed, [Wanted(run.setting.name, 0) for run in runs]):
        said = dict(part.split("=", 1) for part in one.parameters_text.split(",") if part)
        run = next((run for run in left if run.setting.name == one.variant and
                    all(said.get(name, value) == value for name, value in run.setting.given(run.blocks).items())), None)
        if run is None:
            raise LocalityError(MISSING, f"portcost ran {one.variant} {one.parameters_text}, which was not asked for")
        left.remove(run)
        found.append(run)
    if left:
        raise LocalityError(MISSING, f"portcost did not finish under Nsight Compute: {left[0].setting.name} is missing")
    return found


def row_of(nest: Nest, run: Run, values: dict[str, float]) -> dict[str, Any]:
    sectors = {side: values.get(f"{side}_sectors") for side in ("read", "written")}
    return {"kind": "choice", "variant": run.setting.name, "blocks": {loop.block: run.blocks[loop] for loop in nest.loops},
            **{key: values.get(key) for key in ("read_bytes", "written_bytes")},
            **{f"l2_{side}_bytes": None if count is None else SECTOR * count for side, count in sectors.items()}}
