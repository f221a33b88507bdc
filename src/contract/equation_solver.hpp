// SPDX-License-Identifier: Apache-2.0
// What an algorithm hands over that eliminates in a system of linear equations, so that
// `portcost solve` can solve one of the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "src/contract/algorithm.hpp"

namespace portcost {

struct EquationSolver {
  std::int64_t most_unknowns;
  ElementType standard_type;  // unless one is named
  /// The problem of so many equations with as many unknowns.
  Problem (*problem)(std::int64_t unknowns, ElementType type);
  /// An instance of it with given equations: n rows of n + 1 finite elements of the problem's type,
  /// the coefficients and the right side. They are needed during the call only. An answer has the
  /// array "lu" of the same form: on and above the diagonal what elimination leaves (U, and the
  /// right sides to go on with), below it the multipliers (L, whose diagonal is 1): both are in the
  /// bound that the solution is held to (residual_allowed). And "bad_pivot", i32: the first column,
  /// from 0, whose pivot is too small to divide by, and what is in "lu" then means nothing, or -1.
  std::unique_ptr<Instance> (*make)(const Problem& problem, std::span<const std::byte> rows,
                                    Stream& stream);
  /// Steps of a model, the fastest first; one that a build lacks is passed over.
  std::vector<std::string_view> (*steps)(const Problem& problem, Model model);
};

}  // namespace portcost
