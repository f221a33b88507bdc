// SPDX-License-Identifier: Apache-2.0
// launches: many small kernels one after the other, each with a functor of a given size. Plain C++.
//
//   `kernels` times:  for i < n:  x[i] = next(x[i], table[i % words]),  words = (bytes - 16) / 4
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/contract/rung.hpp"
#include "variants/launches/rule.hpp"
#include "variants/shared/numbers.hpp"
#include "variants/shared/waiting.hpp"

namespace portcost::launches {

inline constexpr int most_numbers = 1 << 20, most_kernels = 1 << 16;
/// The sizes of a functor, and the most words that its table has.
inline constexpr std::int64_t sizes[] = {32, 256, 1024, 4096, 8192};
inline constexpr int most_words = (8192 - 16) / 4;
/// GPUs: threads of a team.
inline constexpr int threads = 256;

/// The problem as every variant receives it. The table is on the host.
struct Work {
  std::uint32_t* x;
  const std::uint32_t* table;
  int n, kernels, bytes;
  const Queues* queues;
  int streams = 1;  // of the queues, which take the kernels in turn
  const Stream& queue_of(int kernel) const { return (*queues)[kernel % streams]; }
};

/// A kernel as a functor of so many bytes.
template <int bytes>
struct Map {
  static constexpr int words = (bytes - 16) / 4;
  std::uint32_t* x;
  std::int64_t n;
  std::uint32_t table[words];

  explicit Map(const Work& s) : x(s.x), n(s.n) { std::copy_n(s.table, words, table); }
  PORTCOST_HOST_DEVICE void operator()(int i) const { x[i] = next(x[i], table[i % words]); }
};

/// Calls f(functor), of the size that the problem has.
template <int at = 0, class F>
void with_functor(const Work& s, const F& f) {
  constexpr int bytes = sizes[at];
  static_assert(sizeof(Map<bytes>) == bytes);
  if (s.bytes == bytes) return f(Map<bytes>(s));
  if constexpr (at + 1 < std::size(sizes)) with_functor<at + 1>(s, f);
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Work> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

/// A step whose kernels go to the queues in turn, and that waits after each kernel.
template <class F>
Rung fenced_step(std::string_view step, const F& f) {
  return rung(works, step, [=](Work s, const Stream& on) {
    s.streams = s.queues->size();
    return waiting(s, on, [f](const Work& w, const Stream& main) {
      w.queues->fork();
      f(w, main);
    });
  });
}

}  // namespace portcost::launches
