// SPDX-License-Identifier: Apache-2.0
#include "src/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "src/error.hpp"

namespace portcost {

namespace {

std::vector<double> sorted(std::span<const double> values) {
  require(!values.empty(), "statistics of no values");
  std::vector<double> result(values.begin(), values.end());
  require(std::none_of(result.begin(), result.end(), [](double v) { return std::isnan(v); }),
          "statistics of NaN");
  std::sort(result.begin(), result.end());
  return result;
}

double quantile_of_sorted(const std::vector<double>& values, double q) {
  require(q >= 0 && q <= 1, "quantile outside [0, 1]");
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double weight = position - static_cast<double>(below);
  // Not a + w (b - a): exact at both ends and for equal neighbours.
  return weight == 0 ? values[below] : (1 - weight) * values[below] + weight * values[above];
}

// std::uniform_int_distribution differs between standard libraries; this draw does not (Lemire
// 2019, without the rejection step: the bias is below 2^-32 for any count of blocks).
std::size_t draw(std::mt19937_64& random, std::size_t count) {
  return static_cast<std::size_t>(((random() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

}  // namespace

double quantile(std::span<const double> values, double q) {
  return quantile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

Quartiles quartiles(std::span<const double> values) {
  const auto v = sorted(values);
  return {v.front(), quantile_of_sorted(v, 0.25), quantile_of_sorted(v, 0.5),
          quantile_of_sorted(v, 0.75)};
}

Interval bootstrap_median(std::span<const double> values, std::uint64_t seed, double confidence,
                          int resamples) {
  require(confidence > 0 && confidence < 1, "confidence outside (0, 1)");
  require(resamples >= 1, "bootstrap without resamples");
  const auto source = sorted(values);
  std::mt19937_64 random(seed);
  std::vector<double> medians(static_cast<std::size_t>(resamples));
  std::vector<std::size_t> ranks(source.size());
  for (double& result : medians) {
    // Ranks into sorted values: the median of the resample is the value at its median rank.
    for (auto& rank : ranks) rank = draw(random, source.size());
    const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
    std::nth_element(ranks.begin(), middle, ranks.end());
    result = source[*middle];
    if (ranks.size() % 2 == 0)
      result = (result + source[*std::max_element(ranks.begin(), middle)]) / 2;
  }
  std::sort(medians.begin(), medians.end());
  const double tail = (1 - confidence) / 2;
  return {quantile_of_sorted(medians, tail), quantile_of_sorted(medians, 1 - tail)};
}

std::vector<double> log_ratios(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size(), "log ratios of unequal counts");
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    require(a[i] > 0 && b[i] > 0, "log ratio of a time that is not positive");
    result[i] = std::log(a[i] / b[i]);
  }
  return result;
}

Ratio ratio_of(std::span<const double> a, std::span<const double> b, std::uint64_t seed) {
  const auto logs = log_ratios(a, b);
  const Interval interval = bootstrap_median(logs, seed);
  return {std::exp(median(logs)), {std::exp(interval.low), std::exp(interval.high)}};
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::equal:
      return "equal";
    case Verdict::slower:
      return "slower";
    case Verdict::unclear:
      return "unclear";
  }
  return "?";
}

Verdict judge(const Interval& ratio, const Interval& noise) {
  const double low = std::min(noise.low, 1 - smallest_claim);
  const double high = std::max(noise.high, 1 + smallest_claim);
  if (ratio.low > high) return Verdict::slower;
  if (ratio.high < low) return Verdict::faster;
  if (ratio.low >= low && ratio.high <= high) return Verdict::equal;
  return Verdict::unclear;
}

}  // namespace portcost
