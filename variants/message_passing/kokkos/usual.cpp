// SPDX-License-Identifier: Apache-2.0
// A portable variant as tutorials first teach Kokkos (The Kokkos Lectures, modules 3 and 4): Views,
// teams with the size that Kokkos chooses, nested ranges. There is no scratch: Kokkos::single
// broadcasts the ticket to the team, after a wait for all of its threads.
#include <cstdint>

#include "variants/message_passing/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::message_passing {

namespace {

using Words = Kokkos::View<std::uint32_t*, KokkosSpace::memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// A team is a member; the last team of a group reads the messages of all.
void device_ticket(const Round& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<KokkosSpace>;
  const std::uint32_t teams = s.groups * s.members;
  const Words messages(s.messages, std::size_t{teams} * s.words), arrived(s.arrived, s.groups),
      sums(s.sums, s.groups);
  Kokkos::parallel_for(
      "portcost::message_passing::usual",
      Policy(kokkos_space(stream), static_cast<int>(teams), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Policy::member_type& team) {
        const unsigned rank = team.league_rank(), group = rank / s.members;
        const std::uint64_t own = std::uint64_t{rank} * s.words, all = s.first_of_group(group);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, s.words),
                             [&](const unsigned i) { messages(own + i) = s.word(own + i); });
        team.team_barrier();
        int last = 0;
        Kokkos::single(
            Kokkos::PerTeam(team),
            [&](int& is_last) {
              Kokkos::memory_fence();  // the message is there before the ticket says so
              is_last = Kokkos::atomic_fetch_add(&arrived(group), 1u) == s.members - 1 ? 1 : 0;
              if (is_last != 0) Kokkos::memory_fence();  // and is read after the ticket has said so
            },
            last);
        if (last == 0) return;
        std::uint32_t sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, s.group_words()),
            [&](const unsigned i, std::uint32_t& into) { into += messages(all + i); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          sums(group) = sum;
          reset_ticket(&arrived(group));
        });
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return {rung(works, "device_ticket", device_ticket).written(Way::usual)};
}

}  // namespace portcost::message_passing
