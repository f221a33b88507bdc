// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/message_passing/kokkos/book.hpp"

#include "variants/message_passing/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::message_passing {

namespace {

book::Messages messages_of(const Round& s) {
  return book::Messages(s.messages, s.groups, s.group_words());
}

void team_fence(const Round& s, const Stream& on) {
  book::team_fence(kokkos_space(on), team_size(warps), s.members, static_cast<int>(s.words),
                   messages_of(s), book::OfGroups(s.sums, s.groups), book::Text{s.seed, s.round});
}

Rung tickets(std::string_view name, const char* label) {
  return rung(works, name,
              [label](const Round& s, const Stream& on) {
                book::ticket(label, kokkos_space(on), team_size(warps), s.members,
                             static_cast<int>(s.words), messages_of(s),
                             book::OfGroups(s.arrived, s.groups), book::OfGroups(s.sums, s.groups),
                             book::Text{s.seed, s.round});
              })
      .written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  Rungs result{rung(works, "team_fence", team_fence).written(Way::book),
               tickets("device_ticket", "message_passing::book::device_ticket")};
  // On a host the device is the system.
  if constexpr (kokkos_on_host) {
    result.push_back(tickets("system_ticket", "message_passing::book::system_ticket"));
  }
  return result;
}

}  // namespace portcost::message_passing
