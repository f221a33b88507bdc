// SPDX-License-Identifier: Apache-2.0
// Robust statistics of timings. All functions ignore the order of their input; empty input or NaN
// throws Failure, because a number made from nothing must not reach a table.
#pragma once

#include <array>
#include <cstddef>
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
  bool contains(double value) const { return low <= value && value <= high; }
  bool operator==(const Interval&) const = default;
};

/// The point that Student's t with `degrees` of freedom exceeds in size with probability 1 -
/// `confidence`: 2.365 for 7 degrees and 95 %.
double student_t(int degrees, double confidence = 0.95);

/// The mean without a part of the smallest and of the largest values, and its standard error from
/// the winsorized values (Tukey and McLaughlin 1963).
struct TrimmedMean {
  double mean = 0, standard_error = 0;
  int degrees = 0;
  /// Half the width of the 95 % interval; infinite for one value.
  double half_width() const;
};
/// Of units: without floor(n / 10) at either end.
TrimmedMean trimmed_mean(std::span<const double> values);
/// Of what makes a unit, as few as four pairs of blocks on a host: without floor(n / 4) at either
/// end, so that one interrupted block of four changes nothing.
TrimmedMean interquartile_mean(std::span<const double> values);

/// What counts as one independent observation: a process where there are several; else an
/// allocation of the data where there are several; else a pair of blocks.
enum class Unit { allocation, process, block };
constexpr std::string_view name(Unit unit) {
  constexpr std::array<std::string_view, 3> names{"allocation", "process", "block"};
  return names.at(static_cast<std::size_t>(unit));
}

/// With fewer units there is no interval, and nothing is decided. Of processes, which cost a whole
/// campaign each, three do: Student's t makes the interval as wide as so few need.
inline constexpr int fewest_units = 8;
inline constexpr int fewest_processes = 3;
constexpr int fewest(Unit unit) { return unit == Unit::process ? fewest_processes : fewest_units; }

/// A ratio or a time with its 95 % interval, made from logarithms.
struct Estimate {
  double value = 1;
  Interval interval{1, 1};  // without width, and without meaning, unless decided()
  int units = 0;
  Unit unit = Unit::block;
  TrimmedMean log{};  // its logarithm, with the error that the run sees in itself
  double unseen = 0;  // standard error of the logarithm beyond what the run sees
  bool decided() const { return units >= fewest(unit); }
};

/// From one logarithm for each pair of blocks, a list for each allocation or process. With several
/// lists each gives one number, its interquartile mean, and `several` says what a list is; else
/// each pair does. The interval is Student's t on the trimmed mean of these numbers.
/// tests/test_coverage.cpp shows that it covers.
Estimate estimate(std::span<const std::vector<double>> logs_by_allocation,
                  Unit several = Unit::allocation);

/// What two runs of the same work differ by beyond what either sees in itself: another process, day
/// or GPU of the same kind. It is the standard deviation of a run's log ratio, from the repeated
/// runs of perf/results (perf/measuring.md).
inline constexpr double run_to_run = 0.0015;
/// The ratio with run_to_run in its interval: independent errors add in squares of logarithms. Of a
/// product of `ratios` ratios each has it.
Estimate with_run_to_run(Estimate ratio, int ratios = 1);

/// 1 / the estimate.
Estimate inverse(Estimate estimate);
/// The product of independent estimates: errors of logarithms add in squares, and the degrees of
/// freedom are Welch's. It is decided where all are.
Estimate product(std::span<const Estimate> factors);

enum class Verdict { faster, equal, slower, unclear };
constexpr std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"faster", "equal", "slower", "unclear"};
  return names.at(static_cast<std::size_t>(verdict));
}

/// The smallest difference the instrument claims, whatever the noise floor: half a percent.
inline constexpr double smallest_claim = 0.005;
/// "equal" is never said of a wider interval than 1 +- this, however noisy the machine.
inline constexpr double widest_equal = 0.02;

/// Within this no difference is claimed: the noise floor (A against A, taken to both sides of 1, as
/// which A is first means nothing) or smallest_claim, whichever is wider.
Interval no_claim(const Interval& noise);
/// Within this a ratio is equal: the same, but at most widest_equal.
Interval equal_within(const Interval& noise);

/// An interval wholly above no_claim() is slower, wholly below it faster, wholly inside
/// equal_within() equal; any other is unclear.
Verdict judge(const Interval& ratio, const Interval& noise);

}  // namespace portcost
