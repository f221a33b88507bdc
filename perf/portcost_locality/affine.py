"""Affine expressions, conditions and accesses as a nest file writes them: "2*k + n - 1", "i <= k", "a(i, k + 1)".

An affine expression is a sum of whole multiples of variables and a whole number. Anything else is an AffineError, which names
the column, counted from 1.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(<=|>=|==|[-+*()=<>/%^,]))")
LARGEST = 2**40
"""Of whole numbers."""
COMPARISONS = {"=": "=", "==": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}


class AffineError(ValueError):
    """What is wrong with an expression, and at which column of it."""

    def __init__(self, text: str, column: int) -> None:
        super().__init__(f"column {column}: {text}")


@dataclass(frozen=True)
class Affine:
    """A sum of `coefficients[name] * name`, none of them 0, and a constant."""

    coefficients: tuple[tuple[str, int], ...]
    constant: int = 0

    def of(self, name: str) -> int:
        """The factor of a variable."""
        return dict(self.coefficients).get(name, 0)

    def value(self, values: Mapping[str, int]) -> int:
        return self.constant + sum(factor * values[name] for name, factor in self.coefficients)

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
    return Affine(tuple((name, factor) for name, factor in coefficients.items() if factor), constant)


@dataclass(frozen=True)
class Condition:
    left: Affine
    comparison: str
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


class Parser:
    """Reads one text from left to right; `known` are the variables that may occur."""

    def __init__(self, text: str, known: tuple[str, ...]) -> None:
        self.text, self.known = text, known
        self.tokens: list[tuple[str, int]] = []
        at = 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if found is None:
                at += len(text[at:]) - len(text[at:].lstrip())
                raise AffineError(f"'{text[at]}' has no meaning here", at + 1)
            self.tokens.append((found.group().strip(), found.end() - len(found.group().strip()) + 1))
            at = found.end()
        self.place = 0

    def peek(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def column(self) -> int:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else len(self.text) + 1

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def expect(self, token: str) -> None:
        if self.peek() != token:
            raise AffineError(f"'{token}' is missing", self.column())
        self.take()

    def end(self) -> None:
        if self.peek():
            hint = {"/": "a quotient is not affine", "%": "a remainder is not affine", "^": "a power is not affine"}
            raise AffineError(hint.get(self.peek(), f"'{self.peek()}' is one too many"), self.column())

    def sum(self) -> Affine:
        total: dict[str, int] = {}
        constant, sign = 0, 1
        while True:
            while self.peek() in ("+", "-"):
                sign = -sign if self.take() == "-" else sign
            part = self.product()
            for name, factor in part.coefficients:
                total[name] = total.get(name, 0) + sign * factor
            constant += sign * part.constant
            sign = 1
            if self.peek() not in ("+", "-"):
                return affine(total, constant)

    def product(self) -> Affine:
        result = self.factor()
        while self.peek() == "*":
            column = self.column()
            self.take()
            other = self.factor()
            if result.coefficients and other.coefficients:
                raise AffineError(f"({result}) * ({other}) is a product of variables, which is not affine", column)
            plain, scale = (other, result.constant) if other.coefficients else (result, other.constant)
            result = affine({name: scale * factor for name, factor in plain.coefficients}, scale * plain.constant)
        return result

    def factor(self) -> Affine:
        column, token = self.column(), self.take()
        if token.isdigit():
            if len(token) > len(str(LARGEST)) or int(token) > LARGEST:
                raise AffineError(f"a number is at most {LARGEST}", column)
            return affine({}, int(token))
        if token == "(":
            inner = self.sum()
            self.expect(")")
            return inner
        if token and (token[0].isalpha() or token[0] == "_"):
            if token not in self.known:
                raise AffineError(f"'{token}' is neither a loop around this nor a parameter: known here are "
                                  f"{', '.join(self.known) or 'none'}", column)
            return affine({token: 1}, 0)
        raise AffineError("a number, a variable or '(' is missing", column)


def parse_affine(text: str, known: tuple[str, ...]) -> Affine:
    parser = Parser(text, known)
    result = parser.sum()
    parser.end()
    return result


def parse_condition(text: str, known: tuple[str, ...]) -> Condition:
    parser = Parser(text, known)
    left = parser.sum()
    column, comparison = parser.column(), parser.take()
    if comparison not in COMPARISONS:
        raise AffineError("one of = < > <= >= is missing", column)
    right = parser.sum()
    parser.end()
    return Condition(left, COMPARISONS[comparison], right)


def parse_reference(text: str, known: tuple[str, ...]) -> Reference:
    found = re.match(r"\s*([A-Za-z_]\w*)\s*\(", text)
    if found is None:
        raise AffineError("an access is written 'a(i, j)': the array's name, then its indices in brackets", 1)
    parser = Parser(text, known)
    parser.place = 2
    indices = [parser.sum()]
    while parser.peek() == ",":
        parser.take()
        indices.append(parser.sum())
    parser.expect(")")
    parser.end()
    return Reference(found[1], tuple(indices))


OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.USub: operator.neg}

FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max}


def value_of(text: str, names: Mapping[str, float]) -> float:
    """The value of a formula of a nest file: numbers, names, + - * /, min, max and brackets; ValueError for anything else."""
    try:
        return evaluated(ast.parse(text, mode="eval").body, names)
    except (SyntaxError, ZeroDivisionError) as error:
        raise ValueError(f"'{text}' cannot be calculated ({error})") from None


def evaluated(node: ast.AST, names: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise ValueError(f"'{node.id}' is not known: {', '.join(names)}")
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluated(node.left, names), evaluated(node.right, names))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluated(node.operand, names))
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and len(node.args) > 1
            and not node.keywords):
        return FUNCTIONS[node.func.id](*(evaluated(one, names) for one in node.args))
    raise ValueError(f"'{ast.unparse(node)}' is no number, name, one of + - * / or min or max of several")
