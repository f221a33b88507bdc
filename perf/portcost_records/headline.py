"""The headline in tables and words: what each way of writing costs against native code; and ratios of machines side by side."""

import fnmatch
from collections.abc import Sequence

from .between import CHAINED, FROM_TIMES, MEASURED, Ratio, Timed
from .records import Record, Result
from .tables import VERDICT_SIGNS, Table, step_text, verdict_text
from .ways import BOOK, DIALLED, IN_ORDER, NATIVE_MODELS, PEER, TRICKED, TUNED, USUAL, Board, Boards, Line, trick_of, written_as
from .words import differing, interval_text, model_name, range_text, ratio_text, side_median, time_text

MARKS = {MEASURED: "", CHAINED: " †", FROM_TIMES: " ‡"}
CITED = ("After the navigation chart of Pennycook, Sewall, Jacobsen, Deakin and McIntosh-Smith, \"Navigating Performance, "
         "Portability, and Productivity\", Computing in Science & Engineering 23(5), 2021, doi:10.1109/MCSE.2021.3097276, "
         "with lines of code in the place of code convergence: those of the variant in its model's files, by the rule of "
         "perf/portcost count-lines; a form with dials counts what its dials need.")
AGAINST_BEST, AGAINST_PLAIN = "against best native (95 %)", "against plain native (95 %)"


def ratio_cell(ratio: Ratio | None) -> str:
    if ratio is None:
        return "–"
    text = interval_text(ratio.interval) if ratio.interval else f"{ratio_text(ratio.value)} (no interval)"
    return text + MARKS[ratio.how]


def price_cell(line: Line, ratio: Ratio | None, other: Timed | None) -> str:
    """The same, and what the times in the table say where they say another."""
    if ratio is None or other is None:
        return ratio_cell(ratio)
    return ratio_cell(ratio) + differing(ratio.value, ratio.interval, line.timed.seconds, other.seconds)


def ways_table(boards: Sequence[Board]) -> Table:
    """A row a way, under a heading for each problem; of different work a row a step."""
    if boards[0].step:
        return steps_table(boards)
    counted = any(line.lines_of_code for board in boards for line in board.lines)
    headings = ["way of writing", "step and dials", "verdict", "time", AGAINST_BEST, AGAINST_PLAIN]
    rows: list[list[str]] = []
    for board in boards:
        rows.append([board.title + (" (a small size)" if board.small else "")])
        rows += [line_row(board, line, counted) for line in board.lines]
    return Table([*headings, *(["lines of code"] if counted else [])], rows, texts=3)


def line_row(board: Board, line: Line, counted: bool) -> list[str]:
    price = line.against_best
    verdict = verdict_text(price.verdict, None if price.disturbed else price.interval) if price and not line.is_native else "–"
    of_several = f" (fastest of {line.out_of})" if line.out_of > 1 else ""
    row = [line.label, written_as(line.side) + of_several, verdict, time_text(line.timed.seconds),
           price_cell(line, line.against_best, board.best), price_cell(line, line.against_plain, board.plain)]
    return [*row, str(line.lines_of_code or "–")] if counted else row


PRICES = "price of each step"


def prices_table(boards: Boards, board: Board) -> Table | None:
    """Each step in each way against the native code of the same step; nothing where no step has two ways."""
    steps: dict[str, dict[str, Result]] = {}
    for row in boards.rows(board):
        if row.role == "pair" and row.ratio and row.sides[0].model == "kokkos" and row.sides[1].model in NATIVE_MODELS:
            side = row.sides[0]
            label = TRICKED if trick_of(side) else {"book": BOOK, "tuned": TUNED}.get(side.way, DIALLED if side.dials else USUAL)
            ways = steps.setdefault(side.step, {})
            if label not in ways or (side_median(side) or 0) < (side_median(ways[label].sides[0]) or 0):
                ways[label] = row
    if board.step or max(map(len, steps.values()), default=0) < 2:
        return None
    labels = [label for label in (USUAL, DIALLED, BOOK, TRICKED, TUNED) if any(label in ways for ways in steps.values())]
    rows = []
    for step, ways in steps.items():
        native = next(iter(ways.values())).sides[1]
        rows.append([step, time_text(side_median(native)),
                     *(" ".join(filter(None, (interval_text(ways[label].ratio), trick_of(ways[label].sides[0]))))
                       if label in ways else "–" for label in labels)])
    return Table(["step", f"{model_name(native.model)} time", *(f"{label} (95 %)" for label in labels)], rows)


def steps_table(boards: Sequence[Board]) -> Table:
    """A row a step, under a heading for each problem: the native time, and each way against it."""
    labels = way_labels(boards)
    if any(board.tricked for board in boards):
        labels.insert(next((i for i, label in enumerate(labels) if label in (TUNED, PEER)), len(labels)), TRICKED)
    counted = any(line.lines_of_code for board in boards for line in board.lines)
    rows: list[list[str]] = []
    heading = ""
    for board in boards:
        if heading != (heading := board.problem_heading):
            rows.append([heading])
        found = {line.label: line for line in (*board.kokkos_lines(), *filter(None, [board.tricked]))}
        ways = [next(line for line in board.lines if line.is_native),
                *(found.get(label) for label in labels if label != TRICKED)]
        rows.append([board.step, time_text(board.best.seconds),
                     *(" ".join(filter(None, (ratio_cell(found[label].against_best), trick_of(found[label].side))))
                       if label in found else "–" for label in labels),
                     *([" / ".join(str(line and line.lines_of_code or "–") for line in ways)] if counted else [])])
    return Table(["step", f"{native_of(boards)} time", *(f"{label} (95 %)" for label in labels),
                  *(["lines of code, in this order"] if counted else [])], rows)


