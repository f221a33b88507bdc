"""A stand-in for portcost: lists made-up algorithms, names its machine, and runs variants. FAKE_PORTCOST in the environment names
what is to go wrong. Of the copies sectors and bytes are predicted, which an offset and a stride change."""

import json
import os
import sys

STEPS = {"sum": ["interleaved", "strided", "cub"], "gauss": ["naive", "block_r1"],
         "floyd_warshall": ["naive_2d", "block_2d", "deep_k"], "copies": ["reads", "writes"], "others": ["reads", "writes"]}
OF_SUM = ["interleaved/reference", "interleaved/kokkos", "interleaved/cuda", "strided/kokkos", "strided/kokkos.book",
          "strided/kokkos.usual", "strided/cuda", "strided/openmp", "cub/library"]
KEYS = {"sum": {"n": 1024, "bins": 0}, "copies": {"n": 4096, "offset": 0, "stride": 1}, "others": {"n": 4096, "offset": 0, "stride": 1}}
DEFAULT = {"gauss": "r1=64", "floyd_warshall": "r1=256"}


def variants_of(name):
    models = ("cuda", "kokkos", "openmp") if name in DEFAULT else ("cuda", "kokkos")
    named = OF_SUM if name == "sum" else [f"{step}/{model}" for step in STEPS[name] for model in models]
    return [{"name": f"{name}/{one}", "step": one.split("/")[0], "model": one.split("/")[1].split(".")[0],
             "place": "host" if one.endswith(("/openmp", "/reference")) else "device"} for one in named]


def predictions_of(name, size):
    if name.startswith("sum/"):
        return "predicted load_sectors 500\n"
    if not name.startswith("copies/"):
        return ""
    numbers = {key: int(number) for key, number in (part.split("=") for part in size.split(","))}
    sectors = numbers["n"] // 32 * (min(32, 4 * numbers["stride"]) + (numbers["offset"] % 8 != 0))
    return f"predicted load_sectors {sectors}\npredicted read_bytes {32 * sectors}\n"


def values(option):
    return [words[i + 1] for i, word in enumerate(words) if word == option]


words = sys.argv[1:]
if words[0] == "list":
    print(json.dumps([{
        "name": name, "steps": steps, "variants": variants_of(name),
        "unequal_work": [{"step": "strided", "what": "barriers", "reason": "it is made up"}] if name == "sum" else [],
        "size_keys": [{"key": key, "default": default, "counts": key == "n"} for key, default in KEYS.get(name, {"n": 64}).items()]}
        for name, steps in STEPS.items()]))
elif words[0] == "machine":
    print(json.dumps({"machine": {"processor": "Made-up GPU", "kind": "gpu", "last_cache_bytes": 2**20},
                      "build": {"type": "Release"}, "commit": "abc", "version": "0.1.0"}))
elif words[0] == "run":
    names = sorted(word for word in words if word.count("/") == 2)
    for size in values("--size") or ["n=1024"]:
        if size == "n=0":
            print("portcost: size n=0 is out of range", file=sys.stderr)
            sys.exit(2)
        for parameter in values("--parameter") or [""]:
            for name in names:
                shown = f"parameters {parameter}\n" if parameter not in ("", DEFAULT.get(name.split("/")[0])) else ""
                print(f"{name} {size} f32\n{shown}{predictions_of(name, size)}", end="")
    if os.environ.get("FAKE_PORTCOST") == "more":
        print(f"{names[0]} {size} f32\nparameters r1=7")
