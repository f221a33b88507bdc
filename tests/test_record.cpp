// SPDX-License-Identifier: Apache-2.0
// Records keep what is finished, are not overwritten by accident, and can be gone on with.
#include "src/record/record.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "src/support/error.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_record {

namespace {

Json header() { return {{"format", record_format}, {"command", "a \"quoted\"\nline"}}; }

Json sample(double seconds, int result = 0) {
  return {{"problem", "wave/naive n=8 f32 cold"},
          {"platform", "A, \"fast\" processor"},
          {"application", "cuda"},
          {"fom", seconds},
          {"result", result},
          {"clock_mhz", Json()},
          {"kept", true}};
}

// The record run.jsonl with one result of one sample.
void write_whole(const TemporaryFolder& folder, double seconds, RecordMode mode = {}) {
  RecordWriter record(folder.file("run.jsonl"), mode);
  record.write("header", header());
  record.write_result({{"id", 0}}, {sample(seconds)});
  record.finish();
}

// What a killed program leaves: run.jsonl.part with `results` results.
void leave_part(const TemporaryFolder& folder, int results) {
  RecordWriter record(folder.file("run.jsonl"));
  record.write("header", header());
  for (int i = 0; i < results; ++i) record.write_result({{"id", i}}, {sample(i + 1, i)});
}

// One RFC 4180 line into its fields.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool doubled = quoted && line.substr(i, 2) == "\"\"";
    if (doubled) {
      fields.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

}  // namespace

TEST_CASE("record: every line is a JSON object that starts with its kind", "[record]") {
  const TemporaryFolder folder;
  RecordWriter record(folder.file("run.jsonl"));

  record.write("header", header());
  record.write_result({{"id", 0}}, {sample(0.125)});
  record.finish();

  const auto lines = lines_of(read_file(folder.file("run.jsonl")));
  REQUIRE(lines.size() == 4);
  std::vector<std::string> kinds;
  for (const std::string& line : lines) {
    const Json row = Json::parse(line);
    CHECK(row.begin().key() == "kind");
    kinds.push_back(row.at("kind"));
  }
  CHECK(kinds == std::vector<std::string>{"header", "result", "sample", "end"});
  CHECK(Json::parse(lines[0]).at("command") == "a \"quoted\"\nline");
  CHECK(Json::parse(lines[1]).at("samples") == 1);
  CHECK(Json::parse(lines[2]).at("fom") == 0.125);
  CHECK(Json::parse(lines[3]).at("results") == 1);
}

TEST_CASE("record: times come back with all their digits", "[record]") {
  const TemporaryFolder folder;
  const double seconds = 0.1 + 0.2;
  write_whole(folder, seconds);

  const Json row = Json::parse(lines_of(read_file(folder.file("run.jsonl"))).at(2));
  const auto csv = lines_of(read_file(folder.file("run.csv")));

  CHECK(row.at("fom").get<double>() == seconds);
  REQUIRE(csv.size() == 2);
  CHECK(std::stod(fields_of(csv[1]).at(3)) == seconds);
}

TEST_CASE("record: the csv holds the samples alone, tidy columns first", "[record]") {
  const TemporaryFolder folder;
  RecordWriter record(folder.file("run.jsonl"));
  record.write("header", header());
  record.write_result({{"id", 0}}, {sample(1)});
  record.write_result({{"id", 1}}, {});
  record.write_result({{"id", 2}}, {sample(2, 2)});
  record.finish();

  const auto csv = lines_of(read_file(folder.file("run.csv")));

  REQUIRE(csv.size() == 3);
  CHECK(csv[0] == "problem,platform,application,fom,result,clock_mhz,kept");
  const auto fields = fields_of(csv[2]);
  CHECK(fields == std::vector<std::string>{"wave/naive n=8 f32 cold", "A, \"fast\" processor",
                                           "cuda", "2.0", "2", "", "true"});
}

TEST_CASE("csv fields: quoted where RFC 4180 asks for it", "[record]") {
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_field("\r") == "\"\r\"");
  CHECK(csv_field("") == "");
  CHECK(csv_field(Json()) == "");
  CHECK(csv_field(12) == "12");
  CHECK(csv_field(true) == "true");
}

