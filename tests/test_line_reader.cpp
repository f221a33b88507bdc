// SPDX-License-Identifier: Apache-2.0
// What is read of a file, and what is said of those that cannot be. Lines and words are tested by
// what reads files with them: test_edge_list.cpp and test_matrix_market.cpp.
#include "src/files/line_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/support.hpp"

namespace portcost::test::test_line_reader {

namespace {

std::string refusal(const std::string& path, double most) {
  return message_of<UsageError>([&] { file_contents(path, "name another", most); });
}

}  // namespace

TEST_CASE("line reader: a file is read whole, up to the most", "[line_reader]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a"), text(100000, 'x');
  write_file(path, text);

  CHECK(file_contents(path, "", 100000) == text);
  CHECK(file_contents(path, "") == text);
  CHECK(refusal(path, 99999) == "cannot read '" + path +
                                    "' (it has 100000 bytes, and at most 99999 fit in the memory "
                                    "that is free): take a smaller one");
}

TEST_CASE("line reader: a file larger than memory is refused before it is read", "[line_reader]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write_file(path, "");
  std::error_code error;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43, error);
  if (error) SKIP("this file system has no files of 8 TiB");

  CHECK(mentions(message_of<UsageError>([&] { file_contents(path, "name another"); }),
                 "it has 8796093022208 bytes, and "));
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
  CHECK(mentions(while_written([&] { return refusal(path, 999); }),
                 "(it has at least 1000 bytes, and at most 999 fit"));
}

TEST_CASE("line reader: what is no file is said to be none", "[line_reader]") {
  const TemporaryFolder folder;

  CHECK(mentions(refusal(folder.file(""), 1e6), "(it is a folder): name another"));
  CHECK(mentions(refusal(folder.file("none"), 1e6), "(No such file or directory): name another"));
  for (const char* device : {"/dev/zero", "/dev/full", "/dev/null"}) {
    CHECK(refusal(device, 1e6) ==
          std::string("cannot read '") + device + "' (it is a device): name another");
  }
}

TEST_CASE("line reader: a file that may not be read is named", "[line_reader]") {
  if (geteuid() == 0) SKIP("root may read all files");
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write_file(path, "x");
  REQUIRE(chmod(path.c_str(), 0) == 0);

  CHECK(refusal(path, 1e6) == "cannot read '" + path + "' (Permission denied): name another");
}

}  // namespace portcost::test::test_line_reader
