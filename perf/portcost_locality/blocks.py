"""What --sizes and --blocks name."""

import itertools
import math
import re

from .affine import LARGEST
from .nest import USAGE, LocalityError, Loop, Nest

MOST_CHOICES = 100_000
Blocks = dict[Loop, int]


def read_sizes(text: str) -> dict[str, int]:
    """"n=4096,steps=8"."""
    found: dict[str, int] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z_]\w*)=(\d{1,20})\s*", part)
        if match is None or not 1 <= int(match[2]) <= LARGEST:
            raise LocalityError(USAGE, f"--sizes: '{part}' is no size: write NAME=N with N from 1 to {LARGEST}, as n=4096")
        if match[1] in found:
            raise LocalityError(USAGE, f"--sizes: {match[1]} stands twice")
        found[match[1]] = int(match[2])
    return found


def read_blocks(text: str, nest: Nest, fixed: Blocks | None = None) -> dict[Loop, list[int]]:
    """"r1=1:64,r2=16,32,64,r3=8:64:8": numbers and ranges FROM:TO:STEP. Loops with a `fixed` size may be left out."""
    found: dict[Loop, list[int]] = {}
    loop: Loop | None = None
    by_block = {one.block: one for one in nest.loops}
    for part in text.split(","):
        name, equals, values = part.strip().rpartition("=")
        if equals:
            if name not in by_block:
                known = ", ".join(f"{one.block} (loop {one.name})" for one in nest.loops)
                raise LocalityError(USAGE, f"--blocks: '{name}' is no block size of {nest.name}: {known}")
            loop = by_block[name]
            if loop in found:
                raise LocalityError(USAGE, f"--blocks: {name} stands twice; write all its values behind one {name}=")
            found[loop] = []
        if loop is None:
            raise LocalityError(USAGE, f"--blocks: '{part}' has no name: write r1={part}")
        found[loop] = list(dict.fromkeys([*found[loop], *values_named(values, loop.block)]))
    for one, size in (fixed or {}).items():
        if found.setdefault(one, [size]) != [size]:
            raise LocalityError(USAGE, f"--blocks: {one.block} is {size} in this variant, and no parameter changes it")
    missing = [f"{one.block} (loop {one.name})" for one in nest.loops if one not in found]
    if missing:
        raise LocalityError(USAGE, f"--blocks: {', '.join(missing)} is missing: each loop needs a block size")
    count = math.prod(map(len, found.values()))
    if count > MOST_CHOICES:
        raise too_many(count)
    return {one: found[one] for one in nest.loops}


def values_named(text: str, name: str) -> list[int]:
    match = re.fullmatch(r"\s*(\d{1,20})(?::(\d{1,20})(?::(\d{1,20}))?)?\s*", text)
    numbers = [int(one) for one in match.groups() if one] if match else []
    if not numbers or min(numbers) < 1 or max(numbers) > LARGEST:
        raise LocalityError(USAGE, f"--blocks: '{text}' of {name} is no block size: write N, FROM:TO or FROM:TO:STEP, from 1 to "
                                   f"{LARGEST}")
    if len(numbers) == 1:
        return numbers
    if numbers[1] < numbers[0]:
        raise LocalityError(USAGE, f"--blocks: the range {text} of {name} ends before it begins")
    found = range(numbers[0], numbers[1] + 1, numbers[2] if len(numbers) == 3 else 1)
    if len(found) > MOST_CHOICES:
        raise too_many(len(found))
    return list(found)


def too_many(count: int) -> LocalityError:
    return LocalityError(USAGE, f"--blocks names {count} choices, and at most {MOST_CHOICES} are compared: take larger steps, as "
                                "r1=8:64:8")


def every_choice(values: dict[Loop, list[int]]) -> list[Blocks]:
    return [dict(zip(values, sizes)) for sizes in itertools.product(*values.values())]
