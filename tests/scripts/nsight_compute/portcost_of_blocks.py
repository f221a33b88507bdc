"""A stand-in for portcost with two blocked algorithms, for the tests of portcost locality. FAKE_PORTCOST in the environment names
what is to go wrong."""

import json
import os
import sys

words = sys.argv[1:]
STEPS = {"gauss": ["naive", "block_r1"], "floyd_warshall": ["naive_2d", "block_2d", "deep_k"]}
DEFAULT = {"gauss": "64", "floyd_warshall": "256"}
if words[0] == "list":
    print(json.dumps([{"name": name, "steps": steps, "unequal_work": [], "size_keys": [{"key": "n", "counts": True}],
                       "variants": [{"name": f"{name}/{step}/{model}", "step": step, "model": model,
                                     "place": "host" if model == "openmp" else "device"}
                                    for step in steps for model in ("cuda", "kokkos", "openmp")]}
                      for name, steps in STEPS.items()]))
elif words[0] == "machine":
    print(json.dumps({"machine": {"processor": "Made-up GPU", "kind": "gpu", "last_cache_bytes": 2**20}, "commit": "abc"}))
elif words[0] == "run":
    size = words[words.index("--size") + 1]
    variants = sorted(word for word in words if word.count("/") == 2)
    given = [words[i + 1] for i, word in enumerate(words) if word == "--parameter"]
    for one in given or [""]:
        for variant in variants:
            print(f"{variant} {size} f32")
            if one and one != f"r1={DEFAULT[variant.split('/')[0]]}":
                print(f"parameters {one}")
    if os.environ.get("FAKE_PORTCOST") == "more":
        print(f"{variants[0]} {size} f32\nparameters r1=7")
