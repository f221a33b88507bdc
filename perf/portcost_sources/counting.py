"""Lines of code of each variant, by one rule for all models.

The rule: a line counts for a variant when there is code on it (no comment, no #include, no blank line; a bracket alone is code)
and it belongs to the variant's row in the table of steps, to a declaration that the row names, or to one that these name in
turn, as far as they lie in the files of the variant's model (cuda.cu, cuda/, kokkos.cpp, kokkos/, openmp.cpp, library_*). What
all models of an algorithm share (problem.hpp, rule.hpp) and what all algorithms share (variants/shared, with the tricks of tuned
kernels) counts for none: it is written once. Bodies that two models share (BODIES) count for each of the two, and kernels of one
model that several algorithms share (KERNELS) for each algorithm that includes them. A name in a file called book means a
declaration of such a file. What a type needs of a library's template, as a specialisation for it, counts with the type. Where a
loop makes the rows of several steps, each counts the loop and its own row.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node

from .command import HEADERS, Lines
from .parsed import NAMES, Declaration, SourceError, below, declarations, declared_name, words

STEP = re.compile(r"[a-z][a-z0-9_]*")
DIALS = re.compile(r"(?:\w+=\w+(?:,\w+=\w+)*)?")
WRITTEN = re.compile(r"\(\s*Way::(usual|book)\s*(?:,\s*\"([^\"]*)\")?\s*\)")
MODELS = ("cuda", "openmp", "kokkos", "library")
BODIES = {"bodies.hpp": ("cuda", "kokkos"), "host_bodies.hpp": ("openmp", "kokkos")}
SHARED = Path(__file__).resolve().parents[2] / "variants/shared"
KERNELS = {"cuda_cub.cuh": "library", "cuda_fft.cuh": "cuda", "fft_openmp.hpp": "openmp", "kokkos_fft.hpp": "kokkos"}
"""Headers in SHARED, and their models."""
NO_CODE = ("comment", ",", ";")
"""What is no code alone on a line; the marks are what is left where another row stood."""
SOURCES = (".cpp", ".cu", *HEADERS)
INSIDE = ("parameter_declaration", "optional_parameter_declaration", "type_parameter_declaration", "declaration",
          "field_declaration", "for_range_loop")
ROW_MAKERS = ("rung", "host_step", "device_step", "graph_step", "warp_step", "fenced_step")
"""Functions that make a row of a table."""
WRITES = ".written(Way::"
WRITES_BOOK = f"{WRITES}book"
DIALS_OF_ALL = SHARED / "kokkos_usual.hpp"
"""Types whose constants are dials in the tables of several algorithms; their lines count for none."""


@dataclass(frozen=True)
class Row:
    """A call that makes a row: of step `step` (empty: of each step of the loop around it), in these ways."""

    node: Node
    step: str
    ways: tuple[str, ...]


def arguments_of(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments else []


def literals(call: Node) -> list[str]:
    """The strings that stand directly among a call's arguments, those of a condition included."""
    found = []
    for one in arguments_of(call):
        choices = one.named_children if one.type == "conditional_expression" else [one]
        found += [words(choice)[1:-1] for choice in choices if choice.type == "string_literal"]
    return found


def member_literals(call: Node, known: Sequence[Declaration]) -> list[str]:
    """The strings behind arguments that name a type's constant (`Cut::dial`), of all types that the type's alias names."""
    found: list[str] = []
    for one in arguments_of(call):
        if one.type == "qualified_identifier":
            kind, _, member = words(one).rpartition("::")
            waiting, seen = [kind], {kind}
            while waiting:
                body = next((other.body for other in known if other.name == waiting[0]), None)
                del waiting[0]
                for node in below(body) if body else ():
                    if node.type == "field_declaration" and declared_name(node) == member:
                        found += [words(text)[1:-1] for text in below(node) if text.type == "string_literal"]
                    elif node.type == "type_identifier" and words(node) not in seen:
                        seen.add(words(node))
                        waiting.append(words(node))
    return found


def called(call: Node) -> str:
    function = call.child_by_field_name("function")
    return words(function).split("<")[0] if function else ""


