"""A stand-in for portcost: lists, names its machine and runs variants of a made-up `sum`."""

import json
import sys

VARIANTS = {"sum": {"steps": ["interleaved", "strided", "cub"],
                    "variants": ["interleaved/reference", "interleaved/kokkos", "interleaved/cuda",
                                 "strided/kokkos", "strided/kokkos.book", "strided/kokkos.usual", "strided/cuda", "strided/openmp",
                                 "cub/library"]}}
PLACES = {"openmp": "host", "reference": "host"}

words = sys.argv[1:]
if words[0] == "list":
    print(json.dumps([{
        "name": name, "steps": a["steps"],
        "unequal_work": [{"step": "strided", "what": "barriers", "reason": "it is made up"}],
        "size_keys": [{"key": "n", "counts": True}, {"key": "bins", "counts": False}],
        "variants": [
            {"name": f"{name}/{v}", "step": v.split("/")[0], "model": v.split("/")[1].split(".")[0],
             "place": PLACES.get(v.split("/")[1], "device")} for v in a["variants"]]}
        for name, a in VARIANTS.items()]))
elif words[0] == "machine":
    print(json.dumps({"machine": {"processor": "Made-up GPU", "kind": "gpu"},
                      "build": {"type": "Release"}, "commit": "abc", "version": "0.1.0"}))
elif words[0] == "run":
    size = words[words.index("--size") + 1] if "--size" in words else "n=1024"
    if size == "n=0":
        print("portcost: size n=0 is out of range", file=sys.stderr)
        sys.exit(2)
    print(f"{words[1]} {size} f32")
    if "--parameter" in words:
        print(f"parameters {words[words.index('--parameter') + 1]}")
    print("predicted load_sectors 500")
