"""What --measure wrote, beside what is predicted: the rank correlation, and where the model breaks."""

import json
import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from portcost_records.counters import bytes_moved_text
from portcost_records.words import significant

from .affine import LARGEST, value_of
from .nest import TYPE_BYTES, USAGE, LocalityError, Nest
from .text import sentence, table

FORMAT = 2
WANTED = 0.9


@dataclass(frozen=True)
class Point:
    """One choice of block sizes of a variant. All volumes in bytes; None where a counter was not measured."""

    variant: str
    blocks: dict[str, int]
    predicted: float
    predicted_writes: float
    theorem: float
    order: float | None
    """By the formula of the variant's own order, where the nest has one."""
    l2: float | None
    l2_written: float | None
    dram: float | None
    dram_written: float | None
    deep: bool
    """More values of a sequential loop a block than of each parallel loop."""

    @property
    def extended(self) -> float:
        return self.predicted if self.order is None else self.order

    @property
    def name(self) -> str:
        return ",".join(f"{name}={size}" for name, size in self.blocks.items())


@dataclass(frozen=True)
class Points:
    nest: str
    title: str
    sizes: dict[str, int]
    type: str
    processor: str
    points: tuple[Point, ...]
    because: tuple[str, ...]
    stopped: bool = False

    def correlation(self, first: str, second: str, deep: bool | None = None) -> float | None:
        """Of Spearman, between two fields; None where one is missing or the same everywhere. `deep`: of such choices alone."""
        pairs = [pair for one in self.points if deep in (None, one.deep)
                 and None not in (pair := (getattr(one, first), getattr(one, second)))]
        return spearman([a for a, _ in pairs], [b for _, b in pairs])

    def content(self) -> dict[str, Any]:
        names = ("predicted", "theorem", "order", "extended")
        return {"nest": self.nest, "sizes": self.sizes, "type": self.type, "processor": self.processor,
                "points": [asdict(one) for one in self.points],
                "spearman": {f"{a} against {b}": self.correlation(a, b) for a in names for b in ("l2", "dram")} |
                            {f"predicted against {b} of {words} blocks": self.correlation("predicted", b, deep)
                             for b in ("l2", "dram") for deep, words in ((False, "other"), (True, "deep"))},
                "statements": [line.strip() for line in statements_of(self)]}


