// SPDX-License-Identifier: Apache-2.0
// Records of several processes as one: units, noise floor, limits, counts, and what is refused.
#include "perf/command/derive.hpp"

#include "perf/command/resume.hpp"
#include "tests/process_records.hpp"

namespace portcost::test::test_derive {

std::vector<RecordFacts> read_all(const TemporaryFolder& folder,
                                  const std::vector<MadeUpProcess>& processes) {
  std::vector<RecordFacts> records;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::string name = std::to_string(i) + ".jsonl";
    records.push_back(read_facts(write_process(folder, name, processes[i])));
  }
  return records;
}

// Rows of the combined record, as they are written: 0 the null, 1 the pair, 2 the solo.
std::vector<Json> rows(const std::vector<MadeUpProcess>& processes) {
  const TemporaryFolder folder;
  const auto records = read_all(folder, processes);
  check_same_measurements(records);
  std::vector<Json> result;
  for (const Result& r : derive(records, "derive").results) {
    result.push_back(to_json(r));
    result.back()["count"] = samples_to_json(r, "p").size();
  }
  return result;
}

std::string refusal(const std::vector<MadeUpProcess>& processes) {
  return message_of<UsageError>([&] {
    const TemporaryFolder folder;
    check_same_measurements(read_all(folder, processes));
  });
}

constexpr double t2 = 4.302652729911275;

TEST_CASE("combining: with one allocation or several, every process is one unit", "[combine]") {
  const auto all = rows({{1, 0.00}, {2, 0.01}, {3, 0.05}});

  const Json& pair = all.at(1);
  check_fields(pair, R"({"unit": "process", "units": 3, "processes": 3, "blocks": 48, "count": 96,
                         "verdict": "slower"})");
  CHECK(std::log(pair.at("ratio").get<double>()) == Approx(0.12));
  const double seen = t2 * std::sqrt((0.02 * 0.02 + 0.01 * 0.01 + 0.03 * 0.03) / 6);
  const double half = std::hypot(seen, 1.959964 * run_to_run);
  CHECK(std::log(pair.at("ratio_low").get<double>()) == Approx(0.12 - half));
  CHECK(std::log(pair.at("wall_ratio_high").get<double>()) == Approx(0.12 + half));
  CHECK(pair.at("sides").at(0).at("first_run_s").get<double>() == Approx(0.32));
  CHECK(all.at(2).at("processes") == 3);
  // The noise floor is that of all processes, too.
  const double noise = t2 * 1e-2 * std::sqrt((0.02 * 0.02 + 0.01 * 0.01 + 0.03 * 0.03) / 6);
  CHECK(std::log(all.at(0).at("ratio_high").get<double>()) == Approx(2e-4 + noise));
  CHECK(all.at(1).at("noise_low") == all.at(0).at("ratio_low"));
  CHECK(all.at(1).at("noise_high") == all.at(0).at("ratio_high"));
  const Json of_several = rows({{1, 0.00, 8}, {2, 0.01, 8}, {3, 0.02, 8}}).at(1);
  check_fields(of_several, R"({"unit": "process", "units": 3, "allocations": 8})");
  CHECK(std::log(of_several.at("ratio").get<double>()) == Approx(0.11));
  CHECK(of_several.contains("ratio_low"));
}

TEST_CASE("combining: two processes decide nothing, one that kept nothing is none", "[combine]") {
  const auto all = rows({{1, 0.00}, {2, 0.01}});

  CHECK(all.at(1).at("undecided") == "2 of 3 processes: --repeat 3 would do");
  CHECK_FALSE(all.at(1).contains("verdict"));
  CHECK_FALSE(all.at(2).at("sides").at(0).contains("limit_fraction_low"));
  MadeUpProcess throttled{2, 0.01};
  throttled.change = [](Result& pair) {
    for (Sample& sample : pair.measurement.samples) sample.kept = false;
    pair.measurement.dropped = std::exchange(pair.measurement.blocks, 0);
    pair.measurement.stop = Stop::throttled;
  };
  const Json pair = rows({{1, 0.00}, throttled, {3, 0.05}}).at(1);

  check_fields(pair, R"({"undecided": "2 of 3 processes: --repeat 4 would do", "dropped": 16,
                         "blocks": 32, "stop": "throttled"})");
  CHECK(pair.at("sides").at(0).at("first_run_s").get<double>() == Approx(0.32));
}

