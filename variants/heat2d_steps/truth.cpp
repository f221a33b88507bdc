// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn nodes, followed back to the input and recomputed in
// double precision, with the scheme written out here; and edges, which keep their input to the bit.
#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/grid_truth.hpp"

namespace portcost::heat2d_steps {

namespace {

struct Truth {
  std::vector<Node> nodes;
  std::uint64_t followed = 0;  // of them, those that are no edges
  double allowed = 0;
};

// A step's value errs by a few roundings of numbers below 1, and a stable step lets no error grow:
// 8 units in the last place a step are ample, for the answer and for the doubles it is held to.
template <class T>
Truth make_truth(const Problem& problem) {
  const auto coefficient = [&](const char* key) {
    return static_cast<double>(static_cast<T>(problem.parameters.real(key)));
  };
  const double cx = coefficient("cx"), cy = coefficient("cy");
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny"),
                     steps = problem.size.at("steps");
  const auto start = [&](std::int64_t y, std::int64_t x) {
    const auto node = static_cast<std::uint64_t>(y * nx + x);
    return static_cast<double>(static_cast<T>(temperature(problem.seed, node)));
  };
  const auto rule = [=](const double* t, std::int64_t pitch, std::size_t) {
    return *t + cx * (t[-1] - 2 * *t + t[1]) + cy * (t[-pitch] - 2 * *t + t[pitch]);
  };
  double left = most_updates;
  Truth truth;
  truth.allowed = 16 * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24) * static_cast<double>(steps);
  for (Node node : drawn_nodes(ny, nx, problem.seed)) {
    node.exact = node.x == 0 || node.y == 0 || node.x == nx - 1 || node.y == ny - 1;
    if (node.exact) {
      node.value = start(node.y, node.x);
    } else if ((left -= updates_a_node(ny, nx, steps)) < 0) {
      continue;
    } else {
      const Window inside(ny - 2, nx - 2, node.y - 1, node.x - 1, steps);
      node.value = inside.followed(
          inside.filled([&](std::int64_t y, std::int64_t x) { return start(y + 1, x + 1); }), rule);
      ++truth.followed;
    }
    truth.nodes.push_back(node);
  }
  return truth;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("temperature");
  static Remembered<Truth> remembered;
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny");
  const Truth& truth = remembered.of(problem, {}, [&] {
    return typed(problem, [&]<class T>(T) { return make_truth<T>(problem); });
  });
  return held(problem,
              fmt::format("{} drawn nodes recomputed in double precision, allowed error {:.2g}; {} "
                          "on the edges",
                          truth.followed, truth.allowed, truth.nodes.size() - truth.followed),
              array, static_cast<std::uint64_t>(nx * ny), [&]<class T>(T) {
                return node_fault<T>(truth.nodes, truth.allowed, nx, array, instance.stream());
              });
}

}  // namespace portcost::heat2d_steps
