"""Records that cannot be trusted or were cut off, and output that nobody takes: one line with place and remedy, nothing written."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_up_records import small_writer
from running import ROOT, full_disk, refusal, report_of, run_tool

from portcost_records import derived
from portcost_records.reading import read_record
from portcost_records.records import ExplainError


def with_fields(number: int, **fields: object) -> Callable[[str], bytes]:
    def change(text: str) -> bytes:
        lines = text.splitlines()
        lines[number - 1] = json.dumps(json.loads(lines[number - 1]) | fields)
        return ("\n".join(lines) + "\n").encode()
    return change


def with_lines(text: str, first: int, last: int, count: int) -> bytes:
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:first - 1], *count * lines[first - 1:last], *lines[last:]]).encode()


TEXT = small_writer().text()
# Line 1 is the header, 2 and 3 are limits, 4 the first result, a noise floor.
SOLO = max(number for number, line in enumerate(TEXT.splitlines(), 1) if '"kind": "result"' in line)
FIRST, SECOND = json.loads(TEXT.splitlines()[3])["sides"]
BROKEN: dict[str, tuple[Callable[[str], bytes], str]] = {
    "empty": (lambda text: b"", " is empty: name a record"),
    "binary": (lambda text: bytes(range(128, 256)) + b"\n", ": line 1 is no row of a record"),
    "not json": (lambda text: b"name,value\n1,2\n", ": line 1 is no row"),
    "a list": (lambda text: b"[1, 2]\n", ": line 1 is no row"),
    "no header": (lambda text: text.split("\n", 1)[1].encode(), ": line 1 is not the header"),
    "an older format": (with_fields(1, format=1), " is a record of format 1, and this version of portcost knows format 3: measure "
                        "again with this version"),
    "a newer format": (with_fields(1, format=4), " is a record of format 4"),
    "no processor": (with_fields(1, machine={}), "needs 'processor' as text"),
    "cut off behind its end": (lambda text: (text + '{"kind"').encode(), " is no row of a record"),
    "rows behind its end": (lambda text: (text + '{"kind": "limit"}\n').encode(), " stands behind the end"),
    "a sample too few": (lambda text: with_lines(text, 5, 5, 0), ": line 36 should be a sample of the result before it"),
    "a sample of another": (with_fields(5, result=1), ": line 5 should be a sample of the result before it"),
    "a result too few": (lambda text: with_lines(text, 4, 36, 0), ": its end line counts 22 results, and 21 are there"),
    "no count of samples": (with_fields(4, samples=None), ": line 4 does not say how many samples follow"),
    "a broken line": (lambda text: text.replace('"role"', "role", 1).encode(), ": line 4 is no row"),
    "a null byte": (lambda text: text.replace("heat2d", "heat\x002d", 1).encode(), ": line 4 is no row"),
    "header alone": (lambda text: (text.split("\n", 1)[0] + "\n").encode(), ": it holds no results"),
    "NaN": (with_fields(4, ratio=float("nan")), ": line 4 is no row"),
    "Infinity": (with_fields(4, ratio=float("inf")), ": line 4 is no row"),
    "too large": (lambda text: text.replace('"ratio": ', '"ratio": 1e999, "x": ', 1).encode(), ": line 4 is no row"),
    "a negative limit": (with_fields(2, value=-1.0), ": the limit device copy is -1"),
    "a ratio in words": (with_fields(4, ratio="fast"), 'ratio is said to be "fast"'),
    "one side of a pair": (with_fields(4, sides=[]), ": line 5 is a sample of"),
    "an unknown role": (with_fields(4, role="guess"), ": result 1000: its role is 'guess', which this version does not know"),
    "no agreement": (with_fields(4, agrees=None), ": result 1000: it is damaged"),
    "own_answer in words": (with_fields(4, own_answer="yes"), ": result 1000: it is damaged"),
    "a size that its text denies": (with_fields(4, size_text="nx=256,ny=512,steps=1"), 'size_text is said to be "nx=256,ny=512,steps=1"'),
    "a parameter that its text denies": (with_fields(4, parameters={"r1": 8}, parameters_text="r1=16"),
                                         "parameters_text says 'r1=16', and parameters does not"),
    "a limit twice": (lambda text: with_lines(text, 2, 2, 2), ": the limit device copy is there twice"),
    "a limit upside down": (with_fields(2, low=3e12, high=1e12), ": the limit device copy is 2"),
    "a version that is no text": (with_fields(1, build={"kokkos": 5}), "needs 'kokkos' as text"),
    "damaged gzip": (lambda text: gzip.compress(text.encode())[:-100], "gzip data is cut off"),
    "a key of a size": (with_fields(SOLO, size={"<b>": 1}, size_text="<b>=1"), "result 16 'size' has 'key' = '<b>', which is no name"),
    "a key of a parameter": (with_fields(4, parameters={"<b>": 1}), "'parameters' has 'key' = '<b>', which is no name"),
    **{f"a {name} of a side": (with_fields(4, sides=[FIRST | {name: "<b>"}, SECOND]),
                               f" 'sides' has '{name}' = '<b>', which is no name; ") for name in ("model", "step")},
    "an id used twice": (lambda text: with_lines(text, 4, 36, 2), ": two results have the id 1000"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    change, message = BROKEN[name]
    assert message in refusal(tmp_path, change(TEXT))


BAD_NAMES = ('f64" onmouseover="alert(1)', "f64/../../../../x", "..", "", "<b>", "a b", "two\nlines", "µ", "f64\n",
             "$(x)", "-x")
NAMES = [(SOLO, name) for name in ("algorithm", "step", "type", "regime", "role")] + [(3, "name"), (SOLO + 1, "variant")]
IS_NO = {"variant": "not algorithm/step/model", "size_text": "no size, such as nx=64,ny=64"}
EXTRA = {
    "counters": {"variant": "sum/tree/cuda", "size_text": "n=1", "type": "f32", "kernels": [], "values": {}},
    "failure": {"variant": "sum/tree/cuda", "size_text": "n=1", "type": "f32", "regime": "cold", "what": "a", "when": "b"}}


@pytest.mark.parametrize("line, name, bad", [(*where, bad) for where in NAMES for bad in BAD_NAMES
                                             if (where[1], bad) != ("name", "a b")])
def test_a_name_is_letters_digits_and_little_else(line: int, name: str, bad: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, with_fields(line, **{name: bad + ("/a/b" if name == "variant" else "")})(TEXT))
    assert bad.split("\n")[0].strip() in said.replace("\\", "").replace("xb5", "µ")


@pytest.mark.parametrize("kind, name", [(kind, name) for kind in EXTRA for name in ("variant", "size_text", "type")])
def test_so_are_those_of_counters_and_failures(kind: str, name: str, tmp_path: Path) -> None:
    lines = [TEXT.splitlines()[0], *(json.dumps({"kind": one, **EXTRA[one]}) for one in EXTRA)]
    path = tmp_path / "good.jsonl"
    path.write_text("\n".join([*lines, ""]))
    read_record(path)
    lines.append(json.dumps({"kind": kind, **EXTRA[kind], name: "<b>"}))
    said = refusal(tmp_path, "\n".join([*lines, ""]).encode())
    assert f"{kind} has '{name}' = '<b>', which is {IS_NO.get(name, 'no name')}; " in said


def test_names_that_are_measured_are_taken(tmp_path: Path) -> None:
    writer = small_writer()
    dialled = "heat2d/naive/kokkos.usual:index=int64,tile=64x4"
    for n, (text, value) in enumerate((("r1=0.1", 0.1), ("file=/a,b/c d.npy", "/a,b/c d.npy"), ("r1=1e-07", 1e-7), ("", 3))):
        result = writer.result("solo", "naive.usual:tile=64x4", {"n": n + 1, "offset": -1}, "f32", "cold", {dialled: 1e-3}, 1e-6)
        result |= {"parameters": {"shape": "round", "file" if isinstance(value, str) else "r1": value}, "parameters_text": text}
    writer.lines[1]["name"] = "a b"
    record = read_record(writer.write(tmp_path / "good.jsonl"))
    assert record.limits[0].name == "a b"
    assert [r.parameters_text for r in record.results[-4:]] == ["r1=0.1", "file=/a,b/c d.npy", "r1=1e-07", ""]


def test_what_steers_a_terminal_is_marked(tmp_path: Path) -> None:
    writer = small_writer(processor="A\x1b[2J\u202eB\x00")
    record = read_record(writer.write(tmp_path / "odd.jsonl"))
    assert record.header.processor == "A\ufffd[2J\ufffdB\ufffd"
    assert "\x1b" not in run_tool("report", tmp_path / "odd.jsonl").stdout


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_gzip_is_read_by_content_not_by_name_and_a_byte_order_mark_is_passed_over(encoding: str, tmp_path: Path) -> None:
    plain, zipped = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_text(TEXT, encoding=encoding)
    zipped.write_bytes(gzip.compress(TEXT.encode(encoding)))
    assert read_record(plain).results == read_record(zipped).results and len(read_record(plain).results) == 22
    assert read_record(zipped).name == "b"
    zipped.write_bytes(plain.read_bytes())
    assert len(read_record(zipped).results) == 22


@pytest.mark.parametrize("name", ["run.jsonl", pytest.param("run.jsonl.gz", marks=pytest.mark.slow)])
def test_a_stopped_measurement_beside_a_name_is_told(name: str, tmp_path: Path) -> None:
    part, path = tmp_path / "run.jsonl.part", tmp_path / name
    how = (f"{part} holds a measurement that was stopped: go on with portcost bench --resume {part}, or, where perf/run began "
           f"it, with perf/run --resume {tmp_path}\n")
    small_writer().write(part)
    assert run_tool("report", path, status=2).stderr == f"perf/portcost report: {path}: no such file; {how}"
    small_writer().write(path)
    for tool, words, status in (("report", [path], 0), ("compare", [path, part], 1)):
        assert run_tool(tool, *words, status=status).stderr == f"perf/portcost {tool}: {how}"
    assert run_tool("report", part).stderr == ""
    part.unlink()
    assert run_tool("report", path).stderr == ""


@pytest.mark.parametrize("tool", ["report", "compare"])
@pytest.mark.parametrize("name", ["an older format", "binary", "NaN", "missing", "folder"])
def test_the_commands_end_with_2_and_write_nothing(tool: str, name: str, small: Path) -> None:
    path = small.with_name("bad.jsonl")
    if name == "folder":
        path.mkdir()
    elif name != "missing":
        path.write_bytes(BROKEN[name][0](TEXT))
    before = sorted(small.parent.iterdir())
    done = run_tool(tool, small, path, status=2)
    assert done.stdout == ""
    assert done.stderr.replace("'", "").startswith(f"perf/portcost {tool}: {path}") and done.stderr.count("\n") == 1
    assert sorted(small.parent.iterdir()) == before


def test_a_folder_that_cannot_be_written_is_one_line(small: Path) -> None:
    done = run_tool("report", small, "--out", small / "under_a_file", "--table1", status=2)
    assert done.stderr.count("\n") == 1 and "--out" in done.stderr


def test_unknown_kinds_and_fields_are_ignored(tmp_path: Path) -> None:
    *lines, end = TEXT.splitlines()
    text = "\n".join([*lines, '{"kind": "weather", "sun": true}', "", end, ""])
    path = tmp_path / "later.jsonl"
    path.write_bytes(with_fields(4, colour="green")(text))
    assert len(read_record(path).results) == 22


def test_a_command_of_another_commit_is_told_from_a_bad_record(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "portcost"
    old.write_text("#!/bin/sh\necho 'portcost: The following argument was not expected: --ask; see `portcost --help`' >&2\nexit 2\n")
    old.chmod(0o755)
    monkeypatch.setattr(derived, "portcost", lambda: old)
    with pytest.raises(ExplainError) as refused:
        read_record(small)
    assert refused.value.status == 3 and str(refused.value) == f"{old} is of another commit than these scripts: perf/prepare builds it anew"


# ---- Records that were cut off, of which what is whole is read, and full disks and outputs: one line, and no half-written file.


def test_the_report_says_that_the_end_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.part"
    path.write_text(small_writer().text(ended=False))
    done = run_tool("report", path)
    assert "the end line is missing" in done.stderr and done.stderr.count("\n") == 1
    assert all("INCOMPLETE" in page for page in report_of(path))
    whole = small_writer().write(tmp_path / "whole.jsonl")
    assert run_tool("report", whole).stderr == "" and "INCOMPLETE" not in report_of(whole)[0]


@pytest.mark.parametrize("arguments", [["report", "--table1"], ["report"], ["compare"]])
def test_a_full_output_is_one_line(arguments: list[str], small: Path, tmp_path: Path) -> None:
    tool, *options = arguments
    records = [small, small] if tool == "compare" else [small, "--out", tmp_path / "out"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, ROOT / "perf/setup/tool", tool, *records, *options],
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stderr == (f"perf/portcost {tool}: the output could not be written (No space left on " f"device)\n")


@pytest.mark.parametrize("options", [[], ["--table1"]])
def test_a_report_to_a_full_disk_is_one_line(options: list[str], tmp_path: Path) -> None:
    record, out = small_writer().write(tmp_path / "run.jsonl"), tmp_path / "out"
    done = subprocess.run([sys.executable, "-B", ROOT / "perf/setup/tool", "report", record, "--out", out,
                           *options], capture_output=True, text=True, check=False,
                          preexec_fn=full_disk(300))
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(f"perf/portcost report: {out}/") and "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(out.iterdir()) == []