def ranks(values: Sequence[float]) -> list[float]:
    """From 1; equal values share the mean of their places."""
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value) + 1) / 2 for value in values]


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation of the ranks; None of fewer than three pairs, or where one side is the same everywhere."""
    if len(first) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return statistics.correlation(ranks(first), ranks(second))


def are_whole(value: object) -> bool:
    return isinstance(value, dict) and len(value) > 0 and all(
        isinstance(one, int) and not isinstance(one, bool) and 0 < one <= LARGEST for one in value.values())


def is_count(value: object) -> bool:
    """Of bytes; None where the chip lacks the counter."""
    return value is None or isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def has_processor(value: object) -> bool:
    about = value.get("machine") if isinstance(value, dict) else None
    return isinstance(about, dict) and isinstance(about.get("processor"), str)


MISSING_KEY = object()
KEYS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "header": {"nest": lambda value: isinstance(value, str), "sizes": are_whole, "type": lambda value: value in [*TYPE_BYTES],
               "machine": has_processor},
    "choice": {"variant": lambda value: isinstance(value, str) and value.count("/") == 2, "blocks": are_whole,
               **dict.fromkeys(("read_bytes", "written_bytes", "l2_read_bytes", "l2_written_bytes"), is_count)},
    "end": {"choices": lambda value: isinstance(value, int)}}


def read_measured(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and choices of a file that --measure wrote. Only a .part, whose choices are whole, may lack the end line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LocalityError(USAGE, f"{path}: cannot be read ({error})") from None
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or row.get("kind") not in KEYS:
            raise LocalityError(USAGE, f"{path}:{number}: is no row that --measure writes")
        if row["kind"] != "header" or row.get("format") == FORMAT:
            for key, right in KEYS[row["kind"]].items():
                if not right(row.get(key, MISSING_KEY)):
                    raise LocalityError(USAGE, f"{path}:{number}: is no row that --measure writes: its {key} is "
                                               f"{'missing' if key not in row else 'wrong'}")
        rows.append(row)
    if not rows or rows[0]["kind"] != "header" or rows[0].get("format") != FORMAT:
        raise LocalityError(USAGE, f"{path}: does not begin with a header of format {FORMAT}: measure again")
    choices = [row for row in rows if row["kind"] == "choice"]
    stopped = rows[-1]["kind"] != "end"
    if stopped and path.suffix != ".part" or not stopped and rows[-1]["choices"] != len(choices):
        raise LocalityError(USAGE, f"{path}: its end is missing, the measuring was stopped: measure again")
    if not choices:
        raise LocalityError(USAGE, f"{path}: holds no choice")
    return {**rows[0], "stopped": stopped}, choices


def join(nest: Nest, measured: tuple[dict[str, Any], list[dict[str, Any]]], line_bytes: int) -> Points:
    from .analysis import analyse

    header, rows = measured
    if header["nest"] != nest.name:
        raise LocalityError(USAGE, f"the file is of the nest '{header['nest']}', and {nest.path} is '{nest.name}'")
    nest = replace(nest, type=header["type"])
    sizes, size = nest.sizes(header["sizes"]), TYPE_BYTES[nest.type]
    found = analyse(nest, max(1, line_bytes // size), sizes)
    shape = found.shape(sizes)
    by_block = {loop.block: loop for loop in nest.loops}
    points, because = [], []
    for row in rows:
        if set(row["blocks"]) != set(by_block):
            raise LocalityError(USAGE, f"a row has the block sizes {', '.join(row['blocks'])}, and {nest.path} has "
                                       f"{', '.join(by_block)}")
        choice = found.choice(shape, {by_block[name]: value for name, value in row["blocks"].items()})
        wide, deep = (max((row["blocks"][loop.block] for loop in nest.loops if loop.parallel == parallel), default=0)
                      for parallel in (True, False))
        order, reason = order_of(nest, row, sizes)
        because += [reason] if reason and reason not in because else []
        points.append(Point(row["variant"], row["blocks"], choice.predicted.total * size, choice.predicted.writes * size,
                            choice.theorem.total * size, None if order is None else order * size,
                            added(row, "l2_read_bytes", "l2_written_bytes"), row["l2_written_bytes"],
                            added(row, "read_bytes", "written_bytes"), row["written_bytes"],
                            0 < wide < deep))
    processor = header["machine"]["machine"]["processor"]
    return Points(nest.name, nest.title, sizes, nest.type, processor, tuple(points), tuple(because), header["stopped"])


def order_of(nest: Nest, row: dict[str, Any], sizes: dict[str, int]) -> tuple[float | None, str]:
    """Elements by the formula of the variant's own order, and why it moves them."""
    step = row["variant"].split("/")[1]
    about = ((nest.measure or {}).get("variants", {}).get(step) or {}).get("order")
    if about is None:
        return None, ""
    try:
        return sum(value_of(about[side], {**sizes, **row["blocks"]}) for side in ("reads", "writes")), about["because"]
    except ValueError as error:
        raise nest.error(f"/measure/variants/{step}/order", str(error)) from None


def added(row: dict[str, Any], first: str, second: str) -> float | None:
    return None if row[first] is None or row[second] is None else row[first] + row[second]


# ---- in words ----------------------------------------------------------------------------------------------------------------

PLACES = (("l2", "between multiprocessors and the last cache"), ("dram", "of device memory"))


