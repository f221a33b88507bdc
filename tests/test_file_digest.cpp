// SPDX-License-Identifier: Apache-2.0
// What identifies a file, and what a record says of the files that parameters name.
#include "src/support/file_digest.hpp"

#include "src/record/record.hpp"
#include "tests/fragile.hpp"

namespace portcost::test::test_file_digest {

namespace {

// Where this is built without OpenSSL there is a reason instead.
void check_sum(const FileDigest& digest, const std::string& sha256) {
  if (digest.sha256.empty()) {
    CHECK(digest.why_not == "this was built without OpenSSL");
  } else {
    CHECK(digest.sha256 == sha256);
    CHECK(digest.why_not.empty());
  }
}

const std::string of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#if !PORTCOST_HAS_CUDA
Arguments bench_of(const std::string& file, const std::string& record) {
  return {"bench",       "fragile/first/*", "--seconds", "0.02",
          "--parameter", "input=" + file,   "--out",     record};
}
#endif

}  // namespace

TEST_CASE("file digest: the examples of the standard", "[digest]") {
  // FIPS 180-2, appendix B, and of nothing.
  const TemporaryFolder folder;
  const auto digest = [&](const std::string& text) {
    write_file(folder.file("f"), text);
    return digest_of(folder.file("f"));
  };
  CHECK(digest("").bytes == 0);
  check_sum(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest("abc").bytes == 3);
  check_sum(digest("abc"), of_abc);
  const std::string million(1'000'000, 'a');
  check_sum(digest(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(digest(million + million).bytes == 2'000'000);  // more than is read at once
}

TEST_CASE("file digest: a file that cannot be read is a failure", "[digest]") {
  const TemporaryFolder folder;
  const auto digest = [&](const char* name) { static_cast<void>(digest_of(folder.file(name))); };
  check_throws<Failure>("none' cannot be opened", [&] { digest("none"); });
  check_throws<Failure>("' cannot be read to its end", [&] { digest(""); });
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("input files: a record names its own, and is not combined or gone on with after a change",
          "[digest][command]") {
  const TemporaryFolder folder;
  write_file(folder.file("in.txt"), "abc");
  REQUIRE(run_fragile(folder, bench_of("in.txt", "a.jsonl")).status == 0);
  const Json files = rows_in(read_file(folder.file("a.jsonl"))).at(0).at("files");
  REQUIRE(files.size() == 1);
  CHECK(files[0].at("path") == "in.txt");
  CHECK(files[0].at("bytes") == 3);
  if (files[0].at("sha256").is_null()) {
    CHECK(files[0].at("sha256_missing") == "this was built without OpenSSL");
  } else {
    CHECK(files[0].at("sha256") == of_abc);
  }

  const Ran none({"bench", "fragile/first/*", "--seconds", "0.02", "--out", "b.jsonl"}, 0);
  CHECK_FALSE(rows_in(read_file(none.file("b.jsonl"))).at(0).contains("files"));

  write_file(folder.file("in.txt"), "abcd");
  Arguments second = bench_of("in.txt", "b.jsonl");
  second.insert(second.end(), {"--seed", "2", "--like", "a.jsonl"});
  REQUIRE(run_fragile(folder, second).status == 0);

  const Outcome combined =
      run_fragile(folder, {"derive", "a.jsonl", "b.jsonl", "--out", "c.jsonl"});
  CHECK(combined.status == 2);
  CHECK(mentions(combined.err, "other files, in.txt of 3 bytes, SHA-256 "));
  CHECK(mentions(combined.err, " and not in.txt of 4 bytes, SHA-256 "));

  const auto lines = lines_of(read_file(folder.file("a.jsonl")));
  write_file(folder.file("d.jsonl.part"), lines.at(0) + "\n" + lines.at(1) + "\n");
  const Outcome resumed = run_fragile(folder, {"bench", "--resume", "d.jsonl.part"});
  CHECK(resumed.status == 2);
  CHECK(mentions(resumed.err, "'d.jsonl.part' was measured with another file (in.txt of 3 bytes"));
}
#endif

}  // namespace portcost::test::test_file_digest
