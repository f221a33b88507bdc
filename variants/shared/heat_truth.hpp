// SPDX-License-Identifier: Apache-2.0
// What answers on a grid of the heat equation are compared with: drawn nodes, followed back to the
// input and recomputed in double precision, with the scheme written out here; and edges, which keep
// their input to the bit.
#pragma once

#include "variants/shared/grid_truth.hpp"
#include "variants/shared/heat_input.hpp"

namespace portcost {

struct HeatTruth {
  std::vector<Node> nodes;
  std::uint64_t followed = 0;  // of them, those that are no edges
  double allowed = 0;          // error of a node

  std::string told() const {
    return fmt::format(
        "{} drawn nodes recomputed in double precision, allowed error {:.2g}; {} on "
        "the edges",
        followed, allowed, nodes.size() - followed);
  }
};

/// start(y, x): the input in the problem's type.
template <class T>
auto heat_start(const Problem& problem) {
  return [seed = problem.seed, nx = problem.size.at("nx")](std::int64_t y, std::int64_t x) {
    const auto node = static_cast<std::uint64_t>(y * nx + x);
    return static_cast<double>(static_cast<T>(temperature(seed, node)));
  };
}

/// Of nx by ny nodes after `steps` steps with alpha dt / dx^2 and alpha dt / dy^2. A step's value
/// errs by a few roundings of numbers below 1, and a stable step lets no error grow: 8 units in the
/// last place a step are ample, for the answer and for the doubles it is held to.
template <class T>
HeatTruth heat_truth(const Problem& problem, double cx, double cy) {
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny"),
                     steps = problem.size.at("steps");
  const auto start = heat_start<T>(problem);
  const auto rule = [=](const double* t, std::int64_t pitch, std::size_t) {
    return *t + cx * (t[-1] - 2 * *t + t[1]) + cy * (t[-pitch] - 2 * *t + t[pitch]);
  };
  double left = most_updates;
  HeatTruth truth;
  truth.allowed = 16 * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24) * static_cast<double>(steps);
  for (Node node : drawn_nodes(ny, nx, problem.seed)) {
    node.exact = node.x == 0 || node.y == 0 || node.x == nx - 1 || node.y == ny - 1;
    if (node.exact) {
      node.value = start(node.y, node.x);
    } else {
      left -= updates_a_node(ny, nx, steps);
      if (left < 0) continue;
      const Window inside(ny - 2, nx - 2, node.y - 1, node.x - 1, steps);
      node.value = inside.followed(
          inside.filled([&](std::int64_t y, std::int64_t x) { return start(y + 1, x + 1); }), rule);
      ++truth.followed;
    }
    truth.nodes.push_back(node);
  }
  return truth;
}

}  // namespace portcost
