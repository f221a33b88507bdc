"""The tables of a report, made once as text and written as HTML or Markdown."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from .choose import Group
from .records import Interval, Record, Result, Side, grouped
from .words import (STOP_NAMES, THESE_TIMES, bytes_text, differing, fraction_text, interval_text, model_name, native_name,
                    noise_text, side_median, time_text)

LEADING = re.compile(r"\b(time|device|wall|ratio)\b|\(95 %\)")
SHORT, MOST_UNBROKEN = 26, 5
"""Letters of a ratio with its interval, and how many columns of numbers have room for theirs in one line."""
WRONG = ' class="wrong"'
CLEAR = 0.02  # an unclear row that excludes more than this on one side says so
VERDICT_SIGNS = {"faster": "◂", "equal": "●", "slower": "▸", "unclear": "□"}


@dataclass(frozen=True)
class Table:
    """Rows of text under headings; the first `texts` columns are words. A row of one cell is the heading of those below it."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1

    def html(self) -> str:
        head = "".join(f'<th scope="col"{self._class(i)}>{escape(text)}</th>' for i, text in enumerate(self.headings))
        body = "".join(self._html_row(row) for row in self.rows)
        cards = ' class="cards"' if len(self.headings) > 2 else ""
        return (f'<div class="scroll" tabindex="0"><table{cards}><thead><tr>{head}</tr></thead>\n'
                f"<tbody>\n{body}</tbody></table></div>\n")

    def _html_row(self, row: Sequence[str]) -> str:
        if self._is_heading(row):
            return f'<tr class="group"><th scope="rowgroup" colspan="{len(self.headings)}">{escape(row[0])}</th></tr>\n'
        cells = "".join(f'<td data-label="{escape(self.headings[i])}"{self._class(i, cell)}>{escape(cell)}</td>'
                        for i, cell in enumerate(row))
        wrong = any(cell.startswith("ANSWERS DIFFER") for cell in row)
        return f"<tr{WRONG if wrong else ''}>{cells}</tr>\n"

    def markdown(self) -> str:
        rule = ["---" if i < self.texts else "---:" for i in range(len(self.headings))]
        rows = [[f"**{escaped(row[0])}**", *[""] * (len(self.headings) - 1)] if self._is_heading(row) else map(escaped, row)
                for row in self.rows]
        return "".join("| " + " | ".join(line) + " |\n" for line in [map(escaped, self.headings), rule, *rows])

    def _is_heading(self, row: Sequence[str]) -> bool:
        return len(row) == 1 < len(self.headings)

    def _class(self, column: int, cell: str = "") -> str:
        """A number is aligned as one, and unbroken where there is room. Where a row is a card, times and ratios lead."""
        number = column >= self.texts and len(cell) <= SHORT
        found = {"number": number, "keep": number and cell and len(self.headings) - self.texts <= MOST_UNBROKEN,
                 "lead": column and LEADING.search(self.headings[column])}
        words = " ".join(word for word, so in found.items() if so)
        return f' class="{words}"' if words else ""


def finer(verdict: str, interval: Interval | None) -> str:
    """The interval of an unclear verdict may still exclude one side."""
    if verdict != "unclear" or not interval:
        return verdict
    return "not slower" if interval.high <= 1 + CLEAR else "not faster" if interval.low >= 1 - CLEAR else verdict


def verdict_text(verdict: str, interval: Interval | None = None) -> str:
    return f"{VERDICT_SIGNS.get(verdict, '')} {finer(verdict, interval)}".strip() or "–"


def verdict_words(result: Result) -> str:
    """The verdict, and in a word what keeps the row from a better one; remarks() says it in full."""
    if result.defect and result.defect.seen:
        return "known defect: no time"
    words = [verdict_text(result.verdict, None if result.disturbed else result.ratio)]
    if result.excludes_one:
        words.append("excludes 1")
    if result.defect:
        words.append("defect not seen")
    if result.disturbed:
        words.append("disturbed")
    elif result.undecided:
        words.append("undecided")
    return ", ".join(words)


