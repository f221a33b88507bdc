"""What has been found out, as tables and sentences for a terminal."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from portcost_records.counters import bytes_moved_text

from .content import TIE
from .nest import Nest, lines_of
from .theorem1 import power

WIDTH = 110
MOST_SHOWN = 20


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: int = 0) -> list[str]:
    """Columns two spaces apart; the last `right` of them flush right."""
    every = [list(heads), *map(list, rows)]
    widths = [max(len(row[at]) for row in every) for at in range(len(heads))]
    first_right = len(heads) - right
    return ["  " + "  ".join(cell.rjust(width) if at >= first_right else cell.ljust(width)
                             for at, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in every]


def sentence(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ")


def text_of(nest: Nest, found: dict[str, Any]) -> list[str]:
    return [f"{found['nest']}: {found['title']}", *(f"  {line}" for line in lines_of(nest)), *dependences_text(found),
            *proportion_text(found), *data_text(nest, found), *theorem_text(nest, found), *ranking_text(found),
            *threads_text(nest, found),
            *(line for note in nest.notes for line in ["", *sentence(note)])]


def dependences_text(found: dict[str, Any]) -> list[str]:
    rows = [(one["kind"], f"{one['source']} -> {one['sink']}", one["access"], " or ".join(one["vectors"])) for one in
            found["dependences"]]
    loops = ", ".join(one["loop"] for one in found["loops"])
    if not rows:
        return ["", "Dependences: none", *sentence("No statement reads or writes what another operation has written.")]
    return ["", f"Dependences, distances along ({loops})", *table(("kind", "statements", "access", "distance"), rows),
            *sentence("flow: from the write of a value to its read. anti: from a read to the next write of the element, in "
                      "variables of the read. output: from a write to the next. < the source comes first by a distance that "
                      "grows, * it may be on either side.")]


def proportion_text(found: dict[str, Any]) -> list[str]:
    about = found["proportion"]
    if not about["matters_to"]:
        return []
    sizes = ", ".join(f"{name} = {value}" for name, value in about["sizes"].items())
    return ["", *sentence(f"NOTE: how the iterations of {', '.join(about['matters_to'])} grow depends on the proportion of the "
                          f"parameters. What follows is of sizes that grow in the proportion of {sizes}; --sizes names another.")]


def named(nest: Nest, one: dict[str, Any]) -> str:
    """An access, with its statement where there are several."""
    return f"{one['statement']}: {one['access']}" if len(nest.statements) > 1 else one["access"]


def data_text(nest: Nest, found: dict[str, Any]) -> list[str]:
    loops = [loop.name for loop in nest.loops]
    rows = [(named(nest, one), one["from"], str(one["p"]), one["used"],
             *(str(one["p_at_fixed"].get(loop, "")) for loop in loops)) for one in found["data"]]
    lines = ["", "Data used: O(M^p), and at a fixed value of a loop O(M^(p of the loop - 1))",
             *table(("access", "from", "p", "data", *(f"p, fixed {loop}" for loop in loops)), rows, len(loops))]
    if found["left_out"]:
        few = "; ".join(f"{named(nest, one)} {one['used']}, at a few values of {' or '.join(one['few']) or 'no loop'}"
                        for one in found["left_out"])
        lines += sentence(f"Theorem 1 leaves out what is read of the input beside these values, which is less: {few}.")
    return lines


def theorem_text(nest: Nest, found: dict[str, Any]) -> list[str]:
    rows = [(one["loop"], named(nest, one), one["reads"] or "-", one["writes"] or "-", one["case"]) for one in
            sorted(found["theorem1"], key=lambda one: [loop.name for loop in nest.loops].index(one["loop"]))]
    lines = ["", "Theorem 1: elements that dividing a loop into Q parts moves",
             *table(("loop", "access", "reads", "writes", "because"), rows)]
    for one in found["theorem1"]:
        if one["doubtful"]:
            lines += sentence(f"loop {one['loop']}, {named(nest, one)}: the proof takes for granted that a short distance occurs at "
                              "all values of the loop, and here it does not: the estimate may be too small.")
    return lines


def ranking_text(found: dict[str, Any]) -> list[str]:
    lines = ["", "Ranking of block sizes: which one it pays most to enlarge"]
    for place, one in enumerate(found["ranking"], 1):
        names, scale = " = ".join(one["blocks"]), found["M"]
        if not one["terms"]:
            why = "no volume has the number of parts as a factor"
        else:
            why = ", ".join(counted(term, scale) for term in one["terms"])
        tie = " (a tie)" if len(one["blocks"]) > 1 else ""
        lines += sentence(f"{place}. {names}{tie}: {why}")
    return lines


def counted(term: dict[str, int], scale: str) -> str:
    parts = [f"{term[side]} of {side}" for side in ("reads", "writes") if term[side]]
    return f"{' and '.join(parts)} with Q {power(scale, term['exponent'])}".rstrip()


def threads_text(nest: Nest, found: dict[str, Any]) -> list[str]:
    loops = [loop.name for loop in nest.loops]
    rows = []
    for one in found["threads"]:
        by_loop = {each["loop"]: each for each in one["sizes"]}
        cells = ["" if loop not in by_loop else size_text(by_loop[loop]) for loop in loops]
        rows.append((named(nest, one) + (" (written)" if one["written"] else ""), *cells, ", ".join(one["broadcast"]) or "-",
                     ", ".join(one["spatial"]) or "-"))
    sizes = found["thread_sizes"]
    lines = ["", "Lemma 1 and theorem 2: values of a loop that a thread takes",
             *table(("access", *loops, "broadcast along", "spatial along"), rows),
             *sentence("Together, for the reads: " + ", ".join(f"{loop} {'any' if size is None else size}"
                                                               for loop, size in sizes.items())
                       + ". 1*: any size will do where threads meet after each iteration of this sequential loop. broadcast: "
                         "threads side by side along the loop read the same element. spatial: they read neighbours in a line.")]
    for one in found["threads"]:
        if not one["theorem2_applies"]:
            lines += sentence(f"Theorem 2 says nothing of {named(nest, one)}: {one['why_not']}.")
    reads = {loop for one in found["threads"] if not one["written"] for loop in one["spatial"]}
    writes = {loop for one in found["threads"] if one["written"] for loop in one["spatial"]}
    if reads and writes and not reads & writes:
        lines += sentence(f"Reads have neighbours along {', '.join(sorted(reads))} and writes along {', '.join(sorted(writes))}: "
                          "no thread order serves both, so that one side goes through scratch.")
    return lines


def size_text(one: dict[str, Any]) -> str:
    return "any" if one["size"] is None else "1*" if one["or_any_with_barriers"] else "1"


def numbers_text(nest: Nest, numbers: dict[str, Any]) -> list[str]:
    """One choice by loop and access, or several in the order of what is predicted of them."""
    sizes = ", ".join(f"{name} = {value}" for name, value in numbers["sizes"].items())
    choices = numbers["choices"]
    lines: list[str] = []
    if "by_loop" in numbers:
        blocks = ", ".join(f"{name} = {value}" for name, value in choices[0]["blocks"].items())
        loops = list(dict.fromkeys(one["loop"] for one in numbers["by_loop"]))
        rows = [(one["loop"], str(one["Q"]), named(nest, one), f"{one['reads']:,}", f"{one['writes']:,}",
                 bytes_moved_text(one["bytes"])) for one in sorted(numbers["by_loop"], key=lambda one: loops.index(one["loop"]))]
        lines += ["", f"Theorem 1 in numbers: {sizes}, {blocks}, {numbers['type']} (M = {numbers['M']}; elements, O with "
                  "the factor 1)", *table(("loop", "Q", "access", "reads", "writes", "bytes"), rows, 3)]
    rows = [(str(one["rank"]), ",".join(f"{name}={value}" for name, value in one["blocks"].items()),
             bytes_moved_text(one["predicted"]["bytes"]), f"{one['predicted']['reads']:,}", f"{one['predicted']['writes']:,}",
             bytes_moved_text(one["theorem"]["bytes"])) for one in choices[:MOST_SHOWN]]
    lines += ["", f"Predicted volume of all blocks: {sizes}, {numbers['type']}",
              *table(("rank", "blocks", "predicted", "reads", "writes", "sum of theorem 1"), rows, 4)]
    if len(choices) > MOST_SHOWN:
        lines.append(f"  ... and {len(choices) - MOST_SHOWN} more (--json has all)")
    best = [one for one in choices if one["rank"] == 1]
    if len(choices) > 1:
        share = f"{len(best)} choices share the first place. " if len(best) > 1 else ""
        lines += sentence(f"{share}Choices within {100 * TIE:g} % share a rank.")
    return lines
