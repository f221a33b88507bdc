"""A stand-in for portcost with two blocked algorithms, for the tests of portcost locality."""

import json
import sys

words = sys.argv[1:]
STEPS = {"gauss": ["naive", "block_r1"], "floyd_warshall": ["naive_2d", "deep_k"]}
if words[0] == "list":
    print(json.dumps([{"name": name, "steps": steps, "unequal_work": [], "size_keys": [{"key": "n", "counts": True}],
                       "variants": [{"name": f"{name}/{step}/{model}", "step": step, "model": model,
                                     "place": "host" if model == "openmp" else "device"}
                                    for step in steps for model in ("cuda", "kokkos", "openmp")]}
                      for name, steps in STEPS.items()]))
elif words[0] == "machine":
    print(json.dumps({"machine": {"processor": "Made-up GPU", "kind": "gpu", "last_cache_bytes": 2**20}, "commit": "abc"}))
elif words[0] == "run":
    print(f"{words[1]} {words[words.index('--size') + 1]} f32")
