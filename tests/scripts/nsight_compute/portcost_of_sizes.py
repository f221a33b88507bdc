"""A stand-in for portcost with copies that have an offset or a stride, for the tests of perf/portcost explain --sweep."""

import json
import sys

words = sys.argv[1:]
MODELS = ("cuda", "kokkos")
if words[0] == "list":
    print(json.dumps([{"name": name, "steps": ["reads", "writes"], "unequal_work": [],
                       "size_keys": [{"key": "n", "default": 4096, "counts": True}, {"key": "offset", "default": 0, "counts": False},
                                     {"key": "stride", "default": 1, "counts": False}],
                       "variants": [{"name": f"{name}/{step}/{model}", "step": step, "model": model, "place": "device"}
                                    for step in ("reads", "writes") for model in MODELS]}
                      for name in ("copies", "others")]))
elif words[0] == "machine":
    print(json.dumps({"machine": {"processor": "Made-up GPU", "kind": "gpu"}, "build": {"type": "Release"}, "commit": "abc",
                      "version": "0.1.0"}))
elif words[0] == "run":
    for size in [words[i + 1] for i, word in enumerate(words) if word == "--size"]:
        for name in [word for word in words if word.count("/") == 2]:
            print(f"{name} {size} f32")
            numbers = dict(part.split("=") for part in size.split(","))
            if name.startswith("copies/"):
                warps = int(numbers["n"]) // 32
                sectors = min(32, 4 * int(numbers["stride"])) + (int(numbers["offset"]) % 8 != 0)
                print(f"predicted load_sectors {warps * sectors}\npredicted read_bytes {32 * warps * sectors}")
