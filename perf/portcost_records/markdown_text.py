"""Text from a record within Markdown: shown as it is, whatever it holds."""

from __future__ import annotations

import re

SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown takes as more than text within a line. An underscore within a word is none."""


def escaped(text: str) -> str:
    """One line of text. "<", ">" and "&" are escaped as in HTML, which Markdown lets through."""
    line = " ".join(text.split())
    line = SPECIAL.sub(lambda match: "\\" + match.group(), line)
    line = re.sub(r"&(?=#?\w+;)", "&amp;", line).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"^(\d+)(?=[.)]\s)", r"\1\\", re.sub(r"^([#+=-])(?=\s|\1|$)", r"\\\1", line))


def code(command: str) -> str:
    """A command behind a text, as it is to be typed."""
    if not command:
        return ""
    fence = "`" * (max(map(len, re.findall("`+", command)), default=0) + 1)
    space = " " if len(fence) > 1 else ""
    return f" {fence}{space}{' '.join(command.split())}{space}{fence}"
