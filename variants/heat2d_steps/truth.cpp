// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: variants/shared/heat_truth.hpp, which follows nodes where the
// steps are few; and, for any number of steps, sums of all inner nodes weighted by sine modes: a
// step multiplies each sum by a known factor and adds a known number.
#include <numbers>

#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/heat_truth.hpp"

namespace portcost::heat2d_steps {

namespace {

// sin(j pi y / (ny - 1)) sin(k pi x / (nx - 1)): 0 on the edges.
struct Mode {
  int j, k;
  double sum, scale;  // of the inner nodes times the mode, and the sum of the weights' magnitudes
};
struct Truth : HeatTruth {
  std::vector<Mode> modes;
};

std::vector<double> sines(int number, std::int64_t count) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t in_period = number * i % (2 * (count - 1));
    result.push_back(std::sin(std::numbers::pi * static_cast<double>(in_period) /
                              static_cast<double>(count - 1)));
  }
  return result;
}

// The sum over all inner nodes of value(y, x) times the mode.
template <class Value>
Mode weighted(std::int64_t ny, std::int64_t nx, int j, int k, const Value& value) {
  const std::vector<double> down = sines(j, ny), along = sines(k, nx);
  double sum = 0, scale = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, scale)
  for (std::int64_t y = 1; y < ny - 1; ++y) {
    double row = 0, sizes = 0;
    for (std::int64_t x = 1; x < nx - 1; ++x) {
      const double weight = along[static_cast<std::size_t>(x)];
      row += value(y, x) * weight;
      sizes += std::abs(weight);
    }
    sum += row * down[static_cast<std::size_t>(y)];
    scale += sizes * std::abs(down[static_cast<std::size_t>(y)]);
  }
  return {j, k, sum, scale};
}

template <class T>
Truth make_truth(const Problem& problem) {
  const auto coefficient = [&](std::string_view key) {
    return static_cast<double>(static_cast<T>(problem.parameters.real(key)));
  };
  const double cx = coefficient("x"), cy = coefficient("y");
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny"),
                     steps = problem.size.at("steps");
  const auto start = heat_start<T>(problem);
  Truth truth{heat_truth<T>(problem, cx, cy), {}};
  for (const auto& [j, k] : {std::pair{1, 1}, std::pair{2, 3}}) {
    if (j >= ny - 1 || k >= nx - 1) continue;  // the grid is too small for this mode
    Mode mode = weighted(ny, nx, j, k, start);
    const std::vector<double> down = sines(j, ny), along = sines(k, nx);
    const auto of = [](const std::vector<double>& weights, std::int64_t i) {
      return weights[static_cast<std::size_t>(i)];
    };
    double added = 0;  // an edge node adds its value with its inner neighbour's weight
    for (std::int64_t x = 1; x < nx - 1; ++x) {
      added +=
          cy * of(along, x) * (of(down, 1) * start(0, x) + of(down, ny - 2) * start(ny - 1, x));
    }
    for (std::int64_t y = 1; y < ny - 1; ++y) {
      added +=
          cx * of(down, y) * (of(along, 1) * start(y, 0) + of(along, nx - 2) * start(y, nx - 1));
    }
    const double pi = std::numbers::pi;
    const double factor = 1 - 2 * cx * (1 - std::cos(pi * k / static_cast<double>(nx - 1))) -
                          2 * cy * (1 - std::cos(pi * j / static_cast<double>(ny - 1)));
    for (std::int64_t step = 0; step < steps; ++step) mode.sum = factor * mode.sum + added;
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
    const double found = weighted(ny, nx, mode.j, mode.k, [&](std::int64_t y, std::int64_t x) {
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
                std::string fault = node_fault<T>(truth.nodes, truth.allowed, nx, array, stream);
                return fault.empty() ? mode_fault<T>(truth, ny, nx, array, stream) : fault;
              });
}

}  // namespace portcost::heat2d_steps
