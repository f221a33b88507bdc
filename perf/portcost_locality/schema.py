"""Reading a nest file: JSON first, then its schema; errors name the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .errors import MISSING, USAGE, LocalityError

SCHEMA = Path(__file__).with_name("nest.schema.json")
LONGEST = 60
"""Letters of a wrong value that are quoted."""


def missing_module(name: str) -> LocalityError:
    """And what brings it."""
    return LocalityError(MISSING, f"the Python module {name} is missing: perf/prepare --locality brings it, from PyPI")


def read_json(path: Path) -> Any:
    """What the file holds; a LocalityError names line and column, or the key that stands twice."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=lambda pairs: unique(path, pairs))
    except OSError as error:
        raise LocalityError(USAGE, f"{path}: cannot be read ({error.strerror}); perf/nests holds some nests") from None
    except UnicodeDecodeError:
        raise LocalityError(USAGE, f"{path}: is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise LocalityError(USAGE, f"{path}:{error.lineno}:{error.colno}: this is no JSON: {error.msg}") from None


def unique(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise LocalityError(USAGE, f"{path}: the key \"{twice}\" stands twice in one object: remove one of them")
    return dict(pairs)


def check_schema(path: Path, data: Any, needed: bool) -> None:
    """Raises for the first place that does not fit. Without jsonschema nothing is checked where it is not `needed`."""
    try:
        import jsonschema
    except ImportError:
        if needed:
            raise missing_module("jsonschema") from None
        return
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    error = jsonschema.exceptions.best_match(validator.iter_errors(data))
    if error is not None:
        raise LocalityError(USAGE, f"{path}: {pointer(error.absolute_path)}: {said(error)} (see "
                                   "perf/portcost_locality/nest.schema.json)")


def pointer(parts: Any) -> str:
    """A JSON pointer (RFC 6901): "/body/0/from"; "/" is the whole file."""
    return "/" + "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def said(error: Any) -> str:
    """jsonschema's message, with a long value cut."""
    value = repr(error.instance)
    text = error.message.replace(value, value[:LONGEST] + "...") if len(value) > LONGEST else error.message
    if error.validator == "additionalProperties":
        text += f"; allowed are {', '.join(sorted(error.schema.get('properties', {})))}"
    return text
