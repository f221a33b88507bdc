// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: variants/shared/heat_truth.hpp, which follows nodes where the
// steps are few; and, for any number of steps, sums of all inner nodes weighted by sine modes: a
// step multiplies each sum by a known factor and adds a known number.
#include <numbers>
#include <numeric>

#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/heat_truth.hpp"

namespace portcost::heat2d_steps {

namespace {

// The sum of the inner nodes times sin(j pi y / (ny - 1)) sin(k pi x / (nx - 1)), which is 0 on the
// edges.
struct Mode {
  int j, k;
  std::vector<double> down, along;
  double sum = 0, scale = 0;  // scale: the sum of the weights' magnitudes

  // value(y, x) of all inner nodes.
  template <class Value>
  double weighted(const Value& value) const {
    double result = 0;
#pragma omp parallel for schedule(static) reduction(+ : result)
    for (std::size_t y = 1; y < down.size() - 1; ++y) {
      double row = 0;
      for (std::size_t x = 1; x < along.size() - 1; ++x) row += value(y, x) * along[x];
      result += row * down[y];
    }
    return result;
  }
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
    Mode mode{j, k, sines(j, ny), sines(k, nx)};
    const auto magnitude = [](double sum, double weight) { return sum + std::abs(weight); };
    mode.scale = std::accumulate(mode.down.begin(), mode.down.end(), 0.0, magnitude) *
                 std::accumulate(mode.along.begin(), mode.along.end(), 0.0, magnitude);
    mode.sum = mode.weighted(start);
    const double added = mode.weighted([&](std::int64_t y, std::int64_t x) {
      return cx * (edge(y, x - 1) + edge(y, x + 1)) + cy * (edge(y - 1, x) + edge(y + 1, x));
    });
    const double pi = std::numbers::pi;
    const double factor = 1 - 2 * cx * (1 - std::cos(pi * k / static_cast<double>(nx - 1))) -
                          2 * cy * (1 - std::cos(pi * j / static_cast<double>(ny - 1)));
    for (std::int64_t step = problem.size.at("steps"); step > 0; --step) {
      mode.sum = factor * mode.sum + added;
    }
    truth.modes.push_back(std::move(mode));
  }
  return truth;
}

template <class T>
std::string mode_fault(const Truth& truth, std::int64_t nx, const Array& array,
                       const Stream& stream) {
  if (truth.modes.empty()) return {};
  const std::vector<T> all = on_host<T>(array, 0, array.count(), stream);
  for (const Mode& mode : truth.modes) {
    const double found = mode.weighted([&](std::size_t y, std::size_t x) {
      return static_cast<double>(all[y * static_cast<std::size_t>(nx) + x]);
    });
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
                return fault.empty() ? mode_fault<T>(truth, nx, array, stream) : fault;
              });
}

}  // namespace portcost::heat2d_steps
