"""Made-up records for the tests of what reads records; those of several ways of writing are for the headline of the report.

Every number here is invented and the platform says so; none was measured on any machine.
"""

import json
import random
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from portcost_records.derived import portcost

COPY_RATE = 2.0e12
LAUNCH_S = 5e-6
Json = dict[str, Any]
# step: (native's fraction of the limit, made-up cost of portability)
HEAT_STEPS = {"naive": (0.50, 0.985), "sliding_strip": (0.66, 1.07)}
SUM_STEPS = {"atomic": (0.05, 1.003), "tree": (0.55, 1.46), "shuffle": (0.9, 1.04)}


FACTS = ("kind", "algorithm", "size", "size_text", "parameters", "parameters_text", "type", "regime", "limit", "agreement", "stop",
         "allocations", "load", "processes", "ranks")
"""Of a row what its noise floor shares."""


class Writer:
    """Builds the facts of a record; what follows from them `portcost derive` says, where a line does not say another thing."""

    def __init__(self, seed: int = 1, samples: int = 16, native: str = "cuda", processor: str = "Made-up GPU",
                 slow: dict[str, float] | None = None, nulls: bool = True) -> None:
        self.nulls = nulls
        self.random, self.samples, self.native, self.processor = (random.Random(seed), samples, native, processor)
        self.slow = slow or {}
        self.lines: list[Json] = [self.header(seed)]
        self.limit("device copy", COPY_RATE, "B/s")

    def header(self, seed: int) -> Json:
        gpu = self.native == "cuda"
        machine: Json = {"processor": self.processor, "kind": "gpu" if gpu else "cpu",
                         "host_processor": "Made-up CPU", "cores": 16,
                         "memory_bytes": 80 * 2**30, "last_cache_bytes": 50 * 2**20}
        if gpu:
            machine |= {"driver": "1.2.3", "multiprocessors": 100, "clock_max_mhz": 1500}
        return {"kind": "header", "format": 3, "tool": "portcost", "version": "0.1.0",
                "commit": "0123456789ab", "date": "2026-01-02T03:04:05Z",
                "command": "portcost bench (made-up numbers, never measured)", "seed": seed, "run_to_run": 0.0015,
                "machine": machine,
                "build": {"compiler": "GNU 12.2.0", "flags": "-O3 -march=native",
                          "cuda_compiler": "NVIDIA 13.0.88" if gpu else "", "cuda_flags": "-O3",
                          "cuda": "13.0" if gpu else "", "kokkos": "4.7.1", "kokkos_origin": "upstream release",
                          "kokkos_kernels": "", "kokkos_backend": "Cuda" if gpu else "OpenMP",
                          "type": "Release"},
                "settings": {"seconds": 2.0, "precision": 0.005, "min_blocks": 16, "sync": "end"}}

    def limit(self, name: str, value: float, unit: str) -> None:
        self.lines.append({"kind": "limit", "name": name, "value": value, "unit": unit})

    def result(self, role: str, step: str, size: Json, type_: str, regime: str,
               variants: dict[str, float], floor_s: float) -> Json:
        """Adds one result with its samples; `variants` gives each side's device seconds."""
        algorithm = next(iter(variants)).split("/")[0]
        result: Json = {
            "kind": "result", "id": sum(line["kind"] == "result" for line in self.lines),
            "role": role, "algorithm": algorithm, "step": step, "size": size,
            "size_text": ",".join(f"{key}={value}" for key, value in size.items()),
            "type": type_, "regime": regime,
            "sides": [{"variant": variant, "model": re.split("[.:]", variant.split("/")[2])[0],
                       "step": variant.split("/")[1], "first_run_s": seconds + 0.01, "batch": 1}
                      for variant, seconds in variants.items()],
            "limit": {"amounts": [{"limit": "device copy", "amount": floor_s * COPY_RATE}]},
            "agreement": "exact", "agrees": True, "stop": "precise", "allocations": 1,
            "load": {"wall_s": 1.0, "timed_s": 1.0, "switches": 0, "steal_s": 0.0, "others_s": 0.0}}
        self.lines.append(result)
        self.add_samples(result, variants)
        return result

    def one_clock(self) -> None:
        """Makes device and wall time one, as on a host."""
        for line in self.lines:
            if line["kind"] == "sample":
                line["wall_s"] = line["device_s"]

    def add_samples(self, result: Json, variants: dict[str, float]) -> None:
        for block in range(self.samples):
            for position, (variant, seconds) in enumerate(variants.items()):
                seconds *= self.slow.get(variant, 1.0) * self.random.uniform(0.997, 1.003)
                self.lines.append({
                    "kind": "sample", "problem": f"{result['algorithm']}/{result['step']}",
                    "platform": self.processor, "application": variant.split("/")[2],
                    "fom": seconds, "result": result["id"], "variant": variant,
                    "size": result["size_text"], "type": result["type"],
                    "regime": result["regime"], "block": block, "position": position,
                    "device_s": seconds, "wall_s": seconds + 2 * LAUNCH_S, "clock_mhz": 1500,
                    "batch": 1, "kept": True, "side": position, "process": 0, "allocation": 0, "switches": 0})

    def ladder(self, algorithm: str, steps: dict[str, tuple[float, float]], size: Json,
               type_: str, regime: str, bytes_moved: float) -> None:
        """All pairs of one size, and the best against the best."""
        floor_s = bytes_moved / COPY_RATE
        times: dict[str, dict[str, float]] = {"kokkos": {}, self.native: {}}
        for step, (fraction, cost) in steps.items():
            native_s = floor_s / fraction + LAUNCH_S
            kokkos_s = floor_s / fraction * cost + 1.4 * LAUNCH_S
            sides = {f"{algorithm}/{step}/kokkos": kokkos_s, f"{algorithm}/{step}/{self.native}": native_s}
            self.result("pair", step, size, type_, regime, sides, floor_s)
            for variant, seconds in sides.items():
                times[variant.split("/")[2]][variant] = seconds
        best = dict(min(side.items(), key=lambda item: item[1]) for side in times.values())
        self.result("best", "best", size, type_, regime, best, floor_s)

    def write(self, path: Path) -> Path:
        path.write_text(self.text(), encoding="utf-8")
        return path

    def text(self, ended: bool = True) -> str:
        """With all that follows. Each result says how many samples follow it; answers that differ have none."""
        lines = self.lines_with_nulls() if self.nulls else list(self.lines)
        wrong = {line["id"] for line in lines if line.get("agrees") is False}
        lines = [line for line in lines if line["kind"] != "sample" or line["result"] not in wrong]
        results = {line["id"]: line for line in lines if line["kind"] == "result"}
        for result in results.values():
            result["samples"] = sum(line["kind"] == "sample" and line["result"] == result["id"] for line in lines)
        for row in concluded(lines):
            said = results.get(row["id"], {})
            sides = [made | side for made, side in zip(row["sides"], said.get("sides", []))]
            limit = row.get("limit", {}) | said.get("limit", {})
            results[row["id"]] = row | said | {"sides": sides, **({"limit": limit} if limit else {})}
        lines = [results[line["id"]] if line["kind"] == "result" else line for line in lines]
        if ended:
            lines.append({"kind": "end", "results": len(results)})
        return "".join(json.dumps(line) + "\n" for line in lines)

    def lines_with_nulls(self) -> list[Json]:
        """Behind the header and the limits each problem has its noise floor: a native variant against itself."""
        made: dict[tuple[str, ...], list[Json]] = {}
        draw = random.Random(7)
        for line in [line for line in self.lines if line["kind"] == "result" and len(line["sides"]) == 2]:
            key = tuple(str(line.get(name, "")) for name in ("algorithm", "size_text", "parameters_text", "type", "regime"))
            own = [one for one in self.lines if one["kind"] == "sample" and one["result"] == line["id"] and one["side"] == 1]
            if line["role"] == "null" or key not in made and not own:
                made[key] = []
            if key in made:
                continue
            facts = {name: value for name, value in line.items() if name in FACTS}
            null = facts | {"id": 1000 + len(made), "role": "null", "step": line["sides"][1]["step"],
                            "sides": [line["sides"][1]] * 2, "agrees": True}
            noise = [sample | {"result": null["id"], "side": side, "position": side} for sample in own for side in (0, 1)]
            for sample in noise:
                factor = draw.uniform(0.999, 1.001)
                sample |= {clock: sample[clock] * factor for clock in ("device_s", "wall_s")}
            made[key] = [null, *noise]
        first = next((i for i, line in enumerate(self.lines) if line["kind"] == "result"), len(self.lines))
        return [*self.lines[:first], *(line for lines in made.values() for line in lines), *self.lines[first:]]

    def find(self, role: str, step: str, **fields: str) -> Json:
        return next(line for line in self.lines if line.get("role") == role
                    and line["step"] == step and all(line[k] == v for k, v in fields.items()))


