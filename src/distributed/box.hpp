// SPDX-License-Identifier: Apache-2.0
// Points and boxes of the index space of an array of up to three dimensions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portcost::distributed {

/// A number for each axis: planes, rows, columns, the slowest first. An array of two dimensions has
/// one plane.
using Index = std::array<std::int64_t, 3>;
inline constexpr std::size_t axes = 3;
constexpr std::string_view axis_name(std::size_t axis) {
  return axis == 0 ? "planes" : axis == 1 ? "rows" : "columns";
}

constexpr Index operator+(Index a, const Index& b) {
  for (std::size_t i = 0; i < axes; ++i) a[i] += b[i];
  return a;
}
constexpr Index operator-(Index a, const Index& b) {
  for (std::size_t i = 0; i < axes; ++i) a[i] -= b[i];
  return a;
}

/// The points from `begin` to before `end`, on every axis.
struct Box {
  Index begin{}, end{};

  constexpr std::int64_t extent(std::size_t axis) const { return end[axis] - begin[axis]; }
  constexpr Index extents() const { return end - begin; }
  constexpr bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  /// The number of its points; 0 where it is empty.
  constexpr std::int64_t volume() const { return empty() ? 0 : extent(0) * extent(1) * extent(2); }
  constexpr bool contains(const Index& point) const {
    for (std::size_t i = 0; i < axes; ++i) {
      if (point[i] < begin[i] || point[i] >= end[i]) return false;
    }
    return true;
  }
  constexpr bool contains(const Box& other) const {
    for (std::size_t i = 0; i < axes; ++i) {
      if (other.begin[i] < begin[i] || other.end[i] > end[i]) return false;
    }
    return true;
  }
  constexpr Box grown(const Index& width) const { return {begin - width, end + width}; }
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The points of both; maybe empty.
constexpr Box common(const Box& a, const Box& b) {
  Box result;
  for (std::size_t i = 0; i < axes; ++i) {
    result.begin[i] = std::max(a.begin[i], b.begin[i]);
    result.end[i] = std::min(a.end[i], b.end[i]);
  }
  return result;
}

}  // namespace portcost::distributed
