"""portcost locality: nests and options that are wrong are one line that names the place and what to do, exit status 2; missing
modules are 3. And what brings those modules, on a made-up machine."""

import copy
import json
import re

import pytest
from locality_tools import NAMES, NESTS, content, locality, needs_islpy, nest_of, one_error, saved, shipped
from machine import Machine, starting
from running import without_modules

PATH = "/body/0/body/0/body/0/body/0"


def changed(path: list, value: object) -> dict:
    """Floyd and Warshall's nest with one value changed; None removes it."""
    nest = copy.deepcopy(shipped("floyd_warshall"))
    node = nest
    for step in path[:-1]:
        node = node[step]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return nest


LOOP_K = ["body", 0]
LOOP_J = ["body", 0, "body", 0, "body", 0]
STATEMENT = [*LOOP_J, "body", 0]


@needs_islpy
@pytest.mark.parametrize(("path", "value", "named"), [
    (["name"], None, ["/: 'name' is a required property"]),
    (["colour"], "red", ["/: ", "'colour' was unexpected", "allowed are $schema, arrays, body"]),
    (["type"], "f16", ["/type: 'f16' is not one of"]),
    (["parameters"], {}, ["/parameters: {}"]),
    (["parameters", "n", "default"], 0, ["/parameters/n/default: 0 is less than the minimum of 1"]),
    (["parameters", "n", "default"], 1, ["/parameters/n/default: 1 is less than the least value, 2"]),
    (["parameters", "n", "default"], 2**63, ["/parameters/n: sizes are at most 1099511627776"]),
    (["parameters", "mod"], {}, ["/parameters/mod: 'mod' is a word of isl or Python"]),
    ([*LOOP_K, "loop"], "max", ["/body/0/loop: 'max' is a word of isl or Python, which work with the nest: choose another name"]),
    ([*LOOP_K, "loop"], "Or", ["/body/0/loop: 'Or' is a word of isl or Python"]),
    ([*LOOP_K, "from"], "9" * 13, ["a number is at most 1099511627776"]),
    ([*LOOP_K, "from"], "9" * 5000, ["this is no expression"]),
    ([*LOOP_K, "form"], 1, ["/body/0: ", "'form' was unexpected"]),
    ([*LOOP_K, "to"], None, ["/body/0: 'to' is a required property"]),
    ([*LOOP_K, "to"], "n /2", ["/body/0/to: 'n /2', 'n / 2' is no sum of whole multiples"]),
    ([*LOOP_K, "to"], "m", ["/body/0/to: 'm', 'm' is not known here: n"]),
    ([*LOOP_K, "to"], ["n", "n*n"], ["/body/0/to/1: 'n*n', (n) * (n) is a product of variables"]),
    ([*LOOP_K, "to"], "2 n", ["/body/0/to: '2 n', this is no expression"]),
    ([*LOOP_K, "to"], "", ["/body/0/to: '', this is no expression"]),
    ([*LOOP_K, "to"], "max(n, 3)", ["'max(n, 3)' is no sum of whole multiples"]),
    ([*LOOP_K, "to"], "1.5", ["'1.5' is no sum of whole multiples"]),
    ([*LOOP_K, "from"], "n + 1", [f"{PATH}: the statement S1 is never executed"]),
    ([*LOOP_J, "loop"], "i", ["/body/0/body/0/body/0/loop: two loops are called 'i'"]),
    ([*LOOP_J, "loop"], "n", ["/body/0/body/0/body/0/loop: 'n' is a parameter or an array"]),
    ([*STATEMENT, "writes"], "b(i, j)", [f"{PATH}/writes: 'b(i, j)': 'b' is not in /arrays: a"]),
    ([*STATEMENT, "writes"], "a(i)", [f"{PATH}/writes: 'a(i)': a has 2 indices (its extents), not 1"]),
    ([*STATEMENT, "writes"], "a[i][j]", [f"{PATH}/writes: 'a[i][j]', an access is written 'a(i, j)'"]),
    ([*STATEMENT, "writes"], "a(k, k)", [f"{PATH}/writes: iterations that happen at the same time (S1, S1) write the same"]),
    ([*STATEMENT, "reads", 1], "a(i, j*k)", [f"{PATH}/reads/1: 'a(i, j*k)', (j) * (k) is a product"]),
    ([*STATEMENT, "where"], ["i k"], [f"{PATH}/where/0: 'i k', one of = < > <= >= is missing"]),
    ([*STATEMENT, "where"], ["i < k", "i > k"], [f"{PATH}: the statement S1 is never executed"]),
    ([*STATEMENT, "changes_nothing_where", "because"], None, [f"{PATH}/changes_nothing_where: 'because' is a required"]),
    ([*STATEMENT, "changes_nothing_where", "any"], ["i = k"], [f"{PATH}: the loop j is called parallel, but carries the"]),
])
def test_what_is_wrong_in_a_nest_is_named(tmp_path, path, value, named):
    nest = tmp_path / "nest.json"
    nest.write_text(json.dumps(changed(path, value)))
    one_error(locality(nest, status=2), *named)


