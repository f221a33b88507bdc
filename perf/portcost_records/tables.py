"""The tables of a report, made once as text and written as HTML or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .choose import Group
from .records import Record, Result, Side
from .words import (STOP_NAMES, bytes_text, interval_text, model_name, native_name, noise_text,
                    rate_text, fraction_text, side_median, time_text)

VERDICT_SIGNS = {"faster": "◂", "equal": "●", "slower": "▸", "unclear": "□"}


@dataclass(frozen=True)
class Table:
    """Rows of text under headings; the first `texts` columns are words, the rest numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1

    def html(self) -> str:
        head = "".join(f'<th scope="col"{self._class(i)}>{escape(text)}</th>'
                       for i, text in enumerate(self.headings))
        body = "".join(f"<tr{row_class(row)}>" + "".join(
            f"<td{self._class(i)}>{escape(cell)}</td>" for i, cell in enumerate(row)) + "</tr>\n"
            for row in self.rows)
        return (f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead>\n'
                f"<tbody>\n{body}</tbody></table></div>\n")

    def markdown(self) -> str:
        rule = ["---" if i < self.texts else "---:" for i in range(len(self.headings))]
        lines = [self.headings, rule, *self.rows]
        return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n"
                       for line in lines)

    def _class(self, column: int) -> str:
        return "" if column < self.texts else ' class="number"'


def row_class(row: Sequence[str]) -> str:
    return ' class="wrong"' if any(cell.startswith("ANSWERS DIFFER") for cell in row) else ""


def verdict_text(verdict: str) -> str:
    return f"{VERDICT_SIGNS.get(verdict, '')} {verdict}".strip() or "–"


def verdict_words(result: Result) -> str:
    """The verdict, and what keeps the row from a better one."""
    if result.defect and result.defect.seen:
        return "known defect: no time"
    why = result.undecided or (f"disturbed: {result.disturbed}" if result.disturbed else "")
    if result.excludes_one:
        why = "; ".join(filter(None, ("excludes 1: A against A differs by more than chance", why)))
    if result.defect:
        why = "; ".join(filter(None, (result.defect.text, why)))
    return f"{verdict_text(result.verdict)} ({why})" if why else verdict_text(result.verdict)


def best_table(groups: Sequence[Group]) -> Table | None:
    """Best against best, a row an algorithm, type and regime."""
    rows = []
    for group in groups:
        if group.best and group.best.agrees:
            kokkos, native = group.best.sides
            rows.append([
                f"{group.algorithm} {group.type}, {group.regime}",
                verdict_words(group.best), f"{kokkos.written}",
                f"{native.written} ({model_name(native.model)})", interval_text(group.best.ratio),
                time_text(side_median(kokkos)), time_text(side_median(native)),
                interval_text(group.best.wall_ratio), noise_text(group.best.noise),
                group.problem_text])
    headings = ["algorithm", "verdict", "best Kokkos", "best native", "ratio, device (95 %)",
                "Kokkos time", "native time", "ratio, wall (95 %)", "noise floor", "size"]
    return Table(headings, rows, texts=4) if rows else None


def results_table(results: Sequence[Result]) -> Table:
    """Every result of one algorithm."""
    native = native_name(results)
    headings = ["step", "size", "type", "regime", "verdict", "ratio, device (95 %)",
                "Kokkos device", f"{native} device", "of limit, Kokkos", f"of limit, {native}",
                "ratio, wall (95 %)", "Kokkos wall", f"{native} wall", "noise floor", "blocks (dropped)",
                "stopped by", "agreement"]
    return Table(headings, [results_row(result) for result in results], texts=5)


def results_row(result: Result) -> list[str]:
    kokkos, native = columns_of(result)
    verdict = "FAILED" if result.failed else "ANSWERS DIFFER" if result.fails else verdict_words(result)
    return [step_text(result), result.problem_text, result.type, result.regime, verdict,
            interval_text(result.ratio),
            time_text(side_median(kokkos)), time_text(side_median(native)),
            fraction_text(kokkos), fraction_text(native),
            interval_text(result.wall_ratio),
            time_text(side_median(kokkos, "wall")), time_text(side_median(native, "wall")),
            noise_text(result.noise), blocks_text(result),
            STOP_NAMES.get(result.stop, result.stop) or "–",
            agreement_words(result)]


def agreement_words(result: Result) -> str:
    """The rule that the answers keep, or what is wrong with them."""
    if result.agrees:
        return result.agreement
    wrong = result.disagreement or "answers differ"
    return f"{wrong} ({result.defect.text})" if result.defect else wrong


def blocks_text(result: Result) -> str:
    """"16 (0)", of a combined record "48 (0), 3 processes"."""
    blocks = f"{result.blocks} ({result.dropped})"
    return blocks if result.processes < 2 else f"{blocks}, {result.processes} processes"


def columns_of(result: Result) -> tuple[Side | None, Side | None]:
    """Which side stands in the Kokkos columns and which in the native ones."""
    if result.role == "solo":
        side = result.sides[0]
        return (side, None) if side.model == "kokkos" else (None, side)
    return result.sides[0], result.sides[1]


def step_text(result: Result) -> str:
    """The step, with what is special about the row."""
    first = result.sides[0]
    if result.role == "best":
        steps = dict.fromkeys(side.written for side in result.sides)
        return f"best against best ({' / '.join(steps)})"
    if result.role == "null":
        return f"{result.step} ({model_name(first.model)} against itself)"
    if result.role == "solo":
        return f"{result.step} ({model_name(first.model)} only)"
    batch = max(side.batch for side in result.sides)
    return f"{result.step} (batches of {batch})" if batch > 1 else result.step


def limits_table(record: Record) -> Table | None:
    rows = [[limit.name, rate_text(limit)] for limit in record.limits]
    return Table(["measured limit", "value"], rows) if rows else None


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
