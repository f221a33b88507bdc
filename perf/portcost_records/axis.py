"""Axes of ratios: logarithmic, with as many round ticks as there is room for, 1 among them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, LogFormatterSciNotation, NullLocator

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100)
DECADES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SUPERSCRIPTS = str.maketrans("0123456789-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
LEAST_PIXELS = 37
"""Between two ticks side by side, for their numbers; one above the other need less."""
LEAST_PIXELS_ABOVE = 24
WIDE_RANGE = 8
"""Beyond this range evenly spaced ticks would crowd at its upper end."""


def spaced_ticks(low: float, high: float, pixels: float, least: float = LEAST_PIXELS) -> list[float]:
    """Round ratios, 1 always among them, none closer to another than `least` pixels."""
    least_gap = math.log(high / low) * least / max(pixels, 3 * least)
    if high / low <= WIDE_RANGE:
        for step in STEPS:
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first > 400:
                continue
            ticks = [round(number * step, 10) for number in range(first, last + 1)]
            if 1.0 in ticks and all(math.log(b / a) >= least_gap for a, b in zip(ticks, ticks[1:])):
                return ticks
    chosen = [1.0]
    for tick in sorted(DECADES, key=lambda tick: abs(math.log(tick))):
        if low <= tick <= high and all(abs(math.log(tick / c)) >= least_gap for c in chosen):
            chosen.append(tick)
    return sorted(chosen)


def set_ratio_axis(axis: Axis, set_limits: Callable[[float, float], object], limits: tuple[float, float],
                   pixels: float) -> None:
    flat = axis.axis_name == "x"
    (axis.axes.set_xscale if flat else axis.axes.set_yscale)("log")
    set_limits(*limits)
    ticks = spaced_ticks(*limits, pixels, LEAST_PIXELS if flat else LEAST_PIXELS_ABOVE)
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in ticks]))
    axis.set_minor_locator(NullLocator())


class PlainPowers(LogFormatterSciNotation):
    """The labels of a logarithmic axis, "2¹⁰", as plain text: our pictures read none as TeX."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        words = super().__call__(x, pos).replace("$", "").replace(r"\times", "×").replace(" ", "")
        words = re.sub(r"\\mathdefault\{(.*)\}", r"\1", words)
        return re.sub(r"\^\{(.*?)\}", lambda power: power[1].translate(SUPERSCRIPTS), words)


def set_powers(axis: Axis, base: int = 10) -> None:
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log", base=base)
    axis.set_major_formatter(PlainPowers(base))
    axis.set_minor_formatter(PlainPowers(base))
