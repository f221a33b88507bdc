// SPDX-License-Identifier: Apache-2.0
// A record's rows as results: what was measured. What follows from it, conclude() makes anew,
// whatever the row says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/command/result.hpp"

namespace portcost {

/// A limit from its row.
Limit limit_from(const Json& row);
/// All by their names.
std::map<std::string, Limit> limits_from(const std::vector<Json>& rows);

/// A result from its row and samples, without conclusions. Throws UsageError, in one line without
/// the record's name, when a field is missing, is of another type or unknown, or when a sample does
/// not fit.
Result result_from(const Json& row, std::vector<Sample> samples);

/// Concludes from the limits of its record and the noise floor of its problem, which a null sets.
void conclude(Result& result, const std::map<std::string, Limit>& limits,
              std::optional<Interval>& noise);

}  // namespace portcost
