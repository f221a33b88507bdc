"""perf/portcost shares: what it makes of the lines that hybrid prints, which tests/ranks/test_jacobi.cpp has it print on a GPU."""

import json
from pathlib import Path

import pytest

from portcost_records import shares
from portcost_records.records import RecordError
from running import Main

ALONE = 0.65


def lines(found_ms: float = 0.64, best: int = 1, left_out: tuple[int, ...] = (), percent: float = 1.25, again: float = ALONE) -> str:
    """A minimum at `best`, as variants/jacobi/ranks_shares.hpp prints it. One round of nine is disturbed."""
    text = [f"portcost: hybrid: the cores get {percent:.2f} % of rank 0's rows: {found_ms} ms for 8 sweeps, the GPU alone {ALONE} ms"]
    text += [f"portcost: hybrid: {one} % of the rows for the cores: {0.63 + 0.02 * abs(one - best):.5g} ms for 8 sweeps"
             for one in range(101) if one not in left_out]
    text += [f"portcost: hybrid: a round: {best} % {0.63 * slow:.5g} ms, the share that was found {found_ms * slow * late:.5g} ms, the GPU "
             f"alone {ALONE * slow:.5g} ms and {again * slow:.5g} ms" for slow, late in [(1, 1), (1.2, 1), (1, 3)] * 2 + [(1.1, 1)] * 3]
    return "\n".join(["some other line", *text, ""])


def saved(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_lines_are_read() -> None:
    found = shares.shares_in(lines(left_out=(3,)), "x")
    assert (found.sweeps, found.found_percent, found.best_percent) == (8, 1.25, 1)
    assert found.rounds_ms[0] == [0.63, 0.64, ALONE, ALONE] and len(found.rounds_ms) == 9
    assert found.best_ms == pytest.approx(0.63 * 1.1)
    assert set(found.all_ms) == set(range(101)) - {3} and found.all_ms[100] == pytest.approx(2.61)
    assert found.against_best == pytest.approx(0.64 / 0.63, rel=1e-4) and not found.faults()


@pytest.mark.parametrize("found_ms, status", [(0.64, 0), (0.6495, 0), (0.663, 1)])
def test_a_share_that_is_too_slow_is_status_1(found_ms: float, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, "cuda.txt", lines(found_ms))
    assert shares.main(["jacobi/hybrid", "--read", f"cuda={path}"]) == status
    out, err = capsys.readouterr()
    assert f"cuda: found 1.25 %, {found_ms * 1.1:.4g} ms: {found_ms / 0.63:.3f} times the fastest percentage (1 %, 0.693 ms)" in out
    assert "9 rounds, the same work differs by 0.0 %" in out
    assert ("cuda: the found share takes 1.052 times what the fastest" in err) == bool(status)


@pytest.mark.parametrize("found_ms, again, percent, faults", [
    (0.652, ALONE, 1.25, 1), (0.652, ALONE * 1.02, 1.25, 0), (0.66, ALONE * 1.005, 1.25, 1), (0.655, ALONE, 0, 0)])
def test_one_that_is_slower_than_the_gpu_alone_by_more_than_the_noise(found_ms: float, again: float, percent: float, faults: int
                                                                      ) -> None:
    """The GPU alone, whose cores get 0 %, is not slower than itself."""
    found = shares.shares_in(lines(found_ms, again=again, percent=percent), "x")
    assert found.against_best < shares.AIM and len(found.faults()) == faults
    assert all("the GPU alone takes, more than the noise of" in fault for fault in found.faults())


def test_the_table_has_every_percentage(tmp_path: Path, cli: Main) -> None:
    rows = cli.printed(shares.main, "jacobi/hybrid", "--read", "kokkos=" + saved(tmp_path, "k.txt", lines(left_out=(3,))))
    assert rows[1] == "kokkos: ms for 8 sweeps, by percent of the rows for the cores"
    assert rows[3].split() == ["0", "%", "0.65", "0.63", "0.65", "-", "0.69", "0.71", "0.73", "0.75", "0.77", "0.79"]
    assert rows[13].split() == ["100", "%", "2.61"]


@pytest.mark.parametrize("text", ["", "portcost: no GPU", lines().replace("a round", "another"), lines() + lines()])
def test_other_output_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        shares.shares_in(text, "x")


@pytest.mark.parametrize(("words", "said"), [
    (["--read", "cuda=/no/such/file"], ""), (["--read", "/no/such/file"], "give MODEL=FILE"),
    (["--launcher", "sh -c 'echo broken >&2; exit 3'"], "the run ended with 3: broken"),
    (["--launcher", "/no/such/launcher"], "name a launcher")])
def test_what_cannot_be_read_or_run_is_one_line(cli: Main, words: list[str], said: str) -> None:
    assert said in cli.refused(shares.main, "jacobi/hybrid", *words)


def test_it_runs_a_model_at_a_time_and_writes_both_files(tmp_path: Path, cli: Main) -> None:
    log = tmp_path / "words"
    program = tmp_path / "portcost"
    (tmp_path / "text").write_text(lines())
    program.write_text(f"#!/bin/sh\necho \"$@\" >> {log}\ncat {tmp_path}/text >&2\n")
    program.chmod(0o755)
    launcher = tmp_path / "launch"
    launcher.write_text("#!/bin/sh\nshift\nexec \"$@\"\n")
    launcher.chmod(0o755)

    def given(launched: object) -> list[object]:
        return ["jacobi/hybrid", "--portcost", program, "--launcher", launched, "--ranks", "2", "--size", "rows=900,columns=80",
                "--type", "f32", "--machine", "a machine", "--out", tmp_path / "s"]

    cli.refused(shares.main, *given("env N="))  # env takes no number of processes
    cli.printed(shares.main, *given(launcher))
    words = "--ranks 2 --size rows=900,columns=80 --type f32 --parameter host_share=-2"
    assert log.read_text().splitlines() == [f"check jacobi/hybrid/{model} {words}" for model in ("cuda", "kokkos")]
    facts = json.loads((tmp_path / "s.json").read_text())
    assert (facts["ranks"], facts["machine"], list(facts["models"])) == (2, "a machine", ["cuda", "kokkos"])
    assert facts["models"]["kokkos"]["all_ms"]["100"] == pytest.approx(2.61)
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


def test_what_one_model_gave_stays_when_the_next_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cuda, kokkos = saved(tmp_path, "cuda.txt", lines()), saved(tmp_path, "kokkos.txt", "stopped")
    assert shares.main(["jacobi/hybrid", "--read", f"cuda={cuda}", "--read", f"kokkos={kokkos}", "--out", str(tmp_path / "s")]) == 2
    assert "cuda: found 1.25 %" in capsys.readouterr().out
    assert list(json.loads((tmp_path / "s.json").read_text())["models"]) == ["cuda"]
