// SPDX-License-Identifier: Apache-2.0
// Samples that come back from a record.
#include "src/record/record_samples.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/support/error.hpp"
#include "tests/process_records.hpp"

namespace portcost::test::test_record_samples {

TEST_CASE("record samples: a sample comes back from its row as it was", "[record_part]") {
  Result result = made_up_pair({});
  Sample& odd = result.measurement.samples[1];
  odd = {3, 1, 1, {0.1 / 3, 0.2 / 3}, 1234.5, 7, false, 0, 11, 2};

  const Json row = Json::parse(samples_to_json(result, "p").at(1).dump());
  const Sample back = sample_from(row);

  CHECK(back.block == odd.block);
  CHECK(back.position == odd.position);
  CHECK(back.side == odd.side);
  CHECK(back.timing.device_s == odd.timing.device_s);
  CHECK(back.timing.wall_s == odd.timing.wall_s);
  CHECK(back.clock_mhz == odd.clock_mhz);
  CHECK(back.batch == odd.batch);
  CHECK(back.kept == odd.kept);
  CHECK(back.allocation == odd.allocation);
  CHECK(back.switches == odd.switches);
  CHECK(back.process == odd.process);
  Json older = row;
  older.erase("process");
  CHECK(sample_from(older).process == 0);
}

TEST_CASE("record samples: those of each result by its id", "[record_part]") {
  const TemporaryFolder folder;
  const RecordWithSamples record = read_record_with_samples(write_process(folder, "a.jsonl", {}));

  CHECK(record.part.results.size() == 3);
  CHECK(record.samples.at(0).size() == 32);
  CHECK(record.samples.at(1).size() == 32);
  CHECK(record.samples.at(2).size() == 16);
}

TEST_CASE("record samples: a damaged row and a missing end are refused in one line",
          "[record_part]") {
  const TemporaryFolder folder;
  const std::string path = write_process(folder, "a.jsonl", {});
  std::string text = read_file(path);
  const auto refusal = [&](const std::string& changed) {
    write_file(path, changed);
    return message_of<UsageError>([&] { read_record_with_samples(path); });
  };
  const auto end = text.find("{\"kind\":\"end\"");
  CHECK(mentions(refusal(text.substr(0, end)), "has no end line"));
  text.replace(text.find("\"device_s\":1.0"), 14, "\"device_s\":\"1\"");
  CHECK(mentions(refusal(text), "a sample of result 0 is damaged"));
}

}  // namespace portcost::test::test_record_samples
