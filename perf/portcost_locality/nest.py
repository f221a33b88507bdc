"""A loop nest: loops with affine bounds around statements with affine accesses, and what it says about measuring."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from keyword import kwlist
from pathlib import Path
from typing import Any, TypeVar

from portcost_records.records import ExplainError as LocalityError

from .affine import LARGEST, Affine, Condition, Reference, parse_affine, parse_condition, parse_reference

TYPE_BYTES = {"f32": 4, "f64": 8, "i32": 4, "i64": 8}
TAKEN_WORDS = frozenset("ceil ceild exists floor floord implies infinity infty max min mod nan rat".split()) | set(map(str.lower, kwlist))
"""No loop or parameter can be called so, in any letters: isl or Python reads another meaning in them."""
SCHEMA = Path(__file__).with_name("nest.schema.json")
LONGEST = 60
"""Letters of a wrong value that are quoted."""
USAGE, MISSING, STOPPED = 2, 3, 130
T = TypeVar("T")


@dataclass(frozen=True)
class Loop:
    """A loop that counts up by 1 from the largest of `lower` to the smallest of `upper`, both included."""

    name: str
    number: int
    """From 1 in the order of the file: its block size is r<number>, the parts of its range are Q<number>."""
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    parallel: bool

    @property
    def block(self) -> str:
        return f"r{self.number}"

    def conditions(self) -> list[Condition]:
        here = Affine(((self.name, 1),))
        return [*(Condition(here, ">=", bound) for bound in self.lower), *(Condition(here, "<=", bound) for bound in self.upper)]


@dataclass(frozen=True)
class Statement:
    """A statement with the loops around it, outermost first. `place`: where it stands among its brothers, at each depth."""

    name: str
    text: str
    loops: tuple[Loop, ...]
    place: tuple[int, ...]
    writes: Reference
    reads: tuple[Reference, ...]
    where: tuple[Condition, ...]
    silent: tuple[Condition, ...]
    """Where one of these holds the statement changes nothing."""
    because: str
    wanted: tuple[Condition, ...]
    """Where all of these hold, what is written is a result; without any it is the last value of each element."""
    pointer: str

    def conditions(self) -> list[Condition]:
        return [condition for loop in self.loops for condition in loop.conditions()] + list(self.where)


@dataclass(frozen=True)
class Nest:
    path: Path
    name: str
    title: str
    source: str
    notes: tuple[str, ...]
    type: str
    parameters: Mapping[str, Mapping[str, int]]
    arrays: Mapping[str, tuple[Affine, ...]]
    loops: tuple[Loop, ...]
    statements: tuple[Statement, ...]
    measure: Mapping[str, Any] | None

    def error(self, pointer: str, text: str) -> LocalityError:
        return LocalityError(USAGE, f"{self.path}: {pointer}: {text}")

    def least(self, name: str) -> int:
        return self.parameters[name].get("least", 1)

    def proportion(self, given: Mapping[str, int]) -> dict[str, int]:
        """In which the parameters grow: of those given, else of the defaults. Without either one is as large as the largest."""
        known = {name: given.get(name, about.get("default")) for name, about in self.parameters.items()}
        largest = max((value for value in known.values() if value), default=1)
        return {name: value or largest for name, value in known.items()}

    def largest_constant(self) -> int:
        """Of bounds, conditions and indices, without its sign."""
        found = [side for one in self.statements for condition in (*one.conditions(), *one.silent, *one.wanted)
                 for side in (condition.left, condition.right)]
        found += [index for one in self.statements for access in (one.writes, *one.reads) for index in access.indices]
        return max(abs(one.constant) for one in found)

    def sizes(self, given: Mapping[str, int]) -> dict[str, int]:
        """All parameters: those given, else their defaults. An unknown or too small one is an error."""
        for name, value in given.items():
            if name not in self.parameters:
                raise LocalityError(USAGE, f"--sizes {name}={value}: the nest has no parameter '{name}': "
                                           f"{', '.join(self.parameters)}")
            if value < self.least(name):
                raise LocalityError(USAGE, f"--sizes {name}={value}: {name} must be {self.least(name)} or more")
        result = {}
        for name, about in self.parameters.items():
            if name not in given and "default" not in about:
                raise LocalityError(USAGE, f"--sizes: {name} has no default in {self.path}: give {name}=N")
            result[name] = given.get(name, about.get("default", 0))
        return result

    def bytes_of_arrays(self, sizes: Mapping[str, int]) -> int:
        elements = sum(math.prod(extent.value(sizes) for extent in extents) for extents in self.arrays.values())
        return elements * TYPE_BYTES[self.type]


@dataclass
class Reader:
    path: Path
    data: dict[str, Any]
    loops: list[Loop] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    error = Nest.error

    def parsed(self, parse: Callable[[str, tuple[str, ...]], T], value: Any, pointer: str, known: tuple[str, ...]) -> T:
        try:
            return parse(str(value), known)
        except ValueError as error:
            raise self.error(pointer, f"'{value}', {error}") from None

    def all_parsed(self, parse: Callable[[str, tuple[str, ...]], T], values: Iterable[Any], pointer: str,
                   known: tuple[str, ...]) -> tuple[T, ...]:
        return tuple(self.parsed(parse, value, f"{pointer}/{at}", known) for at, value in enumerate(values))

    def nest(self) -> Nest:
        data = self.data
        parameters = tuple(data["parameters"])
        for name, about in data["parameters"].items():
            self.check_parameter(name, about)
        self.arrays = {name: self.all_parsed(parse_affine, about["extents"], f"/arrays/{name}/extents", parameters)
                       for name, about in data["arrays"].items()}
        self.body(data["body"], "/body", (), ())
        if not self.statements:
            raise self.error("/body", "holds no statement")
        return Nest(self.path, data["name"], data.get("title", data["name"]), data.get("source", ""),
                    tuple(data.get("notes", ())), data.get("type", "f32"), data["parameters"], self.arrays, tuple(self.loops),
                    tuple(self.statements), data.get("measure"))

    def check_name(self, name: str, pointer: str) -> None:
        if name.lower() in TAKEN_WORDS:
            raise self.error(pointer, f"'{name}' is a word of isl or Python, which work with the nest: choose another name")

    def check_parameter(self, name: str, about: Mapping[str, int]) -> None:
        pointer = f"/parameters/{name}"
        self.check_name(name, pointer)
        default, least = about.get("default"), about.get("least", 1)
        if max(default or 1, least) > LARGEST:
            raise self.error(pointer, f"sizes are at most {LARGEST}")
        if default is not None and default < least:
            raise self.error(f"{pointer}/default", f"{default} is less than the least value, {least}")

    def body(self, nodes: list[dict[str, Any]], pointer: str, around: tuple[Loop, ...], place: tuple[int, ...]) -> None:
        for at, node in enumerate(nodes):
            here = f"{pointer}/{at}"
            if "loop" in node:
                loop = self.loop(node, here, around)
                self.body(node["body"], f"{here}/body", (*around, loop), (*place, at))
            else:
                self.statements.append(self.statement(node, here, around, (*place, at)))

    def loop(self, node: dict[str, Any], pointer: str, around: tuple[Loop, ...]) -> Loop:
        name, known = node["loop"], self.known(around)
        self.check_name(name, f"{pointer}/loop")
        if name in (loop.name for loop in self.loops):
            raise self.error(f"{pointer}/loop", f"two loops are called '{name}': every loop needs a name of its own")
        if name in self.data["parameters"] or name in self.arrays:
            raise self.error(f"{pointer}/loop", f"'{name}' is a parameter or an array, too: rename the loop")
        bounds = {}
        for key in ("from", "to"):
            bounds[key] = (self.all_parsed(parse_affine, node[key], f"{pointer}/{key}", known) if isinstance(node[key], list)
                           else (self.parsed(parse_affine, node[key], f"{pointer}/{key}", known),))
        loop = Loop(name, len(self.loops) + 1, bounds["from"], bounds["to"], node.get("parallel", False))
        self.loops.append(loop)
        return loop

    def known(self, around: tuple[Loop, ...]) -> tuple[str, ...]:
        return (*(loop.name for loop in around), *self.data["parameters"])

    def statement(self, node: dict[str, Any], pointer: str, around: tuple[Loop, ...], place: tuple[int, ...]) -> Statement:
        known = self.known(around)
        name = node["statement"]
        if not around:
            raise self.error(pointer, f"the statement {name} has no loop around it")
        if name in (one.name for one in self.statements):
            raise self.error(f"{pointer}/statement", f"two statements are called '{name}'")
        silent = node.get("changes_nothing_where", {"any": [], "because": ""})
        return Statement(
            name, node.get("text", ""), around, place, self.access(node["writes"], f"{pointer}/writes", known),
            tuple(self.access(read, f"{pointer}/reads/{at}", known) for at, read in enumerate(node["reads"])),
            self.all_parsed(parse_condition, node.get("where", ()), f"{pointer}/where", known),
            self.all_parsed(parse_condition, silent["any"], f"{pointer}/changes_nothing_where/any", known), silent["because"],
            self.all_parsed(parse_condition, node.get("result_where", ()), f"{pointer}/result_where", known), pointer)

    def access(self, text: Any, pointer: str, known: tuple[str, ...]) -> Reference:
        access = self.parsed(parse_reference, text, pointer, known)
        if access.array not in self.arrays:
            raise self.error(pointer, f"'{text}': '{access.array}' is not in /arrays: {', '.join(self.arrays)}")
        if len(access.indices) != len(self.arrays[access.array]):
            raise self.error(pointer, f"'{text}': {access.array} has {len(self.arrays[access.array])} indices (its extents), not "
                                      f"{len(access.indices)}")
        return access


def read_nest(path: Path, checked: bool = True) -> Nest:
    """The nest of a file. Where its schema is not `checked` (by jsonschema), what does not fit is an error without a place."""
    data = read_json(path)
    check_schema(path, data, checked)
    try:
        return Reader(path, data).nest()
    except (AttributeError, KeyError, TypeError) as error:
        raise LocalityError(USAGE, f"{path}: does not fit perf/portcost_locality/nest.schema.json ({error!r}); with the Python "
                                   "module jsonschema this would name the place") from None


def lines_of(nest: Nest) -> Iterator[str]:
    """The nest as people read it: "for k = 1 .. n", an indentation a loop."""
    shown: tuple[Loop, ...] = ()
    for statement in nest.statements:
        for depth, loop in enumerate(statement.loops):
            if depth < len(shown) and shown[depth] == loop:
                continue
            shown = ()
            low = str(loop.lower[0]) if len(loop.lower) == 1 else f"max({', '.join(map(str, loop.lower))})"
            high = str(loop.upper[0]) if len(loop.upper) == 1 else f"min({', '.join(map(str, loop.upper))})"
            yield "  " * depth + f"for {loop.name} = {low} .. {high}" + ("   (parallel)" if loop.parallel else "")
        shown = statement.loops
        text = statement.text or f"{statement.writes} = f({', '.join(map(str, statement.reads))})"
        condition = f"   where {' and '.join(map(str, statement.where))}" if statement.where else ""
        yield "  " * len(statement.loops) + f"{statement.name}: {text}{condition}"


def missing_module(name: str) -> LocalityError:
    return LocalityError(MISSING, f"the Python module {name} is missing: perf/prepare --locality brings it, from PyPI")


def read_json(path: Path) -> Any:
    """What the file holds; a LocalityError names line and column, or the key that stands twice."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=lambda pairs: unique(path, pairs))
    except OSError as error:
        raise LocalityError(USAGE, f"{path}: cannot be read ({error.strerror}); perf/nests holds some nests") from None
    except UnicodeDecodeError:
        raise LocalityError(USAGE, f"{path}: is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise LocalityError(USAGE, f"{path}:{error.lineno}:{error.colno}: this is no JSON: {error.msg}") from None


def unique(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise LocalityError(USAGE, f"{path}: the key \"{twice}\" stands twice in one object: remove one of them")
    return dict(pairs)


def check_schema(path: Path, data: Any, needed: bool) -> None:
    """Raises for the first place that does not fit. Without jsonschema nothing is checked where it is not `needed`."""
    try:
        import jsonschema
    except ImportError:
        if needed:
            raise missing_module("jsonschema") from None
        return
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    error = jsonschema.exceptions.best_match(validator.iter_errors(data))
    if error is not None:
        # A JSON pointer (RFC 6901): "/body/0/from"; "/" is the whole file.
        pointer = "/" + "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
        value = repr(error.instance)
        said = error.message.replace(value, value[:LONGEST] + "...") if len(value) > LONGEST else error.message
        if error.validator == "additionalProperties":
            said += f"; allowed are {', '.join(sorted(error.schema.get('properties', {})))}"
        raise LocalityError(USAGE, f"{path}: {pointer}: {said} (see perf/portcost_locality/nest.schema.json)")
