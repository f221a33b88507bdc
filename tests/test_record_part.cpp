// SPDX-License-Identifier: Apache-2.0
// What of an interrupted record is complete, and samples that come back from a record.
#include "src/record/record.hpp"

#include "tests/process_records.hpp"

namespace portcost::test::test_record_part {

const std::string head = "{\"kind\":\"header\",\"format\":2,\"seed\":7}\n";
const std::string limit = "{\"kind\":\"limit\",\"name\":\"host copy\"}\n";
const std::string result = "{\"kind\":\"result\",\"id\":0,\"samples\":2}\n";
const std::string sample =
    R"({"kind":"sample","result":0,"block":0,"position":0,"side":0,"device_s":1,"wall_s":1,"batch":1,)"
    R"("kept":true,"allocation":0,"switches":0})"
    "\n";
const std::string wrong = "{\"kind\":\"result\",\"id\":1,\"samples\":0}\n";
const std::string last = "{\"kind\":\"end\",\"results\":2}\n";
const std::string whole = head + limit + result + sample + sample + wrong;

RecordPart read(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.file("run.jsonl.part"), text);
  return read_record_part(folder.file("run.jsonl.part"));
}

std::string refusal(const std::string& text) {
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
    CHECK(units < (result + sample + sample).size());
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
  CHECK(read(head + of_ranks + sample).results.empty());
  const RecordPart part = read(head + of_ranks + sample + ranks);
  CHECK(part.results.size() == 1);
  CHECK(part.end == (head + of_ranks + sample + ranks).size());
  CHECK(mentions(refusal(head + of_ranks + ranks), "line 3 should be a sample"));
  CHECK(mentions(refusal(head + of_ranks + sample + sample), "line 4 should be the ranks"));
  CHECK(mentions(refusal(head + ranks), "line 2 is a sample of no result"));
}

TEST_CASE("record part: compressed records, and samples of nothing, are refused", "[record_part]") {
  CHECK(mentions(refusal("\x1f\x8b\x08 and more"), "is compressed: unpack it first (gzip -dk"));
  CHECK(refusal("") == "(nothing thrown)");
  CHECK(mentions(refusal(head + sample), "line 2 is a sample of no result"));
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

}  // namespace portcost::test::test_record_part
