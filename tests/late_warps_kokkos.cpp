// SPDX-License-Identifier: Apache-2.0
#include "tests/late_words.hpp"
// The kernels under their other name.
#include "tests/compiled_apart.hpp"
#include "variants/message_passing/kokkos.cpp"

namespace portcost::test {

void late_kokkos_ticket(const LateRound& r, const Stream& stream) {
  message_passing::launch<message_passing::Ticket>(
      "late warps", {r.messages, r.arrived, r.sums, r.groups, r.members, r.words, r.seed, r.round},
      stream, r.groups * r.members);
}

}  // namespace portcost::test