def calls_in(node: Node) -> Iterator[Node]:
    return (one for one in below(node) if one.type == "call_expression")


def local_declarations(function: Node) -> dict[str, Node]:
    body = function.child_by_field_name("body")
    found = {}
    for one in below(body) if body else ():
        if one.type == "declaration":
            declarator = one.child_by_field_name("declarator")
            name = next((words(inner) for inner in below(declarator) if inner.type == "identifier"), "") if declarator else ""
            found[name] = one
        elif one.type == "alias_declaration" and (named := one.child_by_field_name("name")):
            found[words(named)] = one
    return found


def written(row: Node) -> tuple[str, ...] | None:
    """The way of rung(...).written(Way::usual), with dials or without; None of a row that does not say it."""
    while (outer := row.parent) is not None and outer.type == "field_expression" and (call := outer.parent) is not None:
        said = WRITTEN.match(words(call)[len(words(outer)):]) if words(outer).endswith(".written") else None
        if said:
            return (f".{said[1]}" + (f":{said[2]}" if said[2] else ""),)
        row = call  # as rung(...).unless(...) before .written(...)
    return None


def makers_of(table: Declaration, known: Sequence[Declaration]) -> dict[str, Node]:
    """The lambdas that a table calls, and functions, which make rows in a way that they state or that a function they call states."""
    named = {called(call) for call in calls_in(table.body)}
    makers = {name: one for name, one in local_declarations(table.body).items() if name in named and WRITES in words(one)}
    functions = [one for one in known if one.body.id != table.body.id and one.node.type != "namespace_definition"]
    for _ in functions:  # one level of calls at a time
        more = {one.name: one.node for one in functions if one.name not in makers
                and (WRITES in words(one.body) or any(called(call) in makers for call in calls_in(one.body)))}
        if not more:
            break
        makers |= more
    return makers


def rows_of(table: Declaration, known: Sequence[Declaration]) -> list[Row]:
    """The rows that a function makes by name; `known` are the types whose constants may name them."""
    makers = makers_of(table, known)
    found = []
    for call in calls_in(table.body):
        inside_a_maker = any(one.start_byte <= call.start_byte < one.end_byte for one in makers.values())
        if called(call) in makers:
            inner = next((one for one in calls_in(makers[called(call)]) if called(one) == "rung"), None)
            step = next(iter(literals(inner)), "") if inner else ""
            if inner is None or WRITES_BOOK in words(makers[called(call)]):
                found.append(Row(call, step or next(iter(literals(call)), ""), (".book",)))
                continue
            ways = tuple(".usual" + (f":{dials}" if dials else "")
                         for dials in literals(call) + member_literals(call, known) if DIALS.fullmatch(dials))
            found.append(Row(call, step, ways))
        elif inside_a_maker:
            continue
        elif called(call) in ROW_MAKERS:
            steps = [text for text in literals(call) if STEP.fullmatch(text)]
            if steps:
                found.append(Row(call, steps[0], written(call) or ("",)))
    return found


def steps_of_loop(table: Declaration, known: Sequence[Declaration]) -> dict[str, list[Node]]:
    """Of a function that hands rows to another: the steps that the loop behind it names, with the calls that name each."""
    makers = {one.name: one for one in known if one.makes_rows and one.body.id != table.body.id}
    waiting, seen = [table.body], set()
    found: dict[str, list[Node]] = {}
    while waiting:
        body = waiting.pop()
        for call in calls_in(body):
            if (maker := makers.get(called(call))) and maker.name not in seen:
                seen.add(maker.name)
                waiting.append(maker.body)
                found.update(named_steps(maker))
    return found


def named_steps(loop: Declaration) -> dict[str, list[Node]]:
    """The step names in a loop's body; a name that stands in a call, with that call, the outermost in its statement."""
    found: dict[str, list[Node]] = {}
    for node in below(loop.body):
        if node.type == "string_literal" and STEP.fullmatch(text := words(node)[1:-1]):
            outer, call = node, None
            while outer.parent is not None and not outer.type.endswith("_statement") and outer.type != "declaration":
                call = outer if outer.type == "call_expression" else call
                outer = outer.parent
            found[text] = [call] if call is not None else []
    return found


