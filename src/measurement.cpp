// SPDX-License-Identifier: Apache-2.0
#include "src/measurement.hpp"

#include <cmath>
#include <map>

#include "src/error.hpp"

namespace portcost {

namespace {

std::vector<double> seconds(const Measurement& measurement, int side, Clocked clock) {
  std::vector<double> result;
  for (const Sample& sample : measurement.samples) {
    if (sample.kept && sample.side == side) result.push_back(sample.timing.*clock);
  }
  return result;
}

}  // namespace

std::vector<double> Measurement::device_s(int side) const {
  return seconds(*this, side, &Timing::device_s);
}
std::vector<double> Measurement::wall_s(int side) const {
  return seconds(*this, side, &Timing::wall_s);
}

std::vector<std::vector<double>> Measurement::pair_logs(Clocked clock, int side) const {
  std::vector<std::map<int, double>> sums(static_cast<std::size_t>(allocations));
  for (const Sample& sample : samples) {
    if (!sample.kept || (side >= 0 && sample.side != side)) continue;
    const double time = sample.timing.*clock;
    require(time > 0, "the logarithm of a time that is not positive");
    const double sign = side < 0 && sample.side == 1 ? -1 : 1;
    // A pair has two blocks, so half of each is its share of the mean.
    sums.at(static_cast<std::size_t>(sample.allocation))[sample.block / 2] +=
        sign * std::log(time) / 2;
  }
  std::vector<std::vector<double>> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (const auto& [pair, log] : sums[i]) result[i].push_back(log);
  }
  return result;
}

Estimate Measurement::ratio(Clocked clock) const { return estimate(pair_logs(clock)); }

Estimate Measurement::time(Clocked clock, int side) const {
  return estimate(pair_logs(clock, side));
}

}  // namespace portcost
