"""tests/run on a made-up machine: what it counts, and what is a failure."""

import pytest
from machine import CTEST_XML, NOT_STARTED, Machine


def test_tests_run_sums_both_runners(ready: Machine):
    result = ready.run("tests/run", "--no-skip")
    assert result.stdout.splitlines()[-3:] == [
        "ctest: 2 passed, 0 failed, 1 skipped",
        "pytest: 1 passed, 0 failed, 1 skipped",
        "3 passed, 0 failed, 2 skipped",
    ]
    assert any(line.startswith("ctest") and line.endswith("no_skip=1") for line in ready.take_calls())


def test_test_that_could_not_start_is_a_failure(ready: Machine):
    ready.put("ctest.xml", CTEST_XML.format(NOT_STARTED))
    ready.put("ctest-status", "8")
    assert ready.run("tests/run", status=1).stdout.splitlines()[-1] == "3 passed, 1 failed, 2 skipped"


@pytest.mark.parametrize("status", ["0", "8"])
def test_no_tests_is_a_failure(ready: Machine, status: str):
    (ready.stubs / "ctest.xml").unlink()
    ready.put("ctest-status", status)
    assert ready.run("tests/run", "--ctest-only", status=1).stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
