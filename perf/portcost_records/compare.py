"""The command perf/portcost compare: prints what changed and fails where something became slower."""

import argparse
import statistics
import sys
from collections.abc import Iterable
from textwrap import fill

from .changes import Change, Comparison, Key, Wanted, compare_records, regressions, undecided
from .content import defect_lines
from .derived import part_beside
from .files import checked_output, parser_of
from .reading import read_record
from .records import Record, RecordError
from .tables import finer
from .versions import Version, summary
from .words import count_text, kokkos_text, noise_text, ratio_text, time_text

EPILOG = """\
examples:
  perf/portcost compare before.jsonl after.jsonl
  perf/portcost compare before.jsonl.gz after.jsonl.gz --fail-above 1.02 --type f32
  perf/portcost compare old.jsonl new.jsonl --filter 'heat2d/*/kokkos'

A ratio is new time / old time (below 1 is better). Each time is estimated from its samples as
portcost does; their errors add in squares, and the 95 % interval is Student's t with Welch's
degrees of freedom. faster, slower: the interval lies outside the noise floors of both records and
outside half a percent. equal: it lies within these and within 2 %. not slower, not faster: it
excludes more than 2 % on one side. unclear: it is too wide to say, or others disturbed the machine.

Repeated runs of the same work should differ by less than 1.96 sqrt(s1^2 + s2^2) in 95 of 100 rows
(s: the standard error of a row's log ratio); rows outside, and verdicts that turned from slower to
faster or back, are listed.

exit status: 0 nothing became slower; 1 a variant is slower than --fail-above with its interval
outside the noise, or in the new record an answer differs or a variant failed; 2 bad input; 3 the
output could not be written; 4 nothing is known to be slower, but not all is known: rows of the old
record are missing in the new one, a record lacks its end line, an interval is missing or reaches
beyond --fail-above, or a row was disturbed"""

HEADER_NOTES = (("build", ("compiler", "flags", "cuda_compiler", "cuda_flags", "cuda", "kokkos",
                           "kokkos_origin", "kokkos_kernels", "kokkos_backend", "type")),
                ("machine", ("driver", "host_processor", "cores", "clock_max_mhz")),
                ("settings", ("sync", "seconds", "precision", "min_blocks")))


def fail_limit(text: str) -> float:
    value = float(text)
    if not 1 <= value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not a ratio of 1 or more, such as 1.05")
    return value


@checked_output("perf/portcost compare")
def main(arguments: list[str] | None = None) -> int:
    made = parser_of("compare", "Compares two records result by result and says what became slower.", EPILOG)
    made.add_argument("old", help="the record to compare with")
    made.add_argument("new", help="the record to judge")
    made.add_argument("--fail-above", type=fail_limit, default=1.05, metavar="RATIO",
                      help="fail where new / old is above this, beyond the noise (default 1.05)")
    made.add_argument("--type", action="append", default=[], metavar="TYPE",
                      help="only this type (f32, f64, i32); may be repeated")
    made.add_argument("--filter", default="*", metavar="GLOB",
                      help="only variants whose name matches, such as 'heat2d/*/kokkos'")
    made.add_argument("--across-machines", action="store_true", help="compare even where the processors differ")
    options = made.parse_args(arguments)
    old, new = read_record(options.old), read_record(options.new)
    for beside in filter(None, map(part_beside, (old.path, new.path))):
        print(f"perf/portcost compare: {beside}", file=sys.stderr)
    a, b = old.header.processor, new.header.processor
    if a != b and not options.across_machines:
        raise RecordError(f"{new.path}: measured on {b}, but {old.path} on {a}; compare records of one processor, or give "
                          "--across-machines")
    check_files(old, new)
    comparison = compare_records(old, new, Wanted(options.type, options.filter))
    if not comparison.variants and not comparison.wrong and not comparison.failed:  # A gate that compares nothing must not pass.
        raise RecordError(f"{options.new}: no result in common with {options.old}; measure the same sizes and types, or loosen "
                          "--type and --filter")
    print("\n".join(text_of(old, new, comparison) + repeat_lines(comparison.pairs)))
    unknown = [text for text in (old.missing_end(), new.missing_end()) if text]
    unknown += what_is_unknown(comparison, options.fail_above)
    status = print_outcome(comparison, options.fail_above, unknown)
    before, after = (Version(record.header.build.get("kokkos") or "unknown", record=record) for record in (old, new))
    if before.name != after.name:
        print("\n" + fill(summary(before, after, comparison), 100))
    return status


