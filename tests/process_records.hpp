// SPDX-License-Identifier: Apache-2.0
// Made-up records of processes that measured the same, to be combined.
#pragma once

#include "perf/command/result.hpp"
#include "tests/support.hpp"

namespace portcost::test {

/// What one process has measured; what is not named is the same in all.
struct MadeUpProcess {
  int seed = 1;
  double shift = 0;     // added to the log ratio of the pair
  int allocations = 1;  // in which the pair and its noise floor are measured
  std::string null_step = "naive";
  Json header = Json::object();       // fields that are not as usual
  void (*change)(Result&) = nullptr;  // applied to the pair before it is concluded
  bool with_pair = true, with_end = true;
};

/// Of its record.
Json made_up_header(const MadeUpProcess& process);
/// Writes the record `name`, of a limit, a null, a pair and a solo, and returns its path.
std::string write_process(const TemporaryFolder& folder, const std::string& name,
                          const MadeUpProcess& process);

/// `pairs` pairs of blocks on each allocation, first in order 0 1, then 1 0. Side 0 takes
/// `ratios[allocation]` seconds and side 1 a second, times `position` where it goes second.
Measurement made_up_measurement(int pairs, const std::vector<double>& ratios, double position = 1,
                                int sides = 2);

/// In the third block of each allocation side 0 takes 1, 2 or 3 times as long.
Measurement interrupted(Measurement measurement);

/// Checks that a row has the fields of `wanted`, a JSON object.
void check_fields(const Json& row, const char* wanted);

/// The pair, as process.change has left it, before it is concluded. Its 8 pairs of blocks have log
/// ratios of 0.1 and the shift; side 1 takes a second.
Result made_up_pair(const MadeUpProcess& process);

}  // namespace portcost::test
