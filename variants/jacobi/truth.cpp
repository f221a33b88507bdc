// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with, in double precision, with the scheme written out here: drawn
// nodes followed back to the input, where few sweeps lead there; and, whatever the number of
// sweeps, sums of the whole answer weighted by sine modes, each of which the iteration multiplies
// by a known factor and adds a known number to. Residuals are recomputed from the answer.
#include <numbers>

#include "variants/jacobi/problem.hpp"
#include "variants/shared/grid_truth.hpp"

namespace portcost::jacobi {

namespace {

// A mode of weighted() (grid_truth.hpp).
struct Mode {
  int j, k;
  double sum, scale;  // the answer's; and its error bound, per rounding
};
struct Truth {
  std::vector<Node> nodes;
  std::vector<Mode> modes;
  double allowed = 0;  // of a node
};

// The input in the answer's type, as variants receive it.
template <class T>
struct Rounded {
  Input in;
  double x, y, beta;
  std::int64_t sweeps;

  Rounded(const Problem& p, std::int64_t done) : in(input_of(p)), sweeps(done) {
    const double dx = p.parameters.real("dx"), dy = p.parameters.real("dy");
    x = static_cast<T>(1 / dx / dx);
    y = static_cast<T>(1 / dy / dy);
    beta = static_cast<T>(1 / (2 * (1 / dx / dx + 1 / dy / dy)));
  }
  double start(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(static_cast<T>(in.start(row, column)));
  }
  double right_side(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(static_cast<T>(in.right_side(row, column)));
  }
  double frame() const { return static_cast<double>(static_cast<T>(in.boundary)); }
  static constexpr double unit = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
};

template <class T>
double followed(const Rounded<T>& p, std::int64_t y, std::int64_t x) {
  const Window window(p.in.rows, p.in.columns, y, x, p.sweeps);
  const auto right = window.filled([&](std::int64_t row, std::int64_t column) {
    const bool inside = row >= 0 && row < p.in.rows && column >= 0 && column < p.in.columns;
    return inside ? p.right_side(row, column) : 0;
  });
  const auto start =
      window.filled([&](std::int64_t row, std::int64_t column) { return p.start(row, column); });
  return window.followed(start, [&](const double* here, std::int64_t pitch, std::size_t at) {
    const double along_x = (here[-pitch] + here[pitch]) * p.x, along_y = (here[-1] + here[1]) * p.y;
    return (along_x + along_y - right[at]) * p.beta;
  });
}

// The frame's contribution to the sum in each sweep: a frame node has its neighbour's weight.
template <class T>
double frame_sum(const Rounded<T>& p, int j, int k) {
  const std::int64_t rows = p.in.rows, columns = p.in.columns;
  double west_east = 0, north_south = 0;
  for (std::int64_t y = 0; y < rows; ++y) west_east += sine(j, y, rows);
  for (std::int64_t x = 0; x < columns; ++x) north_south += sine(k, x, columns);
  west_east *= sine(k, 0, columns) + sine(k, columns - 1, columns);
  north_south *= sine(j, 0, rows) + sine(j, rows - 1, rows);
  return p.frame() * p.beta * (p.y * west_east + p.x * north_south);
}

// A mode's sum s becomes factor * s + added in each sweep.
template <class T>
Mode mode_of(const Rounded<T>& p, int j, int k) {
  const std::int64_t rows = p.in.rows, columns = p.in.columns;
  const auto start =
      weighted(rows, columns, j, k, [&](std::int64_t y, std::int64_t x) { return p.start(y, x); });
  const auto right = weighted(rows, columns, j, k,
                              [&](std::int64_t y, std::int64_t x) { return p.right_side(y, x); });
  const double pi = std::numbers::pi;
  const double factor = 2 * p.beta *
                        (p.x * std::cos(pi * j / static_cast<double>(rows + 1)) +
                         p.y * std::cos(pi * k / static_cast<double>(columns + 1)));
  const double added = frame_sum(p, j, k) - p.beta * right.sum;
  Mode mode{j, k, start.sum, start.magnitudes};
  // Nodes err by some roundings of their own size a sweep, and no sweep amplifies an error.
  const double each = std::abs(frame_sum(p, j, k)) + p.beta * right.magnitudes;
  for (std::int64_t sweep = 0; sweep < p.sweeps; ++sweep) mode.sum = factor * mode.sum + added;
  mode.scale += each * static_cast<double>(p.sweeps);
  return mode;
}

// Where fewer nodes than this can be followed, sums by modes replace them.
constexpr std::size_t least_nodes = 16;

template <class T>
Truth make_truth(const Problem& problem, std::int64_t sweeps) {
  const Rounded<T> p(problem, sweeps);
  Truth truth;
  // A sweep errs by a few roundings of its summands: values, and beta times the right side, which
  // is at most 8 in size; and no sweep amplifies an error.
  const auto done = static_cast<double>(sweeps);
  const double size = std::max(1.0, std::abs(p.frame())) + done * 8 * p.beta;
  truth.allowed = 16 * p.unit * done * size;
  double left = most_updates;
  for (Node node : drawn_nodes(p.in.rows, p.in.columns, problem.seed)) {
    left -= updates_a_node(p.in.rows, p.in.columns, sweeps);
    if (left < 0) break;
    node.value = followed(p, node.y, node.x);
    truth.nodes.push_back(node);
  }
  if (truth.nodes.size() >= least_nodes) return truth;
  const auto part = [](std::int64_t count, int of) {
    return static_cast<int>((count + of - 1) / of);
  };
  truth.modes = {mode_of(p, 1, 1), mode_of(p, part(p.in.rows, 2), part(p.in.columns, 3))};
  return truth;
}

template <class T>
std::vector<T> all_of(const Array& array, const Stream& stream) {
  return on_host<T>(array, 0, array.count(), stream);
}

template <class T>
std::string mode_fault(const Truth& truth, const Rounded<T>& p, const Array& answer,
                       const Stream& stream) {
  if (truth.modes.empty()) return {};
  const std::vector<T> all = all_of<T>(answer, stream);
  for (const Mode& mode : truth.modes) {
    const Sums found =
        weighted(p.in.rows, p.in.columns, mode.j, mode.k, [&](std::int64_t y, std::int64_t x) {
          return static_cast<double>(all[static_cast<std::size_t>(y * p.in.columns + x)]);
        });
    const double allowed =
        16 * p.unit * static_cast<double>(p.sweeps) * (found.magnitudes + mode.scale) +
        0x1p-40 * (found.magnitudes + std::abs(mode.sum));
    if (std::abs(found.sum - mode.sum) <= allowed) continue;
    return fmt::format(
        "the sum of all nodes by sine mode {}, {} is {:.17g}, where {:.17g} is right", mode.j,
        mode.k, found.sum, mode.sum);
  }
  return {};
}

// The greatest residual of an answer, and its error bound.
template <class T>
std::pair<double, double> greatest_residual(const Rounded<T>& p, const Array& answer,
                                            const Stream& stream) {
  const std::vector<T> all = all_of<T>(answer, stream);
  const auto at = [&](std::int64_t y, std::int64_t x) {
    const bool inside = y >= 0 && y < p.in.rows && x >= 0 && x < p.in.columns;
    return inside ? static_cast<double>(all[static_cast<std::size_t>(y * p.in.columns + x)])
                  : p.frame();
  };
  double greatest = 0, size = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest, size)
  for (std::int64_t y = 0; y < p.in.rows; ++y) {
    for (std::int64_t x = 0; x < p.in.columns; ++x) {
      const double here = at(y, x), right = p.right_side(y, x);
      const double along_x = (at(y - 1, x) - 2 * here + at(y + 1, x)) * p.x;
      const double along_y = (at(y, x - 1) - 2 * here + at(y, x + 1)) * p.y;
      greatest = std::max(greatest, std::abs(along_x + along_y - right));
      size = std::max(size, std::abs(here));
    }
  }
  size = std::max(size, std::abs(p.frame()));
  return {greatest, 16 * p.unit * (4 * (p.x + p.y) * size + 8)};
}

// Residuals: one after each `check_every` sweeps and after the last sweep, none after the residual
// that ends the run.
template <class T>
std::string residual_fault(const Problem& problem, const Rounded<T>& p, const Answer& answer,
                           const Stream& stream) {
  const std::vector<T> found = all_of<T>(answer.at("residual"), stream);
  const std::int64_t every = problem.parameters.whole("check_every");
  const double tolerance = problem.parameters.real("tolerance");
  const auto made = static_cast<std::size_t>(ceil_div(p.sweeps, every));
  if (p.sweeps < 1 || p.sweeps > problem.size.at("iterations") || made > found.size()) {
    return fmt::format("{} sweeps are said to have been made", p.sweeps);
  }
  const auto converged = [&](std::size_t i) {
    return tolerance > 0 && static_cast<double>(found[i]) <= tolerance;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i < made && !std::isnan(found[i]) && (i + 1 == made || !converged(i))) continue;
    if (i >= made && std::isnan(found[i])) continue;
    return fmt::format("residual[{}] is {:.9g} after {} sweeps", i, found[i], p.sweeps);
  }
  if (!converged(made - 1) && p.sweeps != problem.size.at("iterations")) {
    return fmt::format("the run ended after {} sweeps with residual {:.9g}", p.sweeps,
                       found[made - 1]);
  }
  const auto [right, allowed] = greatest_residual(p, answer.at("temperature"), stream);
  if (std::abs(static_cast<double>(found[made - 1]) - right) <= allowed) return {};
  return fmt::format("residual[{}] is {:.9g}, where {:.9g} is right", made - 1, found[made - 1],
                     right);
}

