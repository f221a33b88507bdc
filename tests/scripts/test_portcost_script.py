"""perf/portcost on a made-up machine: which program it runs."""

from __future__ import annotations

from machine import Machine


def test_portcost_is_the_built_one(ready: Machine):
    result = ready.run("perf/portcost", "list", "--json")
    assert "command not found" not in result.stdout + result.stderr
    assert ready.take_calls() == ["portcost list --json"]


def test_portcost_of_a_preset(ready: Machine):
    assert "perf/run --preset cuda" in ready.run("perf/portcost", "list", PORTCOST_PRESET="cuda", status=3).stderr


def test_portcost_before_anything_is_built(bare: Machine):
    assert "nothing is built yet: run perf/run" in bare.run("perf/portcost", "list", status=3).stderr


def test_commands_work_through_a_link_from_any_folder(ready: Machine, tmp_path):
    link = tmp_path / "bin" / "portcost"
    link.parent.mkdir()
    link.symlink_to(ready.repo / "perf/portcost")
    assert ready.calls_of(str(link), "machine") == ["portcost machine"]
