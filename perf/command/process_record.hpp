// SPDX-License-Identifier: Apache-2.0
// The record of one process, read whole to be combined with those of others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "perf/command/result.hpp"

namespace portcost {

/// A complete record with its samples. Models and steps of the results' sides are views into
/// `rows`, so that a record is moved and never copied, and outlives copies of its results.
struct ProcessRecord {
  std::string path;
  Json header;
  std::vector<Json> rows, failures;
  std::vector<Limit> limits;
  std::vector<Result> results;
  std::map<std::string, std::size_t> places;  // place_in_campaign() of each result, and its index

  ProcessRecord() = default;
  ProcessRecord(ProcessRecord&&) = default;
  ProcessRecord& operator=(ProcessRecord&&) = default;
};

/// Throws UsageError, in one line, when the record is not complete, is itself combined, or is
/// damaged.
ProcessRecord read_process(const std::string& path);

/// "pair heat2d/naive nx=64,ny=48,steps=1 f32 cold": what is measured, whichever steps a noise
/// floor or a best against best has. No two results of a record have the same.
std::string place_in_campaign(const Result& result);

/// The result of `record` that measured the same as `result`; null when there is none.
const Result* find_same(const ProcessRecord& record, const Result& result);

/// Throws UsageError, in one line that names the difference, unless all records are of the same
/// campaign (arguments but for the seed, machine, build, commit) and hold the same measurements,
/// each of its own process.
void check_same_measurements(const std::vector<ProcessRecord>& records);

}  // namespace portcost
