"""The arithmetic of perf/portcost compare: how sure the difference of two measurements is."""

from __future__ import annotations

import math

import pytest

from portcost_records.changes import widen
from portcost_records.estimates import Estimate, difference, student_t, verdict, welch_degrees
from portcost_records.records import Interval


@pytest.mark.parametrize(("interval", "expected"), [
    ((0.95, 0.94, 0.96), "faster"), ((1.1, 1.09, 1.11), "slower"), ((1.0, 0.998, 1.002), "equal"),
    ((1.004, 1.001, 1.008), "unclear"), ((1.02, 0.99, 1.05), "unclear")])
def test_verdicts_are_those_of_a_measurement(interval: tuple[float, float, float], expected: str) -> None:
    assert verdict(Interval(*interval), (0.995, 1.005)) == expected


def test_errors_of_two_records_add_in_squares() -> None:
    old, new = Estimate(0.02, 0.003, 7, "allocation", 8), Estimate(0.05, 0.004, 7, "allocation", 8)
    ratio = difference(new, old)
    assert ratio and ratio.value == pytest.approx(math.exp(0.03))
    half = student_t(12) * 0.005  # (9 + 16)^2 / ((81 + 256) / 7) = 12.98
    assert math.log(ratio.high) == pytest.approx(0.03 + half)
    assert math.log(ratio.low) == pytest.approx(0.03 - half)
    assert difference(new, Estimate(0.02, 0.003, 6, "allocation", 7)) is None
    assert difference(Estimate(0.02, 0.003, 1, "process", 2), old) is None


def test_degrees_of_freedom_of_a_difference() -> None:
    exact, loose = Estimate(0, 1e-9, 2, "process", 3), Estimate(0, 0.01, 7, "allocation", 8)
    assert welch_degrees(exact, loose) == 7  # the other adds nothing
    assert welch_degrees(loose, loose) == 14
    still = Estimate(0, 0, 5, "block", 8)
    assert welch_degrees(still, Estimate(0, 0, 7, "block", 8)) == 5


def test_noise_of_two_runs_widens_and_holds_one() -> None:
    assert widen((0.99, 1.01), (0.98, 1.0)) == pytest.approx((0.9702, 1.01))
    assert widen((1.01, 1.02), (1.01, 1.02))[0] == 1.0
