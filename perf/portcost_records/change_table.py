"""The table "what to write" of a README: the single changes worth most, of a record, with what the counters of both sides say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from .advice import LEAST_GAIN, Change, changes
from .chosen_rows import Records
from .cited import bounds
from .differences import differences
from .records import Counters, RecordError
from .ways import Board
from .words import ratio_text, time_text

HEADINGS = ["change", "times as fast", "before", "after", "what differs most, by counters"]
KEYS = ("record", "algorithm", "type", "regime", "counters", "most")
NOTHING = f"none: no dial, and no other way of the same step, gains {100 * (LEAST_GAIN - 1):.0f} % or more beyond the noise"
COUNTERS_SHOWN = 2


def change_rows(where: dict[str, str], records: Records) -> list[list[str]]:
    """A row a change. `counters` names another record that has some, `most` how many changes; type and regime are by default those
    of the report."""
    if unknown := [key for key in where if key not in KEYS]:
        raise RecordError(f"'changes' knows {', '.join(KEYS)}, and not {', '.join(unknown)}")
    boards = records.of(where)
    mine = boards.by_algorithm.get(where.get("algorithm", ""), [])
    asked = [board for board in mine if not board.small and all(where.get(key, getattr(board, key)) == getattr(board, key)
                                                                for key in ("type", "regime"))]
    if not asked:
        raise RecordError(f"{where['record']} has no ways of writing of {where}")
    first = list(takewhile(lambda board: (board.type, board.regime) == (asked[0].type, asked[0].regime), asked))
    found = changes(boards, first)[:int(where.get("most", "4"))]
    counters = [*boards.record.counters, *(records.boards(where["counters"]).record.counters if "counters" in where else ())]
    gpu = boards.record.header.is_gpu
    return [row_of(change, counters, first[0], gpu) for change in found] or [[NOTHING, *[""] * (len(HEADINGS) - 1)]]


def row_of(change: Change, counters: Sequence[Counters], board: Board, gpu: bool) -> list[str]:
    sides = [next((one for one in counters if one.is_of(timed.side.variant, timed.result, board.type)), None)
             for timed in (change.before, change.after)]
    said = "not counted" if gpu else "a host has none"
    if sides[0] and sides[1]:
        said = "; ".join(one.text() for one in differences(sides[0].values, sides[1].values)[:COUNTERS_SHOWN]) or "none that matters"
    ratio = change.ratio
    times = (f"{ratio_text(ratio.value)}{bounds(ratio.interval, ratio_text) if ratio.interval else ''}")
    return [marked(change.what), times, *(time_text(one.seconds).replace("µ", "u") for one in (change.before, change.after)), said]


def marked(what: str) -> str:
    """"naive, the usual way: set tile=64x4" with the names of code as such."""
    what = re.sub(r"^(\w+)", r"`\1`", what)
    return re.sub(r"set (\S+)$", r"set `\1`", what)
