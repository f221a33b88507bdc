// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: variants/shared/heat_truth.hpp, which follows nodes where the
// steps are few; and, for any number of steps, sums of all inner nodes weighted by sine modes: a
// step multiplies each sum by a known factor and adds a known number.
#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/heat_truth.hpp"

namespace portcost::heat2d_steps {

namespace {

// A mode of weighted() (grid_truth.hpp) over the inner nodes.
struct Mode {
  int j, k;
  double sum, scale;  // scale: the sum of the weights' magnitudes
};
struct Truth : HeatTruth {
  std::vector<Mode> modes;
};

// value(y, x) of the whole grid.
template <class Value>
Sums weighted_inside(std::int64_t ny, std::int64_t nx, int j, int k, const Value& value) {
  return weighted(ny - 2, nx - 2, j, k,
                  [&](std::int64_t y, std::int64_t x) { return value(y + 1, x + 1); });
}

template <class T>
Truth make_truth(const Problem& problem) {
  const auto coefficient = [&](std::string_view key) {
    return static_cast<double>(static_cast<T>(problem.parameters.real(key)));
  };
  const double cx = coefficient("x"), cy = coefficient("y");
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny");
  const auto start = heat_start<T>(problem);
  const auto edge = [&](std::int64_t y, std::int64_t x) {
    return y == 0 || x == 0 || y == ny - 1 || x == nx - 1 ? start(y, x) : 0;
  };
  Truth truth{heat_truth<T>(problem, cx, cy), {}};
  for (const auto& [j, k] : {std::pair{1, 1}, std::pair{2, 3}}) {
    if (j >= ny - 1 || k >= nx - 1) continue;  // the grid is too small for this mode
    Mode mode{j, k, weighted_inside(ny, nx, j, k, start).sum,
              weighted_inside(ny, nx, j, k, [](auto...) { return 1; }).magnitudes};
    const double added =
        weighted_inside(ny, nx, j, k, [&](std::int64_t y, std::int64_t x) {
          return cx * (edge(y, x - 1) + edge(y, x + 1)) + cy * (edge(y - 1, x) + edge(y + 1, x));
        }).sum;
    const double pi = std::numbers::pi;
    const double factor = 1 - 2 * cx * (1 - std::cos(pi * k / static_cast<double>(nx - 1))) -
                          2 * cy * (1 - std::cos(pi * j / static_cast<double>(ny - 1)));
    for (std::int64_t step = problem.size.at("steps"); step > 0; --step) {
      mode.sum = factor * mode.sum + added;
    }
    truth.modes.push_back(mode);
  }
  return truth;
}

template <class T>
std::string mode_fault(const Truth& truth, std::int64_t ny, std::int64_t nx, const Array& array,
                       const Stream& stream) {
  if (truth.modes.empty()) return {};
  const std::vector<T> all = on_host<T>(array, 0, array.count(), stream);
  for (const Mode& mode : truth.modes) {
    const double found =
        weighted_inside(ny, nx, mode.j, mode.k, [&](std::int64_t y, std::int64_t x) {
          return static_cast<double>(all[static_cast<std::size_t>(y * nx + x)]);
        }).sum;
    const double allowed = truth.allowed * mode.scale + 0x1p-40 * (mode.scale + std::abs(mode.sum));
    if (std::abs(found - mode.sum) <= allowed) continue;  // NaN is not
    return fmt::format("the sum by sine mode {}, {} is {:.17g}, where {:.17g} is right", mode.j,
                       mode.k, found, mode.sum);
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
    return typed(problem, [&]<class T>(T) { return make_truth<T>(problem); });
  });
  return held(problem, fmt::format("{}; {} sums by sine modes", truth.told(), truth.modes.size()),
              array, static_cast<std::uint64_t>(nx * ny), [&]<class T>(T) {
                const Stream& stream = instance.stream();
                return first_fault(
                    [&] { return node_fault<T>(truth.nodes, truth.allowed, nx, array, stream); },
                    [&] { return mode_fault<T>(truth, ny, nx, array, stream); });
              });
}

}  // namespace portcost::heat2d_steps
