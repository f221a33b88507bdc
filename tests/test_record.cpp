// SPDX-License-Identifier: Apache-2.0
// Records keep what is finished, are not overwritten by accident, and can be gone on with. What of
// an interrupted record is complete, and samples that come back from a record.
#include "tests/process_records.hpp"

namespace portcost::test::test_record {

Json header() { return {{"format", record_format}, {"command", "a \"quoted\"\nline"}}; }

Json sample(double seconds, int result = 0) {
  Json row{{"problem", "wave/naive n=8 f32 cold"},
           {"platform", "A, \"fast\" processor"},
           {"application", "cuda"},
           {"fom", seconds},
           {"result", result}};
  Sample measured;
  measured.timing = {seconds, 3 * seconds};
  row.update(to_json(measured));
  return row;
}

// A folder for the record run.jsonl.
struct Run : TemporaryFolder {
  const std::string path = file("run.jsonl"), part = file("run.jsonl.part");
  const std::string csv = file("run.csv");

  // With one result of one sample.
  void write_whole(double seconds, RecordMode mode = {}) const {
    RecordWriter record(path, mode);
    record.write("header", header());
    record.write_result({{"id", 0}}, {sample(seconds)});
    record.finish();
  }
  // What a killed program leaves: a part with `results` results.
  void leave_part(int results) const {
    RecordWriter record(path);
    record.write("header", header());
    for (int i = 0; i < results; ++i) record.write_result({{"id", i}}, {sample(i + 1, i)});
  }
  bool has_only(const std::vector<std::string>& names) const { return entries() == names; }
};

constexpr RecordMode replace{.resume = false, .replace = true}, resume{.resume = true};

std::vector<std::string> lines_in(const std::string& path) { return lines_of(read_file(path)); }

// What RecordWriter says that it refuses.
std::string refusal(const std::string& path, RecordMode mode = {}) {
  return message_of<UsageError>([&] { RecordWriter(path, mode); });
}

TEST_CASE_METHOD(Run, "record: every line is a JSON object that starts with its kind", "[record]") {
  const double seconds = 0.1 + 0.2;
  // A part without a result is no obstacle.
  write_file(part, "{\"kind\":\"header\",\"format\":2}\n{\"kind\":\"res");
  write_whole(seconds);

  const auto lines = lines_in(path);
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
  CHECK(Json::parse(lines[2]).at("fom").get<double>() == seconds);  // with all digits
  CHECK(Json::parse(lines[3]).at("results") == 1);
  REQUIRE(lines_in(csv).size() == 2);
  CHECK(mentions(lines_in(csv)[1], ",cuda,0.30000000000000004,"));
  CHECK(has_only({"run.csv", "run.jsonl"}));
}

TEST_CASE_METHOD(Run, "record: the csv holds the samples alone, tidy columns first", "[record]") {
  RecordWriter record(path);
  record.write("header", header());
  record.write_result({{"id", 0}}, {sample(1)});
  record.write_result({{"id", 1}}, {});
  record.write_result({{"id", 2}}, {sample(2, 2)});
  record.finish();

  const auto lines = lines_in(csv);

  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "problem,platform,application,fom,result,process,allocation,block,position,side,device_s,"
        "wall_s,clock_mhz,batch,switches,queued_ahead,kept");
  CHECK(lines[2] == R"(wave/naive n=8 f32 cold,"A, ""fast"" processor",cuda,2.0,2,0,0,0,0,0,2.0,)"
                    "6.0,,1,0,true,true");
}

