"""Why portcost locality gives up."""

from __future__ import annotations

USAGE, MISSING, STOPPED = 2, 3, 130


class LocalityError(Exception):
    """One line for the user, and the exit status: 2 for a mistake in the input or the command, 3 for what is missing."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
