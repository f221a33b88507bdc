// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "src/support/error.hpp"

namespace portcost {

/// Throws UsageError with this text, in which the values stand for {}.
template <class... Values>
[[noreturn]] void reject(fmt::format_string<Values...> text, Values&&... values) {
  throw UsageError(fmt::format(text, std::forward<Values>(values)...));
}

}  // namespace portcost
