"""The launches in a report of Nsight Compute, read by NVIDIA's module ncu_report."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .counters import BY_OPCODE, METRICS, OPCODES, Metric
from .explain_error import ExplainError
from .ncu_install import first_line
from .records import Kernel

NANOSECOND = 1e-9


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel as Nsight Compute saw it."""

    kernel: str
    values: dict[str, float]


def read_launches(reader: ModuleType, report: Path, asked: Mapping[str, Metric]) -> list[Launch]:
    """The launches in the order in which they ran; none of a report that holds nothing."""
    try:
        return [Launch(short_name(action.name(reader.IAction.NameBase_DEMANGLED) or "range"),
                       values_of(action, asked))
                for action in actions(reader.load_report(str(report)))]
    except (AttributeError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise ExplainError(3, f"{reader.__file__} cannot read what ncu wrote ({first_line(error)}): "
                              "both must be of one installation of Nsight Compute, whose ncu is on "
                              "PATH") from None


def actions(report: Any) -> Iterator[Any]:
    for i in range(report.num_ranges()):
        found = report.range_by_idx(i)
        yield from (found.action_by_idx(j) for j in range(found.num_actions()))


def values_of(action: Any, asked: Mapping[str, Metric]) -> dict[str, float]:
    values = {}
    for name, metric in asked.items():
        counter = action.metric_by_name(name)
        if name == OPCODES:
            values |= by_opcode(counter)
        elif counter is not None and (value := number(counter)) is not None:
            # A report holds base units, and its base unit of time is the nanosecond (the unit that
            # the reader then names may be "second").
            values[metric.key] = value * NANOSECOND if metric.unit == "s" else value
    return values


def number(counter: Any) -> float | None:
    """None where the counter was not measured: the reader then gives 0."""
    value = counter.as_double() if counter.has_value() else math.nan
    return value if math.isfinite(value) else None


def by_opcode(counter: Any) -> dict[str, float]:
    """The sums of BY_OPCODE; none of a metric without counts by opcode."""
    if counter is None or not counter.num_instances() or not counter.has_correlation_ids():
        return {}
    names = counter.correlation_ids()
    counts = [(names.as_string(i).split(".")[0], counter.as_double(i)) for i in range(counter.num_instances())]
    return {key: sum(count for name, count in counts if name in opcodes) for key, opcodes in BY_OPCODE.items()}


def short_name(name: str, most: int = 90) -> str:
    """A demangled name without "void", namespaces, parameters and casts of template arguments."""
    name = name.replace("(anonymous namespace)::", "")
    name = re.sub(r"(^|::|[\s,(<])<unnamed>::", r"\1", name)
    # ncu takes namespaces off itself, and half an unnamed one with them: "Outer<unnamed>::Inner>".
    name = name.replace("unnamed>::", "")
    name = re.sub(r"\b\w+::", "", name.removeprefix("void "))
    name = re.sub(r"\([a-z ]+\)(?=-?\d)", "", name)
    depth, end = 0, len(name)
    for place, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth <= 0:
            end = place
            break
    name = name[:end]
    return name if len(name) <= most else name[:most - 1] + "…"


def combined(launches: list[Launch]) -> dict[str, float]:
    """Sums over the launches where a metric adds up, the longest launch's figure elsewhere."""
    longest = max(launches, key=lambda launch: launch.values.get("seconds", 0.0)).values
    values: dict[str, float] = {}
    for metric in METRICS:
        if metric.additive:
            found = [launch.values[metric.key] for launch in launches if metric.key in launch.values]
            if found:
                values[metric.key] = sum(found)
        elif metric.key in longest:
            values[metric.key] = longest[metric.key]
    return values


def kernels_of(launches: list[Launch]) -> tuple[Kernel, ...]:
    """Each kernel by name, the longest first: launches, and time together."""
    times: dict[str, list[float]] = {}
    for launch in launches:
        times.setdefault(launch.kernel, []).append(launch.values.get("seconds", 0.0))
    kernels = [Kernel(name, len(seconds), sum(seconds)) for name, seconds in times.items()]
    return tuple(sorted(kernels, key=lambda kernel: -kernel.seconds))