TEST_CASE("record: without a result nothing is left behind", "[record]") {
  const TemporaryFolder folder;
  {
    RecordWriter record(folder.file("run.jsonl"));
    record.write("header", header());
    CHECK(folder.entries() == std::vector<std::string>{"run.jsonl.part"});
  }

  CHECK(folder.entries().empty());
}

TEST_CASE("record: without finish the finished results are left in the part", "[record]") {
  const TemporaryFolder folder;
  leave_part(folder, 2);

  CHECK(folder.entries() == std::vector<std::string>{"run.jsonl.part"});
  CHECK(lines_of(read_file(folder.file("run.jsonl.part"))).size() == 5);
}

TEST_CASE("record: each result is in the file as soon as it is written", "[record]") {
  const TemporaryFolder folder;
  RecordWriter record(folder.file("run.jsonl"));
  record.write("header", header());
  CHECK(lines_of(read_file(folder.file("run.jsonl.part"))).size() == 1);
  record.write_result({{"id", 0}}, {sample(1)});
  CHECK(lines_of(read_file(folder.file("run.jsonl.part"))).size() == 3);
}

TEST_CASE("record: a finished one leaves itself and its samples, nothing else", "[record]") {
  const TemporaryFolder folder;
  write_whole(folder, 1);

  CHECK(folder.entries() == std::vector<std::string>{"run.csv", "run.jsonl"});
}

TEST_CASE("record: an existing one is replaced only on request, and when the new is complete",
          "[record]") {
  const TemporaryFolder folder;
  for (const std::string name : {"run.jsonl", "run.csv"}) {
    write_file(folder.file(name), "old");
    const std::string text = message_of<UsageError>([&] { write_whole(folder, 1); });
    CHECK(mentions(text, name + "' exists"));
    CHECK(mentions(text, "--force"));
    CHECK(folder.entries() == std::vector<std::string>{name});
    std::filesystem::remove(folder.file(name));
  }
  write_file(folder.file("run.jsonl"), "old");
  {
    RecordWriter record(folder.file("run.jsonl"), {.resume = false, .replace = true});
    record.write("header", header());
    CHECK(read_file(folder.file("run.jsonl")) == "old");
  }
  write_whole(folder, 1, {.resume = false, .replace = true});
  CHECK(lines_of(read_file(folder.file("run.jsonl"))).size() == 4);
}

TEST_CASE("record: what an earlier run has finished is not overwritten by accident", "[record]") {
  const TemporaryFolder folder;
  leave_part(folder, 1);
  const std::string before = read_file(folder.file("run.jsonl.part"));

  const std::string text = message_of<UsageError>([&] { write_whole(folder, 9); });

  CHECK(mentions(text, "--resume"));
  CHECK(mentions(text, "name another file"));
  CHECK(read_file(folder.file("run.jsonl.part")) == before);
  write_whole(folder, 9, {.resume = false, .replace = true});
  CHECK(mentions(read_file(folder.file("run.csv")), ",9.0,"));
}

TEST_CASE("record: a part without a result is no obstacle", "[record]") {
  const TemporaryFolder folder;
  write_file(folder.file("run.jsonl.part"), "{\"kind\":\"header\",\"format\":2}\n{\"kind\":\"res");

  write_whole(folder, 1);

  CHECK(lines_of(read_file(folder.file("run.jsonl"))).size() == 4);
}

TEST_CASE("record: two writers of one record, and the second is refused", "[record][slow]") {
  const TemporaryFolder folder;
  RecordWriter first(folder.file("run.jsonl"));
  for (const RecordMode mode : {RecordMode{}, RecordMode{true, false}, RecordMode{false, true}}) {
    const std::string text = message_of<UsageError>([&] { write_whole(folder, 1, mode); });
    CHECK(mentions(text, "run.jsonl.part' is being written by another portcost"));
  }
  write_whole(TemporaryFolder(), 1);  // another file is another matter
  first.write("header", header());
  first.write_result({{"id", 0}}, {sample(1)});
  first.finish();
  CHECK(lines_of(read_file(folder.file("run.jsonl"))).size() == 4);
}

