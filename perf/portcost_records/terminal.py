"""The headline as text for a terminal: what each way of writing costs, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Sequence

from .between import Ratio, Timed
from .headline import MARKS, native_of, way_labels
from .ways import BOOK, DIALLED, PEER, TUNED, USUAL, Board, Boards, Line, written_as
from .words import differing, ratio_text, time_text

NAME, STEP, WAY = 22, 26, 12
"""Columns of the way's name, of the step, and of a ratio."""
COLUMNS = {USUAL: "usual", DIALLED: "dials", BOOK: "book", TUNED: "tuned", PEER: "library"}


def terminal_text(all_boards: Sequence[Boards]) -> str:
    lines: list[str] = []
    for boards in all_boards:
        processor = boards.record.header.processor
        for mine in filter(None, boards.by_algorithm.values()):
            if mine[0].step:
                lines += steps_lines(mine, processor)
            else:
                lines += [line for board in mine for line in board_lines(board, processor)]
    if any("†" in line or "‡" in line for line in lines):
        lines += ["", "† ‡ no row measured these two together: see the notes in the report"]
    if any("§" in line for line in lines):
        lines += ["", "§ the times of these lines have another quotient than blocks side by side: see the notes in the report"]
    return "\n".join([*lines, ""]) + "\n" if lines else ""


def board_lines(board: Board, processor: str) -> list[str]:
    size = " (a small size)" if board.small else ""
    heads = (f"{'way of writing':<{NAME}}{'step and dials':<{STEP}}{'time':>9}  {'against best native':<27}against plain")
    return ["", f"{board.algorithm}  {board.title}{size}  {processor}", heads, *(line_text(board, line) for line in board.lines)]


def steps_lines(boards: Sequence[Board], processor: str) -> list[str]:
    """Of steps that are different work a line each, under a heading for each problem: the native time, each way against it."""
    labels = way_labels(boards)
    lines: list[str] = []
    heading = ""
    for board in boards:
        if heading != (heading := board.problem_heading):
            lines += ["", f"{board.algorithm}  {heading}  {processor}",
                      step_line("step", native_of(boards), [COLUMNS[label] for label in labels])]
        found = {line.label: line for line in board.kokkos_lines()}
        lines.append(step_line(board.step, time_text(board.best.seconds),
                               [number(found[label].against_best) if label in found else "–" for label in labels]))
    return lines


def step_line(step: str, time: str, cells: Sequence[str]) -> str:
    return f"{fitted(step, STEP)}{time:>9}  {''.join(f'{cell:<{WAY}}' for cell in cells)}".rstrip()


def line_text(board: Board, line: Line) -> str:
    return (f"{fitted(line.label, NAME)}{fitted(written_as(line.side), STEP)}{time_text(line.timed.seconds):>9}  "
            f"{interval(line.against_best) + apart(line, line.against_best, board.best):<27}"
            f"{number(line.against_plain)}{apart(line, line.against_plain, board.plain)}").rstrip()


def apart(line: Line, ratio: Ratio | None, other: Timed | None) -> str:
    return " §" if ratio and other and differing(ratio.value, ratio.interval, line.timed.seconds, other.seconds) else ""


def fitted(text: str, width: int) -> str:
    return f"{text if len(text) < width else text[:width - 2] + '~':<{width}}"


def interval(ratio: Ratio | None) -> str:
    if ratio is None:
        return "1"
    ends = f" [{ratio_text(ratio.interval.low)}, {ratio_text(ratio.interval.high)}]" if ratio.interval else ""
    return f"{ratio_text(ratio.value)}{ends}{MARKS[ratio.how]}"


def number(ratio: Ratio | None) -> str:
    return "1" if ratio is None else ratio_text(ratio.value) + MARKS[ratio.how]