def remarks(result: Result) -> str:
    if result.defect and result.defect.seen:
        return "–"  # among the agreements
    why = [result.undecided or (f"disturbed: {result.disturbed}" if result.disturbed else ""), result.launch_gaps]
    if result.excludes_one:
        why.insert(0, "excludes 1: A against A differs by more than chance")
    if result.defect:
        why.insert(0, result.defect.text)
    return "; ".join(filter(None, why)) or "–"


def price_text(result: Result, clock: str = "device") -> str:
    """The ratio with its interval, and where its two times say another, that."""
    ratio = result.ratio if clock == "device" else result.wall_ratio
    if ratio is None:
        return interval_text(ratio)
    return interval_text(ratio) + differing(ratio.value, ratio, *(side_median(side, clock) for side in columns_of(result)))


def times_note(table: Table) -> str:
    """What is said below a table with rows whose times are not their ratio; empty below others."""
    return THESE_TIMES if any("; these times: " in cell for row in table.rows for cell in row) else ""


def forms_note(results: Sequence[Result]) -> str:
    """Where best against best of these rows, all of one algorithm, is of other forms at one size than at another: of which."""
    forms: dict[tuple[str, str], dict[str, tuple[set[str], set[str]]]] = {}
    for result in results:
        sides = [side for side in result.sides if result.role in ("pair", "solo") and side.device and not result.own_answer]
        found = forms.setdefault((result.type, result.regime), {}).setdefault(result.problem_text, (set(), set()))
        for side in (side for side in sides if not side.is_peer):
            found[not side.portable].add(side.variant)
    priced = {(r.type, r.regime, r.problem_text) for r in results if r.role == "best" and r.ratio}
    notes = []
    for (type_, regime), at in forms.items():
        counts = {size: found for size, found in at.items() if (type_, regime, size) in priced}
        if any(found != next(iter(counts.values())) for found in counts.values()):
            notes.append(f"{type_}, {regime}: " + "; ".join(f"{size} {len(kokkos)} and {len(native)}"
                                                            for size, (kokkos, native) in counts.items()))
    return f"{OTHER_FORMS} {'. '.join(notes)}." if notes else ""


OTHER_FORMS = ("Best against best is of the forms that were measured at its size. These are not the same at each size here, so "
               "that one size is not to be held against another. Kokkos's and native forms at each:")


def best_table(groups: Sequence[Group], one_clock: bool) -> Table | None:
    rows = []
    for group in groups:
        if group.best and group.best.agrees:
            kokkos, native = group.best.sides
            rows.append([f"{group.algorithm} {group.type}, {group.regime}", verdict_words(group.best), kokkos.row_name, native.row_name,
                         time_text(side_median(kokkos)), time_text(side_median(native)), price_text(group.best),
                         *([] if one_clock else [price_text(group.best, "wall")]), group.problem_text])
    native_word = native_name([group.best for group in groups if group.best])
    headings = ["algorithm", "verdict", "best Kokkos", f"best {native_word}", "Kokkos time", f"{native_word} time",
                *(["ratio (95 %)"] if one_clock else ["ratio, device (95 %)", "ratio, wall (95 %)"]), "size"]
    return Table(headings, rows, texts=4) if rows else None


def results_table(results: Sequence[Result], one_clock: bool) -> Table:
    native = native_name(results)
    clock, ratio = ("time", "ratio (95 %)") if one_clock else ("device", "ratio, device (95 %)")
    headings = ["step", "verdict", f"Kokkos {clock}", f"{native} {clock}", ratio, "of limit, Kokkos", f"of limit, {native}"]
    return Table(headings, under_problems(results, results_row), texts=2)


OVER_THE_LIMIT = (
    "More than 100 % of a limit has one of three causes. The limit is a measured rate, and may have been measured while others "
    "loaded the machine, or over fewer bytes than a row moves. The last cache may still hold, when the work ends, a part of what "
    "it wrote. Or the limit is a scale and no bound; the algorithm's README then says so.")
SURELY_OVER = 1.005


def limit_note(results: Sequence[Result]) -> str:
    """What is said below a table that shows more than 100 % of a limit; empty below others."""
    over = any((side.limit_fraction or 0.0) >= SURELY_OVER for result in results for side in result.sides)
    return OVER_THE_LIMIT if over else ""


