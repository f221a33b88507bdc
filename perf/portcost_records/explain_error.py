"""Why perf/portcost explain gives up."""

from __future__ import annotations


class ExplainError(Exception):
    """One line for the user, and the exit status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