@needs_islpy
def test_a_loop_without_an_end_and_a_statement_without_a_loop(tmp_path):
    endless = nest_of([("i", 1, "n"), ("j", 1, "n")], {"writes": "b(i, j)", "reads": []}, {"b": 2})
    endless["body"][0]["body"][0]["to"] = "j + 1"
    one_error(locality(saved(tmp_path, endless), status=2), "/body/0/body/0/to: 'j + 1'", "'j' is not known here: i, n")
    bare = nest_of([], {"writes": "b(1)", "reads": []}, {"b": 1})
    one_error(locality(saved(tmp_path, bare), status=2), "/body/0: the statement S1 has no loop around it")


def test_files_that_hold_no_json(tmp_path):
    path = tmp_path / "nest.json"
    one_error(locality(path, status=2), "nest.json: cannot be read (No such file or directory)", "perf/nests holds")
    for text, named in ((b'{"name": "x",\n "body": ]}', "nest.json:2:10: this is no JSON"),
                        (b'{"name": "x", "name": "y"}', 'the key "name" stands twice'),
                        (b"\xff\xfe{}", "is no text in UTF-8")):
        path.write_bytes(text)
        one_error(locality(path, status=2), named)


@needs_islpy
@pytest.mark.parametrize(("words", "named"), [
    (["--sizes", "n"], "--sizes: 'n' is no size: write NAME=N"),
    (["--sizes", f"n={2**63}"], "is no size: write NAME=N with N from 1 to 1099511627776"),
    (["--sizes", "n=" + "9" * 5000], "is no size: write NAME=N"),
    (["--blocks", f"r1={2**63},r2=1,r3=1"], "--blocks: '9223372036854775808' of r1 is no block size"),
    (["--blocks", "r1=1:1000000000000,r2=1,r3=1"], "--blocks names 1000000000000 choices, and at most 100000 are compared"),
    (["--sizes", "n=0"], "--sizes: 'n=0' is no size"),
    (["--sizes", "n=1"], "--sizes n=1: n must be 2 or more"),
    (["--sizes", "n=4,n=5"], "--sizes: n stands twice"),
    (["--sizes", "m=4"], "--sizes m=4: the nest has no parameter 'm': n"),
    (["--blocks", "r1=4"], "--blocks: r2 (loop i), r3 (loop j) is missing"),
    (["--blocks", "r4=4"], "--blocks: 'r4' is no block size of floyd_warshall: r1 (loop k), r2 (loop i), r3 (loop j)"),
    (["--blocks", "4"], "--blocks: '4' has no name: write r1=4"),
    (["--blocks", "r1=4,r1=8"], "--blocks: r1 stands twice"),
    (["--blocks", "r1=0,r2=1,r3=1"], "--blocks: '0' of r1 is no block size"),
    (["--blocks", "r1=four,r2=1,r3=1"], "--blocks: 'four' of r1 is no block size"),
    (["--blocks", "r1=8:4,r2=1,r3=1"], "--blocks: the range 8:4 of r1 ends before it begins"),
    (["--blocks", "r1=1:100,r2=1:100,r3=1:100"], "--blocks names 1000000 choices, and at most 100000 are compared"),
    (["--picture", "x.png"], "--picture draws measured bytes: give --measure or --measured, too"),
    (["--measured", "x.jsonl", "--picture", "x.pdf"], "--picture x.pdf: the name must end in .png or .svg"),
    (["--measured", "x.jsonl", "--measure", "y"], "--measure makes the file that --measured reads"),
    *((words, f"{words[0]} is of --measure: give that, too, or leave it away") for words in (
        ["--out", "x.jsonl"], ["--force"], ["--resume"], ["--together", "8"], ["--any-size"], ["--preset", "cuda"],
        ["--command", "portcost"])),
    (["--measured", "x.jsonl", "--force"], "--force is of --measure"),
    *((["--measured", "x.jsonl", *words], f"{words[0]} does not go with --measured: the file says what was measured")
      for words in (["--sizes", "n=4096"], ["--blocks", "r1=1"], ["--type", "f64"])),
    (["--measured", "x.jsonl", "--line-bytes", "64"], "--line-bytes is of the advice on threads"),
    (["--measure", "x/y/z", "--line-bytes", "64"], "--line-bytes is of the advice on threads"),
    (["--measure", "x/y/z", "--force", "--resume"], "--force begins anew and --resume goes on"),
    (["--measure", "x/y/z", "--command", "portcost", "--preset", "cuda"], "--command and --preset both name the portcost"),
    (["--measure", "x/y/z", "--json"], "--json is of the analysis"),
])
def test_what_is_wrong_in_the_command_is_named(words, named):
    one_error(locality(NESTS / "floyd_warshall.json", *words, status=2), named)


