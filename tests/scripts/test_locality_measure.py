"""portcost locality --measure and --measured, with made-up stand-ins for Nsight Compute and portcost."""

import json
import subprocess
from pathlib import Path

import pytest
from locality_tools import NESTS, locality, needs_islpy, one_error, saved, shipped
from profiler import Tools
from running import ROOT, without_modules

BLOCK_R1 = ("--measure", "gauss/block_r1/cuda", "--sizes", "n=1024")
R1 = "r1=1,2,4,8,16,32,64"
RESULTS = ROOT / "perf/results"
BUILT = sorted(ROOT.glob("build/*/bin/portcost"), key=lambda path: path.stat().st_mtime)
"""The newest last."""


class Measuring(Tools):
    def measure(self, *words: object, nest: Path = NESTS / "gauss.json", mode: str = "", **environment: str
                ) -> subprocess.CompletedProcess[str]:
        return locality(nest, *words, "--command", self.folder / "portcost", PATH=str(self.folder), FAKE_NCU=mode,
                        PORTCOST_NCU_PLACES="", **environment)


@pytest.fixture
def tools(tmp_path: Path) -> Measuring:
    return Measuring(tmp_path)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def without_islpy(folder: Path) -> dict[str, str]:
    return without_modules(folder, "islpy", "jsonschema")


