// SPDX-License-Identifier: Apache-2.0
// What follows from a measurement: verdicts and why there is none, fractions of a limit, rows.
#include "perf/command/result.hpp"

#include <catch2/catch_approx.hpp>

#include "src/record/record_samples.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_result {

namespace {

using Catch::Approx;

// A pair on one allocation whose sides take `ratio` and 1 second.
Result made_up(int pairs, double ratio, Role role = Role::pair) {
  Result result;
  result.role = role;
  result.algorithm = "heat2d";
  result.step = "naive";
  result.sides.resize(2);
  result.noise = Interval{0.999, 1.001};
  result.floor_s = 0.5;
  result.limit = {"host copy", 1e9, "B/s", {0.9e9, 1.1e9}};
  for (int block = 0; block < 2 * pairs; ++block) {
    for (int side = 0; side < 2; ++side) {
      Sample sample;
      sample.block = block;
      sample.side = side;
      const double seconds = side == 0 ? ratio : 1;
      sample.timing = {seconds, 2 * seconds};
      result.measurement.samples.push_back(sample);
    }
  }
  result.measurement.blocks = 2 * pairs;
  result.measurement.load.wall_s = 1;
  return result;
}

Result concluded(Result result) {
  conclude(result);
  return result;
}

}  // namespace

TEST_CASE("result: enough units on a quiet machine give a verdict", "[result]") {
  const Result slower = concluded(made_up(8, 1.1));

  CHECK(slower.undecided.empty());
  CHECK(slower.verdict == Verdict::slower);
  CHECK(slower.ratio.value == Approx(1.1));
  // Times that do not vary: what differs from run to run is all of the interval.
  for (const Estimate& ratio : {slower.ratio, slower.wall_ratio}) {
    CHECK(std::log(ratio.interval.high / ratio.value) == Approx(1.959964 * run_to_run));
    CHECK(std::log(ratio.interval.low / ratio.value) == Approx(-1.959964 * run_to_run));
  }
  CHECK(concluded(made_up(8, 1)).verdict == Verdict::equal);
  CHECK(concluded(made_up(8, 0.9)).verdict == Verdict::faster);
  const Json row = to_json(slower);
  CHECK(row.at("unit") == "block");
  CHECK(row.at("units") == 8);
  CHECK(row.at("allocations") == 1);
  CHECK(row.at("verdict") == "slower");
  CHECK(row.at("equal_low") == 0.995);
  CHECK(row.at("equal_high") == 1.005);
  CHECK_FALSE(row.contains("undecided"));
  CHECK_FALSE(row.contains("excludes_one"));
}

TEST_CASE("result: fewer than eight units give neither interval nor verdict", "[result]") {
  const Result few = concluded(made_up(7, 1.1));

  CHECK(few.undecided == "7 of 8 pairs of blocks: --seconds 2 would do");
  const Json row = to_json(few);
  CHECK(row.at("ratio").get<double>() == Approx(1.1));
  CHECK_FALSE(row.contains("ratio_low"));
  CHECK_FALSE(row.contains("wall_ratio_high"));
  CHECK_FALSE(row.contains("verdict"));
  CHECK_FALSE(row.at("sides").at(0).contains("limit_fraction_low"));
  CHECK(row.at("undecided") == few.undecided);
}

TEST_CASE("result: with several processes the row and its samples say so", "[result]") {
  Result result = made_up(8, 1.1);
  const std::vector<Measurement> three(3, result.measurement), two(2, result.measurement);
  result.measurement = combined(three);
  conclude(result);

  CHECK(result.undecided.empty());
  const Json row = to_json(result);
  CHECK(row.at("processes") == 3);
  CHECK(row.at("unit") == "process");
  CHECK(row.at("units") == 3);
  CHECK(row.at("verdict") == "slower");
  CHECK(samples_to_json(result, "p").back().at("process") == 2);
  CHECK_FALSE(to_json(concluded(made_up(8, 1.1))).contains("processes"));
  CHECK(samples_to_json(made_up(8, 1.1), "p").back().at("process") == 0);

  result.measurement = combined(two);
  conclude(result);
  CHECK(result.undecided == "2 of 3 processes: --repeat 3 would do");
  CHECK_FALSE(to_json(result).contains("verdict"));
}

