// SPDX-License-Identifier: Apache-2.0
// What follows from a measurement: verdicts and why there is none, fractions of a limit, rows.
#include "tests/process_records.hpp"

namespace portcost::test::test_result {

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
  result.measurement = made_up_measurement(pairs, {ratio});
  result.measurement.load.wall_s = 1;
  return result;
}

Result concluded(Result result) {
  conclude(result);
  return result;
}

// A pair of two blocks in which every number that a row shows is another.
Result numbered() {
  Result result;
  result.id = 7;
  result.role = Role::pair;
  result.algorithm = "an algorithm";
  result.agreement = "a rule";
  result.step = "naive";
  result.problem.size = Size({{"n", 11}});
  result.regime = Regime::hot;
  result.sides.resize(2);
  result.sides[1].variant = "a variant";
  result.sides[1].model = "a model";
  result.sides[1].step = "a step";
  result.truth = "a truth";
  result.floor_s = 0.5;
  result.cost = {{13, "host copy"}, {17, "host fma f32"}};
  Measurement& m = result.measurement;
  m.batch = 3;
  m.blocks = 2;
  m.dropped = 4;
  m.stop = Stop::time;
  m.load = {.wall_s = 19, .switches = 29, .timed_s = 23, .steal_s = 31, .others_s = 37};
  for (int i = 0; i < 4; ++i) {
    Sample sample;
    sample.block = i / 2;
    sample.position = i % 2;
    sample.side = i % 2;
    sample.timing = {1.0 + i, 10.0 + i};
    sample.clock_mhz = i == 0 ? 0 : i == 1 ? 0.5 : 100 + i;
    sample.batch = 3;
    sample.switches = 40 + i;
    m.samples.push_back(sample);
  }
  conclude(result);
  result.sides[1].first_run_s = 41;
  return result;
}

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
  check_fields(row, R"({"unit": "block", "units": 8, "allocations": 1, "verdict": "slower",
                        "equal_low": 0.995, "equal_high": 1.005})");
  for (const char* other : {"undecided", "excludes_one", "processes"}) {
    CHECK_FALSE(row.contains(other));
  }
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

  Result none = made_up(0, 1.1);  // no block is kept
  none.measurement.stop = Stop::throttled;
  const Json without = to_json(none);
  CHECK(without.at("stop") == "throttled");
  CHECK_FALSE((without.contains("ratio") || without.contains("verdict")));
  CHECK_FALSE(without.at("sides").at(0).contains("device_s"));
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
  const Json sample = samples_to_json(gaps, "p").at(3);
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

TEST_CASE("result: a disturbed ratio is unclear up to a factor of 2", "[result]") {
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

  for (const auto& [ratio, verdict] :
       {std::pair{1.9, Verdict::unclear}, {2.1, Verdict::slower}, {0.4, Verdict::faster}}) {
    Result other = made_up(8, ratio);
    other.measurement.load.others_s = 0.9;
    conclude(other);
    CHECK(other.verdict == verdict);
    CHECK(mentions(other.disturbed, "other processes took 0.9"));
    CHECK(other.undecided.empty() == (verdict != Verdict::unclear));
  }
}

TEST_CASE("result: a null is the noise floor, without which nothing is decided", "[result]") {
  Result pair = made_up(8, 1.1);
  pair.noise.reset();
  conclude(pair);
  CHECK(pair.verdict == Verdict::unclear);
  CHECK(mentions(pair.undecided, "noise floor was not decided"));
  CHECK_FALSE(to_json(pair).contains("noise_low"));

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

TEST_CASE("result: a fraction has the limit's uncertainty and the time's", "[result]") {
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

  check_fields(known, R"({"value": 1e9, "unit": "B/s", "low": 0.9e9, "high": 1.1e9})");
  CHECK_FALSE(to_json(Limit{"host copy", 1e9, "B/s"}).contains("low"));
  const Json row = to_json(concluded(made_up(8, 1))).at("limit");
  CHECK(row.at("low") == 0.9e9);
  CHECK(row.at("floor_s") == 0.5);
}

TEST_CASE("record rows: a result says what was measured, and how it was", "[result]") {
  Result result = numbered();
  result.cost[0].path = 2;
  const Json row = to_json(result);

  check_fields(row, R"({"id": 7, "role": "pair", "algorithm": "an algorithm", "step": "naive",
                        "size": {"n": 11}, "size_text": "n=11", "parameters": {},
                        "parameters_text": "", "regime": "hot", "agreement": "a rule",
                        "truth": "a truth", "agrees": true, "allocations": 1, "blocks": 2,
                        "dropped": 4})");
  CHECK(row.at("type") == name(result.problem.type));
  CHECK(row.at("stop") == name(Stop::time));
  check_fields(row.at("limit"),
               R"({"floor_s": 0.5, "amounts": [{"limit": "host copy", "amount": 13.0, "path": 2},
                                               {"limit": "host fma f32", "amount": 17.0}]})");
}

