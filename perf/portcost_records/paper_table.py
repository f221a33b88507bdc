"""Tables that were published of an algorithm's ladder: variants/*/paper_table.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .records import Record, Result

VARIANTS = Path(__file__).resolve().parents[2] / "variants"
FILE = "paper_table.json"


@dataclass(frozen=True)
class PaperTable:
    """What was published, and the measurement that belongs beside it. The figures are text, as they
    were printed."""

    algorithm: str
    title: str
    source: str
    called: str
    """"lecture": what its columns and notes call the publication."""
    machine: str
    problem: str
    size: str
    type: str
    regime: str
    sync: str
    sync_note: str
    """How the published program waits for the device, where a record was measured otherwise."""
    clock: str
    """"wall" or "device": which of this machine's times stand beside the published ones."""
    row: str
    """"Way": the rows are called Way 1, Way 2 and so on."""
    rows: Sequence[dict[str, str]]
    """`step`, `seconds` and `speed_up` (over the first row) of each."""
    beyond: Sequence[str]
    """Steps of the ladder that the publication lacks."""
    note: str

    def belongs(self, result: Result) -> bool:
        return (result.algorithm == self.algorithm and result.role in ("pair", "solo")
                and result.type == self.type and result.size_text == self.size)

    def command(self, step: str) -> str:
        """Measures a step, a glob, for this table."""
        return (f"portcost bench '{self.algorithm}/{step}/*' --size {self.size} --type {self.type} "
                f"--sync {self.sync}")


def tables_of(record: Record) -> list[PaperTable]:
    """Those of the algorithms in the record, else all."""
    tables = [PaperTable(path.parent.name, **json.loads(path.read_text(encoding="utf-8")))
              for path in sorted(VARIANTS.glob(f"*/{FILE}"))]
    measured = {result.algorithm for result in record.results}
    return [table for table in tables if table.algorithm in measured] or tables
