// SPDX-License-Identifier: Apache-2.0
// For algorithms on a grid of the heat equation: the input, and where rows start.
#pragma once

#include <cstdint>

#include "src/contract/algorithm.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost {

/// The input: node y * nx + x at first, in [0, 1), whatever the pitch.
constexpr double temperature(std::uint64_t seed, std::uint64_t node) {
  return static_cast<double>(random_bits(seed, node) >> 40) * 0x1p-24;
}

/// Rows start every `pitch` elements, a multiple of 128 bytes, so that a row can be read in 16-byte
/// pieces whatever nx is. Elements from nx to pitch may be read and hold no meaning.
template <class T>
constexpr std::int64_t heat_pitch(std::int64_t nx) {
  constexpr std::int64_t line = 128 / sizeof(T);
  return (nx + line - 1) / line * line;
}

/// Element i of the input with rows of `pitch` elements.
template <class T>
constexpr T heat_input(std::uint64_t seed, std::uint64_t i, std::int64_t nx, std::int64_t pitch) {
  const auto at = static_cast<std::int64_t>(i), y = at / pitch, x = at % pitch;
  return x < nx ? static_cast<T>(temperature(seed, static_cast<std::uint64_t>(y * nx + x))) : T(0);
}

/// Bytes of three grids, a dense copy of the answer, and another copy that it is compared with. A
/// process has `rows` rows of each grid.
inline double heat_footprint(const Problem& p, double rows) {
  const std::int64_t nx = p.size.at("nx"), ny = p.size.at("ny");
  const std::int64_t pitch =
      p.type == ElementType::f64 ? heat_pitch<double>(nx) : heat_pitch<float>(nx);
  return bytes(p.type) * (3 * static_cast<double>(pitch) * rows + 2 * static_cast<double>(nx * ny));
}

}  // namespace portcost
