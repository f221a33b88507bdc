// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/distributed/distribution.hpp"

namespace portcost::test {

/// f(point) for every point of a box, columns the fastest.
template <class F>
void for_points(const distributed::Box& box, const F& f) {
  for (std::int64_t p = box.begin[0]; p < box.end[0]; ++p) {
    for (std::int64_t r = box.begin[1]; r < box.end[1]; ++r) {
      for (std::int64_t c = box.begin[2]; c < box.end[2]; ++c) f(distributed::Index{p, r, c});
    }
  }
}

/// The wrapped point that a point in the halo of `mine` comes from; nothing without an exchange.
inline std::optional<distributed::Index> origin_of(distributed::Index point,
                                                   const distributed::Box& mine,
                                                   const distributed::Distribution& distribution,
                                                   const distributed::Stencil& stencil) {
  int outside = 0;
  for (std::size_t axis = 0; axis < distributed::axes; ++axis) {
    if (point[axis] < mine.begin[axis] || point[axis] >= mine.end[axis]) ++outside;
    const std::int64_t points = distribution.global()[axis];
    if (point[axis] >= 0 && point[axis] < points) continue;
    if (stencil.boundary[axis] != distributed::BoundaryType::periodic) return std::nullopt;
    point[axis] = (point[axis] + points) % points;
  }
  if (outside > 1 && stencil.type == distributed::StencilType::star) return std::nullopt;
  return point;
}

}  // namespace portcost::test
