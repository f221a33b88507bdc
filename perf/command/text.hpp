// SPDX-License-Identifier: Apache-2.0
// What people read on a terminal: at most 100 columns, plain text.
#pragma once

#include "perf/command/result.hpp"

namespace portcost {

/// "412 us", "61.3 us", "2.04 s": three digits that matter.
std::string readable_time(double seconds);
/// "4290 GB/s", "33.1 TFLOP/s", "6.7 us".
std::string readable_limit(const Limit& limit);
/// " [4230, 4246]" in the unit of readable_limit; empty where the interval is not known.
std::string readable_interval(const Limit& limit);

/// One line a result as it becomes ready, after a counter "[ 3/40]".
std::string progress_line(const Result& result, int done, int all);

/// The table of one group's results (same algorithm, size, type and regime), in the order measured.
std::string group_table(const std::vector<Result>& results);

}  // namespace portcost
