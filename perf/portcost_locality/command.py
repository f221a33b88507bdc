"""The command portcost locality."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from portcost_records.files import checked_output, parser_of, positive, write_all

from .nest import STOPPED, TYPE_BYTES, USAGE, LocalityError, Nest, missing_module, read_nest

if TYPE_CHECKING:
    from .measured import Points

LINE_BYTES, TOGETHER, PRESET = 128, 8, "cuda"
OF_MEASURING = ("out", "force", "resume", "together", "any_size", "preset", "command")
OF_THE_FILE = ("sizes", "blocks", "type")

EPILOG = """\
examples:
  perf/portcost locality perf/nests/floyd_warshall.json               what the theorems say, with letters
  perf/portcost locality perf/nests/gauss.json --sizes n=8192 --blocks r1=16,r2=64,r3=64       and in numbers
  perf/portcost locality perf/nests/gauss.json --blocks r1=1:64,r2=64,r3=32,64                 ranks the choices
  perf/portcost locality perf/nests/gauss.json --measure gauss/block_r1/cuda --out gauss.jsonl  on a machine with a GPU
  perf/portcost locality perf/nests/gauss.json --measured gauss.jsonl --picture gauss.png       anywhere
  perf/portcost locality perf/nests/gauss.json --measured gauss.jsonl --over r1 --times RECORD --picture r1.png
                                                                     the paper's figure 5, and what is written

perf/nests/README.md says what is calculated, formula by formula, and how a nest is written. Analysing needs the Python modules
islpy and jsonschema, --measure needs Nsight Compute and neither of them: measure where the GPU is, draw where they are.

