// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a share of the calls a thread. Whoever has the last group makes the calls
// behind it, and the pairs of a last call that are not all of it.
#include "variants/monte_carlo/problem.hpp"

namespace portcost::monte_carlo {

namespace {

constexpr int group_calls = shape_in(Place::host).calls;

// The calls behind the last whole group of `calls`.
template <int calls, class T>
std::uint64_t hits_of_rest(const Drawing<T>& s) {
  std::uint64_t hits = hits_of<T>(philox(s.calls(), s.seed), s.rest());
  for (std::uint64_t call = s.calls() / calls * calls; call < s.calls(); ++call) {
    hits += hits_of<T>(philox(call, s.seed));
  }
  return hits;
}

template <int calls, class T>
void count(const Drawing<T>& s) {
  const std::uint64_t groups = s.calls() / calls;
  std::uint64_t hits = hits_of_rest<calls>(s);
#pragma omp parallel for schedule(static) num_threads(s.processors) reduction(+ : hits)
  for (std::uint64_t g = 0; g < groups; ++g) hits += hits_of_group<T, calls>(g * calls, s.seed);
  *s.hits = hits;
}

constexpr auto one_pair = []<class T>(const Drawing<T>& s, const Stream&) { count<1>(s); };
// Calls side by side in vectors.
constexpr auto many_pairs = []<class T>(const Drawing<T>& s, const Stream&) {
  count<group_calls>(s);
};

// The numbers are stored, then read.
constexpr auto stored = []<class T>(const Drawing<T>& s, const Stream&) {
  constexpr int of_call = numbers_of_a_call<T>;
  const std::uint64_t groups = s.calls() / group_calls;
#pragma omp parallel for schedule(static) num_threads(s.processors)
  for (std::uint64_t g = 0; g < groups; ++g) {
    const RandomLanes<group_calls> words = philox_lanes<group_calls>(g * group_calls, s.seed);
    T* const to = s.numbers + g * group_calls * of_call;
    PORTCOST_LANES
    for (int l = 0; l < group_calls; ++l) {
      for (int j = 0; j < of_call; ++j) to[l * of_call + j] = uniform<T>(words[l], j);
    }
  }
  for (std::uint64_t i = groups * group_calls * of_call; i < 2 * s.pairs; ++i) {
    s.numbers[i] = uniform<T>(philox(i / of_call, s.seed), static_cast<int>(i % of_call));
  }
  std::uint64_t hits = 0;
#pragma omp parallel for simd schedule(static) num_threads(s.processors) reduction(+ : hits)
  for (std::uint64_t p = 0; p < s.pairs; ++p) {
    hits += is_hit(s.numbers[2 * p], s.numbers[2 * p + 1]);
  }
  *s.hits = hits;
};

// An atomic addition a thread.
constexpr auto block_atomics = []<class T>(const Drawing<T>& s, const Stream&) {
  const std::uint64_t groups = s.calls() / group_calls;
  *s.hits = hits_of_rest<group_calls>(s);
#pragma omp parallel num_threads(s.processors)
  {
    std::uint64_t own = 0;
#pragma omp for schedule(static) nowait
    for (std::uint64_t g = 0; g < groups; ++g) {
      own += hits_of_group<T, group_calls>(g * group_calls, s.seed);
    }
#pragma omp atomic
    *s.hits += own;
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "one_pair", one_pair), rung(works, "many_pairs", many_pairs),
          rung(works, "stored", stored).unless(too_many_to_store),
          rung(works, "block_atomics", block_atomics)};
}

}  // namespace portcost::monte_carlo
