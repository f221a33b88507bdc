// SPDX-License-Identifier: Apache-2.0
// Reading back the samples of a complete record.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/record/record_part.hpp"
#include "src/timing/measurement.hpp"

namespace portcost {

/// A record with its end, and the samples of each result by the result's id.
struct RecordWithSamples {
  RecordPart part;
  std::map<int, std::vector<Sample>> samples;
};

/// Throws UsageError, in one line, when the record has no end line, or when a row of it is damaged.
RecordWithSamples read_record_with_samples(const std::string& path);

/// A sample from its row.
Sample sample_from(const Json& row);

}  // namespace portcost
