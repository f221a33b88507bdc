// SPDX-License-Identifier: Apache-2.0
#include "variants/message_passing/problem.hpp"

namespace portcost::message_passing {

Rungs reference_rungs() {
  return {rung(works, "serial", [](const Round& s, const Stream&) {
    for (std::uint32_t group = 0; group < s.groups; ++group) {
      const std::uint64_t first = s.first_of_group(group);
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < s.group_words(); ++i) sum += s.word(first + i);
      s.sums[group] = sum;
    }
  })};
}

}  // namespace portcost::message_passing
