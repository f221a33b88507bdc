// SPDX-License-Identifier: Apache-2.0
// Common to tests of variants over processes.
#pragma once

#include "src/contract/algorithm.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test {

/// The stream of a place that all ranks work on together; of the device only where there is one.
Stream& shared_stream(Place place);

/// A problem of one process.
Problem problem_of(const Algorithm& row, const std::string& size, const std::string& parameters,
                   ElementType type);

/// What the serial reference answers, on every rank.
Answer right_answer(const Algorithm& row, const Problem& problem);

/// What a step over processes answers, on rank 0. Rank `late` begins each run after the others.
Answer answer_of(const Algorithm& row, const Problem& problem, const Variant& variant,
                 int late = -1);

/// Checks that every step over processes which takes the problem has the reference's bytes, in all
/// types, and that there are `least` such steps. How many have run, a step in two types being two.
int check_all_steps(const Algorithm& row, std::size_t least, const std::string& size,
                    const std::string& parameters = "");

}  // namespace portcost::test
