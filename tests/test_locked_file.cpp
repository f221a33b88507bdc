// SPDX-License-Identifier: Apache-2.0
// A file with one writer, never left with half of what was written last.
#include "src/record/locked_file.hpp"

#include <signal.h>
#include <sys/resource.h>

#include "tests/support.hpp"

namespace portcost::test::test_locked_file {

namespace {

// Files may not grow beyond `bytes`: what a full disk looks like.
class SmallFiles {
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
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  sighandler_t ignored_before_;
  rlimit before_{};
};

}  // namespace

TEST_CASE("locked file: what is there stays, and is cut off where writing begins",
          "[locked_file]") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "one two three");
  LockedFile file(folder.file("a"), LockedFile::Missing::refuse);
  CHECK(read_file(file.path()) == "one two three");

  file.write_at(4, "2");

  CHECK(read_file(file.path()) == "one 2");
}

TEST_CASE("locked file: on a full disk it is cut back to what was complete", "[locked_file]") {
  const TemporaryFolder folder;
  LockedFile file(folder.file("a"), LockedFile::Missing::make);
  file.write_at(0, "whole ");
  std::string text;
  {
    const SmallFiles full(10);
    text = message_of<Failure>([&] { file.write_at(6, "too much"); });
  }

  CHECK(mentions(text, file.path()));
  CHECK(mentions(text, "too large"));
  CHECK(read_file(file.path()) == "whole ");
}

TEST_CASE("locked file: a second writer is refused while the first lives", "[locked_file]") {
  const TemporaryFolder folder;
  {
    const LockedFile first(folder.file("a"), LockedFile::Missing::make);
    const std::string text =
        message_of<UsageError>([&] { LockedFile(folder.file("a"), LockedFile::Missing::make); });
    CHECK(mentions(text, "is being written by another portcost"));
  }
  CHECK_NOTHROW(LockedFile(folder.file("a"), LockedFile::Missing::refuse));
}

TEST_CASE("locked file: what cannot be written is refused by its name", "[locked_file]") {
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
}

}  // namespace portcost::test::test_locked_file