TEST_CASE("combining: what disturbed a process is said with its number", "[combine]") {
  MadeUpProcess busy{2, 0.01};
  busy.change = [](Result& pair) { pair.measurement.load.others_s = 0.9; };
  const Json pair = rows({{1, 0.00}, busy, {3, 0.05}}).at(1);

  CHECK(pair.at("disturbed") == "process 2: other processes took 0.9 of 1 processors");
  CHECK(pair.at("verdict") == "unclear");
  check_fields(pair.at("load"), R"({"others_s": 0.9, "wall_s": 3})");
}

TEST_CASE("combining: answers agree only where all processes' do", "[combine]") {
  MadeUpProcess wrong{2, 0.01};
  wrong.change = [](Result& pair) {
    pair.agrees = false;
    pair.disagreement = "7 elements differ";
  };
  for (const auto& processes : {std::vector<MadeUpProcess>{{1}, wrong, {3}}, {wrong, {1}, {3}}}) {
    const Json pair = rows(processes).at(1);
    CHECK(pair.at("agrees") == false);
    CHECK(mentions(pair.at("disagreement").get<std::string>(), ": 7 elements differ"));
    CHECK_FALSE(pair.contains("ratio"));
  }
  CHECK(rows({{1}, wrong, {3}}).at(1).at("disagreement") == "process 2: 7 elements differ");
}

TEST_CASE("combining: the header names the processes, and says that it is combined", "[combine]") {
  const TemporaryFolder folder;
  const auto records = read_all(folder, {{1}, {2, 0.01}});
  const Json header = derive(records, "portcost derive a b").header;

  CHECK(header.at("command") == "portcost derive a b");
  REQUIRE(header.at("processes").size() == 2);
  CHECK(header["processes"][1].at("seed") == 2);
  CHECK(header["processes"][1].at("date") == "2026-01-02T00:00:00Z");
  CHECK(mentions(header["processes"][0].at("command").get<std::string>(), "--seed 1"));
  CHECK(mentions(message_of<UsageError>([&] { check_not_combined(header, "r.jsonl"); }),
                 "'r.jsonl' is combined from 2 processes and cannot be gone on with"));
  CHECK_NOTHROW(check_not_combined(records[0].rows.header, "r.jsonl"));
}

TEST_CASE("combining: other campaigns, machines, builds, commits are refused", "[combine]") {
  const auto with = [](const Json& header) {
    MadeUpProcess other{2};
    other.header = header;
    return refusal({{1}, other});
  };
  CHECK(mentions(with({{"arguments", {"heat2d", "--seed", "2", "--seconds", "3"}}}),
                 "the first measured `portcost bench heat2d`, the other `portcost bench heat2d "
                 "--seconds 3`"));
  CHECK(mentions(with({{"machine", {{"processor", "Made-up CPU"}, {"cores", 8}}}}),
                 "another machine, cores: the first 4, the other 8"));
  CHECK(mentions(with({{"build", {{"compiler", "Clang"}}}}), "other build, compiler: the first"));
  CHECK(mentions(with({{"settings", {{"seconds", 2.0}}}}), "other settings, seconds"));
  CHECK(
      mentions(with({{"commit", "def"}}), "another commit, the first \"abc\", the other \"def\""));
  CHECK(with({{"arguments", {"heat2d", "--seed=2"}}}) == "(nothing thrown)");
}

TEST_CASE("combining: other measurements, and no records, are refused by name", "[combine]") {
  MadeUpProcess unfinished{2};
  unfinished.with_end = false;
  CHECK(mentions(refusal({{1}, unfinished}), "has no end line"));
  CHECK(mentions(refusal({{1}, {2}, {2}}), "are one process"));
  MadeUpProcess without{2}, other_null{2}, more{2};
  without.with_pair = false;
  other_null.null_step = "full_halo";
  more.allocations = 8;

  CHECK(mentions(refusal({{1}, without}), "the other lacks pair heat2d/naive nx=64,ny=48,steps=1"));
  CHECK(mentions(refusal({without, {1}}), "the first lacks pair heat2d/naive"));
  const std::string null = refusal({{1}, other_null});
  CHECK(mentions(null, "null heat2d nx=64,ny=48,steps=1 f32 cold is heat2d/naive/openmp against"));
  CHECK(mentions(null, "measure the other with --like"));
  CHECK(mentions(refusal({{1}, more}), "in 1 allocations by the first and in 8 by the other"));
}

