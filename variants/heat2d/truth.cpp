// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn nodes, followed back to the input and recomputed in
// double precision, with the scheme written out here; and edges, which keep their input to the bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "src/contract/truth.hpp"
#include "variants/heat2d/problem.hpp"

namespace portcost::heat2d {

namespace {

constexpr std::uint64_t most_drawn = 1024;
constexpr double most_updates = 2e8;

struct Node {
  std::int64_t x, y;
  double value;
  bool exact;  // an edge
};
struct Truth {
  std::vector<Node> nodes;
  std::uint64_t followed = 0;  // of them, those that are no edges
  double allowed = 0;
};

template <class T>
double start_of(const Problem& problem, std::int64_t x, std::int64_t y) {
  const auto node = static_cast<std::uint64_t>(y * problem.size.at("nx") + x);
  return static_cast<double>(static_cast<T>(temperature(problem.seed, node)));
}

// The part of the grid that a node depends on: `reach` nodes to each side, as far as there are any.
class Window {
 public:
  template <class Start>
  Window(const Problem& problem, std::int64_t x, std::int64_t y, const Start& start)
      : nx_(problem.size.at("nx")), ny_(problem.size.at("ny")), x_(x), y_(y) {
    const std::int64_t reach = problem.size.at("steps");
    x0_ = std::max<std::int64_t>(0, x - reach);
    y0_ = std::max<std::int64_t>(0, y - reach);
    columns_ = std::min(nx_, x + reach + 1) - x0_;
    rows_ = std::min(ny_, y + reach + 1) - y0_;
    for (std::int64_t row = y0_; row < y0_ + rows_; ++row) {
      for (std::int64_t column = x0_; column < x0_ + columns_; ++column) {
        now_.push_back(start(column, row));
      }
    }
    next_ = now_;
  }

  // One step of all nodes at most `reach` away from the one that is followed.
  void step(std::int64_t reach, double cx, double cy) {
    for (std::int64_t y = std::max<std::int64_t>(1, y_ - reach); y <= std::min(ny_ - 2, y_ + reach);
         ++y) {
      for (std::int64_t x = std::max<std::int64_t>(1, x_ - reach);
           x <= std::min(nx_ - 2, x_ + reach); ++x) {
        const double t = at(x, y);
        next_[index(x, y)] = t + cx * (at(x - 1, y) - 2 * t + at(x + 1, y)) +
                             cy * (at(x, y - 1) - 2 * t + at(x, y + 1));
      }
    }
    now_.swap(next_);
  }
  double at(std::int64_t x, std::int64_t y) const { return now_[index(x, y)]; }

 private:
  std::size_t index(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>((y - y0_) * columns_ + x - x0_);
  }

  std::int64_t nx_, ny_, x_, y_, x0_ = 0, y0_ = 0, columns_ = 0, rows_ = 0;
  std::vector<double> now_, next_;
};

// How many updates it takes to follow one node back.
double updates_a_node(const Problem& problem) {
  const auto steps = static_cast<double>(problem.size.at("steps"));
  const double nx = static_cast<double>(problem.size.at("nx")),
               ny = static_cast<double>(problem.size.at("ny"));
  return steps * std::min(2 * steps + 1, nx) * std::min(2 * steps + 1, ny);
}

// All nodes of a small grid; else some anywhere, and some on and beside the edges.
std::vector<Node> draw_nodes(const Problem& problem) {
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny");
  std::vector<Node> nodes;
  const auto add = [&](std::int64_t x, std::int64_t y) {
    nodes.push_back({x, y, 0, x == 0 || y == 0 || x == nx - 1 || y == ny - 1});
  };
  for (const std::uint64_t node :
       drawn(static_cast<std::uint64_t>(nx * ny), most_drawn, problem.seed)) {
    add(static_cast<std::int64_t>(node) % nx, static_cast<std::int64_t>(node) / nx);
  }
  std::mt19937_64 random(problem.seed + 1);
  const auto beside = [&](std::int64_t count) {
    const auto r = static_cast<std::int64_t>(random() % 4);
    return std::clamp<std::int64_t>(r < 2 ? r : count - 1 - (r - 2), 0, count - 1);
  };
  const auto anywhere = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  };
  for (std::uint64_t i = 0; i < most_drawn / 8; ++i) {
    add(beside(nx), anywhere(ny));
    add(anywhere(nx), beside(ny));
    add(beside(nx), beside(ny));
  }
  std::shuffle(nodes.begin(), nodes.end(), random);  // not all of them may be followed
  return nodes;
}

// A step's value errs by a few roundings of numbers below 1, and a stable step lets no error grow:
// 8 units in the last place a step are ample, for the answer and for the doubles it is held to.
template <class T>
Truth make_truth(const Problem& problem) {
  const Parameters& p = problem.parameters;
  const auto coefficient = [&](double d) {
    return static_cast<double>(static_cast<T>(p.real("alpha") * p.real("dt") / (d * d)));
  };
  const double cx = coefficient(p.real("dx")), cy = coefficient(p.real("dy"));
  const std::int64_t steps = problem.size.at("steps");
  const double unit = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  double left = most_updates;
  Truth truth;
  truth.allowed = 16 * unit * static_cast<double>(steps);
  const auto start = [&](std::int64_t x, std::int64_t y) { return start_of<T>(problem, x, y); };
  for (Node node : draw_nodes(problem)) {
    if (node.exact) {
      node.value = start(node.x, node.y);
    } else {
      left -= updates_a_node(problem);
      if (left < 0) continue;
      Window window(problem, node.x, node.y, start);
      for (std::int64_t step = 1; step <= steps; ++step) window.step(steps - step, cx, cy);
      node.value = window.at(node.x, node.y);
      ++truth.followed;
    }
    truth.nodes.push_back(node);
  }
  return truth;
}

// The first node that is not as the truth has it, or an empty line.
template <class T>
std::string fault(const Truth& truth, std::int64_t nx, const Array& answer, const Stream& stream) {
  const Elements<T> elements(answer, stream);
  for (const Node& node : truth.nodes) {
    const auto found =
        static_cast<double>(elements[static_cast<std::uint64_t>(node.y * nx + node.x)]);
    if (std::abs(found - node.value) <= (node.exact ? 0 : truth.allowed)) continue;  // NaN is not
    return fmt::format("node [{}][{}] is {:.17g}, where {:.17g} is right", node.y, node.x, found,
                       node.value);
  }
  return {};
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("temperature");
  static Remembered<Truth> remembered;
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny");
  const Truth& truth = remembered.of(problem, {}, [&] {
    return problem.type == ElementType::f64 ? make_truth<double>(problem)
                                            : make_truth<float>(problem);
  });
  Judgement result{fmt::format("{} drawn nodes recomputed in double precision, allowed error "
                               "{:.2g}; {} on the edges",
                               truth.followed, truth.allowed, truth.nodes.size() - truth.followed),
                   shape_fault(array, problem.type, static_cast<std::uint64_t>(nx * ny))};
  if (!result.fault.empty()) return result;
  result.fault = problem.type == ElementType::f64
                     ? fault<double>(truth, nx, array, instance.stream())
                     : fault<float>(truth, nx, array, instance.stream());
  return result;
}

}  // namespace portcost::heat2d