def what_is_unknown(comparison: Comparison, fail_above: float) -> list[str]:
    lines = [f"{' '.join(key)} is not in the new record" for key in comparison.only_old]
    for change in undecided(comparison, fail_above):
        why = (f"was disturbed: {change.disturbed}" if change.disturbed else
               "has too few units for an interval in one of the records" if change.ratio is None else
               f"is up to {ratio_text(change.ratio.high)} times the old time (allowed {fail_above:g})")
        lines.append(f"{' '.join(change.key)} {why}")
    return lines


def check_files(old: Record, new: Record) -> None:
    before = {one.path: one for one in old.header.files}
    for one in new.header.files:
        then = before.get(one.path, one)
        if then.bytes != one.bytes or (then.sha256 and one.sha256 and then.sha256 != one.sha256):
            raise RecordError(f"{new.path}: measured with another {one.path} ({one.text}) than {old.path} ({then.text}), "
                              f"so that the work is not the same")


def text_of(old: Record, new: Record, comparison: Comparison) -> list[str]:
    lines = [f"{which}: {record.path.name}  {record.header.processor}  {kokkos_text(record.header)}  {record.header.commit}  "
             f"{record.header.date}" for which, record in (("old", old), ("new", new))] + header_notes(old, new)
    for which, result in comparison.wrong:
        lines += ["", f"ANSWERS DIFFER in the {which} record: {' against '.join(side.variant for side in result.sides)}",
                  f"  {result.problem_text} {result.type} {result.regime}: {result.disagreement}"]
    lines += [f"FAILED in the {which} record: {failure.text}" for which, failure in comparison.failed]
    lines += [f"KNOWN DEFECT in the {which} record: {line}" for which, record in
              (("old", old), ("new", new)) for line in defect_lines(record)]
    lines += section("device time of each variant, new / old", comparison.variants, time_text)
    lines += section("cost of portability of each pair, new / old", comparison.pairs, ratio_text)
    lines += only_in("old", comparison.only_old) + only_in("new", comparison.only_new)
    return lines


def header_notes(old: Record, new: Record) -> list[str]:
    pairs = [("processor", old.header.processor, new.header.processor), ("seed", old.header.seed, new.header.seed)]
    for part, names in HEADER_NOTES:
        a, b = getattr(old.header, part), getattr(new.header, part)
        pairs += [(name.replace("_", " "), a.get(name, ""), b.get(name, "")) for name in names]
    return [f"NOTE: the {name} differs: {a or 'none'} -> {b or 'none'}"
            for name, a, b in pairs if a != b] + [
        f"NOTE: whether both measured with the same {one.path} is not known: {one.missing}"
        for one in (*old.header.files, *new.header.files) if one.missing]


def section(title: str, changes: list[Change], value_text) -> list[str]:
    """One table, grouped by algorithm, size, type and regime; at most 100 columns, unless names are long."""
    if not changes:
        return []
    width = max(24, *(len(short_name(change)) + 2 for change in changes))
    lines = ["", title]
    group: tuple[str, ...] = ()
    for change in sorted(changes, key=group_of):
        if group_of(change) != group:
            group = group_of(change)
            lines += ["", f"  {' '.join(group)}",
                      f"    {'':<{width}}{'old':>10}{'new':>10}{'ratio':>8}  {'95 % interval':<16}noise floor"]
        lines.append(line_of(change, value_text, width))
    middle = statistics.median(abs(change.new / change.old - 1) for change in changes)
    return [*lines, "", f"  {count_text(len(changes), 'row')}, which differ by {100 * middle:.1f} % in the median"]