def under_problems(results: Sequence[Result], row_of: Callable[[Result], list[str]]) -> list[list[str]]:
    return [row for heading, group in grouped(results, problem_heading).items() for row in ([heading], *map(row_of, group))]


def problem_heading(result: Result) -> str:
    return f"{result.problem_text}, {result.type}, {result.regime}"


def results_row(result: Result) -> list[str]:
    kokkos, native = columns_of(result)
    verdict = "FAILED" if result.failed else "ANSWERS DIFFER" if result.fails else verdict_words(result)
    return [step_text(result), verdict, time_text(side_median(kokkos)), time_text(side_median(native)), price_text(result),
            fraction_text(kokkos), fraction_text(native)]


def details_table(results: Sequence[Result], one_clock: bool) -> Table:
    """The same results: the other clock, and how each was measured."""
    native = native_name(results)
    walls = [] if one_clock else ["Kokkos wall", f"{native} wall", "ratio, wall (95 %)"]
    headings = ["step", "agreement", *walls, "noise floor", "blocks (dropped)", "stopped by", "remarks"]
    return Table(headings, under_problems(results, lambda result: details_row(result, one_clock)), texts=2)


def details_row(result: Result, one_clock: bool) -> list[str]:
    kokkos, native = columns_of(result)
    walls = [time_text(side_median(kokkos, "wall")), time_text(side_median(native, "wall")), price_text(result, "wall")]
    # The rule that the answers keep, or what is wrong with them.
    wrong = (result.disagreement or "answers differ") + (f" ({result.defect.text})" if result.defect else "")
    return [step_text(result), result.agreement if result.agrees else wrong,
            *([] if one_clock else walls), noise_text(result.noise),
            f"{result.blocks} ({result.dropped})" + (f", {result.processes} processes" if result.processes > 1 else ""),
            STOP_NAMES.get(result.stop, result.stop) or "–", remarks(result)]


def columns_of(result: Result) -> tuple[Side | None, Side | None]:
    if result.role == "solo":
        side = result.sides[0]
        return (side, None) if side.portable else (None, side)
    return result.sides[0], result.sides[1]


def step_text(result: Result) -> str:
    first = result.sides[0]
    if result.role == "best":
        steps = dict.fromkeys(side.row_name for side in result.sides)
        return f"best against best ({' / '.join(steps)})"
    if result.role == "null":
        return f"{result.step} ({model_name(first.model)} against itself)"
    if result.role == "solo":
        return f"{result.step} ({model_name(first.model)} only)"
    batch = max(side.batch for side in result.sides)
    return f"{result.step} (batches of {batch})" if batch > 1 else result.step


def machine_table(record: Record) -> Table:
    """The header's fields in words; unknown ones are shown as they are."""
    header, rows = record.header, []
    rows += [["portcost", header.version], ["commit", header.commit], ["date", header.date],
             ["command", header.command], ["seed", str(header.seed)],
             ["processes", ", ".join(f"seed {one.seed} at {one.date}" for one in header.processes)]]
    rows += [[f"file {one.path}", one.text] for one in header.files]
    for part in (header.machine, header.build, header.settings):
        for name, value in part.items():
            if value not in ("", None):
                text = bytes_text(value) if name.endswith("_bytes") else str(value)
                rows.append([name.removesuffix("_bytes").replace("_", " "), text])
    return Table(["field", "value"], [row for row in rows if row[1]], texts=2)


SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown takes as more than text within a line. An underscore within a word is none."""


def escaped(text: str) -> str:
    """One line of text. "<", ">" and "&" are escaped as in HTML, which Markdown lets through."""
    line = " ".join(text.split())
    line = SPECIAL.sub(lambda match: "\\" + match.group(), line)
    line = re.sub(r"&(?=#?\w+;)", "&amp;", line).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"^(\d+)(?=[.)]\s)", r"\1\\", re.sub(r"^([#+=-])(?=\s|\1|$)", r"\\\1", line))


def code(command: str) -> str:
    if not command:
        return ""
    fence = "`" * (max(map(len, re.findall("`+", command)), default=0) + 1)
    space = " " if len(fence) > 1 else ""
    return f" {fence}{space}{' '.join(command.split())}{space}{fence}"
