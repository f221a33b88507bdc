"""Where Nsight Compute is installed: the program ncu, and NVIDIA's Python module ncu_report, which
reads the reports that it writes."""

from __future__ import annotations

import glob
import importlib
import importlib.util
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

from .explain_error import ExplainError

PLACES = "/usr/local/cuda/bin:/opt/nvidia/nsight-compute/*"
READER = "ncu_report"
READER_FOLDER = "extras/python"
REMEDY = ("install the whole package nsight-compute of NVIDIA's CUDA repository, or name its folder "
          f"{READER_FOLDER} in PYTHONPATH")


def find_ncu() -> str:
    """On PATH, else in one of the usual places, the newest version first."""
    if program := shutil.which("ncu"):
        return program
    for folder in usual_places():
        if program := shutil.which("ncu", path=folder):
            return program
    raise ExplainError(3, "Nsight Compute (ncu) is not installed: install the package "
                          "nsight-compute of NVIDIA's CUDA repository "
                          "(https://developer.nvidia.com/nsight-compute) or put ncu on PATH")


def usual_places() -> list[str]:
    places = os.environ.get("PORTCOST_NCU_PLACES", PLACES).split(":")
    return [folder for place in places if place for folder in newest_first(place)]


def newest_first(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern), key=version_of, reverse=True)


def version_of(folder: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", folder)]


def load_reader(program: str) -> ModuleType:
    """The module ncu_report of this ncu, or of the newest version that is there: it reads the
    reports of older ones, too."""
    places = reader_places(program)
    folder = next((place for place in places if (place / f"{READER}.py").is_file()), None)
    if folder:
        sys.path.insert(0, str(folder))
    elif importlib.util.find_spec(READER) is None:
        raise ExplainError(3, f"NVIDIA's Python module {READER} is in none of "
                              f"{', '.join(map(str, places))}: {REMEDY}")
    try:
        return importlib.import_module(READER)
    except (ImportError, OSError, RuntimeError, SyntaxError) as error:  # it is a compiled module
        where = folder or "PYTHONPATH"
        raise ExplainError(3, f"{READER} in {where} does not load in Python "
                              f"{platform.python_version()} ({first_line(error)}): run perf/portcost explain "
                              "with the system's Python, or install a newer Nsight Compute") from None


def reader_places(program: str) -> list[Path]:
    """Beside the program; where the program is the toolkit's script that calls the real one, in the
    toolkit's folder; and in the usual places."""
    home = Path(program).resolve().parent
    folders = [str(home), *newest_first(f"{glob.escape(str(home.parent))}/nsight-compute-*"),
               *usual_places()]
    return [Path(folder) / READER_FOLDER for folder in dict.fromkeys(folders)]


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
