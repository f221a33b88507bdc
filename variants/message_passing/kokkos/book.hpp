// SPDX-License-Identifier: Apache-2.0
// message_passing by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. Members of a
// group write messages and take tickets; the last member reads all of the group. Kokkos's atomic
// operations are relaxed, so that fences stand on both sides of a ticket.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "variants/message_passing/rule.hpp"

namespace portcost::message_passing::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
/// (group, word): the messages of a group one after the other.
using Messages = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Space, Unmanaged>;
using OfGroups = Kokkos::View<std::uint32_t*, Space, Unmanaged>;
template <class T>
using Scratch = Kokkos::View<T, Space::scratch_memory_space, Unmanaged>;

/// What a message's words are in a round.
struct Text {
  std::uint32_t seed, round;
  KOKKOS_INLINE_FUNCTION void write(const Messages& messages, int group, int i) const {
    const std::size_t first = static_cast<std::size_t>(group) * messages.extent(1);
    messages(group, i) = message_word(seed, round, first + static_cast<std::size_t>(i));
  }
};

/// team_fence: a team is a group. Each thread takes members, and its lanes take the words. The
/// group's count of tickets lies in scratch.
inline void team_fence(const Space& space, int team_size, unsigned members, int words,
                       Messages messages, OfGroups sums, Text text) {
  Teams teams(space, static_cast<int>(messages.extent(0)), team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Scratch<unsigned>::shmem_size()));
  Kokkos::parallel_for(
      "message_passing::book::team_fence", teams, KOKKOS_LAMBDA(const Member& team) {
        const int group = team.league_rank(), all = static_cast<int>(messages.extent(1));
        const Scratch<unsigned> arrived(team.team_scratch(0));
        Kokkos::single(Kokkos::PerTeam(team), [&] { arrived() = 0; });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all / words), [&](int member) {
          Kokkos::parallel_for(
              Kokkos::ThreadVectorRange(team, member * words, (member + 1) * words),
              [&](int i) { text.write(messages, group, i); });
          unsigned ticket = 0;
          Kokkos::single(
              Kokkos::PerThread(team),
              [&](unsigned& taken) {
                Kokkos::store_fence();  // the message is there before the ticket says so
                taken = Kokkos::atomic_fetch_add(&arrived(), 1u);
                if (taken == members - 1) Kokkos::load_fence();  // and is read after it
              },
              ticket);
          if (ticket != members - 1) return;
          std::uint32_t sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, all),
              [&](int i, std::uint32_t& into) { into += messages(group, i); }, sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { sums(group) = sum; });
        });
      });
}

/// device_ticket and system_ticket: a team is a member, and its threads and lanes take the words.
/// Kokkos's fences are the device's.
inline void ticket(const char* label, const Space& space, int team_size, unsigned members,
                   int words, Messages messages, OfGroups arrived, OfGroups sums, Text text) {
  Teams teams(space, static_cast<int>(messages.extent(0) * members), team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Scratch<bool>::shmem_size()));
  Kokkos::parallel_for(
      label, teams, KOKKOS_LAMBDA(const Member& team) {
        const int count = static_cast<int>(members), group = team.league_rank() / count;
        const int first = team.league_rank() % count * words;
        const Scratch<bool> last(team.team_scratch(0));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, first + words),
                             [&](int i) { text.write(messages, group, i); });
        team.team_barrier();
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          Kokkos::memory_fence();  // the message is there before the ticket says so
          last() = Kokkos::atomic_fetch_add(&arrived(group), 1u) == members - 1;
          if (last()) Kokkos::memory_fence();  // and is read after the ticket has said so
        });
        team.team_barrier();
        if (!last()) return;
        std::uint32_t sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, count * words),
            [&](int i, std::uint32_t& into) { into += messages(group, i); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          sums(group) = sum;
          Kokkos::atomic_exchange(&arrived(group), 0u);
        });
      });
}

}  // namespace portcost::message_passing::book