TEST_CASE("record: what was begun is gone on with, and has the samples of both in the end",
          "[record]") {
  const TemporaryFolder folder;
  leave_part(folder, 2);
  // Half of a third result, as a killed process leaves it.
  const std::string before = read_file(folder.file("run.jsonl.part"));
  write_file(folder.file("run.jsonl.part"),
             before + "{\"kind\":\"result\",\"id\":2,\"samples\":2}\n{\"kind\":\"sam");
  for (const std::string name : {"run.jsonl.part", "run.jsonl"}) {
    RecordWriter record(folder.file(name), {.resume = true});
    CHECK(record.path() == folder.file("run.jsonl"));
    CHECK(record.held().results.size() == 2);
    CHECK(record.results() == 2);
  }
  RecordWriter record(folder.file("run.jsonl.part"), {.resume = true});
  record.write_result({{"id", 2}}, {sample(3, 2)});
  record.finish();

  const std::string text = read_file(folder.file("run.jsonl"));
  CHECK(text.starts_with(before));
  CHECK(lines_of(text).size() == 8);
  CHECK(lines_of(read_file(folder.file("run.csv"))).size() == 4);
  CHECK(folder.entries() == std::vector<std::string>{"run.csv", "run.jsonl"});
}

TEST_CASE("record: one that ended before it got its name is finished without a second end",
          "[record]") {
  const TemporaryFolder folder;
  write_whole(folder, 1);
  const std::string whole = read_file(folder.file("run.jsonl"));
  std::filesystem::rename(folder.file("run.jsonl"), folder.file("run.jsonl.part"));

  RecordWriter record(folder.file("run.jsonl"), {.resume = true});
  CHECK(record.held().ended);
  record.finish();

  CHECK(read_file(folder.file("run.jsonl")) == whole);
}

TEST_CASE("record: one without its end is completed where it is", "[record]") {
  const TemporaryFolder folder;
  leave_part(folder, 1);
  std::filesystem::rename(folder.file("run.jsonl.part"), folder.file("run.jsonl"));
  RecordWriter record(folder.file("run.jsonl"), {.resume = true});
  CHECK_FALSE(record.was_complete());
  record.finish();

  CHECK(RecordWriter(folder.file("run.jsonl"), {.resume = true}).was_complete());
  CHECK(folder.entries() == std::vector<std::string>{"run.csv", "run.jsonl"});
}

TEST_CASE("record: nothing to go on with is said by name", "[record]") {
  const TemporaryFolder folder;
  const auto resume = [&] {
    return message_of<UsageError>(
        [&] { RecordWriter(folder.file("run.jsonl"), {.resume = true}); });
  };
  CHECK(mentions(resume(), "run.jsonl' nor"));
  write_file(folder.file("run.jsonl.part"), "");
  CHECK(mentions(resume(), "nothing to go on with"));
  CHECK(folder.entries() == std::vector<std::string>{"run.jsonl.part"});
}

TEST_CASE("record: a name without the ending is refused by name", "[record]") {
  const TemporaryFolder folder;
  for (const std::string name : {"run.json", "run", "runjsonl", "run.jsonl.gz"}) {
    const std::string path = folder.file(name);
    const std::string text = message_of<UsageError>([&] { RecordWriter record(path); });
    CHECK(mentions(text, path));
    CHECK(mentions(text, ".jsonl"));
  }
  CHECK_THROWS_AS(RecordWriter(".jsonl"), UsageError);
  CHECK(folder.entries().empty());
}

TEST_CASE("record: a folder that is missing is refused by the path", "[record]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/run.jsonl");

  const std::string text = message_of<UsageError>([&] { RecordWriter record(path); });

  CHECK(mentions(text, path));
  CHECK_FALSE(mentions(text, "\n"));
}

TEST_CASE("record: when the samples cannot be written, nothing is left behind", "[record]") {
  for (const std::string name : {"run.csv", "run.csv.part", "run.jsonl", "run.jsonl.part"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file(name));

    const std::string text =
        message_of<UsageError>([&] { RecordWriter record(folder.file("run.jsonl")); });

    CHECK(mentions(text, name));
    CHECK(folder.entries() == std::vector<std::string>{name});
  }
}

}  // namespace portcost::test::test_record
