"""The command perf/portcost versions: a page of several versions of Kokkos, with a line for each way of writing over the versions."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .blocks import Block, heading, markdown_of, notes, table_block
from .changes import Wanted, compare_records
from .counters import value_text
from .figures import figure_html, html_page, picture
from .files import checked_output, parser_of, write_all
from .forest import place_legend
from .headline import ratio_cell
from .look import Picture, colour, png_bytes, set_ratio_axis, stacked
from .records import grouped
from .tables import Table, verdict_text
from .versions import LESS, MORE, WHY, Move, Panel, Version, kernels_changed, moves, panels, read_versions, summary
from .ways import Line, price, written_as
from .ways_plot import MARKS, handle, limits_of
from .words import count_text, interval_text, kokkos_text, ratio_text, time_text

EPILOG = """\
examples:
  perf/portcost versions perf/results/local/20260102-030405/record.jsonl      what perf/run --kokkos A --kokkos B measured
  perf/portcost versions with_4.6.jsonl with_5.0.jsonl --out pages             records of one version each, of one machine

Writes versions.html, versions.md and versions.png. Of records that were measured one after the other, a change may be the
machine's: the native control shows it.

exit status: 0; 2 bad input (nothing is written); 3 the output could not be written"""
LEGEND = (f"Times over the time of the best native code with the same version. {MORE} more and {LESS} less than with the version before, "
          "beyond the noise; † ‡: no row measured the two together. The control is the best native code's time over its time with the "
          "first version: it has no Kokkos in it, so that it changes by the machine and the compilation alone.")
HEADINGS = ("row", "size", "type", "regime", "verdict", "cost", "new / old (95 %)", "Kokkos's time, new / old", "native's", *WHY.values())
KERNELS = ("kernel", "kernels", "registers", "spills")
RINGS = {MORE: "slower", LESS: "faster", "": "muted"}


def ring(change: str) -> dict[str, object]:
    return {"marker": "o", "linestyle": "none", "markersize": 16, "markerfacecolor": "none", "color": colour(RINGS[change]),
            "markeredgewidth": 2}


def draw(found: Sequence[Panel], names: Sequence[str], title: str, subtitle: str, width: int) -> Figure:
    """A panel a problem: versions from left to right, the cost upwards, a line a way, the control dashed."""
    narrow = width < 600
    height, left, right = (210, 52, 14) if narrow else (260, 72, 40)
    figure, axes = stacked([height] * len(found), title, "" if narrow else subtitle, width, left=left, right=right, top=50,
                           bottom=84 if narrow else 40, above=44, below=44)
    for ax, panel in zip(axes, found):
        set_ratio_axis(ax.yaxis, ax.set_ylim, limits_of(line for course in panel.courses for line in course.lines if line), height)
        ax.set_xlim(-0.3, len(names) - 0.7)
        ax.set_xticks(range(len(names)), labels=names)
        ax.set_title(f"{panel.first.algorithm}: {panel.title}", loc="left", fontsize=11.5 if narrow else 13)
        ax.set_ylabel("÷ best native" if narrow else "time ÷ best native code")
        ax.grid(axis="y", linewidth=1)
        native = [(place, value) for place, value in enumerate(panel.native()) if value]
        ax.plot(*zip(*native), **MARKS["native"].style(7) | {"linestyle": "--", "linewidth": 1.4})
        for course in panel.courses:
            mark = MARKS[course.way]
            there = [(place, line, course.marks[place]) for place, line in enumerate(course.lines) if line]
            ax.plot([place for place, _, _ in there], [price(line) for _, line, _ in there],
                    **mark.style(8) | {"linestyle": "-", "linewidth": 1.4})
            for place, line, change in there:
                if line.against_best and (interval := line.against_best.interval):
                    ax.plot([place, place], [interval.low, interval.high], color=colour(mark.colour), linewidth=3)
                if change:
                    ax.plot([place], [price(line)], clip_on=False, **ring(change))
    ways = dict.fromkeys(course.way for panel in found for course in panel.courses)
    place_legend(figure, [*map(handle, ways), handle("native"), Line2D([], [], label="changed beyond the noise", **ring(""))], narrow, left)
    return figure


def drawn(found: Sequence[Panel], versions: Sequence[Version], title: str, subtitle: str) -> Picture:
    alt = "What each way of writing costs over versions of Kokkos. " + " ".join(
        f"{panel.first.algorithm}, {panel.title}: " + "; ".join(
            f"{course.way} " + ", ".join(ratio_text(price(line)) if line else "none" for line in course.lines)
            for course in panel.courses) + "." for panel in found)
    names = [version.name + ("" if version.record else "\nnot measured") for version in versions]
    return picture("versions", alt, lambda width: draw(found, names, title, subtitle, width))


def by_outcome(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Of pairs of an outcome and a variant: a text for each outcome, with the number of rows and the variants."""
    return [f"{outcome} in {count_text(len(found), 'row')}: {', '.join(dict.fromkeys(name for _, name in found))}"
            for outcome, found in grouped(rows, lambda row: row[0]).items()]


