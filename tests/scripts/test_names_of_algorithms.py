"""The scripts name no algorithm but in examples: what belongs to one stands in its folder of variants."""

import ast
import re
from pathlib import Path

import pytest
from running import ROOT

ALGORITHMS = sorted(path.parent.name for path in ROOT.glob("variants/*/problem.hpp"))
SCRIPTS = [path for path in sorted([*(ROOT / "perf").glob("*"), *(ROOT / "perf").glob("*/*")]) if path.is_file()]


def first_line(path: Path) -> str:
    return path.read_bytes().split(b"\n")[0].decode(errors="replace")


def named_in_python(text: str, algorithm: str) -> bool:
    """As a whole word of text, or before a '/'; help and examples are sentences and lines of several words."""
    texts = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return any(re.fullmatch(rf"{algorithm}(/\S*)?", one) for one in texts)


def named_in_shell(text: str, algorithm: str) -> bool:
    """Outside of help, comments and awk's programs, where the word may mean anything."""
    code = re.sub(r"<<'HELP'\n.*?\nHELP\n", "\n", text, flags=re.DOTALL)
    code = re.sub(r"(^|\s)#.*|\bawk '[^']*'", "", code)
    return re.search(rf"(?<![\w-]){algorithm}(?![\w-])", code) is not None


# Other meanings: a counter and its unit; the options of a command; random sizes of tests.
@pytest.mark.parametrize("algorithm", [one for one in ALGORITHMS if one not in ("launches", "options", "random")])
def test_no_script_of_perf_names_an_algorithm(algorithm: str) -> None:
    python = [path for path in SCRIPTS if path.suffix == ".py" or "python" in first_line(path)]
    shell = [path for path in SCRIPTS if path.suffix == ".bash" or first_line(path).endswith("bash")]
    assert len(python) > 20 and len(shell) > 5
    assert [str(path) for path in python if named_in_python(path.read_text(encoding="utf-8"), algorithm)] == []
    assert [str(path) for path in shell if named_in_shell(path.read_text(encoding="utf-8"), algorithm)] == []
