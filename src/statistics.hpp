// SPDX-License-Identifier: Apache-2.0
// Robust statistics of timings. All functions ignore the order of their input; empty input or NaN
// throws Failure, because a number made from nothing must not reach a table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace portcost {

/// Quantile q in [0, 1], interpolated linearly between order statistics (Hyndman and Fan 1996, type
/// 7).
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

struct Quartiles {
  double min = 0, q1 = 0, median = 0, q3 = 0;
};
Quartiles quartiles(std::span<const double> values);

struct Interval {
  double low = 0, high = 0;
  double half_width() const { return (high - low) / 2; }
  bool operator==(const Interval&) const = default;
};

/// Percentile bootstrap of the median: `resamples` draws with replacement from `values`,
/// `confidence` in (0, 1). The same seed gives the same interval. (Efron and Tibshirani 1993,
/// ch. 13.) One value gives an interval of no width: judge the number of values too.
Interval bootstrap_median(std::span<const double> values, std::uint64_t seed,
                          double confidence = 0.95, int resamples = 1000);

/// log(a[i] / b[i]) for each block i. Times must be positive.
std::vector<double> log_ratios(std::span<const double> a, std::span<const double> b);

/// Cost of portability: exp of the median log ratio and of its bootstrap interval.
struct Ratio {
  double value = 1;
  Interval interval{1, 1};
};
Ratio ratio_of(std::span<const double> a, std::span<const double> b, std::uint64_t seed);

enum class Verdict { faster, equal, slower, unclear };
std::string_view name(Verdict verdict);

/// The smallest difference the instrument claims, whatever the noise floor: half a percent.
inline constexpr double smallest_claim = 0.005;

/// Compares a ratio's interval with the noise floor (A against A) or smallest_claim, whichever is
/// wider: wholly above it is slower, wholly below faster, wholly within equal; an interval that
/// straddles an edge is unclear.
Verdict judge(const Interval& ratio, const Interval& noise);

}  // namespace portcost