TEST_CASE("result: a row says which times hold the gaps between launches", "[result]") {
  Result result = made_up(8, 1.1);
  result.sides[0].variant = "heat2d/naive/kokkos";
  CHECK_FALSE(to_json(concluded(result)).contains("launch_gaps"));

  for (Sample& sample : result.measurement.samples) {
    if (sample.side == 0 && sample.block < 4) sample.timing.queued_ahead = false;
  }
  result.measurement.samples[0].kept = false;
  const Result gaps = concluded(result);

  CHECK(to_json(gaps).at("launch_gaps") ==
        "launches not queued ahead, so that the time holds the gaps between them: "
        "heat2d/naive/kokkos (3 of 15 samples)");
  CHECK(gaps.verdict == Verdict::slower);
  const Json sample = samples_to_json(gaps, "p").at(2);
  CHECK(sample.at("queued_ahead") == false);
  CHECK_FALSE(sample_from(sample).timing.queued_ahead);
  CHECK(sample_from(samples_to_json(gaps, "p").at(1)).timing.queued_ahead);
}

TEST_CASE("result: of a peer the row says whether it is written in Kokkos", "[result]") {
  Result result = made_up(8, 1.1);
  CHECK_FALSE(to_json(result).at("sides").at(0).contains("portable"));
  result.sides[0].model = name(Model::library);
  CHECK(to_json(result).at("sides").at(0).at("portable") == false);
  result.sides[0].portable = true;
  CHECK(to_json(result).at("sides").at(0).at("portable") == true);
}

TEST_CASE("result: a disturbed measurement has no verdict but unclear", "[result]") {
  Result result = made_up(8, 1.1);
  result.measurement.load.others_s = 0.9;
  conclude(result);

  CHECK(result.verdict == Verdict::unclear);
  CHECK(mentions(result.disturbed, "other processes took 0.9"));
  const Json row = to_json(result);
  CHECK(row.at("disturbed") == result.disturbed);
  CHECK(row.at("undecided") == "disturbed: " + result.disturbed);
  CHECK(row.at("verdict") == "unclear");
  CHECK(row.at("load").at("others_s") == 0.9);
}

TEST_CASE("result: without a noise floor nothing is decided", "[result]") {
  Result result = made_up(8, 1.1);
  result.noise.reset();
  conclude(result);

  CHECK(result.verdict == Verdict::unclear);
  CHECK(mentions(result.undecided, "noise floor was not decided"));
  CHECK_FALSE(to_json(result).contains("noise_low"));
}

TEST_CASE("result: a null is its own noise floor, and says when it excludes 1", "[result]") {
  Result biased = made_up(8, 1.01, Role::null), fair = made_up(8, 1, Role::null);
  Result few = made_up(7, 1.01, Role::null);
  for (Result* result : {&biased, &fair, &few}) {
    result->noise.reset();
    conclude(*result);
  }

  CHECK(biased.noise == biased.ratio.interval);
  CHECK(biased.ratio.interval.low == Approx(1.01));  // both sides are alike in every run
  CHECK(to_json(biased).at("excludes_one") == true);
  CHECK(to_json(fair).at("excludes_one") == false);
  CHECK(to_json(few).at("excludes_one") == false);
  CHECK_FALSE(few.noise.has_value());
}

TEST_CASE("result: a fraction of the limit has the limit's uncertainty and the time's",
          "[result]") {
  const SideResult exact = concluded(made_up(8, 1.25)).sides[0];

  CHECK(exact.limit_fraction == Approx(0.4));
  const double half = std::log(1.1 / 0.9) / 2;  // the times do not vary
  CHECK(exact.limit_fraction_interval.low == Approx(0.4 * std::exp(-half)));
  CHECK(exact.limit_fraction_interval.high == Approx(0.4 * std::exp(half)));

  Result noisy = made_up(8, 1.25);
  for (Sample& sample : noisy.measurement.samples) {
    sample.timing.device_s *= 1 + 0.3 * (sample.block / 2 % 2);
  }
  conclude(noisy);
  CHECK(noisy.sides[0].limit_fraction_interval.high / noisy.sides[0].limit_fraction >
        std::exp(half) + 0.001);
}

TEST_CASE("record rows: a limit has its interval, where it is known", "[result]") {
  const Json known = to_json(Limit{"host copy", 1e9, "B/s", {0.9e9, 1.1e9}});

  CHECK(known.at("value") == 1e9);
  CHECK(known.at("unit") == "B/s");
  CHECK(known.at("low") == 0.9e9);
  CHECK(known.at("high") == 1.1e9);
  CHECK_FALSE(to_json(Limit{"host copy", 1e9, "B/s"}).contains("low"));
  const Json row = to_json(concluded(made_up(8, 1))).at("limit");
  CHECK(row.at("low") == 0.9e9);
  CHECK(row.at("floor_s") == 0.5);
}

}  // namespace portcost::test::test_result
