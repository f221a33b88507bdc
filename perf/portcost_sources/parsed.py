"""Source files of an algorithm, parsed by tree-sitter's grammar for CUDA, as declarations that can be asked what they name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_cuda
from portcost_records.records import RecordError
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_cuda.language()))
FUNCTION_MACRO = re.compile(rb"\b(?:KOKKOS_(?:INLINE_|FORCEINLINE_)?FUNCTION|PORTCOST_HOST_DEVICE|PORTCOST_FORCEINLINE)\b")
PRAGMA_MACRO = re.compile(rb"\bPORTCOST_LANES(?:_ADDING\(\w+\))?(?=\n)|\bPORTCOST_UNROLL\b|__cluster_dims__\(\w+\)")
LAMBDA_MACRO = re.compile(rb"\bKOKKOS_(?:CLASS_)?LAMBDA\b")
HAS_INCLUDE = re.compile(rb"__has_include\(<[^>\n]*>\)")
NAMES = ("identifier", "type_identifier", "namespace_identifier")
NAMED = ("name", "declarator")
"""The fields of a tree-sitter node under which a declaration has its name."""
PLACES = ("translation_unit", "namespace_definition", "declaration_list", "linkage_specification", "preproc_if", "preproc_ifdef",
          "preproc_else", "preproc_elif")


class SourceError(RecordError):
    """A source that cannot be read or parsed."""

    status = 1


def words(node: Node) -> str:
    return (node.text or b"").decode()


def below(node: Node, without: frozenset[int] = frozenset()) -> Iterator[Node]:
    if node.id in without:
        return
    yield node
    for child in node.children:
        yield from below(child, without)


@dataclass(frozen=True)
class Declaration:
    """A declaration at namespace level, templates with what they are templates of."""

    path: Path
    node: Node
    name: str

    @property
    def body(self) -> Node:
        node = self.node
        while node.type == "template_declaration":
            node = node.named_children[-1]
        return node

    @property
    def makes_rows(self) -> bool:
        """A function that returns rows of a table of steps."""
        made = self.body.child_by_field_name("type")
        return self.body.type == "function_definition" and made is not None and words(made) == "Rungs"


def parsed(path: Path) -> Node:
    """The tree of the file, in which Kokkos's macros stand as what they expand to. Throws SourceError."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror})") from None
    text = FUNCTION_MACRO.sub(lambda match: b"inline".ljust(len(match[0])), text)
    text = PRAGMA_MACRO.sub(lambda match: b" " * len(match[0]), text)
    text = LAMBDA_MACRO.sub(lambda match: b"[=]".ljust(len(match[0])), text)
    text = HAS_INCLUDE.sub(lambda match: b"1".ljust(len(match[0])), text)
    tree = PARSER.parse(text)
    for node in below(tree.root_node):
        if node.type == "ERROR" or node.is_missing:
            raise SourceError(f"{path}:{node.start_point[0] + 1}: the parser does not understand '{words(node)[:40]}'; write it "
                              "in another way, or add the macro to perf/portcost_sources/parsed.py")
    return tree.root_node


def declared_name(node: Node) -> str:
    """What others call the declaration; empty for those that nobody can (static_assert, using namespace)."""
    if node.type == "template_instantiation":
        node = node.child_by_field_name("declarator") or node
    while True:
        if node.type in NAMES or node.type == "field_identifier":
            return words(node)
        inner = next((found for field in NAMED if (found := node.child_by_field_name(field))), None)
        if inner is None and node.type == "reference_declarator" and node.named_children:
            inner = node.named_children[-1]
        if inner is None:
            return words(node).split("<")[0] if node.type in ("template_type", "template_function") else ""
        node = inner


def made_for(node: Node) -> set[str]:
    """The types for which a template of another namespace is specialised here (`struct Kokkos::reduction_identity<Votes>`)."""
    name = node.child_by_field_name("name")
    if name is None or name.type != "qualified_identifier":
        return set()
    arguments = [one for one in below(name) if one.type == "template_argument_list"]
    return {words(one) for some in arguments for one in below(some) if one.type == "type_identifier"}


def declarations(path: Path) -> list[Declaration]:
    """All at namespace level, in the order of the file. What is specialised for a type has that type's name."""
    found: list[Declaration] = []

    def take(node: Node) -> None:
        if node.type in PLACES:
            for child in node.named_children:
                take(child)
            return
        made = Declaration(path, node, "")
        if name := declared_name(made.body):
            found.extend(Declaration(path, node, known) for known in sorted(made_for(made.body)) or [name])

    take(parsed(path))
    return found