TEST_CASE("record rows: a result's load and sides have their own numbers", "[result]") {
  const Json row = to_json(numbered());

  check_fields(row.at("load"), R"({"wall_s": 19, "timed_s": 23, "switches": 29, "steal_s": 31,
                                   "others_s": 37, "clock": 1})");
  REQUIRE(row.at("sides").size() == 2);
  const Json& side = row.at("sides")[1];
  check_fields(side, R"({"variant": "a variant", "model": "a model", "step": "a step",
                         "first_run_s": 41, "batch": 3,
                         "device_s": {"min": 2, "q1": 2.5, "median": 3, "q3": 3.5},
                         "wall_s": {"min": 11, "q1": 11.5, "median": 12, "q3": 12.5}})");
  CHECK(side.at("limit_fraction") == 0.5 / 3);
  CHECK_FALSE(side.contains("limit_fraction_low"));  // of one unit nothing is known
}

TEST_CASE("record rows: a sample says where it belongs, and what was seen", "[result]") {
  const Result result = numbered();
  const std::vector<Json> rows = samples_to_json(result, "a platform");

  REQUIRE(rows.size() == 4);
  const Json& row = rows[3];
  CHECK(row.at("problem") ==
        "an algorithm/naive n=11 " + std::string(name(result.problem.type)) + " hot");
  CHECK(row.at("type") == name(result.problem.type));
  check_fields(row, R"({"platform": "a platform", "application": "a model", "variant": "a variant",
                        "result": 7, "size": "n=11", "regime": "hot", "allocation": 0, "block": 1,
                        "position": 1, "side": 1, "fom": 4, "device_s": 4, "wall_s": 13,
                        "clock_mhz": 103, "batch": 3, "switches": 43, "kept": true,
                        "process": 0})");
  CHECK(rows[0].at("clock_mhz").is_null());
  CHECK(rows[1].at("clock_mhz") == 0.5);
}

TEST_CASE("floor: the slowest amount binds, unknown limits ask for nothing", "[result]") {
  const std::map<std::string, Limit> limits{
      {"host copy", {"host copy", 10, "B/s", {9, 11}}},
      {"host fma f32", {"host fma f32", 2, "FLOP/s", {2, 2}}}};
  const Floor by_operations = floor_of({{20, "host copy"}, {8, "host fma f32"}}, limits);
  const Floor by_bytes = floor_of({{50, "host copy"}, {8, "host fma f32"}, {9, "launch"}}, limits);

  CHECK(by_operations.seconds == 4);
  CHECK(by_operations.limit.name == "host fma f32");
  CHECK(by_bytes.seconds == 5);
  CHECK(by_bytes.limit.name == "host copy");
  CHECK(by_operations.others == std::map<std::string, double>{{"host copy", 2}});
  CHECK(by_bytes.others == std::map<std::string, double>{{"host fma f32", 4}});
  CHECK(floor_of({{9, "launch"}}, limits).seconds == 0);
}

TEST_CASE("floor: amounts of one path add up, and the slowest path binds", "[result]") {
  const std::map<std::string, Limit> limits{{"in", {"in", 10, "B/s", {}}},
                                            {"out", {"out", 5, "B/s", {}}},
                                            {"copy", {"copy", 100, "B/s", {}}}};
  const Cost cost{{20, "in", 0}, {10, "copy", 0}, {5, "out", 0},    // 2 + 0.1 + 1
                  {10, "in", 1}, {10, "copy", 1}, {11, "out", 1}};  // 1 + 0.1 + 2.2
  CHECK(floor_of(cost, limits).seconds == 1 + 10.0 / 100 + 11.0 / 5);
  CHECK(floor_of(cost, limits).limit.name == "out");
  CHECK(std::abs(floor_of(cost, limits).limit.value - 11 / 3.3) < 1e-9);  // what the others leave
  CHECK(floor_of({{11, "out", 3}}, limits).limit.value == 5);
  // Without a path each stands alone; of a limit that is not known nothing is added.
  CHECK(floor_of({{20, "in"}, {20, "in"}}, limits).seconds == 2);
  CHECK(floor_of({{20, "in", 0}, {1e9, "launch", 0}, {500, "copy"}}, limits).seconds == 5);
}

}  // namespace portcost::test::test_result