template <class T>
Judgement judge_as(const Problem& problem, const Answer& answer, const Stream& stream) {
  const bool checked = problem.parameters.whole("check_every") > 0;
  std::int64_t sweeps = problem.size.at("iterations");
  if (checked) sweeps = all_of<std::int32_t>(answer.at("sweeps"), stream).at(0);
  const Rounded<T> p(problem, sweeps);
  const std::string fault = checked ? residual_fault(problem, p, answer, stream) : std::string();
  if (!fault.empty()) return {"residuals recomputed from the answer", fault};
  static Remembered<Truth> remembered;
  const Truth& truth = remembered.of(problem, std::to_string(sweeps),
                                     [&] { return make_truth<T>(problem, sweeps); });
  const Array& grid = answer.at("temperature");
  return {
      fmt::format("{} drawn nodes recomputed in double precision, allowed error {:.2g}; {} sums "
                  "by sine modes{}",
                  truth.nodes.size(), truth.allowed, truth.modes.size(),
                  checked ? "; the residual of the answer" : ""),
      first_fault(
          [&] { return node_fault<T>(truth.nodes, truth.allowed, p.in.columns, grid, stream); },
          [&] { return mode_fault(truth, p, grid, stream); })};
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const auto nodes =
      static_cast<std::uint64_t>(problem.size.at("rows") * problem.size.at("columns"));
  const std::string fault = shape_fault(answer.at("temperature"), problem.type, nodes);
  if (!fault.empty()) return {"the number of nodes", fault};
  return typed(problem,
               [&]<class T>(T) { return judge_as<T>(problem, answer, instance.stream()); });
}

}  // namespace portcost::jacobi
