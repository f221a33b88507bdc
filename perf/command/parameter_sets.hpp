// SPDX-License-Identifier: Apache-2.0
// The parameters of each problem, where users give a key more than one value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/contract/settings.hpp"

namespace portcost {

/// The parameters of each problem that `texts` ask for, each text "key=value,...". A key in several
/// texts takes each of its values, with each value of the other keys; the key that came first
/// changes slowest: "r1=8,colour=red" and "r1=16,colour=blue" are four problems. No text: one
/// problem with the keys' defaults. Throws UsageError as parse_parameters does, also for a key
/// twice in one text and for a value that is given twice.
std::vector<Parameters> parse_parameter_sets(std::span<const std::string> texts,
                                             std::span<const ParameterKey> keys);

}  // namespace portcost
