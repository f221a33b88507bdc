// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer: the sums of the messages' words.
#include "variants/message_passing/problem.hpp"

namespace portcost::message_passing {

namespace {

void serial(const Round& s, const Stream&) {
  for (std::uint32_t group = 0; group < s.groups; ++group) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < s.group_words(); ++i) sum += s.word(s.first_of_group(group) + i);
    s.sums[group] = sum;
  }
}

}  // namespace

Rungs reference_rungs() { return {rung(works, "serial", serial)}; }

}  // namespace portcost::message_passing
