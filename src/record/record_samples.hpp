// SPDX-License-Identifier: Apache-2.0
// A sample and its row.
#pragma once

#include <nlohmann/json.hpp>

#include "src/timing/measurement.hpp"

namespace portcost {

/// What was measured, without the columns that name the result. Seconds of ranks are not in it.
nlohmann::ordered_json to_json(const Sample& sample);

/// A sample from its row. Throws Json::exception when a field is missing or of another type.
Sample sample_from(const nlohmann::ordered_json& row);

}  // namespace portcost
