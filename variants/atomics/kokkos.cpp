// SPDX-License-Identifier: Apache-2.0
// Portable variants: a team has the items of a block, and each index of a range does one.
#include "variants/atomics/kokkos/operations.hpp"
#include "variants/atomics/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::atomics {

namespace {

template <Operation operation, class Word>
struct OnGlobal {
  using On = Teams<warps>;
  Work<Word> s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t first =
        std::uint64_t{static_cast<unsigned>(team.league_rank())} * unsigned{team_items};
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, unsigned{team_items}), [&](unsigned id) {
      const std::uint64_t item = first + id;
      if (item >= s.items()) return;
      const std::uint64_t word = item % s.words;
      run_item<operation, Way::tuned>(s, item, word, s.global + word);
    });
  }
};

template <Operation operation, class Word>
struct OnScratch {
  using On = Teams<warps>;
  Work<Word> s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t rank = static_cast<unsigned>(team.league_rank());
    const unsigned words = s.scratch_words();
    Word* const own = On::scratch<Word>(team, most_scratch_words);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, words),
                         [&](unsigned i) { own[i] = s.initial[i]; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, unsigned{team_items}), [&](unsigned id) {
      const std::uint64_t item = rank * unsigned{team_items} + id;
      if (item < s.items()) run_item<operation, Way::tuned>(s, item, id % words, own + id % words);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, words),
                         [&](unsigned i) { s.scratch[rank * words + i] = own[i]; });
  }
};

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream& stream) {
  const auto teams = static_cast<int>(s.teams());
  with_operation<Word>(wanted, [&]<Operation operation>() {
    if (memory == Memory::global) {
      using Made = OnGlobal<operation, Word>;
      Kokkos::parallel_for("portcost::atomics::global", Made::On::policy(stream, teams), Made{s});
    } else {
      using Made = OnScratch<operation, Word>;
      Kokkos::parallel_for("portcost::atomics::scratch",
                           Made::On::policy(stream, teams, scratch_bytes<Word>(most_scratch_words)),
                           Made{s});
    }
  });
}

}  // namespace

Rungs kokkos_rungs() {
  return every_operation([](Operation operation, Memory memory, const auto& s, const Stream& on) {
    run(operation, memory, in_kokkos(s), on);
  });
}

}  // namespace portcost::atomics
