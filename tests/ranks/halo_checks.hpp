// SPDX-License-Identifier: Apache-2.0
// What halos hold before and after an exchange, by the numbers that a serial array has there.
#pragma once

#include "tests/ranks/support.hpp"

namespace portcost::test::halos {

inline constexpr double untouched = -1;

/// What a ghost point holds after an exchange.
inline double truth(const distributed::Shape& shape, const distributed::Box& mine,
                    distributed::Index point) {
  int outside = 0;
  for (std::size_t axis = 0; axis < distributed::axes; ++axis) {
    if (point[axis] < mine.begin[axis] || point[axis] >= mine.end[axis]) ++outside;
    const std::int64_t points = shape.distribution.global()[axis];
    if (point[axis] >= 0 && point[axis] < points) continue;
    if (shape.stencil.boundary[axis] != distributed::BoundaryType::periodic) return untouched;
    point[axis] = (point[axis] + points) % points;
  }
  if (outside > 1 && shape.stencil.type == distributed::StencilType::star) return untouched;
  return number_of(point);
}

/// Whether a part holds number_of() plus `shift` where it owns, and with_ghosts in its halo, too.
template <class T>
bool all_right(const distributed::Array<T>& array, bool with_ghosts, double shift = 0) {
  bool held = true;
  for (const distributed::Part& part : array.parts()) {
    const std::vector<T> found = ghosted(array, part);
    std::size_t i = 0;
    for_points(part.layout.ghost_corners, [&](const distributed::Index& point) {
      const bool own = part.layout.corners.contains(point);
      const double right =
          own || with_ghosts ? truth(array.shape(), part.layout.corners, point) : untouched;
      held &= found[i++] == static_cast<T>(right == untouched ? right : right + shift);
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
