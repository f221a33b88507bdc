"""Numbers and names as a reader should see them; every output says the same thing the same way."""

import math
from collections.abc import Sequence

from .records import Header, Interval, MachineLimit, Result, Side

MODEL_NAMES = {"kokkos": "Kokkos", "cuda": "CUDA", "openmp": "OpenMP", "library": "library", "reference": "serial reference"}
STOP_NAMES = {"precise": "interval narrow enough", "time": "time cap", "blocks": "block cap", "throttled": "throttled"}
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
RATE_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def model_name(model: str) -> str:
    return MODEL_NAMES.get(model, model)


def kokkos_text(header: Header) -> str:
    """"Kokkos 4.6.1, upstream release": the version, and where it came from if the record says."""
    parts = (header.build.get("kokkos") or "of unknown version", header.build.get("kokkos_origin"))
    return "Kokkos " + ", ".join(filter(None, parts))


def fitted(text: str, width: int) -> str:
    return text if len(text) < width else text[:width - 2] + "~"


def significant(value: float, digits: int = 3) -> str:
    """Three significant digits without an exponent: 0.943, 9.43, 94.3, 943."""
    if value == 0:
        return "0"
    text = f"{value:.{digits - 1}e}"
    decimals = max(0, digits - 1 - int(text.split("e")[1]))
    return f"{float(text):.{decimals}f}"


def time_text(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    for scale, unit in TIME_UNITS:
        if seconds >= 0.9995 * scale:
            return f"{significant(seconds / scale)} {unit}"
    return f"{significant(seconds / 1e-9)} ns"


def rate_text(limit: MachineLimit) -> str:
    """"4238 GB/s", and where it is known the interval: "4238 GB/s (4230 GB/s to 4246 GB/s)"."""
    if limit.interval:
        low, high = (rate_text(MachineLimit(limit.name, end, limit.unit)) for end in limit.interval)
        return f"{rate_text(MachineLimit(limit.name, limit.value, limit.unit))} ({low} to {high})"
    if limit.unit == "s":
        return time_text(limit.value)
    for scale, prefix in RATE_UNITS:
        if limit.value >= scale:
            break
    return f"{significant(limit.value / scale)} {prefix}{limit.unit}"


def bytes_text(count: float) -> str:
    for scale, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= scale:
            return f"{significant(count / scale)} {unit}"
    return f"{count:.0f} bytes"


def ratio_text(value: float) -> str:
    return f"{value:.3f}" if 0.1 <= value < 10 else significant(value, 3 if value < 1 else 4)


def interval_text(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return (f"{ratio_text(interval.value)} ({ratio_text(interval.low)} to {ratio_text(interval.high)})")


NO_INTERVAL = 1.02
"""How far two times may be from a ratio that has no interval."""
THESE_TIMES = (
    "These times: the quotient of the two times that are shown, where it is further from the ratio than the interval is wide "
    "(2 % where there is none). Each time is a median of all samples, and maybe of another row than the ratio. The ratio is a "
    "trimmed mean over pairs of blocks that measured both sides next to each other, and is what counts.")


def differing(value: float, interval: Interval | None, a: float | None, b: float | None) -> str:
    """What a row says where its two times are not its ratio; empty where they are."""
    if not a or not b or ratio_text(a / b) == ratio_text(value):
        return ""
    allowed = interval.high / interval.low if interval else NO_INTERVAL
    return f"; these times: {ratio_text(a / b)}" if abs(math.log(a / b / value)) > math.log(allowed) else ""


def range_text(values: Sequence[float]) -> str:
    """"0.995 to 1.580", or the one value."""
    low, high = ratio_text(min(values)), ratio_text(max(values))
    return low if low == high else f"{low} to {high}"


def noise_text(noise: tuple[float, float] | None) -> str:
    return "–" if noise is None else f"{noise[0]:.3f} to {noise[1]:.3f}"


def percent_text(fraction: float | None) -> str:
    return "–" if fraction is None else f"{100 * fraction:.0f} %"


def fraction_text(side: Side | None) -> str:
    """A fraction of the limit, and where the record has it its interval: "92 % (91 to 93)"."""
    if side is None or side.limit_fraction_interval is None:
        return percent_text(side.limit_fraction if side else None)
    low, high = (f"{100 * end:.0f}" for end in side.limit_fraction_interval)
    text = percent_text(side.limit_fraction)
    return text if low == high else f"{text} ({low} to {high})"


def side_median(side: Side | None, clock: str = "device") -> float | None:
    spread = getattr(side, clock) if side else None
    return spread.median if spread else None


def native_name(results: Sequence[Result]) -> str:
    models = [side.model for result in results for side in result.sides]
    natives = [model for model in models if model in ("cuda", "openmp")]
    return model_name(natives[0]) if natives else "native"


def count_text(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def verdict_sentence(pairs: Sequence[Result], best: Result | None, lead: str = "") -> str:
    """One algorithm and type in one sentence: the ways of writing (else best against best), then the range of the pairs."""
    priced = [pair.ratio.value for pair in pairs if pair.ratio]
    parts = [lead] if lead else []
    if best and best.ratio and not lead:
        kokkos, native = best.sides
        parts.append(f"{best.verdict}: best against best, {model_name(kokkos.model)} ({kokkos.row_name}) takes "
                     f"{interval_text(best.ratio)} times as long as {model_name(native.model)} ({native.row_name})")
    if priced:
        parts.append(f"{count_text(len(priced), 'pair')} from {range_text(priced)}"
                     if len(set(priced)) > 1 else f"1 pair at {ratio_text(priced[0])}")
    failed = sum(bool(result.failed) for result in pairs)
    wrong = sum(not result.agrees for result in pairs) - failed
    if failed:
        parts.append(f"{count_text(failed, 'pair')} NOT priced because a side crashed or hung")
    if wrong:
        parts.append(f"{count_text(wrong, 'pair')} NOT priced because the answers differ")
    return "; ".join(parts) if parts else "no pair was measured"
