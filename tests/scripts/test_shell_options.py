"""The options that the shell commands have in common, on a made-up machine."""

import re

import pytest
from machine import COMMANDS, ROOT, Machine, presets


def options_taken(command: str) -> set[str]:
    """The long options in a command's `case` branches, and in those that it shares."""
    alone = command in (".ci/run", "perf/setup/kokkos_source")
    files = [ROOT / command] if alone else [ROOT / command, ROOT / "perf/setup/common.bash"]
    branches = [line for file in files for line in file.read_text().splitlines() if re.match(r"\s+-[-\w |]+\)", line)]
    return {option for line in branches for option in re.findall(r"--[a-z][a-z0-9-]*", line.split(")")[0])}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option(bare: Machine, command: str):
    result = bare.run(command, "--help")
    assert result.stderr == ""
    assert result.stdout.startswith(f"usage: {command}")
    assert bare.take_calls() == []
    taken = options_taken(command)
    assert "--help" in taken
    assert {option for option in taken if not re.search(rf"{option}\b", result.stdout)} == set()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["--colour", "colour"])
def test_unknown_argument_is_named_in_one_line(bare: Machine, command: str, word: str):
    line = bare.refusal(command, word)
    assert word in line and command in line


def test_option_without_its_value(bare: Machine):
    assert "--filter needs a value" in bare.refusal("perf/run", "--filter")


@pytest.mark.parametrize("command", ["perf/prepare", "perf/run", "tests/run"])
def test_unknown_preset_is_refused_before_anything_is_brought(bare: Machine, command: str):
    assert bare.refusal(command, "--preset", "opemp") == (
        f"{command}: unknown preset 'opemp'; known: cuda cuda-checked openmp openmp-checked openmp-tsan (see {command} --help)")


def test_hidden_presets_are_unknown_and_the_users_own_are_known(ready: Machine):
    ready.run("perf/prepare", "--preset", "base", status=2)
    (ready.repo / "CMakeUserPresets.json").write_text('{"configurePresets": [\n{ "name": "mine" }\n]}')
    assert presets(ready.calls_of("perf/prepare", "--preset", "mine")) == ["mine"]
