"""perf/portcost on a made-up machine: which program it runs."""

from __future__ import annotations

from machine import Machine


def test_portcost_is_the_built_one(ready: Machine):
    result = ready.run("perf/portcost", "list", "--json")
    assert result.returncode == 0
    assert "command not found" not in result.stdout + result.stderr
    assert ready.take_calls() == ["portcost list --json"]


def test_portcost_of_a_preset(ready: Machine):
    result = ready.run("perf/portcost", "list", PORTCOST_PRESET="cuda")
    assert result.returncode == 3 and "perf/run --preset cuda" in result.stderr


def test_portcost_before_anything_is_built(bare: Machine):
    result = bare.run("perf/portcost", "list")
    assert result.returncode == 3 and "nothing is built yet: run perf/run" in result.stderr


def test_commands_work_through_a_link_from_any_folder(ready: Machine, tmp_path):
    link = tmp_path / "bin" / "portcost"
    link.parent.mkdir()
    link.symlink_to(ready.repo / "perf/portcost")
    assert ready.run(str(link), "machine").returncode == 0
    assert ready.take_calls() == ["portcost machine"]