def statements_of(points: Points) -> list[str]:
    sizes = ", ".join(f"{name} = {value}" for name, value in points.sizes.items())
    rows = [(one.variant, one.name, *map(amount, (one.predicted, one.order, one.l2, one.dram))) for one in
            sorted(points.points, key=lambda one: one.predicted)]
    lines = [f"{points.nest}: predicted and measured volume, {sizes}, {points.type}, {points.processor}",
             *table(("variant", "blocks", "predicted", "own order", "last cache", "device memory"), rows, 4), ""]
    if points.stopped:
        lines += sentence(f"The measuring was stopped: of the choices {len(points.points)} were measured.")
    for field, words in PLACES:
        lines += sentence(correlation_text(points, field, words))
    for text in breaks(points):
        lines += sentence(text)
    return lines


def amount(value: float | None) -> str:
    return "-" if value is None else bytes_moved_text(value)


def correlation_text(points: Points, field: str, words: str) -> str:
    found, theorem, order = (points.correlation(name, field) for name in ("predicted", "theorem", "order"))
    if found is None:
        return f"Bytes {words}: no rank correlation, for want of three choices with different values."
    agrees = "the ranking agrees" if found >= WANTED else f"the ranking does not agree (less than {WANTED})"
    more = f"; of the sum of theorem 1's terms {theorem:.3f}" if theorem is not None else ""
    if order is not None:
        more += f"; of the variants' own orders {order:.3f}, and {points.correlation('extended', field):.3f} with the prediction "
        more += "where no own order is known"
    # Within the choices that the paper's theorems are of, and within the others.
    parts = []
    for deep, kind in ((False, "that are not"), (True, "that are")):
        within = points.correlation("predicted", field, deep)
        if within is not None:
            parts.append(f"of the {sum(one.deep == deep for one in points.points)} {kind} it is {within:.3f}")
    more += f". Blocks deeper than wide are the paper's open case: {', '.join(parts)}" if len(parts) == 2 else ""
    return f"Bytes {words}: Spearman's rank correlation with the prediction {found:.3f}: {agrees}{more}."


def breaks(points: Points) -> list[str]:
    """Where the model and the counters part, each with its numbers."""
    found = []
    ratios = [one.l2 / one.predicted for one in points.points if one.l2 and one.predicted]
    if ratios:
        writes = [one.l2_written / one.predicted_writes for one in points.points if one.l2_written and one.predicted_writes]
        found.append(f"Multiprocessors move {span(ratios)} times the predicted volume"
                     + (f", and write {span(writes)} times the predicted writes." if writes else "."))
    held = [100 * (1 - (one.dram - one.dram_written) / (one.l2 - one.l2_written)) for one in points.points
            if None not in (one.dram, one.dram_written, one.l2, one.l2_written) and one.l2 > one.l2_written]
    if held:
        served = span([max(0.0, value) for value in held])
        found.append(f"Caches hold more than scratch: the last cache serves {served} % of what blocks read, and the "
                     "model has no cache.")
    back = [one.dram_written / one.l2_written for one in points.points if one.l2_written and one.dram_written is not None]
    if back:
        found.append(f"Write-back: device memory is written {span(back)} times what blocks write. Less than 1: lines that "
                     "several blocks change are written back once, or are still in the cache at the end. More: a line is written "
                     "back for a part of it.")
    # Of the choices that are predicted in one order and measured in the other, those that are furthest apart in both.
    known = [one for one in points.points if one.l2]
    pairs = [(a, b) for a in known for b in known if a.predicted < b.predicted and a.l2 > b.l2]
    if pairs:
        better, other = max(pairs, key=lambda pair: (pair[1].predicted / pair[0].predicted - 1) * (pair[0].l2 / pair[1].l2 - 1))
        found.append(f"Most out of order: {better.name} of {better.variant} is predicted to move {amount(better.predicted)} and "
                     f"{other.name} of {other.variant} {amount(other.predicted)}, but they moved {amount(better.l2)} and "
                     f"{amount(other.l2)}.")
    found += [f"What a variant's own order adds: {reason}." for reason in points.because]
    return found


def span(values: Sequence[float]) -> str:
    low, high = significant(min(values)), significant(max(values))
    return low if low == high else f"{low} to {high}"
