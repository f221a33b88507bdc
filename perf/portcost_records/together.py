"""perf/portcost explain --together: the counters of many variants of one launch a run, in one process."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path

from .counters import with_derived
from .explain_error import ExplainError
from .ncu import Ncu
from .records import Counters
from .theory import joined, runs_of
from .wanted import Wanted, run_command


def collect_together(portcost: Path, ncu: Ncu, wanted: list[Wanted], elements: Callable[[str], float],
                     options: argparse.Namespace) -> list[Counters]:
    """One row a variant, of one algorithm. Throws ExplainError where a variant has not one launch a run: which launches are
    whose would then be a guess."""
    names = {one.name.split("/")[0] for one in wanted}
    if len(names) > 1:
        raise ExplainError(2, f"--together takes variants of one algorithm: these are of {', '.join(sorted(names))}")
    ncu = dataclasses.replace(ncu, most_kernels=10**9)
    launches, printed = ncu.profile(run_command(portcost, wanted, options, [options.size] if options.size else []))
    rows = joined(runs_of(printed, wanted), launches, "leave --together away")
    return [dataclasses.replace(row, values=with_derived(row.values, 1, options.elements or elements(row.size_text)))
            for row in rows]
