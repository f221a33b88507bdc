// SPDX-License-Identifier: Apache-2.0
// The check of an answer: -laplace of the answer must equal f at sampled nodes. laplace is a sum
// over nodes, without any transform: three nodes of each axis, or all nodes of each axis (the
// second derivative of the trigonometric interpolant; L. N. Trefethen, Spectral Methods in MATLAB,
// chapter 3).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/fft_truth.hpp"

namespace portcost::fft_poisson {

namespace {

// The weight of node m in -d2/dx2 at node 0 of n nodes.
double weight(Operator laplace, std::int64_t m, std::int64_t n) {
  const auto size = static_cast<double>(n);
  if (laplace == Operator::stencil) {
    // With two nodes both neighbours are one node; with one node, the node itself.
    double sum = m == 0 ? 2 : 0;
    sum -= m == 1 % n ? 1 : 0;
    sum -= m == (n - 1) % n ? 1 : 0;
    return sum * size * size;
  }
  const double half_turn = std::numbers::pi * static_cast<double>(std::min(m, n - m)) / size;
  const double whole = 4 * std::numbers::pi * std::numbers::pi;
  if (m == 0) return whole * (n % 2 == 0 ? size * size + 2 : size * size - 1) / 12;
  const double sine = std::sin(half_turn);
  double cosine = n % 2 == 0 ? 1 : std::cos(half_turn);
  if (n % 2 == 1 && 2 * m > n) cosine = -cosine;
  return (m % 2 == 0 ? 1 : -1) * whole * cosine / (2 * sine * sine);
}

struct Axis {
  std::int64_t n, step;
  std::vector<std::pair<std::int64_t, double>> weights;  // (nodes ahead, weight)

  Axis(Operator laplace, std::int64_t nodes, std::int64_t apart) : n(nodes), step(apart) {
    for (std::int64_t m = 0; m < n; ++m) {
      if (laplace == Operator::stencil && m > 1 && m + 1 < n) continue;
      weights.emplace_back(m, weight(laplace, m, n));
    }
  }
};

// The root mean square of u over the root mean square of f (all modes of f are alike), times the
// largest eigenvalue: how much f changes with a rounding of u.
double magnified(const Problem& p) {
  const fft::Shape s = shape_of(p);
  const Operator laplace = operator_of(p);
  const auto along = [&](std::int64_t n) {
    std::vector<double> result;
    for (std::int64_t j = 0; j < n; ++j) result.push_back(eigenvalue(laplace, j, n));
    return result;
  };
  const std::vector<double> x = along(s.x), y = along(s.y), z = along(s.z);
  double most = 0, sum = 0;
#pragma omp parallel for schedule(static) collapse(2) reduction(+ : sum) reduction(max : most)
  for (std::size_t k = 0; k < z.size(); ++k) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      for (const double of_x : x) {
        const double all = of_x + y[j] + z[k];
        most = std::max(most, all);
        sum += all > 0 ? 1 / (all * all) : 0;
      }
    }
  }
  return most * std::sqrt(sum / static_cast<double>(s.numbers()));
}

template <class T>
std::string fault_of(const Problem& p, bool transforms, const std::vector<std::uint64_t>& at,
                     const Array& array, const Stream& stream) {
  const fft::Shape s = shape_of(p);
  const auto count = static_cast<std::uint64_t>(s.numbers());
  const double all = static_cast<double>(count), rounding = fft::allowed_error(p.type, all);
  const auto value = [&](std::uint64_t i) {
    return static_cast<double>(element<T>(p.seed, i, count));
  };
  if (transforms) {
    return fft::far_element<T>(array, at, rounding * all, stream,
                               [&](std::uint64_t i) { return all * value(i); });
  }
  const Operator laplace = operator_of(p);
  const Axis axes[]{{laplace, s.x, 1}, {laplace, s.y, s.x}, {laplace, s.z, s.x * s.y}};
  const double allowed = rounding * (1 + magnified(p));
  const Elements<T> u(array, stream);
  for (const std::uint64_t node : at) {
    const auto own = static_cast<std::int64_t>(node);
    double sum = 0;
    for (const Axis& axis : axes) {
      const std::int64_t here = own / axis.step % axis.n;
      for (const auto& [ahead, by] : axis.weights) {
        const std::int64_t away = (here + ahead) % axis.n - here;
        sum += by * static_cast<double>(u[static_cast<std::uint64_t>(own + away * axis.step)]);
      }
    }
    if (std::abs(sum - value(node)) <= allowed) continue;  // false for NaN
    return fmt::format("-laplace u at {}{} is {:.9g}, where f is {:.9g} (within {:.3g})",
                       array.name, array.index_text(node), sum, value(node), allowed);
  }
  return {};
}

// The fault of an answer whose mean is not 0; else empty.
template <class T>
std::string mean_fault(const Problem& p, const Array& array, const Stream& stream) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  double sum = 0, squares = 0;
  for (std::size_t first = 0; first < array.count(); first += piece) {
    for (const T u : on_host<T>(array, first, std::min(piece, array.count() - first), stream)) {
      sum += static_cast<double>(u);
      squares += static_cast<double>(u) * static_cast<double>(u);
    }
  }
  const auto count = static_cast<double>(array.count());
  const double mean = sum / count,
               allowed = fft::allowed_error(p.type, count) * std::sqrt(squares / count);
  if (std::abs(mean) <= allowed) return {};
  return fmt::format("the mean of {} is {:.3g}, where it is to be 0 (within {:.3g})", array.name,
                     mean, allowed);
}

}  // namespace

Judgement judge(const Problem& p, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const bool transforms = fft::only_transforms(step);
  const Array& array = answer.at("u");
  const auto count = static_cast<std::uint64_t>(shape_of(p).numbers());
  // Elements of a large answer are copied one by one.
  const std::uint64_t most = count < (1 << 20) || operator_of(p) == Operator::stencil ? 1024 : 16;
  const auto at = drawn(count, most, p.seed);
  const Stream& stream = instance.stream();
  return held(p,
              transforms ? fmt::format("nodes times f at {} drawn nodes", at.size())
                         : fmt::format("f against -laplace u at {} drawn nodes", at.size()),
              array, count, [&]<class T>(T) {
                return first_fault([&] { return mean_fault<T>(p, array, stream); },
                                   [&] { return fault_of<T>(p, transforms, at, array, stream); });
              });
}

Disagreement compare(const Problem& p, const Answer& left, const Answer& right,
                     const Stream& stream) {
  return fft::compare_near(p, static_cast<double>(shape_of(p).numbers()), left, right, stream);
}

}  // namespace portcost::fft_poisson
