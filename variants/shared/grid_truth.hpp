// SPDX-License-Identifier: Apache-2.0
// Common to truths of grids: drawn places, and the values of nodes, followed back to the input in
// double precision.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/contract/truth.hpp"

namespace portcost {

/// Coordinates below a count: anywhere, or one of the first two and the last two.
class Coordinates {
 public:
  explicit Coordinates(std::uint64_t seed) : random_(seed) {}
  std::int64_t anywhere(std::int64_t count) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(count));
  }
  std::int64_t beside(std::int64_t count) {
    const std::int64_t r = anywhere(4);
    return std::clamp<std::int64_t>(r < 2 ? r : count - 1 - (r - 2), 0, count - 1);
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

struct Node {
  std::int64_t y, x;
  double value = 0;
  bool exact = false;  // to the bit
};

/// All nodes of a small grid; else some anywhere, and some beside the frame; shuffled, because not
/// all of them may be followed.
inline std::vector<Node> drawn_nodes(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  constexpr std::size_t most = 1024;
  std::vector<Node> nodes;
  for (const std::uint64_t at : drawn(static_cast<std::uint64_t>(rows * columns), most, seed)) {
    const auto node = static_cast<std::int64_t>(at);
    nodes.push_back({node / columns, node % columns});
  }
  Coordinates draw(seed + 1);
  for (std::size_t i = 0; i < most / 8; ++i) {
    nodes.push_back({draw.beside(rows), draw.anywhere(columns)});
    nodes.push_back({draw.anywhere(rows), draw.beside(columns)});
    nodes.push_back({draw.beside(rows), draw.beside(columns)});
  }
  std::shuffle(nodes.begin(), nodes.end(), draw.random());
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
