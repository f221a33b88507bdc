// SPDX-License-Identifier: Apache-2.0
// bench --like and derive as a user runs them.
#include <signal.h>

#include "src/record/record.hpp"
#include "tests/command.hpp"

namespace portcost::test::test_command_derive {

namespace {

using Arguments = std::vector<std::string>;

Arguments bench(const std::string& seed, const Arguments& more,
                const std::string& seconds = "0.05") {
  Arguments arguments{"bench",     naive_pair,    "heat2d/full_halo/*[aps]",
                      "--size",    "nx=64,ny=48", "--type",
                      "f32",       "--regime",    "hot",
                      "--seconds", seconds,       "--seed",
                      seed};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Variants of the sides of each result, in order.
std::vector<std::string> sides_of(const std::string& path) {
  std::vector<std::string> sides;
  for (const Json& row : read_record_part(path).results) {
    for (const Json& side : row.at("sides")) sides.push_back(side.at("variant"));
  }
  return sides;
}

// Three processes in the folder, a.jsonl and two like it.
void measure_three(const TemporaryFolder& folder) {
  REQUIRE(run_command(folder, bench("1", {"--out", "a.jsonl"})).status == 0);
  for (const std::string seed : {"2", "3"}) {
    const std::string out = seed == "2" ? "b.jsonl" : "c.jsonl";
    const Outcome outcome = run_command(folder, bench(seed, {"--like", "a.jsonl", "--out", out}));
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  }
}

}  // namespace

TEST_CASE("command: three processes are measured alike and combined", "[command][slow]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const TemporaryFolder folder;
  measure_three(folder);
  CHECK(sides_of(folder.file("b.jsonl")) == sides_of(folder.file("a.jsonl")));
  CHECK(sides_of(folder.file("c.jsonl")) == sides_of(folder.file("a.jsonl")));

  const Outcome outcome =
      run_command(folder, {"derive", "a.jsonl", "b.jsonl", "c.jsonl", "--out", "all.jsonl"});

  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("3 processes; the unit of an interval is the process") !=
        std::string::npos);
  CHECK(sides_of(folder.file("all.jsonl")) == sides_of(folder.file("a.jsonl")));
  const RecordPart part = read_record_part(folder.file("all.jsonl"));
  CHECK(part.ended);
  CHECK(part.header.at("processes").size() == 3);
  CHECK(part.results.at(0).at("unit") == "process");
  CHECK(part.results.at(0).at("units") == 3);
  CHECK(part.limits.at(0).at("processes").size() == 3);
  std::size_t samples = 0, sum = 0;
  for (const Json& row : part.results) samples += row.at("samples").get<std::size_t>();
  for (const char* name : {"a.jsonl", "b.jsonl", "c.jsonl"}) {
    for (const Json& row : read_record_part(folder.file(name)).results) {
      sum += row.at("samples").get<std::size_t>();
    }
  }
  CHECK(samples == sum);
  CHECK(lines_of(read_file(folder.file("all.csv"))).size() == samples + 1);
}

TEST_CASE("command: what cannot be combined is one line, and nothing is written",
          "[command][slow]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const TemporaryFolder folder;
  measure_three(folder);
  const auto combine = [&](Arguments words) {
    words.insert(words.begin(), "derive");
    return run_command(folder, words);
  };
  REQUIRE(combine({"a.jsonl", "b.jsonl", "--out", "two.jsonl"}).status == 0);
  const auto before = folder.entries();

  check_one_line(combine({"a.jsonl", "--out", "x.jsonl"}), 2, "one record alone");
  check_one_line(combine({"a.jsonl", "--format", "xml"}), 2, "--format xml is unknown");
  check_one_line(combine({"a.jsonl", "b.jsonl", "--out", ""}), 2, "--out is empty");
  check_one_line(combine({"a.jsonl", "a.jsonl", "--out", "x.jsonl"}), 2, "one process");
  check_one_line(combine({"a.jsonl", "two.jsonl", "--out", "x.jsonl"}), 2, "combined already");
  check_one_line(combine({"a.jsonl", "none.jsonl", "--out", "x.jsonl"}), 2, "none.jsonl");
  check_one_line(combine({"a.jsonl", "b.jsonl", "--out", "./a.jsonl", "--force"}), 2,
                 "one of the records");
  check_one_line(combine({"a.jsonl", "b.jsonl", "--out", "two.jsonl"}), 2, "'two.jsonl' exists");
  check_one_line(run_command(folder, {"bench", "--resume", "two.jsonl"}), 2,
                 "is combined from 2 processes and cannot be gone on with");
  CHECK(folder.entries() == before);
  CHECK(combine({"a.jsonl", "b.jsonl", "--out", "two.jsonl", "--force"}).status == 0);
}

TEST_CASE("command: a bench --like another is gone on with --like it", "[command][slow]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const TemporaryFolder folder;
  REQUIRE(run_command(folder, bench("1", {"--out", "a.jsonl"}, "0.3")).status == 0);
  const Outcome stopped = stop_command(
      folder, bench("2", {"--like", "a.jsonl", "--out", "b.jsonl"}, "0.3"), "[  1/4]", SIGTERM);
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK(stopped.err.find("--resume 'b.jsonl.part' --like 'a.jsonl'") != std::string::npos);

  check_one_line(run_command(folder, {"bench", "--resume", "b.jsonl.part"}), 2,
                 "give the same --like");
  CHECK(run_command(folder, {"bench", "--resume", "b.jsonl.part", "--like", "a.jsonl"}).status ==
        0);
  CHECK(sides_of(folder.file("b.jsonl")) == sides_of(folder.file("a.jsonl")));
}

TEST_CASE("command: --like something else is refused before anything is measured", "[command]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const TemporaryFolder folder;
  REQUIRE(run_command(folder, bench("1", {"--out", "a.jsonl"})).status == 0);
  const auto like = [&](const Arguments& words) {
    Arguments all{"bench", "--regime", "hot", "--like"};
    all.insert(all.end(), words.begin(), words.end());
    return run_command(folder, all);
  };
  check_one_line(like({"a.jsonl", naive_pair, "--size", "nx=9,ny=9", "--type", "f32"}), 2,
                 "--like a.jsonl: it has not measured heat2d nx=9,ny=9");
  check_one_line(like({"a.jsonl", "heat2d", "--size", "nx=64,ny=48", "--type", "f32"}), 2,
                 "give the filter of then");
  check_one_line(like({"none.jsonl", "heat2d"}), 2, "'none.jsonl' cannot be read");
  check_one_line(like({"", "heat2d"}), 2, "--like is empty");
}

}  // namespace portcost::test::test_command_derive
