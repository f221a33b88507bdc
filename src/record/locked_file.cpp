// SPDX-License-Identifier: Apache-2.0
#include "src/record/locked_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "src/support/reject.hpp"

namespace portcost {

namespace {

// A process that was killed holds its locks until its memory is freed, a GPU's too.
constexpr int looks = 40;
constexpr std::chrono::milliseconds between_looks{50};

UsageError cannot_write(const std::string& path, const std::string& why) {
  return UsageError(fmt::format(
      "cannot write '{}' ({}): does its folder exist, may you write there, and is it no folder "
      "itself?",
      path, why));
}

// False when the file that was opened is no longer the one of this name: between opening and
// locking, the process that had it locked has renamed it.
bool is_still_there(int file, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

LockedFile::LockedFile(std::string path, Missing missing) : path_(std::move(path)) {
  const int flags = O_RDWR | O_CLOEXEC | (missing == Missing::make ? O_CREAT : 0);
  do {
    open(flags);
  } while (!lock());
}

LockedFile::~LockedFile() {
  if (file_ >= 0) close(file_);
}

void LockedFile::open(int flags) {
  struct stat about {};
  // Looked at first: opening a named pipe would wait for its other end.
  if (stat(path_.c_str(), &about) == 0 && !S_ISREG(about.st_mode)) {
    throw cannot_write(path_, "it is no regular file");
  }
  if (file_ >= 0) close(file_);
  file_ = ::open(path_.c_str(), flags, 0666);
  if (file_ < 0) throw cannot_write(path_, std::strerror(errno));
}

bool LockedFile::lock() {
  int error = flock(file_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  for (int i = 0; i < looks && error == EWOULDBLOCK; ++i) {
    std::this_thread::sleep_for(between_looks);
    error = flock(file_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  }
  if (error == EWOULDBLOCK) {
    close(file_);
    reject(
        "'{}' is being written by another portcost: wait until it has finished, or "
        "name another file",
        path_);
  }
  return is_still_there(file_, path_);
}

void LockedFile::write_at(std::uintmax_t at, std::string_view text) {
  const auto start = static_cast<off_t>(at);
  int error = ftruncate(file_, start) == 0 ? 0 : errno;
  std::size_t done = 0;
  while (error == 0 && done < text.size()) {
    const auto offset = start + static_cast<off_t>(done);
    const ssize_t count = pwrite(file_, text.data() + done, text.size() - done, offset);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0) return;
  const bool whole = ftruncate(file_, start) == 0;
  throw Failure(fmt::format("'{}' could not be written ({}){}", path_, std::strerror(error),
                            whole ? "" : ", its last row is incomplete"));
}

void LockedFile::sync() {
  // Where there is nothing to wait for (EINVAL), nothing is lost.
  if (fsync(file_) != 0 && errno != EINVAL) {
    throw Failure(fmt::format("'{}' could not be written ({})", path_, std::strerror(errno)));
  }
}

}  // namespace portcost
