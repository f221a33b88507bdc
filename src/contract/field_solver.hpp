// SPDX-License-Identifier: Apache-2.0
// What an algorithm hands over that calculates a field on a grid from sizes and parameters alone,
// so that `portcost solve` can write it to a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/contract/algorithm.hpp"

namespace portcost {

struct FieldSolver {
  std::string_view field;       // the array of an answer that is written, of two extents
  ElementType standard_type;    // unless one is named
  std::string_view parameters;  // key=value,...: defaults that are not those of measuring
  double (*nodes)(const Problem& problem);  // of the field
  /// Bytes that one of several processes takes for a step alone (Algorithm::footprint is of all).
  double (*footprint_over_ranks)(const Problem& problem);
  /// Steps of a model, the fastest first; one that a build lacks is passed over.
  std::vector<std::string_view> (*steps)(const Problem& problem, Model model);
};

/// What an instance over ranks is, besides, whose field is to be written: its ranks do so together,
/// each its own part. Everything is collective.
class FieldOverRanks {
 public:
  virtual ~FieldOverRanks() = default;
  /// `header`, then the field row by row (distributed/files.hpp, gather).
  virtual void write_field(const std::string& path, std::string_view header) = 0;
  virtual bool field_is_finite() = 0;
  /// Rows and columns of the whole field.
  virtual std::array<std::int64_t, 2> field_extents() const = 0;
  /// The arrays of the answer but the field; on rank 0 alone.
  virtual Answer found() = 0;
};

}  // namespace portcost