def group_of(change: Change) -> tuple[str, ...]:
    name, size, type_, regime = change.key
    return name.split("/")[0], size, type_, regime


def short_name(change: Change) -> str:
    return change.key[0].split("/", 1)[-1]


def line_of(change: Change, value_text, width: int) -> str:
    ratio, interval = f"{change.new / change.old:.3f}", "too few units"
    if change.ratio:
        ratio = ratio_text(change.ratio.value)
        interval = f"{ratio_text(change.ratio.low)} to {ratio_text(change.ratio.high)}"
    return (f"    {short_name(change):<{width}}{value_text(change.old):>10}{value_text(change.new):>10}{ratio:>8}  "
            f"{interval:<16}{noise_text(change.noise):<16}{change.verdict if change.disturbed else finer(change.verdict, change.ratio)}")


def only_in(which: str, keys: Iterable[Key]) -> list[str]:
    names = ["  " + " ".join(key) for key in keys]
    return ["", f"only in the {which} record", *names] if names else []


def print_outcome(comparison: Comparison, fail_above: float, unknown: list[str]) -> int:
    slower = list(regressions(comparison, fail_above))
    wrong = [result for which, result in comparison.wrong if which == "new"]
    counts = {verdict: sum(c.verdict == verdict for c in comparison.variants)
              for verdict in ("faster", "equal", "slower", "unclear")}
    print(f"\n{count_text(len(comparison.variants), 'variant')}: "
          + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    for change in slower:
        print(f"FAIL: {' '.join(change.key)} is {ratio_text(change.ratio.value)} times the old time (allowed {fail_above:g})")
    for result in wrong:
        print(f"FAIL: the answers of {result.algorithm}/{result.step} differ in the new record")
    failed = [failure for which, failure in comparison.failed if which == "new"]
    for failure in failed:
        print(f"FAIL: in the new record {failure.text}")
    for line in unknown:
        print(f"UNKNOWN: {line}")
    if slower or wrong or failed:
        return 1
    if unknown:
        print(f"undecided: nothing is known to be slower, and {count_text(len(unknown), 'thing')} above "
              f"{'is' if len(unknown) == 1 else 'are'} not known; measure the missing rows, or longer (--seconds)")
        return 4
    print(f"ok: no variant is slower than {fail_above:g} times its old time beyond the noise")
    return 0


ALLOWED = 1.96
"""Standard errors of the difference."""


def repeat_lines(rows: list[Change]) -> list[str]:
    if not rows:
        return []
    judged = [row for row in rows if row.ratio]
    outside = [row for row in judged if row.errors >= ALLOWED]
    lines = ["", "repeated runs: cost of portability of pairs and best against best"]
    if judged:
        within = len(judged) - len(outside)
        lines.append(f"  {within} of {count_text(len(judged), 'row')} ({100 * within / len(judged):.0f} %) differ by less "
                     f"than {ALLOWED:g} sqrt(s1^2 + s2^2)")
        seen = sum(row.quotient.distance <= ALLOWED * row.quotient.seen for row in judged)
        lines.append(f"  {seen} of them if s held only what a run sees in itself")
    if len(judged) < len(rows):
        lines.append(f"  {count_text(len(rows) - len(judged), 'row')} without an interval in one of the records")
    for row in outside:
        a, b = (one.sides for one in (row.before, row.after))
        of = f" (of {' and '.join(a)}, then {' and '.join(b)})" if a != b else ""
        lines.append(f"  OUTSIDE: {' '.join(row.key)}: {ratio_text(row.old)} -> {ratio_text(row.new)}, "
                     f"{row.errors:.1f} standard errors{of}")
    lines += [f"  TURNED: {' '.join(row.key)}: {row.before.verdict} -> {row.after.verdict}" for row in rows if row.turned]
    if not any(row.turned for row in rows):
        lines.append("  no verdict turned from slower to faster or back")
    return lines
