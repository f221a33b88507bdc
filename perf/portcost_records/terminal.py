"""The headline as text for a terminal: what each way of writing costs, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Sequence

from .between import Ratio
from .headline import MARKS
from .ways import Board, Boards, Line, written_as
from .words import ratio_text, time_text

NAME, STEP = 22, 26


def terminal_text(all_boards: Sequence[Boards]) -> str:
    lines: list[str] = []
    for boards in all_boards:
        for board in boards.all():
            if not board.step:
                lines += board_lines(board, boards.record.header.processor)
    if any("†" in line or "‡" in line for line in lines):
        lines += ["", "† ‡ no row measured these two together: see the notes in the report"]
    return "\n".join([*lines, ""]) + "\n" if lines else ""


def board_lines(board: Board, processor: str) -> list[str]:
    size = " (a small size)" if board.small else ""
    heads = (f"{'way of writing':<{NAME}}{'step and dials':<{STEP}}{'time':>9}  {'against best native':<27}against plain")
    return ["", f"{board.algorithm}  {board.title}{size}  {processor}", heads, *map(line_text, board.lines)]


def line_text(line: Line) -> str:
    return (f"{fitted(line.label, NAME)}{fitted(written_as(line.side), STEP)}{time_text(line.timed.seconds):>9}  "
            f"{interval(line.against_best):<27}{number(line.against_plain)}").rstrip()


def fitted(text: str, width: int) -> str:
    return f"{text if len(text) < width else text[:width - 2] + '~':<{width}}"


def interval(ratio: Ratio | None) -> str:
    if ratio is None:
        return "1"
    ends = f" [{ratio_text(ratio.interval.low)}, {ratio_text(ratio.interval.high)}]" if ratio.interval else ""
    return f"{ratio_text(ratio.value)}{ends}{MARKS[ratio.how]}"


def number(ratio: Ratio | None) -> str:
    return "1" if ratio is None else ratio_text(ratio.value) + MARKS[ratio.how]