def test_unknown_options_and_help():
    locality(status=2)
    locality(NESTS / "gauss.json", "--line-bytes", "0", status=2)
    done = locality("--help")
    assert "--measure VARIANT" in done.stdout and "perf/nests/README.md" in done.stdout


@pytest.mark.parametrize("module", ["islpy", "jsonschema"])
def test_a_missing_module_is_named(tmp_path, module):
    if module == "islpy":  # asked of after the nest's schema
        pytest.importorskip("jsonschema")
    one_error(locality(NESTS / "gauss.json", status=3, **without_modules(tmp_path, module)),
              f"the Python module {module} is missing", "perf/prepare --locality brings it")


@needs_islpy
@pytest.mark.parametrize("name", NAMES)
def test_shipped_nests_fit_the_schema_and_are_shown(name):
    done = locality(NESTS / f"{name}.json", "--blocks", ",".join(f"r{at}=16,32" for at in range(1, len(content(
        NESTS / f"{name}.json")["loops"]) + 1)))
    for heading in ("Dependences", "Data used", "Theorem 1", "Ranking of block sizes", "Lemma 1 and theorem 2", "Predicted"):
        assert heading in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


@needs_islpy
def test_the_nest_of_the_readme(tmp_path):
    """It fits the schema, and each key that --json prints is in content.py's text."""
    text = (NESTS / "README.md").read_text()
    nest = json.loads(text.split("```json\n")[1].split("```")[0])
    found = content(saved(tmp_path, nest), "--blocks", "r1=64,r2=4")
    assert found["nest"] == "axpy_rows" and [one["access"] for one in found["data"]] == ["y(i,j)", "x(j)"]
    assert found["numbers"]["sizes"] == {"n": 4096}
    described = (NESTS.parent / "portcost_locality/content.py").read_text().split('"""')[1]

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            names = set() if set(value) <= {"i", "j", "k", "r1", "r2", "n"} else set(value)
            return names.union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()
    wanted = keys(found) | keys(content(NESTS / "gauss.json"))
    assert {"p_at_fixed", "by_loop", "least", "or_any_with_barriers"} <= wanted
    assert not [key for key in sorted(wanted) if key not in re.findall(r"\w+", described)]


@needs_islpy
def test_the_statement_of_an_access_is_named_where_there_are_several(tmp_path):
    nest = nest_of([("i", 1, "n")], {"writes": "a(i)", "reads": ["a(i)", "x(n)"]}, {"a": 1, "b": 1, "x": 1})
    alone = locality(saved(tmp_path, nest), "--blocks", "r1=4").stdout
    assert "S1: a(i)" not in "".join(alone.split("Data used")[1:])
    nest["body"][0]["body"].append({"statement": "S2", "writes": "b(i)", "reads": ["a(i)", "x(n)"]})
    parts = locality(saved(tmp_path, nest), "--blocks", "r1=4").stdout.split("\n\n")
    for heading in ("Data used", "Theorem 1: ", "Lemma 1 and theorem 2", "Theorem 1 in numbers"):
        (table,) = [part for part in parts if part.startswith(heading)]
        assert "S1: x(n)" in table and "S2: x(n)" in table, heading
    assert "S2: b(i) (written)" in " ".join(" ".join(parts).split())