exit status: 0 done, 2 a mistake in the nest, the command or a file, 3 a module, Nsight Compute, the build or the right to read
counters is missing, or the machine failed, 130 stopped by Ctrl-C"""


@checked_output("perf/portcost locality")
def main(arguments: list[str] | None = None) -> int:
    made = parser_of("locality", "Predicts from a loop nest what a choice of block sizes reads and writes, ranks the choices, and "
                     "holds the prediction against measured bytes. After N. A. Likhoded and M. A. Paliashchuk (2016).", EPILOG)
    made.add_argument("nest", type=Path, metavar="NEST.json", help="the loop nest; perf/nests has some")
    made.add_argument("--sizes", metavar="K=N,..", help="the nest's parameters, such as n=4096 (default: those of the file)")
    made.add_argument("--blocks", metavar="R=N,..", help="block sizes r1, r2, .. of the loops in order: numbers (r1=16,32), "
                                                         "ranges (r1=1:64) and ranges with a step (r1=8:64:8)")
    made.add_argument("--type", choices=sorted(TYPE_BYTES), help="of the elements (default: that of the file)")
    made.add_argument("--line-bytes", type=positive, metavar="N", help=f"a line of the cache (default: {LINE_BYTES})")
    made.add_argument("--json", action="store_true", help="print everything as JSON (perf/nests/README.md says what it holds)")
    measuring = made.add_argument_group("measuring")
    measuring.add_argument("--measure", action="append", default=[], metavar="VARIANT",
                           help="run this variant with each choice of --blocks (default: the nest's own grid) under Nsight "
                                "Compute; may be repeated")
    measuring.add_argument("--out", type=Path, metavar="FILE.jsonl", help="where the counted bytes go (default: NEST.jsonl here)")
    measuring.add_argument("--force", action="store_true", help="replace a file that --measure wrote before")
    measuring.add_argument("--resume", action="store_true",
                           help="go on with the .part that a stopped --measure left: give the same command, and what is missing runs")
    measuring.add_argument("--together", type=positive, metavar="N",
                           help="choices that one process runs, one after the other: more take less time, and what a stopped one "
                                f"has counted is lost (default: {TOGETHER})")
    measuring.add_argument("--any-size", action="store_true",
                           help="measure even where the arrays are smaller than four times the last cache")
    measuring.add_argument("--preset", help=f"the build that is run (default: {PRESET})")
    measuring.add_argument("--command", type=Path, metavar="PATH",
                           help="the portcost to run (default: build/PRESET/bin/portcost)")
    measuring.add_argument("--measured", type=Path, metavar="FILE.jsonl", help="hold the prediction against what --measure wrote")
    measuring.add_argument("--picture", type=Path, metavar="FILE", help="draw it there, as .png or .svg")
    measuring.add_argument("--over", metavar="R", help="with --picture: draw what is written over this block size, as r1")
    measuring.add_argument("--times", type=Path, metavar="RECORD",
                           help="with --over: a record of portcost bench whose times are drawn beside it")
    options = made.parse_args(arguments)
    check_options(options)
    try:
        return locality(options)
    except KeyboardInterrupt:
        kept = "; the choices counted until then are in the file's .part: --resume goes on with it" if options.measure else ""
        print(f"perf/portcost locality: stopped{kept}", file=sys.stderr)
        return STOPPED


def check_options(options: argparse.Namespace) -> None:
    for wrong, text in (
        (options.measure and options.measured, "--measure makes the file that --measured reads: give one of them"),
        (options.picture and not (options.measure or options.measured),
         "--picture draws measured bytes: give --measure or --measured, too"),
        (options.picture and options.picture.suffix not in (".png", ".svg"),
         f"--picture {options.picture}: the name must end in .png or .svg"),
        (options.over and not options.picture or options.times and not options.over,
         "--over says what --picture draws, and --times adds to it: give --picture and --over, too"),
        *((getattr(options, name) and not options.measure, f"{option(name)} is of --measure: give that, too, or leave it away")
          for name in OF_MEASURING),
        *((getattr(options, name) is not None and options.measured,
           f"{option(name)} does not go with --measured: the file says what was measured") for name in OF_THE_FILE),
        (options.line_bytes and (options.measure or options.measured),
         "--line-bytes is of the advice on threads, which is not given with --measure and --measured"),
        (options.force and options.resume, "--force begins anew and --resume goes on: give one of them"),
        (options.command and options.preset, "--command and --preset both name the portcost to run: give one of them"),
        (options.measure and options.json, "--json is of the analysis: the file that --measure writes is JSON already"),
    ):
        if wrong:
            raise LocalityError(USAGE, text)


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def locality(options: argparse.Namespace) -> int:
    options.line_bytes = options.line_bytes or LINE_BYTES
    options.together, options.preset = options.together or TOGETHER, options.preset or PRESET
    nest = read_nest(options.nest, checked=not options.measure)
    if options.measure:
        from .measure import measure

        path = measure(nest, options)
        if not has_islpy():
            print(f"perf/portcost locality: there is no prediction without the Python module islpy: where it is, run "
                  f"perf/portcost locality {options.nest} --measured {path}")
            return 0
        return joined(nest, path, options)
    if not has_islpy():
        raise missing_module("islpy")
    if options.measured:
        return joined(nest, options.measured, options)
    return analysed(nest, options)


def has_islpy() -> bool:
    try:
        import islpy  # noqa: F401
    except ImportError:
        return False
    return True


def analysed(nest: Nest, options: argparse.Namespace) -> int:
    from .analysis import analyse
    from .blocks import every_choice, read_blocks, read_sizes
    from .content import content_of, numbers_of
    from .text import numbers_text, text_of

    nest = replace(nest, type=options.type or nest.type)
    given = read_sizes(options.sizes) if options.sizes else {}
    sizes = nest.sizes(given) if options.blocks or given else {}
    found = analyse(nest, max(1, options.line_bytes // TYPE_BYTES[nest.type]), given)
    content = content_of(found)
    lines = text_of(nest, content)
    if options.blocks:
        shape = found.shape(sizes)
        choices = [found.choice(shape, blocks) for blocks in every_choice(read_blocks(options.blocks, nest))]
        content["numbers"] = numbers_of(found, sizes, shape, choices)
        lines += numbers_text(nest, content["numbers"])
    elif sizes:
        lines += ["", "Numbers need block sizes, too: give --blocks " + ",".join(f"{loop.block}=64" for loop in nest.loops)]
    print(json.dumps(content, indent=1) if options.json else "\n".join(lines))
    return 0


def joined(nest: Nest, path: Path, options: argparse.Namespace) -> int:
    from .measured import join, read_measured, statements_of

    points = join(nest, read_measured(path), options.line_bytes)
    picture = drawn(nest, points, options) if options.picture else b""
    if options.json:
        print(json.dumps(points.content(), indent=1))
    else:
        print("\n".join(statements_of(points)))
    if options.picture:
        write_all({options.picture: picture})
        print(f"perf/portcost locality: the picture is {options.picture}", file=sys.stderr)
    return 0


def drawn(nest: Nest, points: "Points", options: argparse.Namespace) -> bytes:
    if not options.over:
        from .picture import picture_of

        return picture_of(points, options.picture.suffix)
    from .picture import picture_over, times_of

    if options.over not in [loop.block for loop in nest.loops]:
        raise LocalityError(USAGE, f"--over {options.over}: {nest.name} has the block sizes "
                                   f"{', '.join(loop.block for loop in nest.loops)}")
    times = times_of(nest, options.over, options.times, points.type) if options.times else None
    return picture_over(points, nest, options.over, times, options.picture.suffix)
