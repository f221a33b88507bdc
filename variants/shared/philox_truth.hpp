// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 and its uniform numbers once more, for judges: plain C++ that shares nothing with
// philox.hpp.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace portcost::philox_truth {

inline std::array<std::uint64_t, 4> words(std::uint64_t counter, std::uint64_t seed,
                                          std::uint64_t stream = 0) {
  constexpr std::uint64_t base = std::uint64_t{1} << 32;
  std::uint64_t a = counter % base, b = counter / base, c = stream % base, d = stream / base;
  for (std::uint64_t round = 0; round < 10; ++round) {
    const std::uint64_t left = (seed % base + round * 2654435769u) % base,
                        right = (seed / base + round * 3144134277u) % base, p = a * 3528531795u,
                        q = c * 3449720151u;
    a = q / base ^ b ^ left;
    b = q % base;
    c = p / base ^ d ^ right;
    d = p % base;
  }
  return {a, b, c, d};
}

/// Uniform number i of a sequence of f32 (`wide`: f64), which is exact in both.
inline double number(std::uint64_t i, std::uint64_t seed, bool wide, std::uint64_t stream = 0) {
  if (!wide) return std::ldexp(static_cast<double>(words(i / 4, seed, stream)[i % 4] / 256), -24);
  const auto all = words(i / 2, seed, stream);
  const std::size_t at = 2 * (i % 2);
  return std::ldexp(static_cast<double>(all[at] * 2097152 + all[at + 1] / 2048), -53);
}

}  // namespace portcost::philox_truth
