// SPDX-License-Identifier: Apache-2.0
// A bench's record that is stopped, gone on with, begun twice or not writable; --like and derive.
#include <signal.h>

#include "src/record/record.hpp"
#include "tests/command.hpp"

namespace portcost::test::test_command_record {
namespace {

// A short one of the naive pair at one size.
Arguments bench_once(const Arguments& more, const std::string& seconds = "0.05") {
  need_measured_place();
  return joined({"bench", naive_pair, "--size", "nx=64,ny=48", "--type", "f32", "--regime", "hot",
                 "--seconds", seconds},
                more);
}
// At two sizes.
Arguments bench(const Arguments& more, const std::string& seconds = "0.05") {
  return bench_once(joined({"--size", "nx=33,ny=20"}, more), seconds);
}
// Of two steps.
Arguments bench_steps(const std::string& seed, const Arguments& more,
                      const std::string& seconds = "0.05") {
  return bench_once(joined({"heat2d/full_halo/*[aps]", "--seed", seed}, more), seconds);
}

// What identifies a row: the results and limits of a record without their numbers.
std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  for (const Json& row : rows_in(text)) {
    if (row.at("kind") == "limit") rows.push_back(row.at("name"));
    if (row.at("kind") == "end") rows.push_back(row.dump());
    if (row.at("kind") != "result") continue;
    rows.push_back(row.at("id").dump() + row.at("role").dump() + row.at("size_text").dump());
  }
  return rows;
}

std::string whole_record(const std::string& seconds) {
  const TemporaryFolder folder;
  const Outcome outcome = run_command(folder, bench({"--out", "run.jsonl"}, seconds));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_file(folder.file("run.jsonl"));
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
  REQUIRE(run_command(folder, bench_steps("1", {"--out", "a.jsonl"})).status == 0);
  for (const std::string seed : {"2", "3"}) {
    const std::string out = seed == "2" ? "b.jsonl" : "c.jsonl";
    const Outcome outcome =
        run_command(folder, bench_steps(seed, {"--like", "a.jsonl", "--out", out}));
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  }
}

TEST_CASE("command: a stopped bench says where its rows are, to go on with", "[command][slow]") {
  const TemporaryFolder folder;

  const Outcome stopped =
      stop_command(folder, bench({"--out", "run.jsonl"}, "0.4"), "[  2/6]", SIGTERM);

  CHECK(stopped.status == 128 + SIGTERM);
  CHECK(mentions(stopped.err, "stopped by SIGTERM: "));
  CHECK(mentions(stopped.err, "go on with: portcost bench --resume 'run.jsonl.part'"));
  CHECK(folder.entries() == std::vector<std::string>{"run.jsonl.part"});
  const std::string begun = read_file(folder.file("run.jsonl.part"));
  CHECK(rows_of(begun).size() >= 3);

  const Outcome resumed = run_command(folder, {"bench", "--resume", "run.jsonl.part"});

  CHECK(resumed.status == 0);
  const std::string whole = read_file(folder.file("run.jsonl"));
  CHECK(whole.starts_with(begun));
  CHECK(rows_of(whole) == rows_of(whole_record("0.05")));
  CHECK(folder.entries() == std::vector<std::string>{"run.csv", "run.jsonl"});
  CHECK(mentions(run_command(folder, {"bench", "--resume", "run.jsonl"}).out,
                 "is complete, nothing is left to measure"));
}

TEST_CASE("command: a bench that is killed loses no finished row", "[command][slow]") {
  const TemporaryFolder folder;
  const Outcome killed =
      stop_command(folder, bench({"--out", "run.jsonl"}, "0.4"), "[  2/6]", SIGKILL);
  CHECK(killed.status == 128 + SIGKILL);
  CHECK(read_record_part(folder.file("run.jsonl.part")).results.size() >= 2);

  // The same command with --resume behind it does the same as --resume alone.
  const Outcome resumed =
      run_command(folder, bench({"--out", "run.jsonl", "--resume", "run.jsonl.part"}, "0.4"));

  CHECK(resumed.status == 0);
  CHECK(rows_of(read_file(folder.file("run.jsonl"))) == rows_of(whole_record("0.05")));
}

TEST_CASE("command: a bench stopped before its first row leaves nothing", "[command]") {
  const TemporaryFolder folder;
  check_one_line(run_command(folder, bench({"--out", "run.jsonl"}), {.out = "/dev/full"}), 3,
                 "the output could not be written");
  CHECK(folder.entries().empty());
}

TEST_CASE("command: output that nobody can take is a failure of every command", "[command][slow]") {
  for (const Arguments& arguments :
       {Arguments{"list"}, {"machine"}, {"--help"}, {"run", "heat2d/naive/openmp"}}) {
    check_one_line(run_command(arguments, {.out = "/dev/full"}), 3, "portcost: failed: ");
  }
}

TEST_CASE("command: on a full disk finished rows are kept, others follow", "[command][slow]") {
  const TemporaryFolder folder;
  // As much as a quarter or half of a record (the shell's block is 512 or 1024 bytes): every result
  // of so short a measurement has the same number of samples.
  const auto size = whole_record("0.001").size();
  const Outcome full =
      run_command(folder, bench({"--out", "run.jsonl"}, "0.001"),
                  {.before = "trap '' XFSZ; ulimit -f " + std::to_string(size / 2048) + ";"});
  CHECK(full.status == 3);
  CHECK(mentions(lines_of(full.err).back(), "'run.jsonl.part' could not be written"));
  CHECK(mentions(lines_of(full.err).back(), "--resume 'run.jsonl.part'"));
  const auto held = read_record_part(folder.file("run.jsonl.part"));
  CHECK(held.results.size() >= 1);
  CHECK(held.end == read_file(folder.file("run.jsonl.part")).size());

  CHECK(run_command(folder, {"bench", "--resume", "run.jsonl.part"}).status == 0);
  CHECK(rows_of(read_file(folder.file("run.jsonl"))) == rows_of(whole_record("0.05")));
}

TEST_CASE("command: two benches to one file, and the second is refused", "[command][slow]") {
  const TemporaryFolder folder;
  const RecordWriter first(folder.file("run.jsonl"));
  for (const Arguments& more : {Arguments{"--out", "run.jsonl"},
                                {"--out", "run.jsonl", "--force"},
                                {"--resume", "run.jsonl"}}) {
    check_one_line(run_command(folder, bench(more)), 2, "is being written by another portcost");
  }
}

TEST_CASE("command: an existing record is replaced only with --force", "[command]") {
  const TemporaryFolder folder;
  write_file(folder.file("run.jsonl"), "old");
  check_one_line(run_command(folder, bench({"--out", "run.jsonl"})), 2, "'run.jsonl' exists");
  CHECK(read_file(folder.file("run.jsonl")) == "old");

  CHECK(run_command(folder, bench({"--out", "run.jsonl", "--force"})).status == 0);
  CHECK(rows_of(read_file(folder.file("run.jsonl"))).size() == 8);
}

TEST_CASE("command: what is to be resumed must be the same campaign", "[command]") {
  const TemporaryFolder folder;
  stop_command(folder, bench({"--out", "run.jsonl"}, "0.4"), "[  1/6]", SIGKILL);
  const std::string begun = read_file(folder.file("run.jsonl.part"));

  const auto resume = [&](const Arguments& more) {
    return run_command(folder, bench(more, "0.4"));
  };
  check_one_line(resume({"--seed", "2", "--resume", "run.jsonl"}), 2, "give the same options");
  check_one_line(resume({"--out", "b.jsonl", "--resume", "run.jsonl"}), 2, "--out b.jsonl");
  check_one_line(resume({"--resume", "other.jsonl"}), 2, "other.jsonl");
  check_one_line(resume({"--resume", ""}), 2, ".jsonl");
  check_one_line(resume({"--out", "run.jsonl"}), 2, "--resume 'run.jsonl.part'");
  CHECK(read_file(folder.file("run.jsonl.part")) == begun);
}

TEST_CASE("command: a record of an older format is not gone on with", "[command]") {
  need_measured_place();
  const TemporaryFolder folder;
  write_file(folder.file("run.jsonl.part"), "{\"kind\":\"header\",\"format\":1}\n");
  check_one_line(run_command(folder, {"bench", "--resume", "run.jsonl.part"}), 2,
                 "measure again with this version");
}

TEST_CASE("command: a name that is not UTF-8 is one line", "[command]") {
  const TemporaryFolder folder;
  check_one_line(run_command(folder, {"bench", naive_pair, "--out", "r\xff.jsonl"}), 2,
                 "is not UTF-8");
  CHECK(folder.entries().empty());
}

TEST_CASE("command: three processes are measured alike and combined", "[command][slow]") {
  const TemporaryFolder folder;
  measure_three(folder);
  CHECK(sides_of(folder.file("b.jsonl")) == sides_of(folder.file("a.jsonl")));
  CHECK(sides_of(folder.file("c.jsonl")) == sides_of(folder.file("a.jsonl")));

  const Outcome outcome =
      run_command(folder, {"derive", "a.jsonl", "b.jsonl", "c.jsonl", "--out", "all.jsonl"});

  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(mentions(outcome.out, "3 processes; the unit of an interval is the process"));
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

TEST_CASE("command: what cannot be combined is one line, not written", "[command][slow]") {
  const TemporaryFolder folder;
  measure_three(folder);
  const auto combine = [&](const Arguments& words) {
    return run_command(folder, joined({"derive"}, words));
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
  const TemporaryFolder folder;
  REQUIRE(run_command(folder, bench_steps("1", {"--out", "a.jsonl"}, "0.3")).status == 0);
  const Outcome stopped =
      stop_command(folder, bench_steps("2", {"--like", "a.jsonl", "--out", "b.jsonl"}, "0.3"),
                   "[  1/4]", SIGTERM);
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK(stopped.err.find("--resume 'b.jsonl.part' --like 'a.jsonl'") != std::string::npos);

  check_one_line(run_command(folder, {"bench", "--resume", "b.jsonl.part"}), 2,
                 "give the same --like");
  CHECK(run_command(folder, {"bench", "--resume", "b.jsonl.part", "--like", "a.jsonl"}).status ==
        0);
  CHECK(sides_of(folder.file("b.jsonl")) == sides_of(folder.file("a.jsonl")));
}

TEST_CASE("command: --like something else is refused before anything is measured", "[command]") {
  const TemporaryFolder folder;
  REQUIRE(run_command(folder, bench_steps("1", {"--out", "a.jsonl"})).status == 0);
  const auto like = [&](const Arguments& words) {
    return run_command(folder, joined({"bench", "--regime", "hot", "--like"}, words));
  };
  check_one_line(like({"a.jsonl", naive_pair, "--size", "nx=9,ny=9", "--type", "f32"}), 2,
                 "--like a.jsonl: it has not measured heat2d nx=9,ny=9");
  check_one_line(like({"a.jsonl", "heat2d", "--size", "nx=64,ny=48", "--type", "f32"}), 2,
                 "give the filter of then");
  check_one_line(like({"none.jsonl", "heat2d"}), 2, "'none.jsonl' cannot be read");
  check_one_line(like({"", "heat2d"}), 2, "--like is empty");
}

}  // namespace
}  // namespace portcost::test::test_command_record