TEST_CASE("derive: one record's conclusions are made anew from its samples", "[derive]") {
  const TemporaryFolder folder;
  MadeUpProcess stopped{1};
  stopped.with_end = false;
  const std::string path = write_process(folder, "a.jsonl", stopped);
  const std::string written = read_file(path);
  const auto write_with = [&](const std::string& field, const std::string& other) {
    std::string text = written;
    write_file(path, text.replace(text.find(field), field.size(), other));
  };
  write_with("\"allocation\":0", "\"allocation\":1");
  check_throws<UsageError>("result 0: a sample does not fit its result", [&] { read_facts(path); });
  write_with("\"verdict\":\"slower\"", "\"verdict\":\"faster\"");

  const Derived derived = derive({read_facts(path)}, "");

  CHECK_FALSE(derived.ended);
  REQUIRE(derived.results.size() == 3);
  Result pair = made_up_pair({1});
  pair.noise = derived.results[0].noise;
  conclude(pair);
  CHECK(to_json(derived.results[1]).dump() == to_json(pair).dump());
  CHECK(derived.limits.at(0).at("low") == 0.99e9);
}

TEST_CASE("derive: other formats have each variant of a problem once", "[formats]") {
  const TemporaryFolder folder;
  const auto records = read_all(folder, {{1}});
  const Json json = google_benchmark(derive(records, ""));

  CHECK(json.at("context").at("num_cpus") == 4);
  CHECK(json.at("context").at("date") == "2026-01-01T00:00:00Z");
  std::vector<std::string> names;
  for (const Json& one : json.at("benchmarks")) names.push_back(one.at("name"));
  const std::string problem = " nx=64,ny=48,steps=1 f32 cold";
  CHECK(names == std::vector<std::string>{"heat2d/naive/kokkos" + problem,
                                          "heat2d/naive/openmp" + problem,
                                          "heat2d/full_halo/openmp" + problem});
  const Json& kokkos = json.at("benchmarks").at(0);
  CHECK(kokkos.at("real_time").get<double>() == Approx(std::exp(0.1) * 1e9));
  CHECK(kokkos.at("cpu_time").get<double>() == Approx(2 * std::exp(0.1) * 1e9));
  CHECK(kokkos.at("time_unit") == "ns");
  CHECK(kokkos.at("iterations") == 16);
  // p3-analysis's table has the two sides of each pair.
  const std::string row = "\"heat2d/naive" + problem + "\",Made-up CPU,";
  CHECK(p3_table(derive(records, "")) == "problem,platform,application,fom\n" + row + "kokkos," +
                                             fmt::format("{}\n", std::exp(0.1)) + row +
                                             "openmp,1\n");
}

TEST_CASE("derive: one interrupted block of four changes no product over processes",
          "[statistics]") {
  const auto product = [](const Measurement& one) {
    std::vector<Result> results;
    for (int id = 0; id < 2; ++id) {
      results.push_back(made_up_pair({1}));
      results.back().id = id;
      results.back().measurement = combined(std::vector(3, one));
    }
    const Json question = Json::parse(
        R"({"terms":[{"result":0,"side":0,"sign":1},{"result":1,"side":1,"sign":-1}]})");
    return Ratios(results).answer(question).at("value").get<double>();
  };
  const Measurement calm = made_up_measurement(4, {1.1, 1.2, 1.3});
  CHECK(product(interrupted(calm)) == Approx(product(calm)));
  const Measurement one = made_up_measurement(4, {1.1});
  Measurement spoilt = one;
  spoilt.samples.at(4).timing.device_s *= 3;  // of the third block
  CHECK(product(spoilt) == Approx(product(one)));
}

}  // namespace portcost::test::test_derive
