"""Work of several processes: what a record's header and its rows say of each of them."""

from __future__ import annotations

from .lines import Fields
from .records import RankTimes, Record, RecordError, Sample

ROUNDING = 1e-9
"""Relative difference that adding up in another order may make."""


def read_ranks(fields: Fields) -> tuple[int, int, str]:
    """Of a header: how many processes, on how many computers, by which MPI; 0 where a process was by itself."""
    if not fields.has("ranks"):
        return 0, 1, ""
    inner = fields.inner("ranks")
    count, each = inner.integer("count"), inner.objects("each")
    if count < 1 or len(each) != count:
        fields.fail(f"the header tells of {len(each)} processes, and counts {count}")
    return count, len({one.text("computer") for one in each}), inner.text("mpi", "")


def read_rank_times(fields: Fields) -> RankTimes:
    """A row of the kind "ranks"."""
    return RankTimes(fields.integer("result"), fields.integer("process", 0), fields.integer("allocation", 0),
                     fields.integer("block"), fields.integer("side"), fields.positives("device_s"))


def check_ranks(record: Record) -> None:
    """Raises RecordError where the seconds of ranks and of samples contradict each other: a sample has those of its slowest
    rank, or, of a batch of runs, of the slowest rank in each, which may be another in each."""
    samples = {place(sample, sample.side or 0): sample.device_s for sample in record.samples}
    batches = {(result.id, index): side.batch for result in record.results for index, side in enumerate(result.sides)}
    for times in record.rank_times:
        if len(times.device_s) != record.header.ranks:
            fail(record, times.result, f"a sample has the seconds of {len(times.device_s)} processes, and the header counts "
                                       f"{record.header.ranks}")
        slowest, found = max(times.device_s), samples.get(place(times, times.side))
        alone = batches[times.result, times.side] == 1
        if found is None or slowest > found * (1 + ROUNDING) or alone and slowest != found:
            fail(record, times.result, f"the seconds of a sample (block {times.block}) are not those of its slowest process")


def place(row: Sample | RankTimes, side: int) -> tuple[int, ...]:
    return row.result, row.process, row.allocation, row.block, side


def fail(record: Record, result: int, what: str) -> None:
    raise RecordError(f"{record.path}: result {result}: {what}: the record was changed; measure again with perf/run")
