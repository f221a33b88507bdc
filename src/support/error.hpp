// SPDX-License-Identifier: Apache-2.0
// The two ways things go wrong: the user requested something impossible, or the machine or the code
// failed.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace portcost {

/// The user requested something that cannot be: one line that names the value and the remedy. Exit
/// status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine or the code failed (no memory, a CUDA error): carries the position in the source.
/// Exit status 3.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& what,
                   std::source_location where = std::source_location::current())
      : std::runtime_error(what + " [" + where.file_name() + ":" + std::to_string(where.line()) +
                           "]") {}

 protected:
  /// Of what was said before, which has its position.
  struct Again {};
  Failure(Again, const std::string& what) : std::runtime_error(what) {}
};

/// Throws Failure with `what` unless `condition` holds.
inline void require(bool condition, const std::string& what,
                    std::source_location where = std::source_location::current()) {
  if (!condition) throw Failure(what, where);
}

}  // namespace portcost
