// SPDX-License-Identifier: Apache-2.0
// Files: what is read of them, their digests, and one writer who leaves no half of what it wrote.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "src/files/line_reader.hpp"
#include "src/record/locked_file.hpp"
#include "src/support/file_digest.hpp"
#include "tests/command.hpp"

namespace portcost::test::test_files {

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

std::string reading_refusal(const std::string& path, double most) {
  return message_of<UsageError>([&] { file_contents(path, "name another", most); });
}

// Files may not grow beyond `bytes`: what a full disk looks like.
class SmallFiles : Uncopied {
 public:
  explicit SmallFiles(rlim_t bytes) : ignored_before_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, ignored_before_);
  }

 private:
  sighandler_t ignored_before_;
  rlimit before_{};
};

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
  check_throws<Failure>("none' cannot be opened", [&] { digest_of(folder.file("none")); });
  check_throws<Failure>("' cannot be read to its end", [&] { digest_of(folder.file("")); });
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("input files: a record names its own, which may not change", "[digest][command]") {
  const TemporaryFolder folder;
  write_file(folder.file("in.txt"), "abc");
  REQUIRE(run_made_up(folder, bench_of("in.txt", "a.jsonl")).status == 0);
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
  REQUIRE(run_made_up(folder,
                      joined(bench_of("in.txt", "b.jsonl"), {"--seed", "2", "--like", "a.jsonl"}))
              .status == 0);

  const Outcome combined =
      run_made_up(folder, {"derive", "a.jsonl", "b.jsonl", "--out", "c.jsonl"});
  CHECK(combined.status == 2);
  CHECK(mentions(combined.err, "other files, in.txt of 3 bytes, SHA-256 "));
  CHECK(mentions(combined.err, " and not in.txt of 4 bytes, SHA-256 "));

  const auto lines = lines_of(read_file(folder.file("a.jsonl")));
  write_file(folder.file("d.jsonl.part"), lines.at(0) + "\n" + lines.at(1) + "\n");
  const Outcome resumed = run_made_up(folder, {"bench", "--resume", "d.jsonl.part"});
  CHECK(resumed.status == 2);
  CHECK(mentions(resumed.err, "'d.jsonl.part' was measured with another file (in.txt of 3 bytes"));
}
#endif

TEST_CASE("line reader: a file is read whole, up to the most and to free memory", "[line_reader]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a"), text(100000, 'x');
  write_file(path, text);

  CHECK(file_contents(path, "", 100000) == text);
  CHECK(file_contents(path, "") == text);
  CHECK(reading_refusal(path, 99999) ==
        "cannot read '" + path +
            "' (it has 100000 bytes, and at most 99999 fit in the memory "
            "that is free): take a smaller one");
  std::error_code error;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43, error);
  if (error) SKIP("this file system has no files of 8 TiB");
  check_throws<UsageError>("it has 8796093022208 bytes, and ",
                           [&] { file_contents(path, "name another"); });
}

TEST_CASE("line reader: of a pipe no more is read than the most", "[line_reader]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const auto while_written = [&](const auto& read) {
    std::thread writer([&] { write_file(path, std::string(1000, 'x')); });
    const std::string result = read();
    writer.join();
    return result;
  };

  CHECK(while_written([&] { return file_contents(path, "", 1000); }) == std::string(1000, 'x'));
  CHECK(mentions(while_written([&] { return reading_refusal(path, 999); }),
                 "(it has at least 1000 bytes, and at most 999 fit"));
}

TEST_CASE("line reader: what is no file, or may not be read, is named", "[line_reader]") {
  const TemporaryFolder folder;

  CHECK(mentions(reading_refusal(folder.file(""), 1e6), "(it is a folder): name another"));
  CHECK(mentions(reading_refusal(folder.file("none"), 1e6),
                 "(No such file or directory): name another"));
  for (const char* device : {"/dev/zero", "/dev/full", "/dev/null"}) {
    CHECK(reading_refusal(device, 1e6) ==
          std::string("cannot read '") + device + "' (it is a device): name another");
  }
  if (geteuid() == 0) SKIP("root may read all files");
  write_file(folder.file("a"), "x");
  REQUIRE(chmod(folder.file("a").c_str(), 0) == 0);
  CHECK(mentions(reading_refusal(folder.file("a"), 1e6), "' (Permission denied): name another"));
}

TEST_CASE("locked file: what is there stays up to where writing begins, or a full disk ends",
          "[locked_file]") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "one two three");
  LockedFile file(folder.file("a"), LockedFile::Missing::refuse);
  CHECK(read_file(file.path()) == "one two three");
  file.write_at(4, "2");
  CHECK(read_file(file.path()) == "one 2");
  std::string text;
  {
    const SmallFiles full(10);
    text = message_of<Failure>([&] { file.write_at(5, " and too much"); });
  }
  CHECK(mentions(text, file.path()));
  CHECK(mentions(text, "too large"));
  CHECK(read_file(file.path()) == "one 2");
}

TEST_CASE("locked file: what cannot be written, or is being written, is named", "[locked_file]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("folder"));
  for (const std::string& path :
       {folder.file("folder"), folder.file("missing/a"), std::string("/dev/null")}) {
    const std::string text =
        message_of<UsageError>([&] { LockedFile(path, LockedFile::Missing::make); });
    CHECK(text.find("cannot write '" + path + "'") == 0);
  }
  CHECK_THROWS_AS(LockedFile(folder.file("a"), LockedFile::Missing::refuse), UsageError);
  CHECK(folder.entries() == std::vector<std::string>{"folder"});
  {
    const LockedFile first(folder.file("a"), LockedFile::Missing::make);
    check_throws<UsageError>("is being written by another portcost",
                             [&] { LockedFile(folder.file("a"), LockedFile::Missing::make); });
  }
  CHECK_NOTHROW(LockedFile(folder.file("a"), LockedFile::Missing::refuse));
}

}  // namespace portcost::test::test_files