class Sources:
    """The files of one model of an algorithm, and the headers that it shares with the other models."""

    def __init__(self, folder: Path, model: str) -> None:
        self.own = [one for path in files_of(folder, model) for one in declarations(path)]
        self.shared = [one for path in sorted(folder.glob("*.hpp")) for one in declarations(path)]
        self.in_headers = {one.name for one in self.own if one.path.suffix in HEADERS}

    def called(self, name: str, path: Path) -> list[Declaration]:
        """What `name` can mean in the file: what is declared there or in a header, and where that is defined."""
        return [one for one in self.own if one.name == name and (one.path.stem == "book") == (path.stem == "book")
                and (one.path == path or one.path.suffix in HEADERS or name in self.in_headers)]

    def lines(self, start: Node, local: dict[str, Node], path: Path, without: frozenset[int]) -> Lines:
        """Of this node and of all that it names; `local` are declarations of the function around it."""
        found: Lines = set()
        waiting, seen = [(path, start)], {start.id}
        while waiting:
            where, node = waiting.pop()
            # What parameters, variables and members inside a declaration hide, which is called alike outside.
            hidden = {declared_name(one) for one in below(node) if one.id != node.id and one.type in INSIDE}
            for one in below(node, without):
                if one.children or one.type in NO_CODE:
                    continue
                found.add((where, one.start_point[0] + 1))
                name = words(one)
                if one.type not in NAMES or name in hidden:
                    continue
                # A lambda may be called as what it calls.
                meant = [(path, local[name])] if name in local and where == path else []
                meant += [(declared.path, declared.node) for declared in self.called(name, where)]
                for other in meant:
                    if other[1].id not in seen:
                        seen.add(other[1].id)
                        waiting.append(other)
        return found


def files_of(folder: Path, model: str) -> list[Path]:
    """Those of a model: its file, its folder, bodies, and libraries."""
    pattern = f"{model}_*" if model == "library" else f"{model}*"
    found = [path for place in (folder, folder / model) if place.is_dir() for path in place.iterdir()
             if path.suffix in SOURCES and (place != folder or path.match(pattern) or model in BODIES.get(path.name, ()))]
    texts = [path.read_text(encoding="utf-8") for path in found]
    return sorted(found + [SHARED / name for name, of in KERNELS.items()
                           if of == model and any(f'"variants/shared/{name}"' in text for text in texts)])


def lines_of(folder: Path) -> dict[str, Lines]:
    """The lines of each variant of the algorithm in `folder`, by the variant's name. Throws SourceError."""
    if not (folder / "algorithm.cpp").is_file():
        raise SourceError(f"{folder}: no algorithm is here, for there is no algorithm.cpp; name a folder like variants/heat2d")
    found: dict[str, Lines] = {}
    for model in MODELS:
        sources = Sources(folder, model)
        # Steps over processes are a schedule for all models and sweeps that are counted as steps of one process.
        own = [one for one in sources.own if not one.path.name.startswith("ranks")]
        for table in (one for one in own if one.makes_rows and one.name.endswith("_rungs")):
            found.update(lines_of_table(sources, table, folder.name, model))
    return found


def lines_of_table(sources: Sources, table: Declaration, algorithm: str, model: str) -> dict[str, Lines]:
    known = [one for one in sources.own if one.path == table.path] + declarations(DIALS_OF_ALL)
    local, rows = local_declarations(table.body), rows_of(table, known)
    loop = steps_of_loop(table, sources.own + sources.shared)
    every = frozenset(row.node.id for row in rows)
    found: dict[str, Lines] = {}
    for row in rows or [Row(table.node, "", (".book",) if WRITES_BOOK in words(table.node) else ("",))]:
        for step in [row.step] if row.step else loop:
            others = frozenset(node.id for name, nodes in loop.items() if name != step for node in nodes)
            lines = sources.lines(row.node if row.step else table.node, local, table.path, others if row.step else others | (every - {row.node.id}))
            for way in row.ways:
                found[f"{algorithm}/{step}/{model}{way}"] = lines
    if not found:
        raise SourceError(f"{table.path}: the table '{table.name}' has no row that can be read")
    return found
