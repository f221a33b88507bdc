// SPDX-License-Identifier: Apache-2.0
#include "src/record/record_samples.hpp"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

// The rows of ranks come in the order of the samples, one each.
void take_ranks(const Json& row, std::vector<Sample>& samples) {
  const auto next = std::find_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return sample.timing.ranks_s.empty();
  });
  if (next == samples.end() || row.at("device_s").empty()) {
    throw UsageError("a record has seconds of ranks without a sample: measure again");
  }
  next->timing.ranks_s = row.at("device_s").get<std::vector<double>>();
}

}  // namespace

RecordWithSamples read_record_with_samples(const std::string& path) {
  RecordWithSamples record;
  record.part = read_record_part(path, [&](const Json& row) {
    try {
      auto& samples = record.samples[row.at("result").get<int>()];
      if (row.at("kind") == "ranks") {
        take_ranks(row, samples);
      } else {
        samples.push_back(sample_from(row));
      }
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
