// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10, a generator of random numbers without state: a number is a function of a counter
// and a key, so that every model makes the same numbers in any order. (J. K. Salmon, M. A. Moraes,
// R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "src/support/host_device.hpp"

/// Tells a host's compiler that the next loop's iterations are independent, except for a sum.
#if defined(_OPENMP) && !defined(__CUDACC__)
#define PORTCOST_PRAGMA(text) _Pragma(#text)
#define PORTCOST_LANES PORTCOST_PRAGMA(omp simd)
#define PORTCOST_LANES_ADDING(sum) PORTCOST_PRAGMA(omp simd reduction(+ : sum))
#else
#define PORTCOST_LANES
#define PORTCOST_LANES_ADDING(sum)
#endif

namespace portcost {

/// Four words of 32 random bits.
struct RandomWords {
  std::uint32_t at[4];
};

/// One round: two products of 32 by 32 bits; their halves are exchanged and mixed with the key.
PORTCOST_HOST_DEVICE constexpr RandomWords philox_round(RandomWords x, std::uint32_t key0,
                                                        std::uint32_t key1) {
  const std::uint64_t first = std::uint64_t{0xD2511F53} * x.at[0];
  const std::uint64_t second = std::uint64_t{0xCD9E8D57} * x.at[2];
  return {{static_cast<std::uint32_t>(second >> 32) ^ x.at[1] ^ key0,
           static_cast<std::uint32_t>(second),
           static_cast<std::uint32_t>(first >> 32) ^ x.at[3] ^ key1,
           static_cast<std::uint32_t>(first)}};
}

/// A seed as the two keys of each of ten rounds, made once: as a kernel's parameters keys are
/// operands; a loop that makes keys spends as many instructions on keys as on products.
class PhiloxSeed {
 public:
  PORTCOST_HOST_DEVICE constexpr PhiloxSeed(std::uint64_t seed = 0) : keys{} {
    std::uint32_t key0 = static_cast<std::uint32_t>(seed);
    std::uint32_t key1 = static_cast<std::uint32_t>(seed >> 32);
    for (auto& round : keys) {
      round[0] = key0;
      round[1] = key1;
      key0 += 0x9E3779B9u;  // the golden ratio
      key1 += 0xBB67AE85u;  // the square root of 3, less 1
    }
  }
  PORTCOST_HOST_DEVICE constexpr operator std::uint64_t() const {
    return std::uint64_t{keys[0][1]} << 32 | keys[0][0];
  }
  std::uint32_t keys[10][2];
};

/// The words of `counter` for `seed`: ten rounds, 20 multiplications of 32 bits to 64.
PORTCOST_HOST_DEVICE constexpr RandomWords philox(RandomWords counter, const PhiloxSeed& seed) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, seed.keys[round][0], seed.keys[round][1]);
  }
  return counter;
}

/// The words of a 64-bit counter; `stream`, the upper 64 bits of the 128-bit counter, selects one
/// of the independent sequences of a seed.
PORTCOST_HOST_DEVICE constexpr RandomWords philox(std::uint64_t counter, const PhiloxSeed& seed,
                                                  std::uint64_t stream = 0) {
  return philox({{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                  static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}},
                seed);
}

/// The words of `lanes` consecutive counters. Word w of lane l is at[w][l], so that hosts vectorise
/// loops over lanes.
template <int lanes>
struct RandomLanes {
  std::uint32_t at[4][lanes];
  PORTCOST_HOST_DEVICE constexpr RandomWords operator[](int l) const {
    return {{at[0][l], at[1][l], at[2][l], at[3][l]}};
  }
};
template <int lanes>
PORTCOST_HOST_DEVICE inline RandomLanes<lanes> philox_lanes(std::uint64_t begin,
                                                            const PhiloxSeed& seed) {
  RandomLanes<lanes> x;
  for (int l = 0; l < lanes; ++l) {
    const std::uint64_t counter = begin + static_cast<std::uint64_t>(l);
    x.at[0][l] = static_cast<std::uint32_t>(counter);
    x.at[1][l] = static_cast<std::uint32_t>(counter >> 32);
    x.at[2][l] = x.at[3][l] = 0;
  }
  for (const auto& keys : seed.keys) {
    PORTCOST_LANES
    for (int l = 0; l < lanes; ++l) {
      const std::uint64_t first = std::uint64_t{0xD2511F53} * x.at[0][l];
      const std::uint64_t second = std::uint64_t{0xCD9E8D57} * x.at[2][l];
      x.at[0][l] = static_cast<std::uint32_t>(second >> 32) ^ x.at[1][l] ^ keys[0];
      x.at[2][l] = static_cast<std::uint32_t>(first >> 32) ^ x.at[3][l] ^ keys[1];
      x.at[1][l] = static_cast<std::uint32_t>(second);
      x.at[3][l] = static_cast<std::uint32_t>(first);
    }
  }
  return x;
}

/// Numbers that one call makes: four of f32, two of f64.
template <class T>
inline constexpr int numbers_of_a_call = 16 / static_cast<int>(sizeof(T));

/// The step between uniform numbers: 2^-24 (f32) or 2^-53 (f64).
template <class T>
inline constexpr T uniform_step = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);

/// Number i of a call, in units of uniform_step: the words' upper 24 bits (f32) or 53 bits (f64).
/// The conversion is exact.
template <class T>
PORTCOST_HOST_DEVICE constexpr T uniform_steps(const RandomWords& words, int i) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(static_cast<std::int32_t>(words.at[i] >> 8));
  } else {
    const std::uint64_t bits = std::uint64_t{words.at[2 * i]} << 32 | words.at[2 * i + 1];
    return static_cast<double>(static_cast<std::int64_t>(bits >> 11));
  }
}
/// Number i of a call, uniform in [0, 1).
template <class T>
PORTCOST_HOST_DEVICE constexpr T uniform(const RandomWords& words, int i) {
  return uniform_steps<T>(words, i) * uniform_step<T>;
}

}  // namespace portcost
