"""Counters into a record: one that is there, or a new one of counters alone."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .counters import UNITS
from .records import Counters, ExplainError
from .files import write_all
from .lines import read_objects
from .reading import FORMAT, read_record


def check_machine(record: Path, machine: dict[str, Any]) -> None:
    there, here = read_record(record).header.processor, machine["machine"]["processor"]
    if there != here:
        raise ExplainError(2, f"{record} was measured on {there}, and this is {here}: "
                              "name a record of this machine")


def row_json(row: Counters, commit: str) -> dict[str, Any]:
    return {"kind": "counters", "variant": row.variant, "size_text": row.size_text,
            **({} if row.parameters_text is None else {"parameters_text": row.parameters_text}), "type": row.type, "rung": row.rung, "commit": commit,
            "kernels": [vars(kernel) for kernel in row.kernels], "values": row.values,
            "units": {key: UNITS[key] for key in row.values},
            **({"reasons": dict(row.reasons)} if row.reasons else {})}


def write_record(rows: list[Counters], machine: dict[str, Any], options: argparse.Namespace) -> Path:
    """The record with these counters, written completely or not at all; older ones of the same variant,
    problem and type give way."""
    if options.record:
        new = {(row.variant, row.size_text, row.parameters_text, row.type) for row in rows}
        all_rows = [fields.values for fields in read_objects(options.record)]
        kept = [row for row in all_rows if row["kind"] not in ("counters", "end")
                or row["kind"] == "counters"
                and (row["variant"], row["size_text"], row.get("parameters_text", ""), row["type"]) not in new]
        path = options.out / options.record.name if options.out else options.record
    else:
        kept = [{"kind": "header", "format": FORMAT, "tool": "portcost", "version": machine.get("version", ""),
                 "commit": machine.get("commit", ""), "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                 "command": "perf/portcost explain " + " ".join(sys.argv[1:]), "seed": 1, "machine": machine["machine"],
                 "build": machine["build"], "settings": {}}]
        path = options.out / "counters.jsonl"
    end = {"kind": "end", "results": sum(row["kind"] == "result" for row in kept)}
    lines = [*kept, *(row_json(row, machine.get("commit", "")) for row in rows), end]
    write_rows(path, lines)
    return path


def with_reasons(record: Path, reasons_of: Callable[[str], dict[str, str]], out: Path | None) -> tuple[Path, int]:
    """The record, in place or as a copy, with the reasons that the ladders state now, and how many rows have others than before.
    What was counted stays, and so do reasons of steps for which there are none now: a host does not list a GPU's steps."""
    rows = [fields.values for fields in read_objects(record)]
    changed = 0
    for row in rows:
        if row["kind"] == "counters" and (now := reasons_of(row["variant"])) and row.get("reasons") != now:
            row["reasons"] = now
            changed += 1
    path = out / record.name if out else record
    write_rows(path, rows)
    return path, changed


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    write_all({path: gzip.compress(text.encode("utf-8"), mtime=0) if path.suffix == ".gz" else text})
