"""The command perf/portcost count-lines: the lines of code of each variant."""

import argparse
import hashlib
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from portcost_records.files import ROOT, checked_output
from portcost_records.records import ExplainError, RecordError

FILE = "lines_of_code.json"
HEADERS = (".hpp", ".cuh")
Lines = set[tuple[Path, int]]
DESCRIPTION = """Counts the lines of code of each variant of an algorithm, by the rule that perf/portcost_sources/counting.py
states, and writes them to lines_of_code.json in the algorithm's folder, from where the build takes them into the records. Needs
the Python modules tree-sitter and tree-sitter-cuda (tests/source_requirements.txt)."""


@checked_output("perf/portcost count-lines")
def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="perf/portcost count-lines", description=DESCRIPTION)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER",
                        help="an algorithm's folder, variants/NAME or one outside (default: all of variants)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="write nothing, and fail where a file is not what the sources say")
    what.add_argument("--show", metavar="VARIANT", help="print the lines that count for a variant, as heat2d/naive/kokkos.book")
    options, lines_of = parser.parse_args(arguments), counter()
    folders = options.folders or sorted(path.parent for path in (ROOT / "variants").glob("*/algorithm.cpp"))
    if options.show:
        return show(options.show, {name: lines for one in folders for name, lines in lines_of(one).items()})
    return max([write(one, {name: len(lines) for name, lines in lines_of(one).items()}, options.check) for one in folders])


def counter() -> Callable[[Path], dict[str, Lines]]:
    """counting.lines_of, whose parser may be missing."""
    try:
        from .counting import lines_of
    except ImportError as error:
        raise ExplainError(3, f"the Python module {error.name} is missing: python3 -m pip install -r "
                              "tests/source_requirements.txt") from None
    return lines_of


def show(variant: str, lines: dict[str, Lines]) -> int:
    if variant not in lines:
        near = get_close_matches(variant, lines, 3) or sorted(lines)[:3]
        raise RecordError(f"no variant is called '{variant}': did you mean {', '.join(near)}? perf/portcost list shows all")
    for path in sorted({path for path, _ in lines[variant]}):
        print(path)
        text = path.read_text(encoding="utf-8").splitlines()
        for number in sorted(number for one, number in lines[variant] if one == path):
            print(f"{number:5}  {text[number - 1]}")
    print(f"{len(lines[variant])} lines")
    return 0


def identity_of(folder: Path) -> str:
    from .counting import MODELS, SOURCES

    sources = [path for place in (folder, *(folder / model for model in MODELS)) if place.is_dir()
               for path in place.iterdir() if path.suffix in SOURCES]
    lines = sorted(f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in sources)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def write(folder: Path, counts: dict[str, int], check: bool) -> int:
    """1 when the file is to be as the sources say and is not."""
    path = folder / FILE
    steps: dict[str, list[str]] = {}
    for name, lines in sorted(counts.items()):
        steps.setdefault(name.rpartition("/")[0], []).append(f'"{name}": {lines}')
    text = "{\n" + ",\n".join([f'"sources": "{identity_of(folder)}"', *(", ".join(step) for step in steps.values())]) + "\n}\n"
    if check:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return 0
        print(f"perf/portcost count-lines: {path} is not what the sources say; run perf/portcost count-lines {folder}", file=sys.stderr)
        return 1
    path.write_text(text, encoding="utf-8")
    print(f"{path}: {len(counts)} variants")
    return 0
