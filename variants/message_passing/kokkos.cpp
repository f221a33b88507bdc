// SPDX-License-Identifier: Apache-2.0
// Portable variants. Kokkos's atomic operations are relaxed, so fences stand on both sides of a
// ticket. Kokkos's fences are for the whole device; there is no wider fence, and a narrower fence
// is a trick (kokkos_team.hpp).
#include "variants/message_passing/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::message_passing {

namespace {

// A team is a group; its threads (warps) take the members.
struct TeamFence {
  using On = Teams<warps>;
  using Team = On::Member;
  Round s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    On::begin(team);
    const unsigned group = team.league_rank();
    unsigned* const arrived = On::scratch_unchecked<unsigned>(team, 1);
    Kokkos::single(Kokkos::PerTeam(team), [&] { *arrived = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, s.members), [&](unsigned member) {
      const std::uint64_t first = s.first_of_group(group) + std::uint64_t{member} * s.words;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, s.words),
                           [&](unsigned i) { s.messages[first + i] = s.word(first + i); });
      unsigned ticket = 0;
      Kokkos::single(
          Kokkos::PerThread(team),
          [&](unsigned& taken) {
            On::store_fence();  // the message is there before the ticket says so
            taken = Kokkos::atomic_fetch_add(arrived, 1u);
            if (taken == s.members - 1) On::load_fence();  // and is read after it has said so
          },
          ticket);
      if (ticket == s.members - 1) read(team, group);
    });
  }

  KOKKOS_FUNCTION void read(const Team& team, unsigned group) const {
    const std::uint32_t* const from = s.messages + s.first_of_group(group);
    std::uint32_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, s.group_words()),
        [&](unsigned i, std::uint32_t& into) { into += from[i]; }, sum);
    Kokkos::single(Kokkos::PerThread(team), [&] { s.sums[group] = sum; });
  }
};

// A team is a member; the last team of a group reads the messages of all.
struct Ticket {
  using On = Teams<warps>;
  using Team = On::Member;
  Round s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    On::begin(team);
    const unsigned rank = team.league_rank(), group = rank / s.members;
    unsigned* const last = On::scratch<unsigned>(team, 1);
    const std::uint64_t first = std::uint64_t{rank} * s.words;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, s.words),
                         [&](unsigned i) { s.messages[first + i] = s.word(first + i); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Kokkos::memory_fence();  // the message is there before the ticket says so
      *last = Kokkos::atomic_fetch_add(s.arrived + group, 1u) == s.members - 1 ? 1 : 0;
      if (*last != 0) Kokkos::memory_fence();  // and is read after the ticket has said so
    });
    team.team_barrier();
    if (*last == 0) return;
    const std::uint32_t* const from = s.messages + s.first_of_group(group);
    std::uint32_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, s.group_words()),
        [&](unsigned i, std::uint32_t& into) { into += from[i]; }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      s.sums[group] = sum;
      reset_ticket(s.arrived + group);
    });
  }
};

template <class Kernel>
void launch(const char* label, const Round& s, const Stream& stream, std::uint32_t teams) {
  Kokkos::parallel_for(
      label, Kernel::On::policy(stream, static_cast<int>(teams), scratch_bytes<unsigned>(1)),
      Kernel{s});
}

}  // namespace

Rungs kokkos_rungs() {
  const auto team_fence = [](const Round& s, const Stream& on) {
    launch<TeamFence>("portcost::message_passing::team_fence", s, on, s.groups);
  };
  const auto device_ticket = [](const Round& s, const Stream& on) {
    launch<Ticket>("portcost::message_passing::device_ticket", s, on, s.groups * s.members);
  };
  // On a host the device is the system.
  const auto system_ticket = [](const Round& s, const Stream& on) {
    launch<Ticket>("portcost::message_passing::system_ticket", s, on, s.groups * s.members);
  };
  return {rung(works, "team_fence", team_fence), rung(works, "device_ticket", device_ticket),
          host_step(works, "system_ticket", system_ticket,
                    "Kokkos has no fence wider than the device's")};
}

}  // namespace portcost::message_passing
