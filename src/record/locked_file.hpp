// SPDX-License-Identifier: Apache-2.0
// A file that one process writes to, and that is never left with half of what was written last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/support/uncopied.hpp"

namespace portcost {

/// A regular file, open for writing and locked while this lives. What is in it stays.
class LockedFile : Uncopied {
 public:
  enum class Missing { make, refuse };

  /// Throws UsageError when the file cannot be written, or when another process has it locked. On
  /// a file system without locks it is opened all the same.
  LockedFile(std::string path, Missing missing);
  ~LockedFile();

  /// Ends the file after its first `at` bytes and writes `text` behind them. When that fails (a
  /// full disk), the file is cut back to `at` bytes and Failure says why.
  void write_at(std::uintmax_t at, std::string_view text);
  /// Waits until the disk has it.
  void sync();

  const std::string& path() const { return path_; }

 private:
  void open(int flags);
  bool lock();

  std::string path_;
  int file_ = -1;
};

}  // namespace portcost
