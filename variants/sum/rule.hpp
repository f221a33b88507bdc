// SPDX-License-Identifier: Apache-2.0
// The numbers of a problem, which are a function of their index, and the error bound of a sum in
// floating point. The addition is `+`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::sum {

/// i32 is added as unsigned words, which wrap around modulo 2^32 alike in every order.
using Word = std::uint32_t;

/// The kinds of numbers; the parameter `data` has their names in this order.
enum class Data { uniform, ones, small_integers, ill_conditioned };
inline constexpr std::array<std::string_view, 4> data_names{"uniform", "ones", "small_integers",
                                                            "ill_conditioned"};

/// Small integers lie in [-largest_small, largest_small].
inline constexpr int largest_small = 4;

/// In [0, 1), with as many bits as T holds; for words, any word.
template <class T>
constexpr T uniform(std::uint64_t h) {
  if constexpr (std::is_same_v<T, Word>) return static_cast<Word>(h >> 32);
  return in_unit<T>(h);
}

/// Three of four pairs (i, n - 1 - i) cancel exactly and are up to 2^20 times as large as the other
/// numbers; a middle number has no partner.
template <class T>
constexpr T ill_conditioned(std::uint64_t seed, std::uint64_t i, std::uint64_t n) {
  const std::uint64_t pair = std::min(i, n - 1 - i);
  if (pair % 4 == 3 || 2 * i + 1 == n) return uniform<T>(random_bits(seed, i));
  const std::uint64_t h = random_bits(seed, pair);
  const T size = uniform<T>(h) * static_cast<T>(std::uint64_t{1} << (h % 21));
  return (i == pair) == ((h >> 5) % 2 == 0) ? size : T(0) - size;
}

/// Number i of n. T: Word, float or double.
template <class T>
constexpr T number(Data data, std::uint64_t seed, std::uint64_t i, std::uint64_t n) {
  switch (data) {
    case Data::ones:
      break;
    case Data::small_integers: {
      constexpr int kinds = 2 * largest_small + 1;
      return static_cast<T>(static_cast<int>((random_bits(seed, i) >> 32) % kinds) - largest_small);
    }
    case Data::uniform:
      return uniform<T>(random_bits(seed, i));
    case Data::ill_conditioned:
      return ill_conditioned<T>(seed, i, n);
  }
  return T(1);
}

/// What a team of wide_loads does with its sum: it stores the sum, or adds it to the total, by an
/// atomic addition or under a lock.
enum class End { store, atomic, lock };

/// The sum of a power of two of values, by a tree: as many additions as in a row, but few that
/// depend on each other. Overwrites the values.
template <unsigned count, class T>
PORTCOST_HOST_DEVICE constexpr T add_in_pairs(T (&value)[count]) {
  static_assert((count & (count - 1)) == 0);
  for (unsigned half = count / 2; half > 0; half /= 2) {
    for (unsigned i = 0; i < half; ++i) value[i] += value[i + half];
  }
  return value[0];
}

/// The most numbers that are added in a row to one accumulator: about the root of n, so that
/// neither chunks nor their number grow large.
constexpr std::uint64_t stretch_of(std::uint64_t n) {
  std::uint64_t stretch = 1 << 13;
  while (stretch * stretch < n) stretch *= 2;
  return stretch;
}
/// The most additions that a number goes through: a chunk, the values of all chunks, and trees over
/// lanes, accumulators and launches.
constexpr std::uint64_t longest_chain(std::uint64_t n) {
  constexpr std::uint64_t trees = 1 << 10;
  return std::min(n, stretch_of(n) + n / stretch_of(n) + 1 + trees);
}

/// gamma_d = d u / (1 - d u) for d additions in a row at unit roundoff u, d u < 1 (Higham 2002,
/// section 3.1).
constexpr double gamma(double d, double u) { return d * u / (1 - d * u); }

}  // namespace portcost::sum
