"""Variants that crashed or hung while they were measured: what a record says of them, and where that must fit."""

from __future__ import annotations

from typing import NoReturn

from .lines import SIZE, VARIANT, Fields
from .records import Failure, Record, RecordError, Result


def read_failure(fields: Fields) -> Failure:
    """A row of the kind "failure"."""
    return Failure(fields.name("variant", VARIANT), fields.name("size_text", SIZE), fields.text("parameters_text", ""),
                   fields.name("type"), fields.name("regime"), fields.text("what"), fields.text("when"),
                   fields.integer("process") if fields.has("process") else None)


def read_failed(fields: Fields, agrees: bool) -> tuple[str, ...]:
    """The sides of a result that failed."""
    failed = fields.names("failed", VARIANT)
    if failed and agrees:
        fields.fail("a side has failed, and yet its answers agree")
    return failed


def check_failures(record: Record) -> None:
    """Raises RecordError where a result has failed and nothing says why."""
    known = {key_of(failure) for failure in record.failures}
    for result in record.results:
        names = [side.variant for side in result.sides]
        for variant in result.failed:
            if variant not in names:
                refuse(record, result, f"{variant} is said to have failed, and is none of its sides")
            if (variant, result.problem_text, result.type, result.regime) not in known:
                refuse(record, result, f"{variant} is said to have failed, and no row says how")


def key_of(failure: Failure) -> tuple[str, str, str, str]:
    return failure.variant, failure.problem_text, failure.type, failure.regime


def refuse(record: Record, result: Result, what: str) -> NoReturn:
    raise RecordError(f"{record.path}: result {result.id}: {what}: the record was changed; measure again with perf/run")


def failure_lines(record: Record) -> list[str]:
    """Each failure as one line."""
    return [failure_line(failure) for failure in record.failures]


def failure_line(failure: Failure) -> str:
    process = "" if failure.process is None else f"process {failure.process + 1}: "
    return (f"{process}{failure.variant}, {failure.problem_text}, {failure.type}, {failure.regime}: {failure.what}, "
            f"{failure.when}")
