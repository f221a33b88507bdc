// SPDX-License-Identifier: Apache-2.0
// What halos hold before and after an exchange, by the numbers that a serial array has there.
#pragma once

#include "tests/ranks/support.hpp"

namespace portcost::test::halos {

inline constexpr double untouched = -1;

/// Whether a part holds number_of() plus `shift` where it owns, and with_ghosts in its halo, too.
template <class T>
bool all_right(const distributed::Array<T>& array, bool with_ghosts, double shift = 0) {
  bool held = true;
  for (const distributed::Part& part : array.parts()) {
    const std::vector<T> found = ghosted(array, part);
    std::size_t i = 0;
    for_points(part.layout.ghost_corners, [&](const distributed::Index& point) {
      const distributed::Box& mine = part.layout.corners;
      const auto& [distribution, stencil, align] = array.shape();
      const auto origin = with_ghosts || mine.contains(point)
                              ? origin_of(point, mine, distribution, stencil)
                              : std::nullopt;
      held &= found[i++] == static_cast<T>(origin ? number_of(*origin) + shift : untouched);
    });
  }
  return held;
}

template <class T>
void fill_for_exchange(distributed::Array<T>& array, double shift = 0) {
  array.fill(static_cast<T>(untouched));
  array.fill([shift](const distributed::Index& point) {
    return static_cast<T>(number_of(point) + shift);
  });
}

}  // namespace portcost::test::halos
