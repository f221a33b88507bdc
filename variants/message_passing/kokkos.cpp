// SPDX-License-Identifier: Apache-2.0
// Portable variants. Kokkos's atomic operations are relaxed, so fences stand on both sides of a
// ticket. Kokkos's fences are for the whole device; wider and narrower fences (kokkos_team.hpp), of
// desul, are tricks.
#include "variants/message_passing/host_bodies.hpp"
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

template <bool system>
KOKKOS_INLINE_FUNCTION void fence() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (system) {
    desul::atomic_thread_fence(desul::MemoryOrderSeqCst(), desul::MemoryScopeNode());
    return;
  }
#endif
  Kokkos::memory_fence();
}

// A team is a member; the last team of a group reads the messages of all.
template <bool system>
struct TicketOf {
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
      fence<system>();  // the message is there before the ticket says so
      *last = Kokkos::atomic_fetch_add(s.arrived + group, 1u) == s.members - 1 ? 1 : 0;
      if (*last != 0) fence<system>();  // and is read after the ticket has said so
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

using Ticket = TicketOf<false>;

// A team is a member.
struct ToHost {
  using On = Teams<warps>;
  Round s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const unsigned rank = team.league_rank();
    const std::uint64_t first = std::uint64_t{rank} * s.words;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, s.words),
                         [&](unsigned i) { s.messages[first + i] = s.word(first + i); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      fence<true>();  // the message is there before the flag says so
      *static_cast<volatile std::uint32_t*>(s.arrived + rank) = 1;
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
  const auto system_ticket = [](const Round& s, const Stream& on) {
    launch<TicketOf<true>>("portcost::message_passing::system_ticket", s, on, s.groups * s.members);
  };
  Rungs result{rung(works, "team_fence", team_fence), rung(works, "device_ticket", device_ticket),
               rung(works, "system_ticket", system_ticket)};
#ifdef KOKKOS_ENABLE_CUDA
  result.push_back(host_reader_step([](const Round& s, const Stream& on) {
    launch<ToHost>("portcost::message_passing::host_reader", s, on, s.groups * s.members);
  }));
#endif
  return result;
}

}  // namespace portcost::message_passing
