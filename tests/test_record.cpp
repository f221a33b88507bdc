// SPDX-License-Identifier: Apache-2.0
// Records are whole or absent, and can be read back.
#include "src/record.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "src/error.hpp"
#include "tests/support.hpp"

namespace portcost::test {

namespace {

Json sample(double seconds, const std::string& variant = "wave/naive/cuda") {
  return {{"problem", "wave/naive n=8 f32 cold"},
          {"platform", "A, \"fast\" processor"},
          {"application", "cuda"},
          {"fom", seconds},
          {"variant", variant},
          {"clock_mhz", Json()},
          {"kept", true}};
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

  record.write("header", {{"format", 1}, {"command", "a \"quoted\"\nline"}});
  record.write("sample", sample(0.125));
  record.finish();

  const auto lines = lines_of(read_file(folder.file("run.jsonl")));
  REQUIRE(lines.size() == 2);
  const Json header = Json::parse(lines[0]), row = Json::parse(lines[1]);
  CHECK(header.begin().key() == "kind");
  CHECK(header.at("kind") == "header");
  CHECK(header.at("command") == "a \"quoted\"\nline");
  CHECK(row.at("kind") == "sample");
  CHECK(row.at("fom") == 0.125);
}

TEST_CASE("record: times come back with all their digits", "[record]") {
  const TemporaryFolder folder;
  const double seconds = 0.1 + 0.2;
  RecordWriter record(folder.file("run.jsonl"));
  record.write("sample", sample(seconds));
  record.finish();

  const Json row = Json::parse(lines_of(read_file(folder.file("run.jsonl"))).at(0));
  const auto csv = lines_of(read_file(folder.file("run.csv")));

  CHECK(row.at("fom").get<double>() == seconds);
  REQUIRE(csv.size() == 2);
  CHECK(std::stod(fields_of(csv[1]).at(3)) == seconds);
}

TEST_CASE("record: the csv holds the samples alone, tidy columns first", "[record]") {
  const TemporaryFolder folder;
  RecordWriter record(folder.file("run.jsonl"));
  record.write("header", {{"format", 1}});
  record.write("sample", sample(1));
  record.write("result", {{"id", 0}});
  record.write("sample", sample(2));
  record.finish();

  const auto csv = lines_of(read_file(folder.file("run.csv")));

  REQUIRE(csv.size() == 3);
  CHECK(csv[0] == "problem,platform,application,fom,variant,clock_mhz,kept");
  const auto fields = fields_of(csv[2]);
  CHECK(fields == std::vector<std::string>{"wave/naive n=8 f32 cold", "A, \"fast\" processor",
                                           "cuda", "2.0", "wave/naive/cuda", "", "true"});
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

TEST_CASE("record: without finish nothing is left behind", "[record]") {
  const TemporaryFolder folder;
  {
    RecordWriter record(folder.file("run.jsonl"));
    record.write("sample", sample(1));
    CHECK(folder.entries() == std::vector<std::string>{"run.csv.part", "run.jsonl.part"});
  }

  CHECK(folder.entries().empty());
}

TEST_CASE("record: a finished one leaves itself and its samples, nothing else", "[record]") {
  const TemporaryFolder folder;
  RecordWriter record(folder.file("run.jsonl"));
  record.write("sample", sample(1));
  record.finish();

  CHECK(folder.entries() == std::vector<std::string>{"run.csv", "run.jsonl"});
  CHECK(record.path() == folder.file("run.jsonl"));
  CHECK(record.csv_path() == folder.file("run.csv"));
}

TEST_CASE("record: an older one is untouched until the new one is whole", "[record]") {
  const TemporaryFolder folder;
  write_file(folder.file("run.jsonl"), "old record");
  write_file(folder.file("run.csv"), "old samples");
  {
    RecordWriter record(folder.file("run.jsonl"));
    record.write("sample", sample(1));
  }
  CHECK(read_file(folder.file("run.jsonl")) == "old record");
  CHECK(read_file(folder.file("run.csv")) == "old samples");

  RecordWriter record(folder.file("run.jsonl"));
  record.write("sample", sample(1));
  record.finish();
  CHECK(Json::parse(read_file(folder.file("run.jsonl"))).at("fom") == 1.0);
}

TEST_CASE("record: a name without the ending is refused by name", "[record]") {
  const TemporaryFolder folder;
  for (const std::string name : {"run.json", "run", "runjsonl", "run.jsonl.gz"}) {
    const std::string path = folder.file(name);
    const std::string text = message_of<UsageError>([&] { RecordWriter record(path); });
    CHECK(text.find(path) != std::string::npos);
    CHECK(text.find(".jsonl") != std::string::npos);
  }
  CHECK_THROWS_AS(RecordWriter(".jsonl"), UsageError);
  CHECK(folder.entries().empty());
}

TEST_CASE("record: a folder that is missing is refused by the path", "[record]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/run.jsonl");

  const std::string text = message_of<UsageError>([&] { RecordWriter record(path); });

  CHECK(text.find(path) != std::string::npos);
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("record: when the samples cannot be written, nothing is left behind", "[record]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("run.csv.part"));

  CHECK_THROWS_AS(RecordWriter(folder.file("run.jsonl")), UsageError);

  CHECK(folder.entries() == std::vector<std::string>{"run.csv.part"});
}

TEST_CASE("record: a full disk is a failure that names the record", "[record]") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.file("run.jsonl.part"));
  RecordWriter record(folder.file("run.jsonl"));
  record.write("sample", sample(1));

  const std::string text = message_of<Failure>([&] { record.finish(); });

  CHECK(text.find("run.jsonl") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.file("run.jsonl")));
}

}  // namespace portcost::test
