// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: std::atomic_ref, relaxed. The processor has no atomic minimum, maximum or
// wrapping count, so these are loops around compare-exchange. A minimum or maximum that leaves the
// word as it is needs no exchange: it is done by the load that has seen so.
#include <atomic>
#include <vector>

#include "variants/atomics/problem.hpp"

namespace portcost::atomics {

namespace {

// Whether a load that saw `old` is all that the operation needs.
template <Operation operation, class Word>
bool done_by_load(Word old, Word operand) {
  constexpr bool selects = operation == Operation::min || operation == Operation::max;
  return selects && apply<operation>(old, operand) == old;
}

// Returns what the word was before.
template <Operation operation, class Word>
Word fetch(Word& word, Word operand) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const std::atomic_ref<Word> at(word);
  if constexpr (operation == Operation::add) {
    return at.fetch_add(operand, relaxed);
  } else if constexpr (operation == Operation::sub) {
    return at.fetch_sub(operand, relaxed);
  } else if constexpr (operation == Operation::exchange) {
    return at.exchange(operand, relaxed);
  } else if constexpr (operation == Operation::bit_and) {
    return at.fetch_and(operand, relaxed);
  } else if constexpr (operation == Operation::bit_or) {
    return at.fetch_or(operand, relaxed);
  } else if constexpr (operation == Operation::bit_xor) {
    return at.fetch_xor(operand, relaxed);
  } else {
    Word old = at.load(relaxed);
    while (!done_by_load<operation>(old, operand) &&
           !at.compare_exchange_weak(old, apply<operation>(old, operand), relaxed)) {
    }
    return old;
  }
}

// 16 bytes: what all processors offer is a lock. Words share locks by their address, as in Kokkos.
std::atomic_flag locks[1 << 16];
template <Operation operation>
Complex fetch(Complex& word, Complex operand) {
  auto& lock = locks[reinterpret_cast<std::uintptr_t>(&word) / sizeof word % std::size(locks)];
  while (lock.test_and_set(std::memory_order_acquire)) {
  }
  const Complex old = word;
  word = apply<operation>(old, operand);
  lock.clear(std::memory_order_release);
  return old;
}

template <Operation operation, class Word>
void run_item(const Work<Word>& s, std::uint64_t item, std::uint64_t word, Word& at) {
  Word sum{};
  const unsigned count = s.count(item);  // once: behind an atomic operation all is read again
  for (unsigned k = 0; k < count; ++k) {
    const Word value = operand<operation, Word>(item * item_operations + k, word);
    sum += witness<operation>(fetch<operation>(at, value));
  }
  s.sums[item] = sum;
}

template <Operation operation, class Word>
void on_global(const Work<Word>& s) {
  const auto items = static_cast<std::int64_t>(s.items());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < items; ++i) {
    const auto item = static_cast<std::uint64_t>(i);
    run_item<operation>(s, item, item % s.words, s.global[item % s.words]);
  }
}

template <Operation operation, class Word>
void on_scratch(const Work<Word>& s) {
  const auto teams = static_cast<std::int64_t>(s.teams());
  const unsigned words = s.scratch_words();
#pragma omp parallel
  {
    std::vector<Word> own(words);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < teams; ++i) {
      const auto team = static_cast<std::uint64_t>(i);
      std::copy(s.initial, s.initial + words, own.begin());
      for (unsigned id = 0; id < team_items; ++id) {
        const std::uint64_t item = team * team_items + id;
        if (item < s.items()) run_item<operation>(s, item, id % words, own[id % words]);
      }
      std::copy(own.begin(), own.end(), s.scratch + team * words);
    }
  }
}

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream&) {
  with_operation<Word>(wanted, [&]<Operation operation>() {
    memory == Memory::global ? on_global<operation>(s) : on_scratch<operation>(s);
  });
}

}  // namespace

Rungs openmp_rungs() {
  return every_operation([](Operation operation, Memory memory, const auto& s, const Stream& on) {
    run(operation, memory, s, on);
  });
}

}  // namespace portcost::atomics
