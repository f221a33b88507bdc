"""Reading what the tests' program prints."""

from __future__ import annotations

import re


def failed_test(text: str) -> str:
    """The name of the test in which the first assertion failed: it stands between lines of dashes."""
    before = re.split(r"^\S+:\d+: FAILED", text, maxsplit=1, flags=re.M)[0] if "FAILED" in text else text
    headings = re.findall(r"^-{70,}\n((?:.+\n)+?)-{70,}$", before, flags=re.M)
    return " ".join(headings[-1].split()) if headings else ""