def truth(n: int, r1: int) -> dict[str, int]:
    """What the stand-in counts of all launches."""
    blocks = [size for k in range(0, n, r1) for size in (1, max(1, ((n - k) // 64) ** 2))]
    read, written = sum(blocks) * 4 * (64 * 64 + 2 * 64 * r1), sum(blocks) * 4 * 64 * 64
    return {"l2_read_bytes": read, "l2_written_bytes": written, "read_bytes": read // 2, "written_bytes": written}


def test_a_run_is_counted_as_a_whole_and_several_in_one_process(tools: Measuring, tmp_path: Path):
    """Measuring needs no prediction."""
    out = tmp_path / "gauss.jsonl"
    done = tools.measure(*BLOCK_R1, "--blocks", R1, "--together", 4, "--out", out, **without_islpy(tmp_path))
    assert f"--measured {out}" in done.stdout and "without the Python module islpy" in done.stdout
    header, *choices, end = rows(out)
    assert header["kind"] == "header" and header["sizes"] == {"n": 1024} and header["type"] == "f32"
    assert end == {"kind": "end", "choices": 7}
    assert [one["blocks"] for one in choices] == [{"r1": r1, "r2": 64, "r3": 64} for r1 in (1, 2, 4, 8, 16, 32, 64)]
    assert not (tmp_path / "gauss.jsonl.part").exists()
    for row in choices:
        expected = truth(1024, row["blocks"]["r1"])
        assert {key: row[key] for key in expected} == expected
    first, second = tools.calls()
    assert first[first.index("--cache-control") + 1] == "none" and first[first.index("--replay-mode") + 1] == "app-range"
    assert not {"--profile-from-start", "--launch-count", "--kernel-id"} & {*first}
    assert first[first.index("run"):] == ["run", "gauss/block_r1/cuda", "--repeat", "1", "--size", "n=1024", "--type", "f32",
                                          *(word for r1 in (1, 2, 4, 8) for word in ("--parameter", f"r1={r1}"))]
    assert [word for word in second if word.startswith("r1=")] == ["r1=16", "r1=32", "r1=64"]
    assert "[2/2] gauss/block_r1/cuda r1=16,r2=64,r3=64 to r1=64,r2=64,r3=64" in done.stderr


def test_variants_without_a_parameter_share_a_process(tools: Measuring, tmp_path: Path):
    out = tmp_path / "fw.jsonl"
    tools.measure("--measure", "floyd_warshall/naive_2d/cuda", "--measure", "floyd_warshall/block_2d/cuda", "--sizes", "n=512",
                  "--any-size", "--out", out, nest=NESTS / "floyd_warshall.json", **without_islpy(tmp_path))
    assert [(one["variant"], one["blocks"]["r2"]) for one in rows(out)[1:-1]] == [("floyd_warshall/naive_2d/cuda", 8),
                                                                                  ("floyd_warshall/block_2d/cuda", 64)]
    assert len(tools.calls()) == 1
    naive, blocked = rows(out)[1:-1]  # the command runs them in another order
    assert naive["l2_read_bytes"] == 2 * blocked["l2_read_bytes"] and naive["l2_written_bytes"] == blocked["l2_written_bytes"]


def test_ranges_and_runs_that_do_not_fit_are_never_joined(tools: Measuring, tmp_path: Path):
    out = tmp_path / "gauss.jsonl"
    for wrong, named in (({"mode": "a range lost"}, "Nsight Compute counted 6 ranges, and portcost ran 7 choices"),
                         ({"FAKE_PORTCOST": "more"}, "portcost ran gauss/block_r1/cuda r1=7, which was not asked for")):
        words = (*BLOCK_R1, "--blocks", R1, "--out", out, "--force")
        said = tools.measure(*words, status=3, **wrong, **without_islpy(tmp_path)).stderr
        assert named in said.splitlines()[-1] and "Traceback" not in said
    assert not out.exists() and [row["kind"] for row in rows(tmp_path / "gauss.jsonl.part")] == ["header"]


def test_what_was_counted_before_a_failure_is_kept_and_gone_on_with(tools: Measuring, tmp_path: Path):
    """The second process fails."""
    out, part, whole = tmp_path / "gauss.jsonl", tmp_path / "gauss.jsonl.part", tmp_path / "whole.jsonl"
    words, env = (*BLOCK_R1, "--blocks", R1, "--together", 4, "--out", out), without_islpy(tmp_path)
    tools.measure(*words, mode="a range lost of r1=16", **env, status=3)
    assert not out.exists()
    kept = part.read_text()
    assert [row["kind"] for row in rows(part)] == ["header"] + 4 * ["choice"]
    one_error(tools.measure(*words, **env, status=2), "gauss.jsonl.part holds what a stopped measuring has counted", "--resume",
              "--force")
    for other, named in ((("--sizes", "n=2048"), "was measured with the sizes {'n': 1024}, and this is {'n': 2048}"),
                         (("--type", "f64"), "was measured with the type f32, and this is f64")):
        one_error(tools.measure(*words, *other, "--resume", **env, status=2), named, "begin anew with --force")
    one_error(tools.measure(*BLOCK_R1, "--blocks", "r1=1,2", "--out", out, "--resume", **env, status=2),
              "{'r1': 4, 'r2': 64, 'r3': 64}", "which is not asked for here")
    assert part.read_text() == kept
    part.write_text(kept + '{"kind": "choice", "vari')  # cut off by the end of the machine
    done = tools.measure(*words, "--resume", **env)
    assert "[1/1] gauss/block_r1/cuda r1=16,r2=64,r3=64 to r1=64" in done.stderr
    assert not part.exists() and "7 choices are in" in done.stderr
    tools.measure(*BLOCK_R1, "--blocks", R1, "--out", whole, **env)
    assert rows(out)[1:] == rows(whole)[1:]
    one_error(tools.measure(*words, "--resume", **env, status=2), "gauss.jsonl.part is not there: there is nothing to go on with")
    part.write_text(kept)
    assert "[1/2]" in tools.measure(*words, "--force", **env).stderr and len(rows(out)) == 9


def test_a_variant_has_the_parameters_that_the_nest_says(tools: Measuring, tmp_path: Path):
    out = tmp_path / "fw.jsonl"

    def measure(*words: str, status: int = 0):
        return tools.measure("--measure", "floyd_warshall/deep_k/kokkos", "--sizes", "n=512", "--out", out, "--any-size",
                             "--force", "--blocks", *words, nest=NESTS / "floyd_warshall.json", status=status,
                             **without_islpy(tmp_path))

    measure("r1=128,256", "--measure", "floyd_warshall/naive_2d/cuda")
    assert [one["blocks"]["r1"] for one in rows(out)[1:-1]] == [1, 128, 256]  # naive_2d has no parameter: one choice
    one_error(measure("r1=128,r2=32", status=2), "--blocks: r2 is 64 in this variant, and no parameter changes it")
    measure("r1=128,256")
    assert [one["blocks"] for one in rows(out)[1:-1]] == [{"r1": r1, "r2": 64, "r3": 64} for r1 in (128, 256)]
    one_error(measure("r1=100", status=2), "--blocks r1=100: floyd_warshall/deep_k/kokkos takes multiples of 128")


@pytest.mark.parametrize(("variant", "named"), [
    ("gauss", "names gauss/block_r1, gauss/naive, gauss/panel; add the model, as gauss/block_r1/cuda"),
    ("gauss/look_ahead/cuda", "names gauss/block_r1"),
    ("gauss/block_r1/openmp", "of this step there run on it: gauss/block_r1/cuda, gauss/block_r1/kokkos"),
    ("sum/block_r1/cuda", "names gauss/block_r1"),
])
def test_a_variant_that_cannot_be_measured_is_named(tools: Measuring, variant: str, named: str):
    one_error(tools.measure("--measure", variant, status=2), f"--measure {variant}: ", named)


def test_more_that_cannot_be_measured(tools: Measuring, tmp_path: Path):
    one_error(tools.measure("--measure", "gauss/block_r1/cuda", "--sizes", "n=64", status=2),
              "--sizes n=64: the arrays take 0 MiB", "--any-size")
    one_error(tools.measure("--measure", "x/y/z", nest=NESTS / "transpose.json", status=2), "/measure: is missing")
    nest = shipped("gauss")
    del nest["measure"]["variants"]["block_r1"]["grid"]
    one_error(tools.measure("--measure", "gauss/block_r1/cuda", nest=saved(tmp_path, nest), status=2), "--blocks is missing")
    there = tmp_path / "there.jsonl"
    there.write_text("kept")
    one_error(tools.measure(*BLOCK_R1, "--blocks", "r1=1", "--out", there, status=2),
              "there.jsonl is there already: name another file with --out, or replace it with --force")
    assert there.read_text() == "kept"
    (tools.folder / "portcost").unlink()
    one_error(tools.measure("--measure", "gauss/block_r1/cuda", status=3), "perf/prepare --preset cuda")


def default_grids() -> list[tuple[str, list[int]]]:
    from portcost_locality.blocks import every_choice, read_blocks
    from portcost_locality.nest import read_nest

    found = []
    for name, step in (("gauss", "block_r1"), ("floyd_warshall", "deep_k")):
        nest = read_nest(NESTS / f"{name}.json", checked=False)
        blocks = nest.measure["variants"][step]
        fixed = {loop: blocks["blocks"][loop.block] for loop in nest.loops if isinstance(blocks["blocks"][loop.block], int)}
        choices = every_choice(read_blocks(blocks["grid"], nest, fixed))
        found.append((f"{name}/{step}", [choice[nest.loops[0]] for choice in choices]))
    return found


def test_default_grids_have_at_least_24_choices():
    assert all(len(values) >= 24 for _, values in default_grids())


@pytest.mark.skipif(not BUILT, reason="portcost is not built: perf/prepare builds it")
def test_algorithms_take_the_choices_of_default_grids():
    for step, values in default_grids():
        words = [word for r1 in values for word in ("--parameter", f"r1={r1}")]
        done = subprocess.run([BUILT[-1], "check", f"{step}/kokkos", "--size", "n=3", "--type", "f32", *words],
                              capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        assert f": {len(values)} of {len(values)} answers equal" in done.stdout


@needs_islpy
def test_prediction_and_counters_are_joined(tools: Measuring, tmp_path: Path):
    out, picture = tmp_path / "gauss.jsonl", tmp_path / "gauss.png"
    done = tools.measure(*BLOCK_R1, "--blocks", R1, "--out", out)
    assert "Spearman's rank correlation with the prediction 1.000: the ranking agrees" in done.stdout
    again = locality(NESTS / "gauss.json", "--measured", out, "--picture", picture)
    assert again.stdout == done.stdout and picture.read_bytes().startswith(b"\x89PNG")
    locality(NESTS / "gauss.json", "--measured", out, "--picture", tmp_path / "gauss.svg")
    assert "Spearman: all 1.000" in (tmp_path / "gauss.svg").read_text()
    found = json.loads(locality(NESTS / "gauss.json", "--measured", out, "--json").stdout)
    assert found["spearman"]["predicted against l2"] == pytest.approx(1) and len(found["points"]) == 7


@needs_islpy
def test_the_picture_over_one_block_size(tools: Measuring, tmp_path: Path):
    out, picture, record = tmp_path / "gauss.jsonl", tmp_path / "r1.svg", RESULTS / "h200/gauss_r1.jsonl.gz"
    tools.measure(*BLOCK_R1, "--blocks", R1, "--out", out)
    words = (NESTS / "gauss.json", "--measured", out, "--picture", picture)
    locality(*words, "--over", "r1", "--times", record)
    text = picture.read_text()
    for named in ("gauss: blocks over r1", "bytes written, n=1024, f32", "falling as 1/r1", "to the last cache, gauss/block_r1/cuda",
                  "device time, ", "gauss/block_r1/kokkos", "to a plateau that launches set"):
        assert named in text
    locality(*words, "--over", "r1")
    assert "device time" not in picture.read_text()
    for more, named in (
            (("--over", "r9"), "--over r9: gauss has the block sizes r1, r2, r3"),
            (("--over", "r2"), "--over r2: gauss/block_r1/cuda was measured with other block sizes that differ"),
            (("--over", "r1", "--times", RESULTS / "h200/transfer_overlap.jsonl.gz"), "it has no time of these variants in f32"),
            (("--over", "r2", "--times", record), "names no variant whose r2 is a parameter"),
            (("--times", record), "give --picture and --over, too")):
        one_error(locality(*words, *more, status=2), named)


@needs_islpy
@pytest.mark.parametrize("joined", sorted(RESULTS.glob("*/*_bytes.json")), ids=lambda path: path.stem)
def test_committed_answers_are_those_of_the_counted_bytes(joined: Path):
    """The committed files, against what --measured calculates now."""
    known = json.loads(joined.read_text(), parse_float=rounded)
    done = locality(NESTS / f"{known['nest']}.json", "--measured", joined.with_suffix(".jsonl"), "--json")
    assert json.loads(done.stdout, parse_float=rounded) == known and len(known["points"]) >= 24


def rounded(number: str) -> str:
    return f"{float(number):.9g}"


@needs_islpy
def test_what_the_model_gets_wrong_is_said(tools: Measuring, tmp_path: Path):
    out = tmp_path / "fw.jsonl"
    done = tools.measure("--measure", "floyd_warshall/deep_k/cuda", "--sizes", "n=4096", "--blocks", "r1=128:1024:128", "--out",
                         out, nest=NESTS / "floyd_warshall.json", mode="rising")
    text = " ".join(done.stdout.split())
    assert "the ranking does not agree (less than 0.9)" in text and "Most out of order: r1=1024" in text
    assert "of the variants' own orders" in text and "What a variant's own order adds: a round keeps its r1 rows" in text
    assert "the last cache serves 50.0 % of what blocks read" in text


@needs_islpy
def test_a_chip_without_a_counter(tools: Measuring, tmp_path: Path):
    out = tmp_path / "gauss.jsonl"
    done = tools.measure(*BLOCK_R1, "--blocks", R1, "--out", out, mode="no sectors")
    assert rows(out)[1]["l2_read_bytes"] is None
    text = " ".join(done.stdout.split())
    assert "Bytes between multiprocessors and the last cache: no rank correlation" in text
    locality(NESTS / "gauss.json", "--measured", out, "--picture", tmp_path / "x.png")


CHANGES = [((0, "nest", None), "nest is missing"), ((0, "sizes", {"n": "x"}), "sizes is wrong"), ((0, "type", "f16"), "type is wrong"),
           ((0, "sizes", {"n": 2**63}), "sizes is wrong"), ((0, "machine", {"machine": {}}), "machine is wrong"),
           ((1, "variant", "gauss"), "variant is wrong"), ((1, "blocks", {"r1": 0}), "blocks is wrong"),
           ((1, "l2_written_bytes", None), "l2_written_bytes is missing"), ((2, "read_bytes", "many"), "read_bytes is wrong"),
           ((3, "choices", None), "choices is missing")]
"""A row, a key and its value in a file of two choices; None leaves it out."""


def changed_rows(lines: list[str], row: int, key: str, value: object) -> str:
    whole = json.loads(lines[row])
    del whole[key]
    whole |= {} if value is None else {key: value}
    return "\n".join([*lines[:row], json.dumps(whole), *lines[row + 1:]])


@needs_islpy
def test_files_that_measure_did_not_finish(tools: Measuring, tmp_path: Path):
    out = tmp_path / "gauss.jsonl"
    tools.measure(*BLOCK_R1, "--blocks", "r1=1,2", "--out", out)
    lines = out.read_text().splitlines()
    cut = tmp_path / "cut.jsonl"
    for text, named in (("\n".join(lines[:-1]), "its end is missing"), ("x", "cut.jsonl:1: is no row"),
                        ("", "does not begin with"), ("[]", "cut.jsonl:1: is no row"), ('{"kind": "x"}', "cut.jsonl:1: is no row"),
                        *((changed_rows(lines, *change), f"cut.jsonl:{change[0] + 1}: is no row that --measure writes: its {said}")
                          for change, said in CHANGES),
                        ("\n".join(lines).replace('"nest": "gauss"', '"nest": "x"'), "the file is of the nest 'x'")):
        cut.write_text(text)
        one_error(locality(NESTS / "gauss.json", "--measured", cut, status=2), named)
    one_error(locality(NESTS / "gauss.json", "--measured", tmp_path / "none.jsonl", status=2), "none.jsonl: cannot be read")
    part = tmp_path / "gauss.jsonl.part"
    part.write_text("\n".join(lines[:-1]))
    done = locality(NESTS / "gauss.json", "--measured", part)
    assert "The measuring was stopped: of the choices 2 were measured." in done.stdout
    part.write_text(lines[0])
    one_error(locality(NESTS / "gauss.json", "--measured", part, status=2), "holds no choice")


# ---- parts -------------------------------------------------------------------------------------------------------------------

@needs_islpy  # portcost_locality.measured is loaded with what analyses
def test_ranks_share_the_mean_of_their_places():
    from portcost_locality.measured import ranks, spearman

    assert ranks([30, 10, 20, 10]) == [4, 1.5, 3, 1.5]
    assert spearman([1, 2, 3, 4], [1, 4, 9, 16]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2], [1, 2]) is None and spearman([1, 1, 1], [1, 2, 3]) is None