@needs_islpy
def test_blocks_are_numbers_ranges_and_lists_and_a_type_changes_bytes():
    choices = content(NESTS / "transpose.json", "--sizes", "n=64", "--blocks", "r1=1:3,8,r2=8:24:8")["numbers"]["choices"]
    assert {tuple(one["blocks"].values()) for one in choices} == {(a, b) for a in (1, 2, 3, 8) for b in (8, 16, 24)}
    assert "give --blocks r1=64,r2=64" in locality(NESTS / "transpose.json", "--sizes", "n=64").stdout
    words = (NESTS / "gauss.json", "--sizes", "n=64", "--blocks", "r1=8,r2=8,r3=8")
    single, double = (content(*words, "--type", name)["numbers"]["choices"][0]["predicted"]["bytes"] for name in ("f32", "f64"))
    assert double == pytest.approx(2 * single, rel=1e-6)


def test_the_command_needs_no_build(ready: Machine):
    (ready.repo / "build/openmp/bin/portcost").unlink()
    ready.run("perf/portcost", "locality", "nest.json", "--blocks", "r1=1")
    assert ready.take_calls() == ["locality nest.json --blocks r1=1"]


# ---- What brings the modules.

OF_LOCALITY = "-r {}/perf/setup/locality_requirements.txt"
WITHOUT_PIP = """case "$*" in
  "-m pip --version") [ -e "$STUBS/pip-added" ] ;;
  "-m ensurepip") : >"$STUBS/pip-added" ;;
  *) exec "$STUBS/python3" "$@" ;;
esac
"""
WITH_MODULES = 'case "$*" in "- "*locality_requirements.txt) ;; *) exec "$STUBS/python3" "$@" ;; esac\n'


def brought(machine: Machine, calls: list[str]) -> int:
    return sum(line.endswith(OF_LOCALITY.format(machine.repo)) for line in starting(calls, "pip"))


def test_prepare_brings_the_modules_and_builds_nothing(bare: Machine):
    result = bare.run("perf/prepare", "--locality")
    calls = bare.take_calls()
    assert starting(calls, "apt-get")[1].endswith("--no-install-recommends python3-venv")
    assert starting(calls, "python3 -m venv") == [f"python3 -m venv --system-site-packages {bare.repo}/.venv"]
    assert brought(bare, calls) == 1 and starting(calls, "cmake") == []
    assert "installing islpy into .venv" in result.stderr and "has what it needs" in result.stderr


def test_prepare_uses_the_environment_that_is_there(ready: Machine):
    calls = ready.calls_of("perf/prepare", "--locality")
    assert brought(ready, calls) == 1 and starting(calls, "apt-get", "python3 -m venv") == []
    ready.script(ready.repo / ".venv/bin/python3", WITH_MODULES)
    assert ready.calls_of("perf/prepare", "--locality") == []


def test_an_environment_without_pip_gets_it(ready: Machine):
    ready.script(ready.repo / ".venv/bin/python3", WITHOUT_PIP)
    assert brought(ready, ready.calls_of("perf/prepare", "--locality")) == 1 and (ready.stubs / "pip-added").exists()


@pytest.mark.parametrize(("words", "named"), [([], "name a mirror of it in PIP_INDEX_URL"),
                                              (["--no-install"], "nothing is installed (--no-install)")])
def test_where_pypi_is_not_reached(ready: Machine, words: list[str], named: str):
    ready.put("no-pypi", "")
    assert named in ready.run("perf/prepare", "--locality", *words, status=3).stderr.splitlines()[-1]
    assert brought(ready, ready.take_calls()) == 0  # the requirements of the tests, of which the stub has none, fail first
    told = ready.run("tests/run", "--all", *words).stderr
    assert "most tests of perf/portcost locality will be skipped (perf/prepare --locality brings them" in told


def test_tests_run_brings_them(ready: Machine):
    assert "will be skipped" not in ready.run("tests/run", "--all").stderr
    assert brought(ready, ready.take_calls()) == 1
    assert brought(ready, ready.calls_of("tests/run", "--all", "--ctest-only")) == 0