def versions_table(versions: Sequence[Version]) -> Table:
    rows = []
    for version in versions:
        outcome, header = [f"{'NOT COMPLETE' if version.record else 'LEFT OUT'}: it {version.left_out}"] if version.left_out else [], None
        if record := version.record:
            header = record.header
            outcome += by_outcome(("ANSWERS DIFFER", f"{r.algorithm}/{r.step}") for r in record.results if r.fails and not r.failed)
            outcome += by_outcome((f"FAILED ({failure.what})", failure.variant) for failure in record.failures)
        build = header.build if header else {}
        rows.append([version.name, kokkos_text(header) if header else "–", version.where or "–",
                     str(build.get("cuda_compiler") or build.get("compiler") or "–"), header.commit if header else "–",
                     "; ".join(outcome) or "all answers agree"])
    return Table(("version", "Kokkos", "where", "compiler", "commit", "outcome"), rows, 6)


def courses_table(found: Sequence[Panel], versions: Sequence[Version]) -> Table:
    rows: list[list[str]] = []
    for panel in found:
        rows.append([panel.title])
        rows += [[f"{course.way}, {course.step}" if course.step else course.way, *map(cell, course.lines, course.marks)]
                 for course in panel.courses]
        rows.append(["native, the control", *(f"{time_text(board.best.seconds)}, {ratio_text(ratio)} times the first" if board and ratio
                                              else "–" for board, ratio in zip(panel.boards, panel.native()))])
    return Table(("way", *(version.name for version in versions)), rows)


def cell(line: Line | None, change: str) -> str:
    return f"{change} {ratio_cell(line.against_best)}, {time_text(line.timed.seconds)}, {written_as(line.side)}".strip() if line else "–"


def moves_table(found: Sequence[Move]) -> Table:
    return Table(HEADINGS, [[
        *move.change.key, verdict_text(move.change.verdict),
        f"{ratio_text(move.change.old)} -> {ratio_text(move.change.new)}" if move.is_cost else "no native side",
        interval_text(move.change.ratio), *(ratio_text(one.new / one.old) if one else "–" for one in (move.own, move.native)),
        *(" -> ".join(value_text(key, value) for value in move.why[key]) if key in move.why else "–" for key in WHY)]
        for move in found], 5)


def section(title: str, table: Table | None, note: str = "", picture: Picture | None = None) -> list[Block]:
    figure = [Block(figure_html(picture, 1), f"![{picture.name}]({picture.name}.png)\n")] if picture else []
    return [heading(title), *figure, *notes(note), *([table_block(table)] if table else [])]


@checked_output("perf/portcost versions")
def main(arguments: list[str] | None = None) -> int:
    made = parser_of("versions", "Shows what each version of Kokkos changed.", EPILOG)
    made.add_argument("records", nargs="+", metavar="RECORD", help="a record of all versions, or records of one each, oldest first")
    made.add_argument("--out", type=Path, metavar="DIR", help="where to write (default: beside the first record)")
    options = made.parse_args(arguments)
    versions = read_versions(options.records)
    processor = next(version.record.header.processor for version in versions if version.record)
    title, found = f"Versions of Kokkos on {processor}", panels(versions)
    shown = drawn(found, versions, "Versions of Kokkos", processor)
    parts = section("Versions", versions_table(versions), LEGEND, shown)
    for algorithm in dict.fromkeys(panel.first.algorithm for panel in found):
        mine = [panel for panel in found if panel.first.algorithm == algorithm]
        parts += section(algorithm, courses_table(mine, versions))
    measured = [version for version in versions if version.record]
    for old, new in zip(measured, measured[1:]):
        comparison = compare_records(old.record, new.record, Wanted())
        changed = [move for move in moves(old, new, comparison) if move.change.verdict in ("faster", "slower")]
        said = summary(old, new, comparison)
        print(f"{said}\n")
        parts += section(f"From {old.name} to {new.name}", moves_table(changed) if changed else None, said)
        if kernels := kernels_changed(old.kernels, new.kernels):
            parts += section(f"Kernels compiled otherwise from {old.name} to {new.name}", Table(KERNELS, kernels),
                             "Kernels that share their names are one row: the most registers of one, the bytes of spills of all.")
    out = options.out or Path(options.records[0]).parent
    contents: dict[Path, str | bytes] = {
        out / "versions.html": html_page(title, parts),
        out / "versions.md": markdown_of([heading(title, 1), *parts]),
        out / "versions.png": png_bytes(shown.wide)}
    write_all(contents)
    print("".join(f"wrote {path}\n" for path in contents), end="")
    return 0
