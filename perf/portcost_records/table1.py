"""The published table of an algorithm's ladder (variants/*/paper_table.json), with this machine's wall times beside it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .records import Record, RecordError, Result
from .tables import Table
from .words import interval_text, model_name, native_name, side_median, significant

VARIANTS = Path(__file__).resolve().parents[2] / "variants"
FILE = "paper_table.json"


@dataclass(frozen=True)
class PaperTable:
    """What was published, and the measurement that belongs beside it. The figures are text, as they were printed."""

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
    row: str
    """"Way": the rows are called Way 1, Way 2 and so on."""
    rows: Sequence[dict[str, str]]
    """`step`, `seconds` and `speed_up` (over the first row) of each."""
    beyond: Sequence[str]
    """Steps of the ladder that the publication lacks."""
    note: str

    def command(self, step: str) -> str:
        return (f"portcost bench '{self.algorithm}/{step}/*' --size {self.size} --type {self.type} --sync {self.sync}")


class Row(NamedTuple):
    label: str
    step: str
    published: tuple[str, str]
    result: Result | None

    def seconds(self, kokkos: bool) -> float | None:
        """Kokkos's, or the hand-written side's; a step that one of them lacks has the other's alone."""
        sides = self.result.sides if self.result else ()
        return side_median(next((side for side in sides if (side.model == "kokkos") == kokkos), None), "wall")


def table1(record: Record) -> str:
    (path,) = VARIANTS.glob(f"*/{FILE}")
    paper = PaperTable(path.parent.name, **json.loads(path.read_text(encoding="utf-8")))
    found = {r.step: r for r in reversed(record.results) if r.role in ("pair", "solo")
             and (r.algorithm, r.type, r.size_text) == (paper.algorithm, paper.type, paper.size)}
    if not any(row["step"] in found for row in paper.rows):
        raise RecordError(f"{record.path}: no {paper.row.lower()} of {paper.algorithm} with {paper.size}, {paper.type}; run: "
                          f"{paper.command('*')}")
    rows = [Row(f"{paper.row} {number}: {row['step']}", row["step"],
                (row["seconds"], row["speed_up"]), found.get(row["step"]))
            for number, row in enumerate(paper.rows, start=1)]
    rows += [Row(f"{step} (not in the {paper.called})", step, ("–", "–"), found[step])
             for step in paper.beyond if step in found]
    native = native_name(list(found.values()))
    return "\n".join([
        f"# {paper.title}\n",
        f"{paper.problem}; wall time. {paper.called.capitalize()}: {paper.machine}. "
        f"This machine: {record.header.processor}.\n",
        table_of(rows, native, paper).markdown(), *notes(record, rows, paper)])


def table_of(rows: list[Row], native: str, paper: PaperTable) -> Table:
    first = rows[0]
    cells = []
    for row in rows:
        line = [row.label, *row.published]
        for kokkos in (False, True):
            seconds = row.seconds(kokkos)
            base = first.seconds(kokkos)
            line += ["–" if seconds is None else significant(seconds),
                     "–" if base is None or seconds is None else f"{base / seconds:.2f}"]
        found = row.result
        wrong = found and ("FAILED" if found.failed else "" if found.agrees else "ANSWERS DIFFER")
        cells.append([*line, wrong or interval_text(found and found.wall_ratio)])
    return Table([paper.row.lower(), f"{paper.called}, s", "speed-up", f"{native}, s", "speed-up",
                  "Kokkos, s", "speed-up", f"Kokkos / {native}, wall (95 %)"], cells)


def notes(record: Record, rows: list[Row], paper: PaperTable) -> list[str]:
    made = [f"Speed-up is over {paper.row} 1 in the same column. {paper.note}\n"]
    if (sync := record.header.settings.get("sync")) != paper.sync:
        made.append(f"{paper.sync_note}; this record was measured with sync = {sync}.\n")
    regimes = dict.fromkeys(row.result.regime for row in rows if row.result)
    made.append(f"Cache regime: {', '.join(regimes)}.\n")
    for row in rows:
        if not row.result:
            made.append(f"Not in this record: {row.step}. To measure it: " f"`{paper.command(row.step)}`\n")
        elif row.result.failed:
            made.append(f"{row.step} has no times: {row.result.disagreement}\n")
        elif not row.result.agrees:
            made.append(f"{row.step} has no times: the answers of {model_name('kokkos')} and the "
                        f"native variant differ: {row.result.disagreement}\n")
        elif len(row.result.sides) == 1:  # without its twin
            made.append(f"{row.step} was measured with {model_name(row.result.sides[0].model)} alone, so it has no ratio.\n")
    return made
