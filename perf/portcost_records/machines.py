"""Machines side by side: the ratios that several records have, a column a machine."""

from __future__ import annotations

from collections.abc import Sequence

from .headline import ratio_cell
from .records import Record
from .tables import VERDICT_SIGNS, Table, step_text
from .ways import PEER, USUAL, Board, Boards, Line
from .words import interval_text

SHARED = ("Only rows that at least two records have. Ways of writing are against the best native code of each machine, at the "
          "main and the small size of each, which may differ; pairs are of the same problem. † and ‡: no row measured the two "
          "together (see each machine).")
Key = tuple[str, ...]


def shared_rows_table(all_boards: Sequence[Boards]) -> Table | None:
    """None of fewer than two records, or where they have no row in common."""
    if len(all_boards) < 2:
        return None
    groups = [shared([way_cells(boards) for boards in all_boards]), shared([pair_cells(boards.record) for boards in all_boards])]
    rows: list[list[str]] = []
    for title, found in zip(("Ways of writing, against the best native code", "Pairs"), groups):
        rows += [[title], *found] if found else []
    headings = ["algorithm", "step or way", "size and type", *machine_names([boards.record for boards in all_boards])]
    return Table(headings, rows, texts=3) if rows else None


def shared(cells: Sequence[dict[Key, str]]) -> list[list[str]]:
    keys = dict.fromkeys(key for one in cells for key in one)
    return [[*key, *(one.get(key, "–") for one in cells)] for key in keys if sum(key in one for one in cells) > 1]


def machine_names(records: Sequence[Record]) -> list[str]:
    """The processor; with the record's name where two are of one kind."""
    processors = [record.header.processor for record in records]
    return [name if processors.count(name) == 1 else f"{name} ({record.name})" for name, record in zip(processors, records)]


def way_cells(boards: Boards) -> dict[Key, str]:
    cells: dict[Key, str] = {}
    for board in (board for board in boards.all() if not board.step):  # Other steps' rows are among the pairs.
        for line in board.kokkos_lines():
            if line.against_best:
                cells.setdefault(way_key(board, line), signed(line.against_best.verdict, ratio_cell(line.against_best)))
    return cells


def way_key(board: Board, line: Line) -> Key:
    """A way that one variant stands for because it is fastest may be another variant elsewhere."""
    own = line.label in (USUAL, PEER)
    size = "small size" if board.small else "main size"
    return (board.algorithm, line.label + (f" ({line.side.step})" if own else ""),
            ", ".join((size, board.type, *(["hot"] if board.regime == "hot" else []))))


def pair_cells(record: Record) -> dict[Key, str]:
    """Each pair's ratio; the native side is CUDA on one machine and OpenMP on another."""
    return {(r.algorithm, step_text(r).split(" (")[0], f"{r.problem_text}, {r.type}" + (", hot" if r.regime == "hot" else "")):
            signed(r.verdict, interval_text(r.ratio))
            for r in record.results if r.role == "pair" and r.ratio}


def signed(verdict: str, text: str) -> str:
    return f"{VERDICT_SIGNS.get(verdict, '')} {text}".strip()
