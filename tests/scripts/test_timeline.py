"""perf/portcost draw-timeline: what it says and draws of events, on made-up files."""

import json
from pathlib import Path

import pytest
from portcost_records import timeline
from running import Main


def written(folder: Path, runs: dict[str, list[tuple[str, int, int, float, float]]], right: bool = True) -> Path:
    """A file as `portcost timeline` prints it: of each variant its spans (what, piece, queue, begin, end in ms)."""
    rows: list[dict[str, object]] = []
    for variant, spans in runs.items():
        rows.append({"kind": "timeline", "variant": f"overlap/{variant}", "size": {"n": 8, "streams": 2},
                     "parameters": {"chunks": 2}, "type": "f32", "processor": "a GPU",
                     "truth": "all elements; largest error 1e-07", "right": right})
        rows += [{"kind": "span", "variant": f"overlap/{variant}", "what": what, "piece": piece, "queue": queue,
                  "begin_s": begin * 1e-3, "end_s": end * 1e-3} for what, piece, queue, begin, end in spans]
    path = folder / "timeline.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


PIPELINE = [("copy in", 0, 0, 0.0, 2.0), ("kernel", 0, 0, 2.0, 2.5), ("copy out", 0, 0, 2.5, 5.0),
            ("copy in", 1, 1, 0.0, 4.0), ("kernel", 1, 1, 4.0, 4.4), ("copy out", 1, 1, 4.5, 8.0)]
"""Two pieces on two streams, both ready at once; copies of a direction take turns."""


def test_copies_of_one_direction_take_turns_and_shares_are_of_the_time_in_which_each_is_under_way(tmp_path: Path) -> None:
    [run] = timeline.read_runs(written(tmp_path, {"v1/cuda": PIPELINE}))
    full = {(span.what, span.piece): span.full * 1e3 for span in run.spans}
    assert full == pytest.approx({("copy in", 0): 0.0, ("kernel", 0): 2.0, ("copy out", 0): 2.5, ("copy in", 1): 2.0,
                                  ("kernel", 1): 4.0, ("copy out", 1): 5.0})
    assert run.end == pytest.approx(8e-3)
    busy = [run.busy(*names) for names in (["copy in"], ["kernel"], ["copy out"], ["copy in", "copy out"])]
    assert busy == pytest.approx([4e-3, 0.9e-3, 5.5e-3, 1.5e-3])
    assert run.line() == ("v1/cuda: 8 ms; copy in 50 %, kernel 11 %, copy out 69 %, both ways 19 %; "
                          "all elements; largest error 1e-07")


def test_each_step_has_a_picture_with_its_models(tmp_path: Path, cli: Main) -> None:
    source = written(tmp_path, {"v1/cuda": PIPELINE, "v1/kokkos": PIPELINE, "ring/cuda": PIPELINE[:3]})
    said = cli.printed(timeline.main, "--from", source, "--out", tmp_path / "out")
    assert [line.split(":")[0] for line in said[:3]] == ["ring/cuda", "v1/cuda", "v1/kokkos"]
    pictures = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert pictures == ["timeline_overlap_ring_n_8_streams_2_chunks_2_f32.png",
                        "timeline_overlap_v1_n_8_streams_2_chunks_2_f32.png"]
    for name in pictures:
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")
    wrong = written(tmp_path, {"v1/cuda": PIPELINE}, right=False)
    assert timeline.main(["--from", str(wrong), "--out", str(tmp_path / "out")]) == 1, "an answer is wrong"


@pytest.mark.parametrize(("text", "reason"), [
    ("", "a run has no spans, or there is no run"),
    ('{"kind": "span"}\n', "a line of kind 'span' has no place here"),
    ('{"kind": "other"}\n', "a line of kind 'other' has no place here")])
def test_a_file_that_is_none_is_refused_in_one_line(text: str, reason: str, tmp_path: Path, cli: Main) -> None:
    (tmp_path / "bad.jsonl").write_text(text, encoding="utf-8")
    assert reason in cli.refused(timeline.main, "--from", tmp_path / "bad.jsonl", "--out", tmp_path)
    backwards = written(tmp_path, {"v1/cuda": [("kernel", 0, 0, 2.0, 1.0)]})
    assert "ends before it begins" in cli.refused(timeline.main, "--from", backwards, "--out", tmp_path)


def test_variants_or_a_file_must_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["overlap", "--from", "x.jsonl"]):
        with pytest.raises(SystemExit) as stopped:
            timeline.main([*words, "--out", str(tmp_path)])
        assert stopped.value.code == 2
    assert "name variants to run, or a file with --from" in capsys.readouterr().err


def test_options_are_passed_on() -> None:
    made = timeline.argparse.Namespace(filter=["a/b/c"], size="n=3", type=None, repeat="2", seed=None,
                                       parameter=["chunks=2", "buffers=1"])
    assert timeline.words_of(made) == ["timeline", "a/b/c", "--size", "n=3", "--repeat", "2", "--parameter", "chunks=2",
                                       "--parameter", "buffers=1"]
