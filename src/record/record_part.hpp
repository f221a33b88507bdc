// SPDX-License-Identifier: Apache-2.0
// Reading back what an interrupted measurement has written.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/timing/measurement.hpp"

namespace portcost {

using Json = nlohmann::ordered_json;

/// The format of records that this version writes, and the oldest that it reads.
inline constexpr int record_format = 3, oldest_format = 2;

/// The complete rows of a record. A result counts with all its samples or not at all.
struct RecordPart {
  Json header;  // null when not even that was written
  std::vector<Json> limits, results, failures, counters;
  std::map<int, std::vector<Sample>> samples;  // of each result by its id
  std::uintmax_t end = 0;  // bytes of the rows that are complete, an end line not counted
  bool ended = false;      // there is an end line: the campaign is complete
  Json end_line;
};

/// Throws UsageError, naming file and line, when a line is no row of a record of this format. A
/// last line without its newline and a last result without all its samples are passed over: the
/// process that wrote them was killed meanwhile.
RecordPart read_record_part(const std::string& path);

/// What was measured, without the columns that name the result. Seconds of ranks are not in it.
Json to_json(const Sample& sample);

/// A sample from its row. Throws Json::exception when a field is missing or of another type.
Sample sample_from(const Json& row);

}  // namespace portcost
