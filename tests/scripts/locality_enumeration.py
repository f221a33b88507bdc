"""What a nest does, by executing all its operations one after the other at a small size: the truth for portcost locality.

Shares nothing with the modules under test: the file's expressions are evaluated by Python, and no integer sets are used.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Datum = tuple[Any, ...]
"""("S1", (k, i, j)): what this operation wrote; ("input", ("a", (i, j))): an element of the input."""


@dataclass(frozen=True)
class Read:
    statement: str
    number: int
    at: tuple[int, ...]
    datum: Datum


@dataclass
class Executed:
    """All reads with the data that they used, the last values, and the loops and the node of each statement."""

    reads: list[Read] = field(default_factory=list)
    last: dict[tuple[str, tuple[int, ...]], Datum] = field(default_factory=dict)
    operations: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    loops: dict[str, list[str]] = field(default_factory=dict)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: set[Datum] = field(default_factory=set)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    def of(self, statement: str, number: int) -> list[Read]:
        return [read for read in self.reads if (read.statement, read.number) == (statement, number)]

    def part(self, statement: str, at: tuple[int, ...], blocks: dict[str, int]) -> tuple[tuple[str, int], ...]:
        """The block of an operation; loops without a block size are not divided."""
        return tuple((loop, (value - self.ranges[loop][0]) // blocks[loop]) for loop, value in zip(self.loops[statement], at)
                     if loop in blocks)


def value(text: Any, names: dict[str, int]) -> Any:
    return eval(re.sub(r"(?<![<>=])=(?!=)", "==", str(text)), {"__builtins__": {}}, names)


def element(text: str, names: dict[str, int]) -> tuple[str, tuple[int, ...]]:
    array, indices = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", text).groups()
    return array, tuple(value(f"({indices},)", names))


def execute(nest: dict[str, Any] | Path, sizes: dict[str, int], parallel: bool = True) -> Executed:
    """In the order of the file; iterations of parallel loops happen at the same time, all reads first."""
    if isinstance(nest, Path):
        nest = json.loads(nest.read_text())
    found, operations = Executed(), []

    def visit(nodes: list[dict[str, Any]], names: dict[str, int], time: tuple[int, ...], loops: list[str]) -> None:
        for place, node in enumerate(nodes):
            if "statement" in node:
                if all(value(one, names) for one in node.get("where", [])):
                    operations.append(((*time, place), node, dict(names), [names[loop] for loop in loops]))
                    found.loops[node["statement"]], found.nodes[node["statement"]] = loops, node
                continue
            low, high = (node[key] if isinstance(node[key], list) else [node[key]] for key in ("from", "to"))
            first, last = max(value(one, names) for one in low), min(value(one, names) for one in high)
            for here in range(first, last + 1):
                at_once = parallel and node.get("parallel", False)
                visit(node["body"], {**names, node["loop"]: here}, (*time, place, 0 if at_once else here), [*loops, node["loop"]])

    visit(nest["body"], dict(sizes), (), [])
    by_time: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    for operation in operations:
        by_time[operation[0]].append(operation)
        for loop, here in zip(found.loops[operation[1]["statement"]], operation[3]):
            low, high = found.ranges.get(loop, (here, here))
            found.ranges[loop] = min(low, here), max(high, here)
    for time in sorted(by_time):
        for _, node, names, at in by_time[time]:
            for number, access in enumerate(node["reads"]):
                place = element(access, names)
                found.reads.append(Read(node["statement"], number, tuple(at), found.last.get(place, ("input", place))))
        for _, node, names, at in by_time[time]:
            found.last[element(node["writes"], names)] = (node["statement"], tuple(at))
            found.operations.append((node["statement"], tuple(at)))
            if "result_where" in node and all(value(one, names) for one in node["result_where"]):
                found.results.add((node["statement"], tuple(at)))
    asked = any("result_where" in node for _, node, _, _ in operations)
    found.results |= set() if asked else set(found.last.values())
    return found


def data_used(reads: list[Read], inputs: bool, loop: int | None = None) -> int:
    """Different data, of the input or of statements: in all, or at one value of the loop in this position, that which has most."""
    found: dict[int | None, set[Datum]] = defaultdict(set)
    for read in reads:
        if (read.datum[0] == "input") == inputs:
            found[None if loop is None else read.at[loop]].add(read.datum)
    return max(map(len, found.values()), default=0)


def moved(run: Executed, reads: list[Read], blocks: dict[str, int], results: Iterable[Datum] = ()) -> tuple[int, int]:
    """What these blocks read, each datum once a block and none that the block wrote itself; and how many data some block writes
    because another one reads them or because they are results."""
    read_by, written = set(), set(results)
    for read in reads:
        here = run.part(read.statement, read.at, blocks)
        if read.datum[0] == "input":
            read_by.add((here, read.datum))
        elif run.part(*read.datum, blocks) != here:
            read_by.add((here, read.datum))
            written.add(read.datum)
    return len(read_by), len(written)
