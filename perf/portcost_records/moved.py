"""Figures for the READMEs of what blocks move: files that `portcost locality NEST --measured FILE --json` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .counter_words import bytes_moved_text
from .records import RecordError
from .words import ratio_text

FIELDS = {"predicted": "predicted", "predicted writes": "predicted_writes", "theorem": "theorem", "order": "order", "l2": "l2",
          "l2 writes": "l2_written", "dram": "dram", "dram writes": "dram_written"}
"""Bytes: {l2}; {l2 over predicted} is a ratio."""
ENDING = ".json"
Row = Mapping[str, Any]


class Moved:
    """The files of a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: dict[str, dict[str, Any]] = {}

    def of(self, name: str) -> dict[str, Any]:
        if name not in self.read:
            path = self.folder / (name + ENDING)
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
                found["points"], found["spearman"]
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise RecordError(f"{path}: is not what portcost locality --measured --json prints "
                                  f"({error.__class__.__name__})") from None
            self.read[name] = found
        return self.read[name]

    def filled(self, asked: str, where: Mapping[str, str]) -> str:
        """One figure: "l2", "l2 over predicted", "spearman predicted against l2"."""
        found = self.of(where["moved"])
        if asked.startswith("spearman "):
            return self.correlation(found, asked.removeprefix("spearman "))
        point = one_point(where["moved"], found["points"], where)
        above, over, below = asked.partition(" over ")
        if unknown := [name for name in ([above, below] if over else [above]) if name not in FIELDS]:
            raise RecordError(f"'{{{asked}}}': '{unknown[0]}' is none of {', '.join(FIELDS)}, nor 'spearman A against B'")
        value = point[FIELDS[above]]
        if not over:
            return "" if value is None else bytes_moved_text(value)
        under = point[FIELDS[below]]
        return ratio_text(value / under) if value is not None and under else ""

    @staticmethod
    def correlation(found: Mapping[str, Any], asked: str) -> str:
        if asked not in found["spearman"]:
            raise RecordError(f"'{{spearman {asked}}}': known are {', '.join(found['spearman'])}")
        value = found["spearman"][asked]
        return "" if value is None else f"{value:.3f}"


def one_point(name: str, points: list[Row], where: Mapping[str, str]) -> Row:
    asked = {key: value for key, value in where.items() if key != "moved"}
    found = [one for one in points if all(is_so(one, key, value) for key, value in asked.items())]
    if len(found) != 1:
        words = " ".join(f"{key}={value}" for key, value in asked.items())
        raise RecordError(f"{len(found)} choices of {name} have {words}, and a figure is of one")
    return found[0]


def is_so(point: Row, key: str, value: str) -> bool:
    """`variant`, as gauss/block_r1/cuda, and block sizes."""
    if key == "variant":
        return bool(point["variant"] == value)
    if key not in point["blocks"]:
        raise RecordError(f"'{key}' is neither variant nor one of {', '.join(point['blocks'])}")
    return str(point["blocks"][key]) == value
