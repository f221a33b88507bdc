// SPDX-License-Identifier: Apache-2.0
// How the measuring of limits is split between files: a table of names and functions for each
// place.
#pragma once

#include <span>
#include <string_view>

#include "src/stream.hpp"

namespace portcost::detail {

struct LimitMeasure {
  std::string_view name;
  std::string_view unit;
  double (*measure)(const Stream&);
};

std::span<const LimitMeasure> host_limits();
std::span<const LimitMeasure> device_limits();  // empty without CUDA

}  // namespace portcost::detail