def native_of(boards: Sequence[Board]) -> str:
    return model_name(boards[0].best.side.model)


def way_labels(boards: Sequence[Board]) -> list[str]:
    there = {line.label for board in boards for line in board.kokkos_lines()}
    return [label for label in IN_ORDER if label in there]


def footnotes(boards: Sequence[Board], record: Record, others: Sequence[Ratio] = ()) -> list[str]:
    """What the words and marks of these tables, and of other ratios beside them, mean; only of those that are there."""
    notes = []
    if boards[0].step:
        notes.append(f"The steps are different work: each way is against {native_of(boards)} in the same step.")
    else:
        # The command's filters, such as gauss/panel/*, may leave steps of a ladder out.
        filters = [word.split("/") for word in record.header.command.split() if "/" in word]
        named = any(fnmatch.fnmatchcase(boards[0].algorithm, one) and step != "*" for one, step, *_ in filters)
        first = ("the first native step that was measured (the record's filter names steps, so the ladder may begin earlier)"
                 if named else "the first step of the native ladder")
        notes.append("Best native: the fastest native variant at this size, native libraries included. Plain native: "
                     f"{first}. Code written in Kokkos is never in their place.")
    if any(line.out_of > 1 for board in boards for line in board.lines):
        notes.append("The fastest of several is chosen by the times that it is shown with.")
    ratios = [ratio for board in boards for line in board.lines for ratio in (line.against_best, line.against_plain) if ratio]
    ratios += others
    hows = {ratio.how for ratio in ratios}
    processes = len(record.header.processes)
    if CHAINED in hows:
        notes.append("† No row measured these two together: ratios of rows that share a variant are multiplied, and "
                     + ("each process gives one product." if processes else "their errors add in squares."))
    if FROM_TIMES in hows:
        notes.append("‡ No row measured these two together: their times are from rows of their own, and "
                     + (f"each of the {processes} processes gives one ratio, which is the unit of the interval." if processes else
                        "the errors of both add in squares, with the amount by which times of one variant differ from row to "
                        "row of this record."))
    if any(ratio.interval is None for ratio in ratios):
        notes.append("No interval: too few units, or nothing in the record says how far two rows differ.")
    return notes


def sentence(board: Board) -> str:
    labels = [line.label for line in board.lines]
    parts = [f"{line.label}{f' ({line.side.step})' if labels.count(line.label) > 1 else ''} {ratio_text(line.against_best.value)}"
             for line in board.kokkos_lines() if line.against_best]
    return (f"against the best native code, {written_as(board.best.side)}, {time_text(board.best.seconds)}: "
            + ", ".join(parts))


def steps_sentence(boards: Sequence[Board]) -> str:
    ranges = []
    for label in way_labels(boards):
        ratios = [line.against_best.value for board in boards for line in board.kokkos_lines()
                  if line.label == label and line.against_best]
        ranges.append(f"{label} {range_text(ratios)}")
    return f"against {native_of(boards)} in the same of {len(boards)} steps: " + ", ".join(ranges)


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
    records = [boards.record for boards in all_boards]
    processors = [record.header.processor for record in records]
    # With the record's name where two are of one kind.
    names = [name if processors.count(name) == 1 else f"{name} ({record.name})" for name, record in zip(processors, records)]
    return Table(["algorithm", "step or way", "size and type", *names], rows, texts=3) if rows else None


def shared(cells: Sequence[dict[Key, str]]) -> list[list[str]]:
    keys = dict.fromkeys(key for one in cells for key in one)
    return [[*key, *(one.get(key, "–") for one in cells)] for key in keys if sum(key in one for one in cells) > 1]


def way_cells(boards: Boards) -> dict[Key, str]:
    cells: dict[Key, str] = {}
    for board in (board for board in boards.all() if not board.step):  # Other steps' rows are among the pairs.
        for line in board.kokkos_lines():
            if line.against_best:
                # A way that one variant stands for because it is fastest may be another variant elsewhere.
                way = line.label + (f" ({line.side.step})" if line.label in (USUAL, PEER) else "")
                size = ("small size" if board.small else "main size", board.type, *(["hot"] if board.regime == "hot" else []))
                cells.setdefault((board.algorithm, way, ", ".join(size)),
                                 signed(line.against_best.verdict, ratio_cell(line.against_best)))
    return cells


def pair_cells(record: Record) -> dict[Key, str]:
    """Each pair's ratio; the native side is CUDA on one machine and OpenMP on another."""
    return {(r.algorithm, step_text(r).split(" (")[0], f"{r.problem_text}, {r.type}" + (", hot" if r.regime == "hot" else "")):
            signed(r.verdict, interval_text(r.ratio))
            for r in record.results if r.role == "pair" and r.ratio}


def signed(verdict: str, text: str) -> str:
    return f"{VERDICT_SIGNS.get(verdict, '')} {text}".strip()
