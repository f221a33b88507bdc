// SPDX-License-Identifier: Apache-2.0
// What an algorithm hands over that calculates a field on a grid from sizes and parameters alone,
// so that `portcost solve` can write it to a file.
#pragma once

#include <string_view>
#include <vector>

#include "src/contract/algorithm.hpp"

namespace portcost {

struct FieldSolver {
  std::string_view field;       // the array of an answer that is written, of two extents
  ElementType standard_type;    // unless one is named
  std::string_view parameters;  // key=value,...: defaults that are not those of measuring
  double (*nodes)(const Problem& problem);  // of the field
  /// Steps of a model, the fastest first; one that a build lacks is passed over.
  std::vector<std::string_view> (*steps)(const Problem& problem, Model model);
};

}  // namespace portcost
