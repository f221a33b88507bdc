"""Affine expressions, conditions and accesses as a nest file writes them: "2*k + n - 1", "i <= k", "a(i, k + 1)"; and formulas.

An affine expression is a sum of whole multiples of variables and a whole number. Anything else is a ValueError, which quotes the
part that is wrong.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

LARGEST = 2**40
"""Of whole numbers."""


@dataclass(frozen=True)
class Affine:
    """A sum of `coefficients[name] * name`, none of them 0, and a constant."""

    coefficients: tuple[tuple[str, int], ...]
    constant: int = 0

    def of(self, name: str) -> int:
        return dict(self.coefficients).get(name, 0)

    def value(self, values: Mapping[str, int]) -> int:
        return self.constant + sum(factor * values[name] for name, factor in self.coefficients)

    def __add__(self, other: "Affine") -> "Affine":
        names = dict(self.coefficients + other.coefficients)
        return affine({name: self.of(name) + other.of(name) for name in names}, self.constant + other.constant)

    def __neg__(self) -> "Affine":
        return affine({name: -factor for name, factor in self.coefficients}, -self.constant)

    def __sub__(self, other: "Affine") -> "Affine":
        return self + -other

    def __mul__(self, other: "Affine") -> "Affine":
        if self.coefficients and other.coefficients:
            raise ValueError(f"({self}) * ({other}) is a product of variables, which is not affine")
        plain, scale = (other, self.constant) if other.coefficients else (self, other.constant)
        return affine({name: scale * factor for name, factor in plain.coefficients}, scale * plain.constant)

    def __str__(self) -> str:
        """As isl reads it and people do: "2*k - n + 1"."""
        words = []
        for name, factor in self.coefficients:
            size = name if abs(factor) == 1 else f"{abs(factor)}*{name}"
            words.append(("-" if factor < 0 else "") + size if not words else ("- " if factor < 0 else "+ ") + size)
        if self.constant or not words:
            sign = "-" if self.constant < 0 else "+"
            words.append(f"{sign} {abs(self.constant)}" if words else str(self.constant))
        return " ".join(words)


def affine(coefficients: Mapping[str, int], constant: int) -> Affine:
    if max(map(abs, (*coefficients.values(), constant))) > LARGEST:
        raise ValueError(f"a number is at most {LARGEST}")
    return Affine(tuple((name, factor) for name, factor in coefficients.items() if factor), constant)


@dataclass(frozen=True)
class Condition:
    left: Affine
    comparison: str
    """One of = < > <= >=."""
    right: Affine

    def __str__(self) -> str:
        return f"{self.left} {self.comparison} {self.right}"


@dataclass(frozen=True)
class Reference:
    """An element of an array: its name and one affine expression an index."""

    array: str
    indices: tuple[Affine, ...]

    def __str__(self) -> str:
        """As the paper writes it: "a(i,k+1)"."""
        return f"{self.array}({','.join(str(index).replace(' ', '') for index in self.indices)})"


def parse_affine(text: str, known: tuple[str, ...]) -> Affine:
    return affine_of(parsed(text), known)


def parse_condition(text: str, known: tuple[str, ...]) -> Condition:
    parts = re.split("(<=|>=|==?|<|>)", text)
    if len(parts) != 3:
        raise ValueError("one of = < > <= >= is missing, or one too many")
    return Condition(parse_affine(parts[0], known), parts[1].replace("==", "="), parse_affine(parts[2], known))


def parse_reference(text: str, known: tuple[str, ...]) -> Reference:
    node = parsed(text)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args or node.keywords:
        raise ValueError("an access is written 'a(i, j)': the array's name, then its indices in brackets")
    return Reference(node.func.id, tuple(affine_of(one, known) for one in node.args))


def affine_of(node: ast.AST, known: tuple[str, ...]) -> Affine:
    try:
        return evaluated(node, {name: Affine(((name, 1),)) for name in known}, lambda number: affine({}, operator.index(number)))
    except TypeError:
        raise ValueError(f"'{ast.unparse(node)}' is no sum of whole multiples of loops around this and parameters") from None


OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.USub: operator.neg}

FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max}


def value_of(text: str, names: Mapping[str, float]) -> float:
    """The value of a formula of a nest file: numbers, names, + - * /, min, max and brackets; ValueError for anything else."""
    try:
        return evaluated(parsed(text), names)
    except ZeroDivisionError as error:
        raise ValueError(f"'{text}' cannot be calculated ({error})") from None


def parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"this is no expression ({error.msg if isinstance(error, SyntaxError) else 'it is too deep'})") from None


def evaluated(node: ast.AST, names: Mapping[str, Any], number: Callable[[Any], Any] = lambda one: one) -> Any:
    """`number` makes of a number what `names` hold."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return number(node.value)
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise ValueError(f"'{node.id}' is not known here: {', '.join(names) or 'nothing is'}")
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluated(node.left, names, number), evaluated(node.right, names, number))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluated(node.operand, names, number))
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and len(node.args) > 1
            and not node.keywords):
        return FUNCTIONS[node.func.id](*(evaluated(one, names, number) for one in node.args))
    raise ValueError(f"'{ast.unparse(node)}' is no number, name, one of + - * / or min or max of several")
