"""Formulas of a nest file for what a variant's own order of blocks moves: numbers, names, + - * /, min, max and brackets."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.USub: operator.neg}

FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max}


def value_of(text: str, names: Mapping[str, float]) -> float:
    """ValueError where the formula holds anything else, or a name that is not among these."""
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
