// SPDX-License-Identifier: Apache-2.0
// The standard output.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "perf/command/commands.hpp"

namespace portcost {

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::runtime_error(fmt::format("the output could not be written ({})",
                                       errno != 0 ? std::strerror(errno) : "it is closed or full"));
}

}  // namespace portcost
