// SPDX-License-Identifier: Apache-2.0
#include "src/record/record_samples.hpp"

namespace portcost {

using Json = nlohmann::ordered_json;

Json to_json(const Sample& sample) {
  return {{"process", sample.process},
          {"allocation", sample.allocation},
          {"block", sample.block},
          {"position", sample.position},
          {"side", sample.side},
          {"device_s", sample.timing.device_s},
          {"wall_s", sample.timing.wall_s},
          {"clock_mhz", sample.clock_mhz > 0 ? Json(sample.clock_mhz) : Json()},
          {"batch", sample.batch},
          {"switches", sample.switches},
          {"queued_ahead", sample.timing.queued_ahead},
          {"kept", sample.kept}};
}

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

}  // namespace portcost
