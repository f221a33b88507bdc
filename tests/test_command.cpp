// SPDX-License-Identifier: Apache-2.0
// The command as users meet it: help, lists, a whole small measurement.
#include <regex>

#include "perf/command/commands.hpp"
#include "tests/command.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_command {

Arguments small_bench() {
  need_measured_place();
  return {"bench",     naive_pair, "--size",   "nx=64,ny=48,steps=2",
          "--type",    "f32",      "--regime", "hot",
          "--seconds", "0.05",     "--seed",   "7"};
}

TEST_CASE("command: --filter means what a filter by itself does", "[command]") {
  const std::string word = output_of({"list", naive_pair, "sum/stretches/*"});

  CHECK(word == output_of({"list", "--filter", naive_pair, "--filter", "sum/stretches/*"}));
  CHECK(word == output_of({"list", "--filter", "sum/stretches/*", naive_pair}));
  CHECK(output_of({"check", "--filter", naive_pair, "--size", "nx=8,ny=2^3"}) ==
        run_command({"check", naive_pair, "--size", "nx=8,ny=8"}).out);
}

TEST_CASE("command: every subcommand explains itself", "[command]") {
  for (const char* const word :
       {"", "list", "check", "bench", "derive", "run", "solve", "limits", "machine"}) {
    const Outcome outcome =
        run_command(*word == '\0' ? Arguments{"--help"} : Arguments{word, "--help"});

    CAPTURE(word);
    CHECK(outcome.status == 0);
    CHECK(mentions(outcome.out, "--help"));
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("command: --version in one line, processor and build by machine --json", "[command]") {
  CHECK(std::regex_match(output_of({"--version"}),
                         std::regex(R"(portcost \d+\.\d+\.\d+ \([^)]+\)\n)")));
  const Json about = Json::parse(output_of({"machine", "--json"}));

  for (const char* part : {"machine", "build", "commit"}) CHECK_FALSE(about.at(part).empty());
}

TEST_CASE("command: list --json names every variant and every absence", "[command]") {
  Arguments listed, known;
  for (const Json& algorithm : Json::parse(output_of({"list", "--json"}))) {
    for (const Json& variant : algorithm.at("variants")) {
      listed.push_back(variant.at("name"));
      if (variant.at("model") == "kokkos") CHECK(variant.at("portable") == true);
      if (variant.at("model") == "openmp") CHECK(variant.at("portable") == false);
    }
    for (const Json& absence : algorithm.at("absent")) {
      listed.push_back(absence.at("name").get<std::string>() + ": " +
                       absence.at("reason").get<std::string>());
    }
  }
  for (const Algorithm* algorithm : catalogue()) {
    for (const auto& variants : {algorithm->variants, algorithm->over_ranks}) {
      for (const Variant& variant : variants) known.push_back(variant_name(*algorithm, variant));
    }
    for (const Absence& absence : algorithm->absent) {
      known.push_back(variant_name(*algorithm, absence) + ": " + std::string(absence.reason));
    }
  }
  CHECK(listed == known);
}

// Made up, because a build may have everything.
TEST_CASE("list: what is absent stands after the variants, with its reason", "[list]") {
  const Absence lost{"lost_peer", Model::library, "nobody has built it"};
  const Algorithm& algorithm = *catalogue()[0];
  const Choice choice{&algorithm, {&algorithm.variants[0]}, {&lost}};
  const std::string name = std::string(algorithm.name) + "/lost_peer/library";

  const auto lines = lines_of(list_text(choice));
  REQUIRE_FALSE(lines.empty());
  CHECK(std::regex_match(lines.back(), std::regex("  " + name + " +absent: nobody has built it")));

  const Json row = list_json(choice);
  CHECK(row.at("variants").size() == 1);
  CHECK(row.at("absent") == Json::array({{{"name", name},
                                          {"step", "lost_peer"},
                                          {"model", "library"},
                                          {"reason", "nobody has built it"}}}));
  CHECK(list_json({&algorithm, {}}).at("absent") == Json::array());
}

TEST_CASE("command: limits measures those named, check counts equal answers", "[command]") {
  const Json limits = Json::parse(output_of({"limits", "host fma*", "--json"}));

  REQUIRE(limits.size() == 2);
  for (const Json& limit : limits) {
    CHECK(limit.at("value").get<double>() > 0);
    CHECK(limit.at("unit") == "FLOP/s");
  }
  CHECK(mentions(
      output_of({"check", "heat2d/naive/openmp", "--size", "nx=33,ny=17", "--size", "nx=1,ny=1"}),
      "4 of 4 answers equal"));
}

TEST_CASE("command: run names each variant, size and value that it ran, and writes nothing",
          "[command]") {
  const auto& [words, said, refused] = GENERATE(table<Arguments, std::string, std::string>({
      {{"heat2d/naive/openmp", "heat2d/naive/reference", "--size", "nx=33,ny=17", "--type", "f64"},
       "heat2d/naive/reference nx=33,ny=17,steps=1 f64\n"
       "heat2d/naive/openmp nx=33,ny=17,steps=1 f64\n",
       ""},
      {{"strides/reads/openmp", "strides/packed_rows/openmp", "--size", "n=100", "--size",
        "n=100,stride=2"},
       "strides/reads/openmp n=100,offset=0,stride=1,columns=1023 f32\n"
       "strides/packed_rows/openmp n=100,offset=0,stride=1,columns=1023 f32\n"
       "strides/reads/openmp n=100,offset=0,stride=2,columns=1023 f32\n",
       "strides/packed_rows/openmp does not take"},
      {{"heat2d/naive/openmp", "--size", "nx=8,ny=8", "--parameter", "dt=0.1"},
       "heat2d/naive/openmp nx=8,ny=8,steps=1 f32\nparameters dt=0.1\n",
       ""},
      {{"heat2d/naive/openmp", "--size", "nx=8,ny=8", "--size", "nx=9,ny=8", "--parameter",
        "dt=0.1", "--parameter", "dt=0.05"},
       "heat2d/naive/openmp nx=8,ny=8,steps=1 f32\nparameters dt=0.1\n"
       "heat2d/naive/openmp nx=8,ny=8,steps=1 f32\nparameters dt=0.05\n"
       "heat2d/naive/openmp nx=9,ny=8,steps=1 f32\nparameters dt=0.1\n"
       "heat2d/naive/openmp nx=9,ny=8,steps=1 f32\nparameters dt=0.05\n",
       ""},
  }));
  const TemporaryFolder folder;
  const Outcome ran = run_command(folder, joined({"run", "--repeat", "2"}, words));
  CHECK(ran.status == 0);
  CHECK(ran.out == said);
  CHECK(ran.err.empty() == refused.empty());
  CHECK(mentions(ran.err, refused));
  CHECK(folder.entries().empty());
}

#if PORTCOST_HAS_CUDA
TEST_CASE("command: run says what theory predicts of counters", "[command][gpu]") {
  need_device();
  CHECK(mentions(output_of({"run", "strides/reads/cuda", "--size", "n=64", "--type", "f32"}),
                 "predicted load_sectors 8\npredicted store_sectors 8\npredicted read_bytes 256\n"
                 "predicted written_bytes 256\n"));
}
#endif

TEST_CASE("command: run takes both sides of a pair, a reference if named in full", "[command]") {
  need_measured_place();
  CHECK(output_of({"run", "heat2d/naive/kokkos", "--size", "nx=8,ny=8"}) ==
        "heat2d/naive/kokkos nx=8,ny=8,steps=1 f32\n");
  const std::string ran = output_of({"run", naive_pair, "--size", "nx=8,ny=8", "--repeat", "1"});

  CHECK(mentions(ran, "heat2d/naive/openmp nx=8,ny=8,steps=1 f32\n"));
  CHECK_FALSE(mentions(ran, "/reference"));
}

TEST_CASE("command: a record is whole, from header to end, and as csv", "[command]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder, joined(small_bench(), {"--out", "run.jsonl"}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(folder.entries() == Arguments{"run.csv", "run.jsonl"});
  const std::string text = read_file(folder.file("run.jsonl"));

  const std::vector<Json> rows = rows_in(text);
  REQUIRE_FALSE(rows.empty());
  const Json& header = rows[0];
  CHECK(header.at("kind") == "header");
  CHECK(header.at("format") == record_format);
  CHECK(header.at("seed") == 7);
  CHECK(header.at("command").get<std::string>().starts_with("portcost bench "));
  CHECK(header.at("settings").at("seconds") == 0.05);
  CHECK(rows_in(text, "header").size() == 1);
  CHECK(rows_in(text, "limit").size() == 1);
  CHECK(rows.back() == Json{{"kind", "end"}, {"results", 3}});

  const std::vector<Json> samples = rows_in(text, "sample");
  for (const Json& result : rows_in(text, "result")) {
    CHECK(result.at("agrees") == true);
    const int blocks = result.at("blocks").get<int>() + result.at("dropped").get<int>();
    CHECK(std::ranges::count(samples, result.at("id"),
                             [](const Json& sample) { return sample.at("result"); }) == 2 * blocks);
  }
  const std::vector<std::string> csv = lines_of(read_file(folder.file("run.csv")));
  REQUIRE_FALSE(csv.empty());
  CHECK(csv[0].starts_with("problem,platform,application,fom,"));
  CHECK(csv.size() == 1 + samples.size());
}

}  // namespace portcost::test::test_command
