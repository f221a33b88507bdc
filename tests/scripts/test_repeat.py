"""perf/run --repeat on a made-up machine: processes one after the other, combined; stopped and gone on with."""

from pathlib import Path

import pytest
from machine import Machine

STOPS_IN_SECOND = """echo "portcost $*" >>"$CALLS"
case $1 in bench | derive)
  for out in "$@"; do :; done
  case "$*" in
    *process-2-of-3*) echo '{"kind":"header"}' >"$out.part"; echo '{"kind":"result","id":0}' >>"$out.part"; exit 143 ;;
  esac
  echo '{}' >"$out" ;;
esac
"""


def repeated(ready: Machine, *words: str, status: int = 0):
    return ready.run("perf/run", "--repeat", "3", "--out", str(ready.repo / "out"), *words, status=status)


def stopped_in_second(ready: Machine) -> Path:
    """The folder of a run whose second process was stopped after its first row."""
    built = (ready.repo / "build/openmp/bin/portcost").read_text()
    ready.script(ready.repo / "build/openmp/bin/portcost", STOPS_IN_SECOND)
    result = repeated(ready, "--seconds", "2", status=143)
    folder = ready.folder()
    assert result.stderr.splitlines()[-1] == f"portcost: not finished; go on with: perf/run --resume {folder}"
    (ready.repo / "build/openmp/bin/portcost").write_text(built)
    ready.take_calls()
    return folder


def test_three_processes_with_seeds_of_their_own_are_combined(ready: Machine):
    result = repeated(ready, "--filter", "heat2d/*")
    first, second, third = (f"process-{number}-of-3.jsonl" for number in (1, 2, 3))
    bench = "portcost bench heat2d/* --campaign default --seed"
    assert ready.calls_in_folder("portcost", "report") == [
        "portcost check heat2d/*", f"{bench} 1 --out {first}", f"{bench} 2 --like {first} --out {second}",
        f"{bench} 3 --like {first} --out {third}",
        f"portcost derive {first} {second} {third} --force --out record.jsonl",
        f"report record.jsonl --out {ready.folder()}"]
    assert "record.jsonl and " in result.stderr


@pytest.mark.parametrize("number", ["0", "x", "101", "1.5", "-3", "007"])
def test_a_number_that_is_none_is_refused_before_anything_is_brought(bare: Machine, number: str):
    told = f"perf/run: --repeat needs a whole number from 1 to 100, not '{number}' (see perf/run --help)"
    assert bare.refusal("perf/run", "--repeat", number) == told


def test_a_stop_in_the_second_process_loses_nothing(ready: Machine):
    folder = stopped_in_second(ready)
    result = ready.run("perf/run", "--resume", str(folder))
    first, second, third = (f"process-{number}-of-3.jsonl" for number in (1, 2, 3))
    assert ready.calls_in_folder("portcost", "report") == [
        f"portcost bench --like {first} --resume {second}",
        f"portcost bench --campaign default --seconds 2 --seed 3 --like {first} --out {third}",
        f"portcost derive {first} {second} {third} --force --out record.jsonl",
        f"report record.jsonl --out {folder}"]
    assert "process 1 of 3 is measured already" in result.stderr


def test_a_process_stopped_before_its_first_row_is_begun_anew(ready: Machine):
    folder = stopped_in_second(ready)
    (folder / "process-2-of-3.jsonl.part").write_text('{"kind":"header"}\n')
    ready.run("perf/run", "--resume", str(folder))
    assert ready.calls_in_folder("portcost", "report")[0].endswith("--seed 2 --like process-1-of-3.jsonl --out process-2-of-3.jsonl")


def test_a_stop_before_any_row_is_gone_on_with_as_well(ready: Machine):
    ready.script(ready.repo / "build/openmp/bin/portcost", '[ "$1" != bench ] || exit 130\n')
    result = repeated(ready, status=130)
    assert f"perf/run --resume {ready.folder()}" in result.stderr


def test_a_mistake_found_by_the_first_process_is_no_stop(ready: Machine):
    ready.script(ready.repo / "build/openmp/bin/portcost", 'echo "portcost $*" >>"$CALLS"; [ "$1" != bench ] || exit 2\n')
    assert "go on with" not in repeated(ready, status=2).stderr
    assert [line.split()[1] for line in ready.calls_in_folder("portcost", "report")] == ["check", "bench"]


def test_a_check_of_which_variants_fail_does_not_keep_the_rest_from_being_measured(ready: Machine):
    program = ready.repo / "build/openmp/bin/portcost"
    built = program.read_text().split("\n", 1)
    ready.script(program, f'[ "$1" != check ] || {{ echo "portcost $*" >>"$CALLS"; exit 1; }}\n{built[1]}')
    assert "or crashed" in repeated(ready, status=1).stderr
    assert [line.split()[0] for line in ready.calls_in_folder("portcost", "report")][-1] == "report"


def test_a_check_that_is_stopped_or_refused_or_crashes_itself_ends_the_run(ready: Machine):
    for status in (2, 3, 130, 137, 139):
        ready.script(ready.repo / "build/openmp/bin/portcost", f'[ "$1" != check ] || exit {status}\n')
        repeated(ready, status=status)


def test_what_is_finished_is_reported_again_and_not_measured(ready: Machine):
    repeated(ready)
    ready.take_calls()
    ready.run("perf/run", "--resume", str(ready.folder()))
    assert [line.split()[0] for line in ready.calls_in_folder("portcost", "report")] == ["report"]
    for row in ('{"kind":"result","agrees":false}', '{"kind":"failure"}'):
        (ready.folder() / "record.jsonl").write_text(row + "\n")
        ready.run("perf/run", "--resume", str(ready.folder()), status=1)


def test_the_one_table_is_repeated_too(ready: Machine):
    repeated(ready, "--table1")
    calls = ready.calls_in_folder("portcost", "report")
    assert calls[1].startswith("portcost bench heat2d --size nx=14400,ny=14400,steps=100 --type f32 --regime hot "
                               "--sync phase --seed 1 ")
    assert calls[-2] == "report --table1 record.jsonl"
    ready.run("perf/run", "--resume", str(ready.folder()))
    assert ready.calls_in_folder("portcost", "report")[0] == "report --table1 record.jsonl"


def test_a_damaged_campaign_is_one_line(ready: Machine):
    folder = stopped_in_second(ready)
    (folder / "campaign.txt").write_text("repeat many\n")
    assert "campaign.txt is damaged" in ready.refusal("perf/run", "--resume", str(folder))
