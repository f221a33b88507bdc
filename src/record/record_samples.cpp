// SPDX-License-Identifier: Apache-2.0
#include "src/record/record_samples.hpp"

#include <fmt/format.h>

#include "src/support/error.hpp"

namespace portcost {

Sample sample_from(const Json& row) {
  Sample sample;
  sample.block = row.at("block");
  sample.position = row.at("position");
  sample.side = row.at("side");
  sample.timing = {row.at("device_s"), row.at("wall_s"), row.value("queued_ahead", true)};
  if (row.contains("clock_mhz") && row["clock_mhz"].is_number()) {
    sample.clock_mhz = row["clock_mhz"];
  }
  sample.batch = row.at("batch");
  sample.kept = row.at("kept");
  sample.allocation = row.at("allocation");
  sample.switches = row.at("switches");
  sample.process = row.value("process", 0);
  return sample;
}

RecordWithSamples read_record_with_samples(const std::string& path) {
  RecordWithSamples record;
  record.part = read_record_part(path, [&](const Json& row) {
    try {
      record.samples[row.at("result").get<int>()].push_back(sample_from(row));
    } catch (const Json::exception& error) {
      throw UsageError(fmt::format("'{}': a sample of result {} is damaged ({}): measure again",
                                   path, row.value("result", Json()).dump(), error.what()));
    }
  });
  if (!record.part.ended) {
    throw UsageError(fmt::format(
        "'{}' has no end line: its measurement was stopped, go on with it first (portcost bench "
        "--resume)",
        path));
  }
  return record;
}

}  // namespace portcost
