"""What follows from the counters, and which of them are named as different."""

import pytest

from portcost_records.counter_words import top_stalls, value_text
from portcost_records.counters import with_derived
from portcost_records.differences import differences, sentence


def test_equal_counters_call_nothing_out() -> None:
    values = {"seconds": 1e-3, "dram_bytes": 1e9, "instructions_per_element": 9.0,
              "working_lanes": 32.0}
    assert differences(values, dict(values)) == []
    assert "no counter differs" in sentence("a", values, "b", dict(values))


def test_what_is_small_makes_no_noise() -> None:
    a = {"bank_conflicts": 300.0, "shared_wavefronts": 1e6, "dram_bytes": 3e4}
    assert differences(a, {"bank_conflicts": 0.0, "shared_wavefronts": 1e6, "dram_bytes": 1e4}) == []


def test_the_largest_three_come_first_and_no_zero_divides() -> None:
    a = {"dram_bytes": 2e9, "instructions_per_element": 30.0, "working_lanes": 16.0,
         "registers": 64.0, "bank_conflicts": 5e6, "shared_wavefronts": 6e6}
    b = {"dram_bytes": 1e9, "instructions_per_element": 10.0, "working_lanes": 32.0,
         "registers": 32.0, "bank_conflicts": 0.0, "shared_wavefronts": 1e6}
    found = differences(a, b)
    assert [d.key for d in found] == ["bank_conflicts", "dram_bytes", "instructions_per_element"]
    assert "bank conflicts 5.00 M against 0" in found[0].text()


def test_without_those_an_element_all_instructions_of_as_many_launches_are_compared() -> None:
    a, b = {"instructions": 1.5e8, "kernels": 12.0}, {"instructions": 5.3e7, "kernels": 12.0}
    assert [d.text() for d in differences(a, b)] == ["warp instructions 150 M against 53.0 M (2.830 x)"]
    assert [d.key for d in differences(a, b | {"kernels": 24.0})] == ["kernels"], "of other launches"
    each = {"instructions_per_element": 10.0}
    assert differences(a | each, b | each) == []


def test_a_counter_that_speaks_for_the_slower_side_counts_half() -> None:
    fast, slow = {"occupancy": 50.0, "seconds": 1.0}, {"occupancy": 90.0, "seconds": 1.5}
    (excuse,) = differences(slow, fast)
    (cause,) = differences(fast | {"seconds": 2.0}, slow)
    assert excuse.score == pytest.approx(cause.score / 2)


def test_derived_values_need_their_parts() -> None:
    values = with_derived({"read_bytes": 8.0, "stall_wait": 0.0}, 1, None)
    assert "dram_bytes" not in values and values["stall_wait"] == 0 and values["kernels"] == 1
    assert top_stalls(values) == "–" and value_text("lanes", None) == "–"
