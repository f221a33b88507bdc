// SPDX-License-Identifier: Apache-2.0
// The numbers, and the accumulators: how a number is added, how two accumulators are joined.
// Additions only: no product that a compiler could fuse.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::summation {

/// The kinds of numbers; the parameter `data` has their names in this order.
enum class Data { uniform, ill_conditioned, large_and_tiny };
inline constexpr std::array<std::string_view, 3> data_names{"uniform", "ill_conditioned",
                                                            "large_and_tiny"};

/// Number i of n. uniform: in [0, 1). ill_conditioned: between -2^20 and 2^20, and number n - 1 - i
/// is -(number i), but every fourth pair is uniform. large_and_tiny: of 8192 neighbours 1024 are 1,
/// the others are below u, the unit roundoff, so that an addition to 1 changes nothing.
template <class T>
constexpr T number(Data data, std::uint64_t seed, std::uint64_t i, std::uint64_t n) {
  const T own = in_unit<T>(random_bits(seed, i));
  if (data == Data::large_and_tiny) {
    return i % 8192 < 1024 ? T(1) : own * (sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53));
  }
  const std::uint64_t pair = std::min(i, n - 1 - i);
  if (data == Data::uniform || pair % 4 == 3 || 2 * i + 1 == n) return own;
  const std::uint64_t bits = random_bits(seed, pair);
  const T size = in_unit<T>(bits) * static_cast<T>(std::uint64_t{1} << (bits % 21));
  return i == pair ? size : -size;
}

/// Knuth's TwoSum: sum + error = a + b exactly, sum rounded (The Art of Computer Programming 2,
/// section 4.2.2).
template <class T>
PORTCOST_HOST_DEVICE inline void two_sum(T a, T b, T& sum, T& error) {
  sum = a + b;
  const T of_b = sum - a;
  error = (a - (sum - of_b)) + (b - of_b);
}

/// The plain accumulator. An answer is a pair: the sum and its compensation.
template <class T>
struct Plain {
  T sum = 0;
  PORTCOST_HOST_DEVICE void add(T x) { sum += x; }
  PORTCOST_HOST_DEVICE void join(const Plain& other) { sum += other.sum; }
  PORTCOST_HOST_DEVICE void store(T* out) const {
    out[0] = sum;
    out[1] = 0;
  }
};
/// Kahan's accumulator: each addition's error is added to the next number.
template <class T>
struct Compensated {
  T sum = 0, rest = 0;
  PORTCOST_HOST_DEVICE void add(T x) { two_sum(sum, x + rest, sum, rest); }
  PORTCOST_HOST_DEVICE void join(const Compensated& other) {
    T lost;
    two_sum(sum, other.sum, sum, lost);
    rest = (rest + other.rest) + lost;
  }
  PORTCOST_HOST_DEVICE void store(T* out) const { two_sum(sum, rest, out[0], out[1]); }
};
/// An accumulator of f64.
template <class T>
struct Wide {
  double sum = 0;
  PORTCOST_HOST_DEVICE void add(T x) { sum += x; }
  PORTCOST_HOST_DEVICE void join(const Wide& other) { sum += other.sum; }
  PORTCOST_HOST_DEVICE void store(T* out) const {
    out[0] = static_cast<T>(sum);
    out[1] = static_cast<T>(sum - static_cast<double>(out[0]));
  }
};

/// A step. `tree`: accumulators are joined by halves, number i of the first half with number i of
/// the second; else sequentially. `pairs`: numbers form trees, too, of eight rows.
template <template <class> class Accumulator, bool tree_, bool pairs_ = false>
struct Method {
  template <class T>
  using Of = Accumulator<T>;
  static constexpr bool tree = tree_, pairs = pairs_;

  /// Joins `count` accumulators, a power of two, into the first.
  template <unsigned count, class A>
  PORTCOST_HOST_DEVICE static void join(A* of) {
    if constexpr (tree) {
      for (unsigned half = count / 2; half > 0; half /= 2) {
        for (unsigned i = 0; i < half; ++i) of[i].join(of[i + half]);
      }
    } else {
      for (unsigned i = 1; i < count; ++i) of[0].join(of[i]);
    }
  }
};
using Chunks = Method<Plain, false>;
using BlockTree = Method<Plain, true>;
using Pairwise = Method<Plain, true, true>;
using Kahan = Method<Compensated, true>;
using WideAccumulator = Method<Wide, true>;
/// One thread adds all numbers, at most most_serial.
struct Serial {};
inline constexpr std::int64_t most_serial = 1 << 22;

/// The threads of a team; the bytes of a row, 16 per thread; the rows of a tile of Pairwise; the
/// most teams of other steps.
inline constexpr unsigned threads = 256, row_bytes = 4096, pair_rows = 8, most_teams = 1024;
template <class T>
inline constexpr unsigned row = row_bytes / sizeof(T);
template <class T>
inline constexpr unsigned lanes_of_a_thread = row<T> / threads;

/// The sum of a lane's numbers in pair_rows rows, as a tree.
template <class T>
PORTCOST_HOST_DEVICE inline T add_pairs(T (&of)[pair_rows]) {
  for (unsigned half = pair_rows / 2; half > 0; half /= 2) {
    for (unsigned k = 0; k < half; ++k) of[k] += of[k + half];
  }
  return of[0];
}

}  // namespace portcost::summation
