"""perf/portcost calls: what the library writes is counted a run, without the first one; a program that plays portcost stands for it."""

import json
from pathlib import Path

import pytest

from portcost_records import calls
from running import Main

# Three runs: the first, which initialises, then two that differ in the times alone.
WRITTEN = """\
run
cudaMalloc 9000000
cudaMemcpy 5000
run
cudaDeviceSynchronize 2000
cudaMemcpy 4000
cudaDeviceSynchronize 1000
run
cudaDeviceSynchronize 3000
cudaMemcpy 6000
cudaDeviceSynchronize 1000
"""


def program(folder: Path, body: str) -> Path:
    path = folder / "portcost"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def words(folder: Path, body: str, *more: str) -> list[object]:
    (folder / "library.so").touch()
    return ["a/b/cuda", "--command", program(folder, body), "--library", folder / "library.so", *more]


def test_the_table_names_each_call_once(tmp_path: Path, cli: Main) -> None:
    out = tmp_path / "calls.json"
    body = f'cat > "$PORTCOST_CALLS_OUT" <<END\n{WRITTEN}END\necho "$@" > {tmp_path}/words\necho "$CUDA_INJECTION64_PATH" >> {tmp_path}/words'
    lines = cli.printed(calls.main, *words(tmp_path, body, "--size", "bytes=4096", "--repeat", "2", "--json", str(out)))
    assert (tmp_path / "words").read_text().split("\n")[:2] == ["run a/b/cuda --repeat 3 --size bytes=4096",
                                                               str(tmp_path / "library.so")]
    assert lines[0] == "a/b/cuda: 3 calls a run, 8.50 us in them"
    assert lines[1].split() == ["2", "cudaDeviceSynchronize", "1.50", "us", "each"]
    assert lines[2].split() == ["1", "cudaMemcpy", "5.00", "us", "each"]
    (row,) = json.loads(out.read_text())
    assert row["variant"] == "a/b/cuda" and row["runs"] == 2
    assert [(one["name"], one["a_run"]) for one in row["calls"]] == [("cudaDeviceSynchronize", 2.0), ("cudaMemcpy", 1.0)]


@pytest.mark.parametrize(("body", "said"), [
    ("echo it broke >&2; exit 3", "it broke"),
    ("true", "no calls were seen"),
    ('printf "run\\ncudaMemcpy 3\\n" > "$PORTCOST_CALLS_OUT"', "1 runs were seen"),
    ('printf "run\\ncudaMemcpy x\\n" > "$PORTCOST_CALLS_OUT"', "line 2: 'cudaMemcpy x'"),
    ('printf "cudaMemcpy 3\\n" > "$PORTCOST_CALLS_OUT"', "line 1"),
])
def test_what_cannot_be_counted_is_an_error(tmp_path: Path, cli: Main, body: str, said: str) -> None:
    assert said in cli.refused(calls.main, *words(tmp_path, body))


def test_what_is_missing_is_named(tmp_path: Path, cli: Main, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--repeat 0" in cli.refused(calls.main, *words(tmp_path, "true", "--repeat", "0"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "none"))
    assert "CUDA_HOME" in cli.refused(calls.main, "a/b/cuda", "--command", program(tmp_path, "true"))
    assert cli.refused(calls.main, "a/b/cuda", "--command", tmp_path / "none") == (
        f"perf/portcost calls: {tmp_path}/none: no such program; perf/prepare --preset cuda builds it, or --command names another")