TEST_CASE("csv fields: quoted where RFC 4180 asks for it", "[record]") {
  for (const char* plain : {"plain text", ""}) CHECK(csv_field(plain) == plain);
  for (const std::string quoted : {"a,b", "two\nlines", "\r"}) {
    CHECK(csv_field(quoted) == "\"" + quoted + "\"");
  }
  CHECK(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(csv_field(Json()) == "");
  CHECK(csv_field(12) == "12");
  CHECK(csv_field(true) == "true");
}

TEST_CASE_METHOD(Run, "record: without a result nothing is left, else a part", "[record]") {
  {
    RecordWriter record(path);
    record.write("header", header());
    CHECK(has_only({"run.jsonl.part"}));
  }
  CHECK(entries().empty());
  {
    RecordWriter record(path);
    record.write("header", header());
    CHECK(lines_in(part).size() == 1);
    record.write_result({{"id", 0}}, {sample(1)});
    CHECK(lines_in(part).size() == 3);  // as soon as it is written
  }
  CHECK(has_only({"run.jsonl.part"}));
  CHECK(lines_in(part).size() == 3);
}

TEST_CASE_METHOD(Run, "record: an existing one is replaced on request, when complete", "[record]") {
  for (const std::string name : {"run.jsonl", "run.csv"}) {
    write_file(file(name), "old");
    const std::string text = refusal(path);
    CHECK(mentions(text, name + "' exists"));
    CHECK(mentions(text, "--force"));
    CHECK(has_only({name}));
    std::filesystem::remove(file(name));
  }
  write_file(path, "old");
  {
    RecordWriter record(path, replace);
    record.write("header", header());
    CHECK(read_file(path) == "old");
  }
  write_whole(1, replace);
  CHECK(lines_in(path).size() == 4);
}

TEST_CASE_METHOD(Run, "record: what is finished is not overwritten by accident", "[record]") {
  leave_part(1);
  const std::string before = read_file(part), text = refusal(path);

  CHECK(mentions(text, "--resume"));
  CHECK(mentions(text, "name another file"));
  CHECK(read_file(part) == before);
  write_whole(9, replace);
  CHECK(mentions(read_file(csv), ",9.0,"));
}

TEST_CASE_METHOD(Run, "record: what was begun is gone on with, and has all samples", "[record]") {
  leave_part(2);
  // Half of a third result, as a killed process leaves it.
  const std::string before = read_file(part);
  write_file(part, before + "{\"kind\":\"result\",\"id\":2,\"samples\":2}\n{\"kind\":\"sam");
  for (const std::string& name : {part, path}) {
    RecordWriter record(name, resume);
    CHECK(record.path() == path);
    CHECK(record.held().results.size() == 2);
    CHECK(record.results() == 2);
  }
  RecordWriter record(part, resume);
  record.write_result({{"id", 2}}, {sample(3, 2)});
  record.finish();

  CHECK(read_file(path).starts_with(before));
  CHECK(lines_in(path).size() == 8);
  CHECK(lines_in(csv).size() == 4);
  CHECK(has_only({"run.csv", "run.jsonl"}));
}

TEST_CASE_METHOD(Run, "record: one without its name, or its end, is completed where it is",
                 "[record]") {
  write_whole(1);
  const std::string whole = read_file(path);
  std::filesystem::rename(path, part);
  {
    RecordWriter record(path, resume);
    CHECK(record.held().ended);
    record.finish();
  }
  CHECK(read_file(path) == whole);  // no second end
  write_file(path, whole.substr(0, whole.rfind("{\"kind\":\"end\"")));
  RecordWriter record(path, resume);
  CHECK_FALSE(record.was_complete());
  record.finish();
  CHECK(RecordWriter(path, resume).was_complete());
  CHECK(has_only({"run.csv", "run.jsonl"}));
}

TEST_CASE("record: when the samples cannot be written, nothing is left behind", "[record]") {
  const std::string name = GENERATE("run.csv", "run.csv.part", "run.jsonl", "run.jsonl.part");
  const Run run;
  std::filesystem::create_directory(run.file(name));

  CHECK(mentions(refusal(run.path), name));
  CHECK(run.has_only({name}));
}

// ---- What is read.

const std::string head = "{\"kind\":\"header\",\"format\":2,\"seed\":7}\n";
const std::string limit = "{\"kind\":\"limit\",\"name\":\"host copy\"}\n";
const std::string result = "{\"kind\":\"result\",\"id\":0,\"samples\":2}\n";
const std::string sample_line =
    R"({"kind":"sample","result":0,"block":0,"position":0,"side":0,"device_s":1,"wall_s":1,"batch":1,)"
    R"("kept":true,"allocation":0,"switches":0})"
    "\n";
const std::string wrong = "{\"kind\":\"result\",\"id\":1,\"samples\":0}\n";
const std::string last = "{\"kind\":\"end\",\"results\":2}\n";
const std::string whole = head + limit + result + sample_line + sample_line + wrong;

RecordPart read(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.file("run.jsonl.part"), text);
  return read_record_part(folder.file("run.jsonl.part"));
}

