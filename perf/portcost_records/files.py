"""Writing files whole or not at all, and output that may stop being read."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

from .records import RecordError


def write_all(contents: dict[Path, str | bytes]) -> None:
    """Writes every file under a temporary name, then renames them all: no half-written report."""
    waiting: list[tuple[str, Path]] = []
    try:
        for path, content in contents.items():
            waiting.append((write_temporary(path, content), path))
        for temporary, path in waiting:
            os.replace(temporary, path)
    except OSError as error:
        for temporary, _ in waiting:
            Path(temporary).unlink(missing_ok=True)
        raise RecordError(f"{error.filename}: cannot be written ({error.strerror}); "
                          f"name another folder with --out") from None


def write_temporary(path: Path, content: str | bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(name, 0o666 & ~umask)  # mkstemp's 0600 would hide a report from its readers
    return name


def allow_closed_output() -> None:
    """Lets `perf/compare ... | head` end in silence, as other tools do."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
