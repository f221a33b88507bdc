// SPDX-License-Identifier: Apache-2.0
// The ceilings of the machine, measured, not quoted.
#pragma once

#include <cstdint>

#include "src/memory/stream.hpp"
#include "src/statistics/statistics.hpp"

namespace portcost {

/// A measured ceiling. Units: "B/s" (bytes read plus bytes written), "FLOP/s", "op/s", "s"
/// (launch, latency), "B" (in flight).
struct Limit {
  std::string name;
  double value = 0;
  std::string unit;
  Interval interval{0, 0};  // 95 %; both 0 where it is not known
};

/// What can be measured in a place: the tables of limits.cpp and limits.cu. "both ways": pinned,
/// while the other direction is busy, too. "transfer": in bytes that cross, on a device the faster
/// of the pinned links. "add-min": an addition and a minimum are one operation. "multiply u32": of
/// 32 bits by 32 to 64. "latency": of one load of a pointer chase in memory. "in flight": read rate
/// times latency, the bytes that a multiprocessor, or the host, must have on their way at a time to
/// reach that rate.
std::vector<std::string_view> limit_names(Place place);

/// The limit that a Cost calls `what` ("read", "fma f32", "link to device pinned"), of a place:
/// "device read" or "host read", ... Throws Failure when the place has none such.
std::string limit_name(std::string_view what, Place place);

/// Measures the named limit: the best rate of some runs over buffers several times the last cache
/// (the copy limit is the better of a 16-byte-load kernel and the runtime's own copy), eight times,
/// on a device each in buffers of its own. The value is the geometric mean of the eight, the
/// interval Student's t on their logarithms. Throws Failure for a name not listed.
Limit measure_limit(std::string_view name, const Stream& stream);

namespace detail {

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

}  // namespace detail

}  // namespace portcost
