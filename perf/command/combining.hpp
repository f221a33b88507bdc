// SPDX-License-Identifier: Apache-2.0
// Records of several processes as one: every row follows from the samples of all of them, by the
// same functions as that of a single run.
#pragma once

#include <vector>

#include "perf/command/process_record.hpp"

namespace portcost {

/// A limit measured by several processes: the geometric mean, Student's t over the processes.
struct CombinedLimit {
  Limit limit;
  std::vector<double> values;  // of each process
};
/// The "limit" row, with the value of each process.
Json to_json(const CombinedLimit& limit);

struct CombinedRecord {
  Json header;  // the first's, with the `processes` and the command that combined them
  std::vector<CombinedLimit> limits;
  std::vector<Json> failures;   // with the `process` of each, from 0
  std::vector<Result> results;  // views into the records' rows, as theirs
};

/// Combines records that check_same_measurements() has let pass.
CombinedRecord combine_records(const std::vector<ProcessRecord>& records,
                               const std::string& command);

}  // namespace portcost