def concluded(lines: list[Json]) -> list[Json]:
    """The rows of the results, with what follows; none of facts that portcost refuses."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        done = subprocess.run([portcost(), "derive", "--format", "json", path], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row for row in rows if row["kind"] == "result"]


def disagree(result: Json) -> None:
    """Turns a result into one whose answers differ, as portcost writes it."""
    result |= {"agrees": False, "disagreement": "index 17: 1.5 against 1.25, allowed 1e-06"}


def tree_writer(*sizes: int, **options: Any) -> Writer:
    """One pair of one algorithm at each size."""
    writer = Writer(**options)
    for n in sizes or (64,):
        writer.ladder("sum", {"tree": (0.5, 1.2)}, {"n": n}, "f32", "cold", 8.0 * n)
    return writer


def small_writer(**options: Any) -> Writer:
    """Two algorithms, three sizes, a library peer and one wrong answer: the record of the golden pages."""
    writer = Writer(**options)
    writer.limit("launch", LAUNCH_S, "s")
    for n in (256, 2048, 16384):
        writer.ladder("heat2d", HEAT_STEPS, {"nx": n, "ny": n, "steps": 1}, "f32", "cold", 8.0 * n * n)
    table1 = {"nx": 14400, "ny": 14400, "steps": 100}
    writer.ladder("heat2d", HEAT_STEPS, table1, "f32", "cold", 800.0 * 14400**2)
    count = 2**26
    writer.ladder("sum", SUM_STEPS, {"n": count}, "f32", "cold", 4.0 * count)
    disagree(writer.find("pair", "tree"))
    writer.result("solo", "cub", {"n": count}, "f32", "cold", {"sum/cub/library": 1.5e-4}, 4.0 * count / COPY_RATE)
    return writer


# ---- Several ways of writing.

# The row's name: (time over the limit, the native step that stands beside it, lines of code)
KOKKOS_ROWS = {
    "plain.usual": (9.0, "plain", 14), "plain.usual:tile=64x4": (2.4, "plain", 15), "plain.usual:tile=32x8": (2.9, "plain", 15),
    "plain.usual:index=int64": (6.0, "plain", 15), "plain.usual:index=int64,tile=64x4": (2.2, "plain", 16),
    "plain": (1.95, "plain", 24), "tile.book": (1.3, "tile", 38), "tile": (1.04, "tile", 52),
}
NATIVE_STEPS = {"plain": (1.9, 22), "tile": (1.02, 49)}
PEERS = {"cub": (1.01, False), "range": (1.6, True)}


def variant_of(row: str, algorithm: str = "heat") -> str:
    """"heat/plain/kokkos.usual:tile=64x4"."""
    step = row.split(".")[0]
    return f"{algorithm}/{step}/kokkos{row.removeprefix(step)}"


def ways_writer(algorithm: str = "heat", **options: Any) -> Writer:
    """Three ways of writing at a main size and at a small one, two peers, lines of code, and the counters of two variants."""
    writer = Writer(**options)
    writer.lines[0]["variants"] = [
        *({"name": variant_of(row, algorithm), "lines": lines} for row, (_, _, lines) in KOKKOS_ROWS.items()),
        *({"name": f"{algorithm}/{step}/{writer.native}", "lines": lines} for step, (_, lines) in NATIVE_STEPS.items()),
        {"name": f"{algorithm}/cub/library"}]
    for n in (2**28, 2**10):
        add_size(writer, algorithm, n)
    add_counters(writer, variant_of("plain.usual", algorithm), 9e-3, 40.0)
    add_counters(writer, variant_of("plain.usual:tile=64x4", algorithm), 2.4e-3, 12.0)
    return writer


def add_size(writer: Writer, algorithm: str, n: int) -> None:
    floor_s, size = 8.0 * n / COPY_RATE, {"n": n}

    def add(role: str, step: str, variants: dict[str, float]) -> Json:
        return writer.result(role, step, size, "f32", "cold", variants, floor_s)

    def seconds(factor: float) -> float:
        return floor_s * factor + LAUNCH_S

    natives = {step: seconds(factor) for step, (factor, _) in NATIVE_STEPS.items()}
    kokkos = {row: seconds(factor) + 0.4 * LAUNCH_S for row, (factor, _, _) in KOKKOS_ROWS.items()}
    fastest = min(natives, key=lambda step: natives[step])
    for row, (_, step, _) in KOKKOS_ROWS.items():
        add("pair", row, {variant_of(row, algorithm): kokkos[row], f"{algorithm}/{step}/{writer.native}": natives[step]})
    for peer, (factor, portable) in PEERS.items():
        solo = add("solo", peer, {f"{algorithm}/{peer}/library": seconds(factor)})
        solo["sides"][0]["portable"] = portable
    best = min(kokkos, key=lambda row: kokkos[row])
    add("best", "best", {variant_of(best, algorithm): kokkos[best], f"{algorithm}/{fastest}/{writer.native}": natives[fastest]})


def add_counters(writer: Writer, variant: str, seconds: float, instructions: float) -> None:
    writer.lines.append({
        "kind": "counters", "variant": variant, "size_text": f"n={2**28}", "type": "f32", "rung": 0, "commit": "0123456789ab",
        "kernels": [{"name": "kernel", "launches": 1, "seconds": seconds}],
        "values": {"seconds": seconds, "instructions_per_element": instructions, "dram_bytes": 2.1e9}, "units": {}})
