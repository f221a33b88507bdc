// SPDX-License-Identifier: Apache-2.0
#include "src/support/error.hpp"

#include <fmt/format.h>

namespace portcost {

Failure::Failure(const std::string& what, std::source_location where)
    : std::runtime_error(fmt::format("{} [{}:{}]", what, where.file_name(), where.line())) {}

void require(bool condition, const std::string& what, std::source_location where) {
  if (!condition) throw Failure(what, where);
}

}  // namespace portcost
