// SPDX-License-Identifier: Apache-2.0
// Portable variants: Kokkos's atomic functions. No version of Kokkos offers wrapping counts, so
// these are loops around compare-exchange.
#include "variants/atomics/problem.hpp"
#include "variants/kokkos_legacy.hpp"

namespace portcost::atomics {

namespace {

// Applies the operation to what it has seen until no other thread has changed the word in between.
template <Operation operation, class Word>
KOKKOS_INLINE_FUNCTION Word until_exchanged(Word* at, Word operand) {
  Word old = compat::atomic_load(at), seen;
  do {
    seen = old;
    old = Kokkos::atomic_compare_exchange(at, seen, apply<operation>(seen, operand));
  } while (old != seen);
  return old;
}

// Returns what the word was before.
template <Operation operation, class Word>
KOKKOS_INLINE_FUNCTION Word fetch(Word* at, Word operand) {
  if constexpr (operation == Operation::add) {
    return Kokkos::atomic_fetch_add(at, operand);
  } else if constexpr (operation == Operation::sub) {
    return Kokkos::atomic_fetch_sub(at, operand);
  } else if constexpr (operation == Operation::exchange) {
    return Kokkos::atomic_exchange(at, operand);
  } else if constexpr (operation == Operation::min) {
    return Kokkos::atomic_fetch_min(at, operand);
  } else if constexpr (operation == Operation::max) {
    return Kokkos::atomic_fetch_max(at, operand);
  } else if constexpr (operation == Operation::bit_and) {
    return Kokkos::atomic_fetch_and(at, operand);
  } else if constexpr (operation == Operation::bit_or) {
    return Kokkos::atomic_fetch_or(at, operand);
  } else if constexpr (operation == Operation::bit_xor) {
    return Kokkos::atomic_fetch_xor(at, operand);
  } else {
    return until_exchanged<operation>(at, operand);
  }
}

template <Operation operation, class Word>
KOKKOS_INLINE_FUNCTION void run_item(const Work<Word>& s, std::uint64_t item, std::uint64_t word,
                                     Word* at) {
  Word sum = 0;
  const unsigned count = s.count(item);
#pragma unroll 4
  for (unsigned k = 0; k < count; ++k) {
    const Word value = operand<operation, Word>(item * item_operations + k, word);
    sum += witness<operation>(fetch<operation>(at, value));
  }
  s.sums[item] = sum;
}

template <Operation operation, class Word>
struct OnGlobal {
  Work<Word> s;

  KOKKOS_FUNCTION void operator()(const Member<warps>& team) const {
    assume_team_size<warps>(team);
    const std::uint64_t first =
        std::uint64_t{static_cast<unsigned>(team.league_rank())} * unsigned{team_items};
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, unsigned{team_items}), [&](unsigned id) {
      const std::uint64_t item = first + id;
      if (item >= s.items()) return;
      const std::uint64_t word = item % s.words;
      run_item<operation>(s, item, word, s.global + word);
    });
  }
};

template <Operation operation, class Word>
struct OnScratch {
  Work<Word> s;

  KOKKOS_FUNCTION void operator()(const Member<warps>& team) const {
    assume_team_size<warps>(team);
    const std::uint64_t rank = static_cast<unsigned>(team.league_rank());
    const unsigned words = s.scratch_words();
    Word* const own = scratch<Word>(team, most_scratch_words);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, words),
                         [&](unsigned i) { own[i] = s.initial[i]; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, unsigned{team_items}), [&](unsigned id) {
      const std::uint64_t item = rank * unsigned{team_items} + id;
      if (item < s.items()) run_item<operation>(s, item, id % words, own + id % words);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, words),
                         [&](unsigned i) { s.scratch[rank * words + i] = own[i]; });
  }
};

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream& stream) {
  const auto teams = static_cast<int>(s.teams());
  with_operation(wanted, [&]<Operation operation>() {
    if (memory == Memory::global) {
      Kokkos::parallel_for("portcost::atomics::global", team_policy<warps>(stream, teams),
                           OnGlobal<operation, Word>{s});
    } else {
      Kokkos::parallel_for(
          "portcost::atomics::scratch",
          team_policy<warps>(stream, teams, scratch_bytes<Word>(most_scratch_words)),
          OnScratch<operation, Word>{s});
    }
  });
}

}  // namespace

Rungs kokkos_rungs() {
  return every_operation([](Operation operation, Memory memory, const auto& s, const Stream& on) {
    run(operation, memory, s, on);
  });
}

}  // namespace portcost::atomics
