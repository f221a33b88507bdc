// SPDX-License-Identifier: Apache-2.0
// The rows of a record: every field is there, with its own value.
#include "perf/command/result.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_result_rows {

namespace {

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
  m.load.wall_s = 19;
  m.load.timed_s = 23;
  m.load.switches = 29;
  m.load.steal_s = 31;
  m.load.others_s = 37;
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

}  // namespace

TEST_CASE("record rows: a result says what was measured, and how it was", "[result]") {
  const Result result = numbered();
  const Json row = to_json(result);

  CHECK(row.at("id") == 7);
  CHECK(row.at("role") == "pair");
  CHECK(row.at("algorithm") == "an algorithm");
  CHECK(row.at("step") == "naive");
  CHECK(row.at("size") == Json{{"n", 11}});
  CHECK(row.at("size_text") == "n=11");
  CHECK(row.at("parameters") == Json::object());
  CHECK(row.at("parameters_text") == "");
  CHECK(row.at("type") == name(result.problem.type));
  CHECK(row.at("regime") == "hot");
  CHECK(row.at("agreement") == "a rule");
  CHECK(row.at("truth") == "a truth");
  CHECK(row.at("agrees") == true);
  CHECK(row.at("limit").at("floor_s") == 0.5);
  CHECK(row.at("limit").at("amounts") ==
        Json::array({{{"limit", "host copy"}, {"amount", 13.0}},
                     {{"limit", "host fma f32"}, {"amount", 17.0}}}));
  CHECK(row.at("allocations") == 1);
  CHECK(row.at("blocks") == 2);
  CHECK(row.at("dropped") == 4);
  CHECK(row.at("stop") == name(Stop::time));
}

TEST_CASE("record rows: a result's load and sides have their own numbers", "[result]") {
  const Json row = to_json(numbered());

  const Json& load = row.at("load");
  CHECK(load.at("wall_s") == 19);
  CHECK(load.at("timed_s") == 23);
  CHECK(load.at("switches") == 29);
  CHECK(load.at("steal_s") == 31);
  CHECK(load.at("others_s") == 37);
  CHECK(load.at("clock") == 1);
  REQUIRE(row.at("sides").size() == 2);
  const Json& side = row.at("sides")[1];
  CHECK(side.at("variant") == "a variant");
  CHECK(side.at("model") == "a model");
  CHECK(side.at("step") == "a step");
  CHECK(side.at("first_run_s") == 41);
  CHECK(side.at("device_s") == Json{{"min", 2}, {"q1", 2.5}, {"median", 3}, {"q3", 3.5}});
  CHECK(side.at("wall_s") == Json{{"min", 11}, {"q1", 11.5}, {"median", 12}, {"q3", 12.5}});
  CHECK(side.at("limit_fraction") == 0.5 / 3);
  CHECK_FALSE(side.contains("limit_fraction_low"));  // of one unit nothing is known
  CHECK(side.at("batch") == 3);
}

TEST_CASE("record rows: a sample says where it belongs, and what was seen", "[result]") {
  const Result result = numbered();
  const std::vector<Json> rows = samples_to_json(result, "a platform");

  REQUIRE(rows.size() == 4);
  const Json& row = rows[3];
  CHECK(row.at("problem") ==
        "an algorithm/naive n=11 " + std::string(name(result.problem.type)) + " hot");
  CHECK(row.at("platform") == "a platform");
  CHECK(row.at("application") == "a model");
  CHECK(row.at("variant") == "a variant");
  CHECK(row.at("result") == 7);
  CHECK(row.at("size") == "n=11");
  CHECK(row.at("type") == name(result.problem.type));
  CHECK(row.at("regime") == "hot");
  CHECK(row.at("allocation") == 0);
  CHECK(row.at("block") == 1);
  CHECK(row.at("position") == 1);
  CHECK(row.at("side") == 1);
  CHECK(row.at("fom") == 4);
  CHECK(row.at("device_s") == 4);
  CHECK(row.at("wall_s") == 13);
  CHECK(row.at("clock_mhz") == 103);
  CHECK(rows[0].at("clock_mhz").is_null());
  CHECK(rows[1].at("clock_mhz") == 0.5);
  CHECK(row.at("batch") == 3);
  CHECK(row.at("switches") == 43);
  CHECK(row.at("kept") == true);
}

TEST_CASE("floor: the slowest amount binds, and limits that are not known ask for nothing",
          "[result]") {
  const std::map<std::string, Limit> limits{
      {"host copy", {"host copy", 10, "B/s", {9, 11}}},
      {"host fma f32", {"host fma f32", 2, "FLOP/s", {2, 2}}}};
  const Floor by_operations = floor_of({{20, "host copy"}, {8, "host fma f32"}}, limits);
  const Floor by_bytes = floor_of({{50, "host copy"}, {8, "host fma f32"}, {9, "launch"}}, limits);

  CHECK(by_operations.seconds == 4);
  CHECK(by_operations.limit.name == "host fma f32");
  CHECK(by_bytes.seconds == 5);
  CHECK(by_bytes.limit.name == "host copy");
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

TEST_CASE("result: an amount's path is written where it has one", "[result]") {
  Result result = numbered();
  result.cost = {{13, "host copy", 2}, {17, "host fma f32"}};
  const Json amounts = to_json(result).at("limit").at("amounts");
  CHECK(amounts.at(0).at("path") == 2);
  CHECK_FALSE(amounts.at(1).contains("path"));
}

}  // namespace portcost::test::test_result_rows
