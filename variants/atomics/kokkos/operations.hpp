// SPDX-License-Identifier: Apache-2.0
// An item's operations by Kokkos's atomic functions, tuned and usual. No version of Kokkos
// offers wrapping counts, so these are loops around compare-exchange.
#pragma once

#include "variants/atomics/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::atomics {

/// The words in Kokkos's own type.
template <class Word>
auto in_kokkos(const Work<Word>& s) {
  using Own = std::conditional_t<is_complex<Word>, Kokkos::complex<double>, Word>;
  const auto own = [](Word* words) { return reinterpret_cast<Own*>(words); };
  return Work<Own>{
      own(const_cast<Word*>(s.initial)), own(s.global), own(s.scratch), own(s.sums), s.n, s.words};
}

/// Applies the operation to what it has seen until no other thread has changed the word in between.
template <Operation operation, Way way, class Word>
KOKKOS_INLINE_FUNCTION Word until_exchanged(Word* at, Word operand) {
  Word old = way == Way::tuned ? atomic_load(at) : compat::atomic_load(at), seen;
  do {
    seen = old;
    old = Kokkos::atomic_compare_exchange(at, seen, apply<operation>(seen, operand));
  } while (old != seen);
  return old;
}

/// Returns what the word was before.
template <Operation operation, Way way, class Word>
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
    return until_exchanged<operation, way>(at, operand);
  }
}

template <Operation operation, Way way, class Word>
KOKKOS_INLINE_FUNCTION void run_item(const Work<Word>& s, std::uint64_t item, std::uint64_t word,
                                     Word* at) {
  Word sum{};
  const unsigned count = s.count(item);
#pragma unroll 4
  for (unsigned k = 0; k < count; ++k) {
    const Word value = operand<operation, Word>(item * item_operations + k, word);
    sum += witness<operation>(fetch<operation, way>(at, value));
  }
  s.sums[item] = sum;
}

}  // namespace portcost::atomics
