// SPDX-License-Identifier: Apache-2.0
// Statistics on data worked out by hand, and what samples say of units, ratios and times.
#include "src/statistics/statistics.hpp"
#include "src/timing/measurement.hpp"
#include "tests/process_records.hpp"

namespace portcost::test::test_statistics {

using Values = std::vector<double>;
using Lists = std::vector<Values>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Interval quiet{1, 1};  // no noise: smallest_claim decides

constexpr double position = 1.07;  // what going second costs

Measurement made_up(int pairs, const Values& ratios) {
  return made_up_measurement(pairs, ratios, position);
}

TEST_CASE("statistics: quantiles of type 7, medians and quartiles", "[statistics]") {
  CHECK(quantile(Values{4, 1, 3, 2}, 0) == 1);
  CHECK(quantile(Values{4, 1, 3, 2}, 0.25) == 1.75);
  CHECK(quantile(Values{4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile(Values{4, 1, 3, 2}, 0.75) == 3.25);
  CHECK(quantile(Values{4, 1, 3, 2}, 1) == 4);
  CHECK(quantile(Values{50, 20, 10, 40, 30}, 0.1) == Approx(14));
  CHECK(quantile(Values{50, 20, 10, 40, 30}, 0.9) == Approx(46));
  const double infinity = std::numeric_limits<double>::infinity();

  CHECK(median(Values{7}) == 7);
  CHECK(quantile(Values{7}, 0.1) == 7);
  CHECK(median(Values{9, 7}) == 8);
  CHECK(median(Values{9, 7, 100}) == 9);
  CHECK(median(Values{1, 2, infinity}) == 2);
  CHECK(quantile(Values{1, infinity, infinity}, 0.5) == infinity);
  const Quartiles q = quartiles(Values{5, 1, 4, 2, 3});

  CHECK(q.min == 1);
  CHECK(q.q1 == 2);
  CHECK(q.median == 3);
  CHECK(q.q3 == 4);
}

TEST_CASE(
    "statistics: no values, NaN, or no fraction or degree throws; Student's t of printed tables",
    "[statistics]") {
  for (const Values& bad : {Values{}, Values{nan}, Values{1, nan, 2}}) {
    CHECK_THROWS_AS(median(bad), Failure);
    CHECK_THROWS_AS(quartiles(bad), Failure);
    CHECK_THROWS_AS(trimmed_mean(bad), Failure);
  }
  CHECK_THROWS_AS(estimate({}), Failure);
  CHECK_THROWS_AS(estimate(Lists{{}}), Failure);
  for (const double fraction : {-0.01, 1.01, nan}) {
    CHECK_THROWS_AS(quantile(Values{1, 2}, fraction), Failure);
  }
  CHECK_THROWS_AS(student_t(0), Failure);
  for (const double confidence : {0.0, 1.0, -0.5, nan}) {
    CHECK_THROWS_AS(student_t(3, confidence), Failure);
  }
  CHECK(student_t(1) == Approx(12.7062).epsilon(1e-5));
  CHECK(student_t(2) == Approx(4.30265).epsilon(1e-5));
  CHECK(student_t(7) == Approx(2.36462).epsilon(1e-5));
  CHECK(student_t(30) == Approx(2.04227).epsilon(1e-5));
  CHECK(student_t(199) == Approx(1.97196).epsilon(1e-5));
  CHECK(student_t(7, 0.99) == Approx(3.49948).epsilon(1e-5));
}

TEST_CASE("trimmed mean: a tenth at each end, and one value alone", "[statistics]") {
  const TrimmedMean mean = trimmed_mean(Values{1, 2, 3, 4});

  CHECK(mean.mean == Approx(2.5));
  CHECK(mean.degrees == 3);
  CHECK(mean.standard_error == Approx(std::sqrt(5.0 / 3 / 4)));
  CHECK(mean.half_width() == Approx(3.18245 * mean.standard_error).epsilon(1e-5));
  const TrimmedMean near = trimmed_mean(Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const TrimmedMean far = trimmed_mean(Values{-1e6, 8, 2, 3, 4, 5, 6, 7, 1, 1e6});

  CHECK(near.mean == Approx(4.5));
  CHECK(near.degrees == 7);
  // 1 and 8 twice, in place of what was cut: squares 2 (3.5^2 3.5^2 ... ) about 4.5.
  CHECK(near.standard_error == Approx(std::sqrt(66.5 / 56)));
  CHECK(far.mean == Approx(near.mean));
  CHECK(far.standard_error == Approx(near.standard_error));
  CHECK(trimmed_mean(Values{3}).mean == 3);
  CHECK(trimmed_mean(Values{3}).standard_error == 0);
  CHECK(std::isinf(trimmed_mean(Values{3}).half_width()));
}

TEST_CASE("estimate: enough processes, allocations or pairs of blocks decide", "[statistics]") {
  // Means 1 to 8, each twice; blocks that are many and alike must not narrow the interval.
  Lists logs;
  for (int i = 1; i <= 8; ++i) logs.push_back(Values(100, 0.01 * i));

  const Estimate ratio = estimate(logs);

  CHECK(ratio.unit == Unit::allocation);
  CHECK(ratio.units == 8);
  REQUIRE(ratio.decided());
  CHECK(std::log(ratio.value) == Approx(0.045));
  const double half = 2.36462 * 0.01 * std::sqrt(6.0 / 8);
  CHECK(std::log(ratio.interval.low) == Approx(0.045 - half).epsilon(1e-4));
  CHECK(std::log(ratio.interval.high) == Approx(0.045 + half).epsilon(1e-4));
  const Estimate of_blocks = estimate(Lists{{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08}});

  CHECK(of_blocks.unit == Unit::block);
  CHECK(of_blocks.units == 8);
  CHECK(of_blocks.decided());
  CHECK(std::log(of_blocks.value) == Approx(0.045));
  const Estimate two = estimate(Lists{{0.01, 0.03}, {0.04}}, Unit::process);
  const Estimate three = estimate(Lists{{0.01, 0.03}, {0.04}, {0.06}}, Unit::process);

  CHECK(two.unit == Unit::process);
  CHECK(two.units == 2);
  CHECK_FALSE(two.decided());
  REQUIRE(three.decided());
  CHECK(std::log(three.value) == Approx(0.04));
  // Student's t of two degrees of freedom is 4.303.
  CHECK(std::log(three.interval.high) == Approx(0.04 + 4.30265 * 0.02 / std::sqrt(3)));
  const Estimate seven = estimate(Lists{{1, 2, 3, 4, 5, 6, 7}});
  const Estimate empty_allocation = estimate(Lists{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {}});

  CHECK_FALSE(seven.decided());
  CHECK(seven.interval.low == seven.interval.high);
  CHECK(empty_allocation.units == 7);
  CHECK_FALSE(empty_allocation.decided());
}

TEST_CASE("run to run: what no run sees adds in squares to what is decided", "[statistics]") {
  Estimate ratio = estimate(Lists{{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08}});
  const double seen = 2.36462 * 0.01 * std::sqrt(6.0 / 8);
  for (const int ratios : {1, 2}) {
    const double half = std::hypot(seen, 1.959964 * 0.0015 * std::sqrt(ratios));
    const Estimate wider = with_run_to_run(ratio, ratios);
    CHECK(wider.value == ratio.value);
    CHECK(std::log(wider.interval.low) == Approx(0.045 - half).epsilon(1e-4));
    CHECK(std::log(wider.interval.high) == Approx(0.045 + half).epsilon(1e-4));
  }
  ratio.units = 7;
  CHECK(with_run_to_run(ratio).interval.low == with_run_to_run(ratio).interval.high);
}

Estimate known(double log, double error, int degrees, Unit unit, int units, double unseen = 0) {
  Estimate result;
  result.log = {log, error, degrees};
  result.unit = unit;
  result.units = units;
  result.unseen = unseen;
  return result;
}

TEST_CASE("product: errors add in squares, degrees are Welch's, each must decide", "[statistics]") {
  const Estimate a = known(0.05, 0.004, 7, Unit::allocation, 8, 0.003);
  const Estimate b = known(0.02, 0.003, 7, Unit::allocation, 8, 0.004);

  const Estimate ratio = product(std::vector{a, inverse(b)});

  CHECK(ratio.value == Approx(std::exp(0.03)));
  CHECK(ratio.log.degrees == 12);  // (9 + 16)^2 / ((81 + 256) / 7) = 12.98
  const double half = std::hypot(student_t(12) * 0.005, 1.959964 * 0.005);
  CHECK(std::log(ratio.interval.low) == Approx(0.03 - half));
  CHECK(std::log(ratio.interval.high) == Approx(0.03 + half));
  for (const Estimate& few :
       {known(0, 0.003, 6, Unit::allocation, 7), known(0, 0.003, 1, Unit::process, 2)}) {
    const Estimate undecided = product(std::vector{a, few});
    CHECK_FALSE(undecided.decided());
    CHECK(undecided.interval.low == undecided.interval.high);
  }
  const Estimate exact = known(0, 1e-9, 2, Unit::process, 3);
  const Estimate loose = known(0, 0.01, 7, Unit::allocation, 8);
  const Estimate still = known(0, 0, 5, Unit::block, 8);
  CHECK(product(std::vector{exact, loose}).log.degrees == 7);  // the first adds nothing
  CHECK(product(std::vector{loose, loose}).log.degrees == 14);
  CHECK(product(std::vector{still, known(0, 0, 7, Unit::block, 8)}).log.degrees == 5);
}

TEST_CASE("verdict: equal within the noise and at its edges; the least claim, the most equal",
          "[statistics]") {
  const Interval noise{0.99, 1.02};
  CHECK(judge({1.03, 1.05}, noise) == Verdict::slower);
  CHECK(judge({0.95, 0.98}, noise) == Verdict::faster);
  for (const Interval ratio : {Interval{0.995, 1.01}, noise, {1.02, 1.02}}) {
    CHECK(judge(ratio, noise) == Verdict::equal);
  }
  for (const Interval ratio : {Interval{1.01, 1.03}, {1.02, 1.03}, {0.97, 1.00}, {0.90, 1.10}}) {
    CHECK(judge(ratio, noise) == Verdict::unclear);
  }
  CHECK(judge({1.001, 1.004}, quiet) == Verdict::equal);
  CHECK(judge({1.0051, 1.006}, quiet) == Verdict::slower);
  CHECK(judge({0.99, 0.9949}, quiet) == Verdict::faster);
  CHECK(judge({1.004, 1.006}, quiet) == Verdict::unclear);
  CHECK(judge({1.006, 1.007}, {1.0, 1.01}) == Verdict::equal);
  const Interval noisy{0.28, 2.40};
  CHECK(judge({0.31, 1.91}, noisy) == Verdict::unclear);
  CHECK(judge({0.99, 1.03}, noisy) == Verdict::unclear);
  CHECK(judge({0.99, 1.02}, noisy) == Verdict::equal);
  CHECK(equal_within(noisy) == Interval{0.98, 1.02});
  CHECK(judge({2.5, 2.6}, noisy) == Verdict::unclear);  // 1 / 0.28 is the floor's far side
  CHECK(judge({3.6, 3.7}, noisy) == Verdict::slower);
  CHECK(judge({0.985, 0.988}, {1.01, 1.02}) == Verdict::equal);
  CHECK(judge({1.012, 1.018}, {0.98, 0.99}) == Verdict::equal);
  CHECK(no_claim({1.0, 1.0}) == Interval{0.995, 1.005});
  CHECK(no_claim({1.01, 1.25}).low == Approx(0.8));
}

TEST_CASE("measurement: a position cancels within blocks, the units", "[paired_sampler]") {
  const auto logs = made_up(3, {1.5}).pair_logs(&Timing::device_s);

  REQUIRE(logs.size() == 1);
  REQUIRE(logs[0].size() == 3);
  for (const double log : logs[0]) CHECK(log == Approx(std::log(1.5)));
  CHECK(made_up(7, {1.5}).ratio(&Timing::device_s).units == 7);
  CHECK_FALSE(made_up(7, {1.5}).ratio(&Timing::device_s).decided());
  const Estimate ratio = made_up(8, {1.5}).ratio(&Timing::wall_s);
  CHECK(ratio.decided());
  CHECK(ratio.unit == Unit::block);
  CHECK(ratio.value == Approx(1.5));
  const Measurement m = made_up(8, {1.5});

  CHECK(m.time(&Timing::device_s, 0).value == Approx(1.5 * std::sqrt(position)));
  CHECK(m.time(&Timing::wall_s, 1).value == Approx(2 * std::sqrt(position)));
}

TEST_CASE("measurement: one number an allocation, however many blocks", "[paired_sampler]") {
  const std::vector<double> ratios{1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08};

  const Estimate few = made_up(2, ratios).ratio(&Timing::device_s);
  const Estimate many = made_up(9, ratios).ratio(&Timing::device_s);

  CHECK(few.unit == Unit::allocation);
  CHECK(few.units == 8);
  CHECK(many.interval.low == Approx(few.interval.low));
  CHECK(many.interval.high == Approx(few.interval.high));
  CHECK(few.interval.contains(1.045));
}

TEST_CASE("measurement: one interrupted block of four changes nothing", "[paired_sampler]") {
  const std::vector<double> ratios{1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08};
  const Measurement calm = made_up(4, ratios);
  const Measurement spoilt = interrupted(calm);
  const auto value = [](const std::vector<Measurement>& processes) {
    return combined(processes).ratio(&Timing::device_s).value;
  };

  CHECK(spoilt.ratio(&Timing::device_s).interval.high ==
        Approx(calm.ratio(&Timing::device_s).interval.high));
  CHECK(value({spoilt, spoilt, spoilt}) == Approx(value({calm, calm, calm})));
}

TEST_CASE("measurement: a process is a unit, no two allocations are mixed", "[paired_sampler]") {
  const Measurement three =
      combined(std::vector{made_up(8, {1.1}), made_up(9, {1.2}), made_up(8, {1.3})});

  CHECK(three.processes == 3);
  CHECK(three.ratio(&Timing::device_s).units == 3);
  CHECK(three.ratio(&Timing::device_s).value == Approx(std::cbrt(1.1 * 1.2 * 1.3)));
  CHECK(three.time(&Timing::device_s, 1).unit == Unit::process);
  CHECK(three.seconds(&Timing::device_s, 0).size() == 50);
  CHECK(three.samples.back().process == 2);

  const Values ratios{1.1, 1.2, 1.3, 1.4, 2.1, 2.2, 2.3, 2.4};
  const Measurement two = combined(std::vector{made_up(2, {ratios.begin(), ratios.begin() + 4}),
                                               made_up(2, {ratios.begin() + 4, ratios.end()})});
  const auto logs = two.pair_logs(&Timing::device_s);
  REQUIRE(logs.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(logs[i][1] == Approx(std::log(ratios[i])));
  const Estimate ratio = two.ratio(&Timing::device_s);
  CHECK(ratio.unit == Unit::process);
  CHECK(ratio.units == 2);
  // Of each process the interquartile mean.
  CHECK(ratio.value == Approx(std::pow(1.2 * 1.3 * 2.2 * 2.3, 0.25)));
}

TEST_CASE("measurement: processes' counts add up, the worst end is kept", "[paired_sampler]") {
  Measurement a = made_up(8, {1.1}), b = made_up(8, {1.2});
  a.stop = Stop::time;
  b.stop = Stop::precise;
  std::tie(a.batch, b.batch, a.dropped, b.dropped) = std::tuple(3, 2, 2, 4);
  a.load = {1, 2, 3, 4, 5, 1, 1, 0.7};
  b.load = {10, 20, 30, 40, 50, 1, 1, 1};

  const Measurement all = combined(std::vector{a, b});

  CHECK(all.stop == Stop::time);
  CHECK(all.batch == 3);
  CHECK(all.blocks == 32);
  CHECK(all.dropped == 6);
  const Load& load = all.load;
  CHECK(std::tuple(load.wall_s, load.switches, load.timed_s, load.steal_s, load.others_s) ==
        std::tuple(11, 22, 33, 44, 55));
  CHECK(all.load.clock == 0.7);
}

TEST_CASE("measurement: dropped blocks do not count, times of 0 are refused", "[paired_sampler]") {
  Measurement m = made_up(9, {1.5});
  for (Sample& sample : m.samples) {
    if (sample.block / 2 != 4) continue;
    sample.kept = false;
    sample.timing.device_s *= sample.side == 0 ? 100 : 1;
  }
  CHECK(m.ratio(&Timing::device_s).units == 8);
  CHECK(m.ratio(&Timing::device_s).value == Approx(1.5));
  CHECK(m.seconds(&Timing::device_s, 0).size() == 16);

  m.samples[3].timing.device_s = 0;
  CHECK_THROWS_AS(m.ratio(&Timing::device_s), Failure);
  CHECK_THROWS_AS(combined(std::vector{made_up(8, {1.1}), made_up(8, {1.1, 1.2})}), Failure);
}

}  // namespace portcost::test::test_statistics
