// SPDX-License-Identifier: Apache-2.0
// The numbers of a problem, and the state that a tile publishes in look_back.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::scan {

/// i32 is added as unsigned words, which wrap around modulo 2^32 alike in every order.
using Word = std::uint32_t;

/// A random integer of 32 bits (Word), 8 bits (float) or 24 bits (double).
template <class T>
constexpr T level(std::uint64_t seed, std::uint64_t i) {
  constexpr int bits = std::is_same_v<T, Word> ? 32 : std::is_same_v<T, float> ? 8 : 24;
  return static_cast<T>(random_bits(seed, i) >> (64 - bits));
}
/// Number i is the difference of two neighbouring levels. Any consecutive numbers therefore sum to
/// an integer of magnitude below 2^8 in float, 2^24 in double. A sum of up to 2^16 such sums in
/// float, 2^29 in double, is exact in any order of additions.
template <class T>
constexpr T number(std::uint64_t seed, std::uint64_t i) {
  return level<T>(seed, i + 1) - level<T>(seed, i);
}
/// The sum of numbers 0 to i.
template <class T>
constexpr T prefix(std::uint64_t seed, std::uint64_t i) {
  return level<T>(seed, i + 1) - level<T>(seed, 0);
}

/// What a published state holds: the tile's own sum, or the sum of all numbers up to its end.
enum class Stage : std::uint32_t { own = 1, whole = 2 };

/// The flag of a stage differs from run to run, so that no run needs to reset the states. No flag
/// is 0, so a zeroed state counts as unpublished.
PORTCOST_HOST_DEVICE constexpr std::uint32_t flag_of(unsigned run, Stage stage) {
  return 2 * run + static_cast<std::uint32_t>(stage);
}

/// A sum with its flag in words of 64 bits: the flag above 32 bits of the sum. Each word is
/// accessed atomically, so sum and flag need no fence. Two words of a double may belong to
/// different stages; then they have different flags, and a reader reads again.
template <class T>
struct State {
  static constexpr int words = sizeof(T) / 4;
  std::uint64_t word[words];

  PORTCOST_HOST_DEVICE static State of(T sum, std::uint32_t flag) {
    std::uint32_t bits[words];
    std::memcpy(bits, &sum, sizeof sum);
    State result;
    for (int i = 0; i < words; ++i) result.word[i] = std::uint64_t{flag} << 32 | bits[i];
    return result;
  }
  PORTCOST_HOST_DEVICE bool has(std::uint32_t flag) const {
    for (int i = 0; i < words; ++i) {
      if (static_cast<std::uint32_t>(word[i] >> 32) != flag) return false;
    }
    return true;
  }
  PORTCOST_HOST_DEVICE T sum() const {
    std::uint32_t bits[words];
    for (int i = 0; i < words; ++i) bits[i] = static_cast<std::uint32_t>(word[i]);
    T result;
    std::memcpy(&result, bits, sizeof result);
    return result;
  }
};

}  // namespace portcost::scan
