// SPDX-License-Identifier: Apache-2.0
#include "src/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/support/error.hpp"

namespace portcost {

namespace {

std::vector<double> sorted(std::span<const double> values) {
  require(!values.empty(), "statistics of no values");
  std::vector<double> result(values.begin(), values.end());
  require(std::ranges::none_of(result, [](double v) { return std::isnan(v); }),
          "statistics of NaN");
  std::ranges::sort(result);
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

// P(|T| <= t), as a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4).
double probability_within(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), square = cosine * cosine;
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int i = odd ? 1 : 0; i <= degrees - 2; i += 2) {
    sum += term;
    term *= square * (i + 1) / (i + 2);
  }
  if (!odd) return std::sin(angle) * sum;
  return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

constexpr double normal = 1.959963984540054;  // 95 % of a normal distribution lie within

int degrees_of(const Estimate& estimate) { return estimate.log.degrees; }

// With value and interval from its logarithm and its errors.
Estimate with_interval(Estimate estimate) {
  const double half =
      estimate.decided() ? std::hypot(estimate.log.half_width(), normal * estimate.unseen) : 0;
  const double log = estimate.log.mean;
  estimate.value = std::exp(log);
  estimate.interval = {std::exp(log - half), std::exp(log + half)};
  return estimate;
}

TrimmedMean mean_without(std::size_t part, std::span<const double> values) {
  const auto v = sorted(values);
  const std::size_t cut = v.size() / part;
  const std::size_t kept = v.size() - 2 * cut;
  TrimmedMean result;
  for (std::size_t i = cut; i < cut + kept; ++i) {
    result.mean += v[i] / static_cast<double>(kept);
  }
  result.degrees = static_cast<int>(kept) - 1;
  if (kept < 2) return result;
  // What was cut counts as the last value that was not.
  double winsorized_mean = 0, squares = 0;
  const auto winsorized = [&](double x) { return std::clamp(x, v[cut], v[cut + kept - 1]); };
  for (const double x : v) winsorized_mean += winsorized(x) / static_cast<double>(v.size());
  for (const double x : v) squares += std::pow(winsorized(x) - winsorized_mean, 2);
  const auto count = static_cast<double>(kept);
  result.standard_error = std::sqrt(squares / (count * (count - 1)));
  return result;
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

double student_t(int degrees, double confidence) {
  require(degrees >= 1, "Student's t without degrees of freedom");
  require(confidence > 0 && confidence < 1, "confidence outside (0, 1)");
  double low = 0, high = 1;
  while (probability_within(high, degrees) < confidence) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (probability_within(middle, degrees) < confidence ? low : high) = middle;
  }
  return high;
}

double TrimmedMean::half_width() const {
  if (degrees < 1) return std::numeric_limits<double>::infinity();
  return student_t(degrees) * standard_error;
}

TrimmedMean trimmed_mean(std::span<const double> values) { return mean_without(10, values); }

TrimmedMean interquartile_mean(std::span<const double> values) { return mean_without(4, values); }

Estimate estimate(std::span<const std::vector<double>> logs_by_allocation, Unit several) {
  require(!logs_by_allocation.empty(), "an estimate of nothing");
  Estimate result;
  std::vector<double> units;
  if (logs_by_allocation.size() == 1) {
    units = logs_by_allocation[0];
  } else {
    result.unit = several;
    for (const auto& logs : logs_by_allocation) {
      if (!logs.empty()) units.push_back(interquartile_mean(logs).mean);
    }
  }
  result.log = trimmed_mean(units);
  result.units = static_cast<int>(units.size());
  return with_interval(result);
}

Estimate with_run_to_run(Estimate ratio, int ratios) {
  ratio.unseen = std::hypot(ratio.unseen, run_to_run * std::sqrt(ratios));
  return with_interval(ratio);
}

Estimate inverse(Estimate estimate) {
  estimate.log.mean = -estimate.log.mean;
  return with_interval(estimate);
}

Estimate product(std::span<const Estimate> factors) {
  require(!factors.empty(), "a product of nothing");
  Estimate result = *std::ranges::min_element(factors, {}, [](const Estimate& one) {
    return static_cast<double>(one.units) / fewest(one.unit);
  });
  result.log = {0, 0, std::ranges::min(factors, {}, degrees_of).log.degrees};
  result.unseen = 0;
  double parts = 0;  // of Welch's degrees of freedom
  for (const Estimate& one : factors) {
    result.log.mean += one.log.mean;
    result.log.standard_error = std::hypot(result.log.standard_error, one.log.standard_error);
    result.unseen = std::hypot(result.unseen, one.unseen);
    if (one.log.degrees > 0) parts += std::pow(one.log.standard_error, 4) / one.log.degrees;
  }
  if (parts > 0) {
    const double degrees = std::pow(result.log.standard_error, 4) / parts;
    result.log.degrees =
        static_cast<int>(degrees * (1 + 1e-12));  // not a whole number less by rounding
  }
  return with_interval(result);
}

Interval no_claim(const Interval& noise) {
  return {std::min({noise.low, 1 / noise.high, 1 - smallest_claim}),
          std::max({noise.high, 1 / noise.low, 1 + smallest_claim})};
}

Interval equal_within(const Interval& noise) {
  const Interval widest = no_claim(noise);
  return {std::max(widest.low, 1 - widest_equal), std::min(widest.high, 1 + widest_equal)};
}

Verdict judge(const Interval& ratio, const Interval& noise) {
  const Interval silent = no_claim(noise), equal = equal_within(noise);
  if (ratio.low > silent.high) return Verdict::slower;
  if (ratio.high < silent.low) return Verdict::faster;
  if (ratio.low >= equal.low && ratio.high <= equal.high) return Verdict::equal;
  return Verdict::unclear;
}

}  // namespace portcost
