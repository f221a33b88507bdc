// SPDX-License-Identifier: Apache-2.0
// How the measuring of limits is split between files: a table of names and functions for each
// place.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "src/memory/stream.hpp"

namespace portcost::detail {

struct LimitMeasure {
  std::string_view name;
  std::string_view unit;
  // The limit measured `units` times. What they may share, such as pages, is the function's choice.
  std::vector<double> (*measure)(const Stream&, int units);
};

template <class F>
std::vector<double> repeated(int units, const F& measure_once) {
  std::vector<double> values;
  for (int i = 0; i < units; ++i) values.push_back(measure_once());
  return values;
}

// Units that share nothing.
template <double (*measure_once)(const Stream&)>
std::vector<double> each_anew(const Stream& stream, int units) {
  return repeated(units, [&] { return measure_once(stream); });
}

/// A pointer chase: place i of `count` holds the place that is loaded after it. Each comes once
/// before the first comes again, and neighbours do not follow each other.
std::vector<std::uint32_t> chain(std::uint32_t count);

std::span<const LimitMeasure> host_limits();
std::span<const LimitMeasure> device_limits();  // empty without CUDA

}  // namespace portcost::detail
