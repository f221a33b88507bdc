// SPDX-License-Identifier: Apache-2.0
// atomics by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A team has 256 items;
// each thread or lane takes an item, which does 64 operations on one word.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "variants/atomics/rule.hpp"

namespace portcost::atomics::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
template <class Word>
using Words = Kokkos::View<Word*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
/// The words that each team leaves: (team, word).
template <class Word>
using TeamWords =
    Kokkos::View<Word**, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Word>
using ScratchWords =
    Kokkos::View<Word*, Space::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Applies the operation to what a thread has seen, until no other thread has changed the word in
/// between. Returns what the word was before.
template <Operation operation, class Word>
KOKKOS_INLINE_FUNCTION Word until_exchanged(Word& word, Word operand) {
#if KOKKOS_VERSION >= 40100
  Word old = Kokkos::atomic_load(&word), seen;
#else
  Word old = Kokkos::atomic_fetch_add(&word, Word(0)), seen;
#endif
  do {
    seen = old;
    old = Kokkos::atomic_compare_exchange(&word, seen, apply<operation>(seen, operand));
  } while (old != seen);
  return old;
}

/// Returns what the word was before. Kokkos has no counts that wrap.
template <Operation operation, class Word>
KOKKOS_INLINE_FUNCTION Word fetch(Word& word, Word operand) {
  if constexpr (operation == Operation::add) {
    return Kokkos::atomic_fetch_add(&word, operand);
  } else if constexpr (operation == Operation::sub) {
    return Kokkos::atomic_fetch_sub(&word, operand);
  } else if constexpr (operation == Operation::exchange) {
    return Kokkos::atomic_exchange(&word, operand);
  } else if constexpr (operation == Operation::min) {
    return Kokkos::atomic_fetch_min(&word, operand);
  } else if constexpr (operation == Operation::max) {
    return Kokkos::atomic_fetch_max(&word, operand);
  } else if constexpr (operation == Operation::bit_and) {
    return Kokkos::atomic_fetch_and(&word, operand);
  } else if constexpr (operation == Operation::bit_or) {
    return Kokkos::atomic_fetch_or(&word, operand);
  } else if constexpr (operation == Operation::bit_xor) {
    return Kokkos::atomic_fetch_xor(&word, operand);
  } else {
    return until_exchanged<operation>(word, operand);
  }
}

/// The operations of item `item`, of `n` in all, on word `number`. Returns their checksum.
template <Operation operation, class Word>
KOKKOS_INLINE_FUNCTION Word operate(Word& word, std::size_t number, std::size_t item,
                                    std::size_t n) {
  const std::size_t begin = item * 64;
  const int count = n - begin < 64 ? static_cast<int>(n - begin) : 64;
  Word sum{};
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const Word value = operand<operation, Word>(begin + k, number);
    sum += witness<operation>(fetch<operation>(word, value));
  }
  return sum;
}

/// The steps on global memory: all items of a league share the words; item i has word i % words.
template <Operation operation, class Word>
void on_global(const Space& space, int team_size, std::size_t n, Words<Word> words,
               Words<Word> sums) {
  const std::size_t items = (n + 63) / 64, teams = (items + 255) / 256;
  Kokkos::parallel_for(
      "atomics::book::on_global", Teams(space, static_cast<int>(teams), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * 256;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 256), [&](int id) {
          const std::size_t item = first + id;
          if (item >= items) return;
          const std::size_t number = item % words.extent(0);
          sums(item) = operate<operation>(words(number), number, item, n);
        });
      });
}

/// The steps on scratch: each team has a copy of the words, works on it and stores what is left.
template <Operation operation, class Word>
void on_scratch(const Space& space, int team_size, std::size_t n, Words<const Word> initial,
                TeamWords<Word> left, Words<Word> sums) {
  const std::size_t items = (n + 63) / 64, teams = (items + 255) / 256;
  const int count = static_cast<int>(left.extent(1));
  Teams policy(space, static_cast<int>(teams), team_size, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(ScratchWords<Word>::shmem_size(count)));
  Kokkos::parallel_for(
      "atomics::book::on_scratch", policy, KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * 256;
        const ScratchWords<Word> words(team.team_scratch(0), count);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count),
                             [&](int i) { words(i) = initial(i); });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 256), [&](int id) {
          const std::size_t item = first + id;
          if (item >= items) return;
          const int number = id % count;
          sums(item) = operate<operation>(words(number), number, item, n);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count),
                             [&](int i) { left(team.league_rank(), i) = words(i); });
      });
}

}  // namespace portcost::atomics::book
