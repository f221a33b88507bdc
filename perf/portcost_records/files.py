"""Writing files completely or not at all, output that may stop being read or be full, and which Python runs the scripts."""

import argparse
import errno
import functools
import importlib.util
import io
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .records import OutputError, RecordError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def write_all(contents: dict[Path, str | bytes]) -> None:
    """Writes every file under a temporary name, then renames them all: no half-written report."""
    waiting: list[tuple[str, Path]] = []
    path = Path()
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            waiting.append((name, path))
            with open(handle, "wb") as file:
                file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)  # mkstemp's 0600 would hide a report from its readers
        for temporary, path in waiting:
            os.replace(temporary, path)
    except OSError as error:
        for temporary, _ in waiting:
            Path(temporary).unlink(missing_ok=True)
        kind = OutputError if error.errno in FULL else RecordError
        raise kind(f"{path}: cannot be written ({error.strerror}); name another folder with --out") from None


def write_pictures(pictures: dict[Path, str | bytes]) -> None:
    write_all(pictures)
    for path in pictures:
        print(f"picture: {path}")


def parser_of(command: str, description: str | None, epilog: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"perf/portcost {command}", description=description, epilog=epilog,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1")
    return int(text)


def words_given(options: argparse.Namespace, *names: str) -> list[str]:
    """The words that hand these options on to portcost, where they are given; and all --parameter."""
    words = [word for name in names if (value := getattr(options, name)) is not None for word in (f"--{name}", value)]
    return words + [word for one in options.parameter for word in ("--parameter", one)]


Main = Callable[..., int]


def checked_output(tool: str) -> Callable[[Main], Main]:
    """For a tool's main: a RecordError is one line and its exit status, a closed pipe (`| head`) ends in silence, and output that
    nobody can take (a full disk) is one line and exit status 3."""
    def wrap(main: Main) -> Main:
        @functools.wraps(main)
        def checked(arguments: list[str] | None = None) -> int:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            try:
                try:
                    status = main(arguments)
                except RecordError as error:
                    print(f"{tool}: {error}", file=sys.stderr)
                    status = error.status
                sys.stdout.flush()
                return status
            except OSError as error:
                # Python would try once more at its end, and fail with a traceback.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                print(f"{tool}: the output could not be written ({error.strerror})", file=sys.stderr)
                return OutputError.status
        return checked
    return wrap


ROOT = Path(__file__).resolve().parents[2]


def use_project_environment(*needed: str) -> None:
    """Goes on in the project's own environment, .venv, where this Python lacks one of these modules (default: matplotlib)."""
    # Neither the terminal's encoding nor a user's drawing settings stop a script after the measuring.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    os.environ.pop("MPLBACKEND", None)  # A backend that matplotlib does not know would end its import.
    os.environ["MATPLOTLIBRC"] = str(Path(__file__).with_name("matplotlibrc"))  # A file that is not UTF-8 would, too.
    python = ROOT / ".venv/bin/python3"
    inside = Path(sys.prefix).resolve() == python.parent.parent.resolve()
    lacking = [name for name in needed or ("matplotlib",) if importlib.util.find_spec(name) is None]
    if lacking and not inside and os.access(python, os.X_OK):
        os.execv(python, [str(python), *sys.argv])
