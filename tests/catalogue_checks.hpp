// SPDX-License-Identifier: Apache-2.0
// Checks of every variant, as functions, so that a wrong one can show that they fail. Each returns
// a line a failure (variant, size, type, seed, what differs), the first few only.
#pragma once

#include <span>

#include "tests/support.hpp"

namespace portcost::test {

using Algorithms = std::span<const Algorithm* const>;
using Failures = std::vector<std::string>;

/// Of a drawn size, with the parameters by default.
Problem random_problem(const Algorithm& algorithm, ElementType type, std::uint64_t seed);

/// Every variant of `place` against the reference, on `count` random sizes of every type.
Failures against_reference(Algorithms algorithms, Place place, std::uint64_t count);
/// Reset and run twice: the same answer.
Failures after_reset(Algorithms algorithms, Place place, std::uint64_t count);
/// Where runs may follow each other without a reset, doing so breaks nothing for reset and run.
Failures after_repetition(Algorithms algorithms, Place place, std::uint64_t count);
/// Two problems at once, their phases in turns: the answers each gives alone.
Failures interleaved(Algorithms algorithms, Place place, std::uint64_t count);
/// Lists algorithms for which a reset alone, without a run, always passes for an answer.
Failures answers_without_a_run(Algorithms algorithms, std::uint64_t count);

}  // namespace portcost::test
