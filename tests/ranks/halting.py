"""What the tests of several processes share: their messages, the line of a test, and halting one process while they work, so that
the others, which wait for it, must say so and end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path


def ours_in(text: str) -> list[str]:
    """The messages of portcost's own; what `hybrid` says of its shares is none."""
    return [line for line in text.splitlines() if line.startswith("portcost: ") and not line.startswith("portcost: hybrid: ")]


def report(what: str, wrong: str) -> bool:
    print(f"{what}: {wrong or 'ok'}", flush=True)
    return bool(wrong)


def descendants(of: int) -> list[int]:
    """The processes that it has started, and theirs."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents[int(stat.parent.name)] = int(words[1])
    found = [of]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def name_of(process: int) -> str:
    try:
        return Path(os.readlink(f"/proc/{process}/exe")).name
    except OSError:
        return ""


def seconds_of(process: int) -> float:
    """What it has computed: user and system time."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def halted(command: list[str], program: str, watchdog_s: float, *, at_line: bool, after_s: float = 2, **how: object) -> tuple[int, str]:
    """Starts `command` and halts one process of `program` after its first line, or when all have computed for `after_s` seconds.

    Returns the status and the error stream.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how) as started:
        begin = time.monotonic()
        while time.monotonic() - begin < watchdog_s and started.poll() is None:
            ranks = [one for one in descendants(started.pid) if name_of(one) == Path(program).name]
            if ranks and at_line:
                started.stdout.readline()
            if ranks and (at_line or min(seconds_of(one) for one in ranks) > after_s):
                os.kill(max(ranks), signal.SIGSTOP)
                break
            time.sleep(0.1)
        try:
            _, err = started.communicate(timeout=watchdog_s)
        except subprocess.TimeoutExpired:
            for one in [*descendants(started.pid), started.pid]:
                os.kill(one, signal.SIGKILL)
            _, err = started.communicate()
            return 124, f"does not end within {watchdog_s} s: {err}"
    return started.returncode, err
