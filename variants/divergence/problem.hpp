// SPDX-License-Identifier: Apache-2.0
// divergence: n numbers, each mapped by a chain of multiply-adds that its lane, its index modulo
// 32, chooses. Plain C++.
//
//   branches:  out[i] = (i % 32 < diverging ? else_stretch : then_stretch) 8 * trip times on in[i]
//   loops:     out[i] = then_stretch, (6 + i % 32 % 3) * trip times on in[i]
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "src/contract/rung.hpp"
#include "variants/divergence/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::divergence {

/// One problem as every variant receives it.
struct Work {
  const float* in;
  float* out;
  std::uint64_t n;
  unsigned diverging;     // lanes of 32 that take the other branch
  unsigned trip;          // stretches in one trip of a loop
  std::size_t block = 0;  // of `blocks`
};

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

inline constexpr unsigned lanes = 32, warps = 8, threads = lanes * warps;
/// A team's numbers: 32 rows of 32, so that a row can have one lane's numbers, or all lanes'.
inline constexpr unsigned rows = 32, tile = lanes * rows;
inline constexpr std::uint64_t most_numbers = std::uint64_t{1} << 36;

/// Trips: 6, 7 or 8 by lane; a branch is as long as the longest loop.
inline constexpr unsigned least_trips = 6, most_trips = 8;
PORTCOST_HOST_DEVICE constexpr unsigned trips_of(unsigned lane) {
  return least_trips + lane % (most_trips - least_trips + 1);
}

/// Where slot `slot` of a tile finds its number. Along a row of slots, which is a warp, the class
/// (the number's index modulo 32) runs through all 32 values; transposed, it is the same all along.
template <bool transposed>
PORTCOST_HOST_DEVICE constexpr unsigned position_of(unsigned slot) {
  return transposed ? slot % lanes * rows + slot / lanes : slot;
}

/// Number `slot` of all tiles' slots.
template <bool transposed>
PORTCOST_HOST_DEVICE constexpr std::uint64_t number_of(std::uint64_t slot) {
  return slot - slot % tile + position_of<transposed>(static_cast<unsigned>(slot % tile));
}

/// The shapes of a GPU's blocks, as the parameter `block` names them: 32 x 8 threads for a tile, or
/// a thread a slot.
struct Block {
  unsigned x, y, z;
  constexpr unsigned size() const { return x * y * z; }
};
inline constexpr std::array<std::string_view, 5> block_names{"tile", "256", "16x16", "8x8x4",
                                                             "100"};
inline constexpr Block blocks[] = {{32, 8, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {100, 1, 1}};
/// Of variants whose threads have no shape to choose.
inline std::string_view tiles_alone(const Problem& p) {
  return p.parameters.number_of("block", block_names) == 0 ? "" : "it takes block=tile alone";
}

constexpr std::uint64_t tiles_of(std::uint64_t n) { return (n + tile - 1) / tile; }

// ---- Inputs.

/// Number i, in [-1, 1).
constexpr float number(std::uint64_t seed, std::uint64_t i) {
  return static_cast<float>(random_bits(seed, i) >> 40) * 0x1p-23f - 1;
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Work> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::divergence
