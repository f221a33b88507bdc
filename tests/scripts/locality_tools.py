"""What the tests of portcost locality share: the command, nests, and what they need."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import running
from running import ROOT, run_tool

NESTS = ROOT / "perf/nests"
NAMES = sorted(path.stem for path in NESTS.glob("*.json"))

try:
    import islpy  # noqa: F401
    import jsonschema  # noqa: F401
    MODULES = True
except ImportError:
    MODULES = False
needs_islpy = pytest.mark.skipif(not MODULES, reason="the Python modules islpy and jsonschema are not here (perf/prepare "
                                                     "--locality brings them)")


def locality(*words: object, status: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_tool("locality", *words, status=status, env={**os.environ, **environment})


def content(*words: object) -> dict[str, Any]:
    return json.loads(locality(*words, "--json").stdout)


def shipped(name: str) -> dict[str, Any]:
    return json.loads((NESTS / f"{name}.json").read_text())


def saved(folder: Path, nest: dict[str, Any]) -> Path:
    path = folder / f"{nest['name']}.json"
    path.write_text(json.dumps(nest))
    return path


def nest_of(loops: list[tuple[str, object, object]], statement: dict[str, Any], arrays: dict[str, int], parallel: str = ""
            ) -> dict[str, Any]:
    """One statement in loops (name, from, to) over n; arrays by their number of indices."""
    body: list[dict[str, Any]] = [{"statement": "S1", **statement}]
    for name, first, last in reversed(loops):
        body = [{"loop": name, "from": first, "to": last, "parallel": name in parallel, "body": body}]
    return {"name": "made_up", "parameters": {"n": {"default": 64, "least": 4}},
            "arrays": {name: {"extents": ["n"] * size} for name, size in arrays.items()}, "body": body}


def one_error(done: subprocess.CompletedProcess[str], *named: str) -> None:
    running.one_error(done, "locality", *named)
    assert len(done.stderr.splitlines()) == 1