std::string refusal_of(const std::string& text) {
  return message_of<UsageError>([&] { read(text); });
}

TEST_CASE("record part: wherever it is cut, complete rows are read", "[record_part]") {
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const RecordPart part = read(whole.substr(0, size));
    CAPTURE(size);
    const std::size_t units = size - part.end;  // bytes passed over
    CHECK(part.end <= size);
    CHECK(part.header.is_null() == (size < head.size()));
    CHECK(part.limits.size() == (size >= (head + limit).size() ? 1 : 0));
    const std::size_t one = whole.size() - wrong.size();
    CHECK(part.results.size() == (size >= whole.size() ? 2 : size >= one ? 1 : 0));
    CHECK(units < (result + sample_line + sample_line).size());
    CHECK_FALSE(part.ended);
  }
}

TEST_CASE("record part: the end is not counted, a byte order mark passed", "[record_part]") {
  const RecordPart part = read(whole + last);

  CHECK(part.ended);
  CHECK(part.end == whole.size());
  CHECK(part.header.at("seed") == 7);
  CHECK(part.results.at(1).at("id") == 1);
  const std::string order = "\xEF\xBB\xBF";

  const RecordPart marked = read(order + whole + last);

  CHECK(marked.ended);
  CHECK(marked.end == order.size() + whole.size());
  CHECK(marked.header.at("seed") == 7);
  CHECK(marked.results.size() == 2);
  CHECK(read(order).header.is_null());
}

TEST_CASE("record part: a result of several ranks counts with all their rows", "[record_part]") {
  const std::string of_ranks = "{\"kind\":\"result\",\"id\":0,\"samples\":1,\"rank_rows\":1}\n";
  const std::string ranks = "{\"kind\":\"ranks\",\"result\":0,\"device_s\":[1,2]}\n";
  CHECK(read(head + of_ranks + sample_line).results.empty());
  const RecordPart part = read(head + of_ranks + sample_line + ranks);
  CHECK(part.results.size() == 1);
  CHECK(part.end == (head + of_ranks + sample_line + ranks).size());
  CHECK(mentions(refusal_of(head + of_ranks + ranks), "line 3 should be a sample"));
  CHECK(mentions(refusal_of(head + of_ranks + sample_line + sample_line),
                 "line 4 should be the ranks"));
  CHECK(mentions(refusal_of(head + ranks), "line 2 is a sample of no result"));
}

TEST_CASE("record part: compressed records, and samples of nothing, are refused", "[record_part]") {
  CHECK(mentions(refusal_of("\x1f\x8b\x08 and more"), "is compressed: unpack it first (gzip -dk"));
  CHECK(refusal_of("") == "(nothing thrown)");
  CHECK(mentions(refusal_of(head + sample_line), "line 2 is a sample of no result"));
}

TEST_CASE("record samples: a sample comes back from its row as it was", "[record_part]") {
  Result pair = made_up_pair({});
  Sample& odd = pair.measurement.samples[1];
  odd = {3, 1, 1, {0.1 / 3, 0.2 / 3}, 1234.5, 7, false, 0, 11, 2};

  const Json row = Json::parse(samples_to_json(pair, "p").at(1).dump());
  odd = sample_from(row);
  CHECK(samples_to_json(pair, "p").at(1) == row);
  CHECK(odd.process == 2);
  Json older = row;
  older.erase("process");
  CHECK(sample_from(older).process == 0);
}

TEST_CASE("record samples: those of each result by its id, damaged ones refused", "[record_part]") {
  const TemporaryFolder folder;
  const std::string path = write_process(folder, "a.jsonl", {});
  const RecordPart record = read_record_part(path);
  CHECK(record.results.size() == 3);
  CHECK(record.samples.at(0).size() == 32);
  CHECK(record.samples.at(1).size() == 32);
  CHECK(record.samples.at(2).size() == 16);

  std::string text = read_file(path);
  text.replace(text.find("\"device_s\":1.0"), 14, "\"device_s\":\"1\"");
  write_file(path, text);
  check_throws<UsageError>("is a damaged sample of result 0", [&] { read_record_part(path); });
}

}  // namespace portcost::test::test_record
