// SPDX-License-Identifier: Apache-2.0
// Common to truths of grids: drawn places, and the values of nodes, followed back to the input in
// double precision.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "src/contract/truth.hpp"

namespace portcost {

/// Coordinates, the slowest axis first.
using Place3 = std::array<std::int64_t, 3>;

/// All places of a small array, of a larger one `most` that are drawn. Then `times` places near the
/// ends of each axis from `first_axis` on, and `times` near the ends of all axes. Near the ends of
/// an axis are its first two and last two coordinates.
inline std::vector<Place3> drawn_places(const Place3& extents, std::size_t most, std::size_t times,
                                        std::size_t first_axis, std::uint64_t seed) {
  const auto [planes, rows, columns] = extents;
  std::vector<Place3> result;
  for (const auto one : drawn(static_cast<std::uint64_t>(planes * rows * columns), most, seed)) {
    const auto at = static_cast<std::int64_t>(one);
    result.push_back({at / (rows * columns), at / columns % rows, at % columns});
  }
  std::mt19937_64 random(seed + 1);
  const auto below = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  };
  for (std::size_t i = 0; i < times * (4 - first_axis); ++i) {
    Place3& place = result.emplace_back();
    const std::size_t kind = first_axis + i / times;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t n = extents[axis], end = below(4);
      const bool beside = kind == axis || kind == 3;
      place[axis] =
          beside ? std::clamp<std::int64_t>(end < 2 ? end : n + 1 - end, 0, n - 1) : below(n);
    }
  }
  return result;
}

struct Node {
  std::int64_t y, x;
  double value = 0;
  bool exact = false;  // to the bit
};

/// What drawn_places() gives, shuffled, because a judge may follow only some of them.
inline std::vector<Node> drawn_nodes(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::vector<Node> nodes;
  for (const auto& [plane, y, x] : drawn_places({1, rows, columns}, 1024, 128, 1, seed)) {
    nodes.push_back({y, x});
  }
  std::ranges::shuffle(nodes, std::mt19937_64(seed + 2));
  return nodes;
}

/// The most updates that a truth makes, and how many it takes to follow one node back.
inline constexpr double most_updates = 2e8;
inline double updates_a_node(std::int64_t rows, std::int64_t columns, std::int64_t sweeps) {
  const auto done = static_cast<double>(sweeps);
  return done * std::min(2 * done + 1, static_cast<double>(rows)) *
         std::min(2 * done + 1, static_cast<double>(columns));
}

/// The nodes that one depends on after some sweeps of a five-point scheme: as many rows and columns
/// around it, as far as there are any. The grid has `rows` by `columns` nodes and, in rows and
/// columns -1, `rows` and `columns`, a frame that no sweep changes.
class Window {
 public:
  Window(std::int64_t rows, std::int64_t columns, std::int64_t y, std::int64_t x,
         std::int64_t sweeps)
      : rows_(rows), columns_(columns), y_(y), x_(x), sweeps_(sweeps) {}

  /// of(y, x) of all its nodes.
  template <class Of>
  std::vector<double> filled(const Of& of) const {
    std::vector<double> result;
    const std::int64_t end = std::min(rows_ + 1, y_ + sweeps_ + 1);
    for (std::int64_t y = y0_; y < end; ++y) {
      for (std::int64_t x = x0_; x < x0_ + pitch_; ++x) result.push_back(of(y, x));
    }
    return result;
  }
  /// The node's value at the end. rule(here, pitch, at) is the next value of node `at` of the
  /// window, which `here` points to; the rows around it lie `pitch` apart.
  template <class Rule>
  double followed(std::vector<double> now, const Rule& rule) const {
    std::vector<double> next = now;
    for (std::int64_t reach = sweeps_ - 1; reach >= 0; --reach) {
      const std::int64_t first = std::max<std::int64_t>(0, x_ - reach),
                         count = std::min(columns_ - 1, x_ + reach) + 1 - first;
      const std::int64_t last = std::min(rows_ - 1, y_ + reach);
      for (std::int64_t y = std::max<std::int64_t>(0, y_ - reach); y <= last; ++y) {
        const std::size_t begin = index(y, first), end = begin + static_cast<std::size_t>(count);
        const double* const here = now.data();
        double* const to = next.data();
        for (std::size_t at = begin; at < end; ++at) to[at] = rule(here + at, pitch_, at);
      }
      now.swap(next);
    }
    return now[index(y_, x_)];
  }

 private:
  std::size_t index(std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((y - y0_) * pitch_ + x - x0_);
  }

  std::int64_t rows_, columns_, y_, x_, sweeps_;
  std::int64_t y0_ = std::max<std::int64_t>(-1, y_ - sweeps_),
               x0_ = std::max<std::int64_t>(-1, x_ - sweeps_),
               pitch_ = std::min(columns_ + 1, x_ + sweeps_ + 1) - x0_;
};

/// The weight of node `at` of `count` in a sine mode: 0 in nodes -1 and `count`, the frame.
inline double sine(std::int64_t number, std::int64_t at, std::int64_t count) {
  const std::int64_t in_period = number * (at + 1) % (2 * (count + 1));
  return std::sin(std::numbers::pi * static_cast<double>(in_period) /
                  static_cast<double>(count + 1));
}

/// The sum of value(y, x) times sin(j pi (y + 1) / (rows + 1)) sin(k pi (x + 1) / (columns + 1))
/// over all nodes, and that of the magnitudes.
struct Sums {
  double sum = 0, magnitudes = 0;
};
template <class Value>
Sums weighted(std::int64_t rows, std::int64_t columns, int j, int k, const Value& value) {
  std::vector<double> along(static_cast<std::size_t>(columns));
  for (std::int64_t x = 0; x < columns; ++x)
    along[static_cast<std::size_t>(x)] = sine(k, x, columns);
  double sum = 0, magnitudes = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, magnitudes)
  for (std::int64_t y = 0; y < rows; ++y) {
    double row = 0, sizes = 0;
    for (std::int64_t x = 0; x < columns; ++x) {
      const double part = value(y, x) * along[static_cast<std::size_t>(x)];
      row += part;
      sizes += std::abs(part);
    }
    sum += row * sine(j, y, rows);
    magnitudes += sizes * std::abs(sine(j, y, rows));
  }
  return {sum, magnitudes};
}

/// The first node of a grid with rows of `columns` that is further than allowed from what it must
/// be, or an empty line.
template <class T>
std::string node_fault(const std::vector<Node>& nodes, double allowed, std::int64_t columns,
                       const Array& grid, const Stream& stream) {
  const Elements<T> elements(grid, stream);
  for (const Node& node : nodes) {
    const auto at = static_cast<std::uint64_t>(node.y * columns + node.x);
    const auto found = static_cast<double>(elements[at]);
    if (std::abs(found - node.value) <= (node.exact ? 0 : allowed)) continue;  // NaN is not
    return fmt::format("node [{}][{}] is {:.17g}, where {:.17g} is right", node.y, node.x, found,
                       node.value);
  }
  return {};
}

}  // namespace portcost
