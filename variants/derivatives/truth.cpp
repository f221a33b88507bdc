// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: derivatives at drawn nodes, recomputed in double precision from
// the input's function, with the formulas written out here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "variants/derivatives/problem.hpp"
#include "variants/shared/grid_truth.hpp"

namespace portcost::derivatives {

namespace {

constexpr std::uint64_t most_drawn = 4096, beside = 1366;  // the faces, where the period is

template <class T>
struct Truth {
  const Problem& p;
  Place3 n{p.size.at("nz"), p.size.at("ny"), p.size.at("nx")};
  bool second = kind_of(p) == laplacian;

  std::int64_t place(const Place3& node) const {
    return (node[0] * n[1] + node[1]) * n[2] + node[2];
  }
  double along(const Place3& node, std::size_t axis) const {
    constexpr std::array<double, 5> of_first{0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    constexpr std::array<double, 5> of_second{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315,
                                              -1.0 / 560};
    const auto value = [&](std::int64_t away) {
      Place3 there = node;
      there[axis] = (node[axis] + away + n[axis]) % n[axis];
      return static_cast<double>(element<T>(p.seed, static_cast<std::uint64_t>(place(there))));
    };
    const double h = 1 / static_cast<double>(n[axis]), u = static_cast<double>(node[axis]) * h;
    double sum = second ? of_second[0] * value(0) : 0;
    for (std::size_t k = 1; k <= 4; ++k) {
      const auto away = static_cast<std::int64_t>(k);
      sum += second ? of_second[k] * (value(away) + value(-away))
                    : of_first[k] * (value(away) - value(-away));
    }
    if (second) return sum / (h * h);
    if (kind_of(p) != stretched) return sum / h;
    return sum / h / (1 + std::cos(2 * std::numbers::pi * u) / 2);
  }

  std::string fault(const Array& answer, const Stream& stream) const {
    // A few roundings of the sum of the products' magnitudes, which values below 1 bound.
    const auto most = static_cast<double>(std::max({n[0], n[1], n[2]}));
    const double allowed =
        16 * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24) * (second ? 20 * most * most : 5 * most);
    const Elements<T> elements(answer, stream);
    const std::size_t fields = fields_of(p);
    for (const Place3& node : drawn_places(n, most_drawn, beside, 0, p.seed)) {
      for (std::size_t field = 0; field < fields; ++field) {
        const std::size_t axis = 2 - (fields == 3 ? field : static_cast<std::size_t>(kind_of(p)));
        const double right =
            second ? along(node, 0) + along(node, 1) + along(node, 2) : along(node, axis);
        const auto at = field * static_cast<std::size_t>(n[0] * n[1] * n[2]) +
                        static_cast<std::size_t>(place(node));
        const auto found = static_cast<double>(elements[at]);
        if (std::abs(found - right) <= allowed) continue;  // NaN is not
        return fmt::format("{} at node [{}][{}][{}] is {:.17g}, where {:.17g} is right",
                           second        ? "the Laplacian"
                           : fields == 1 ? "the derivative"
                                         : fmt::format("the derivative along {}", "zyx"[axis]),
                           node[0], node[1], node[2], found, right);
      }
    }
    return {};
  }
};

}  // namespace

Judgement judge(const Problem& p, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  const auto nodes =
      static_cast<std::uint64_t>(p.size.at("nx") * p.size.at("ny") * p.size.at("nz"));
  return held(p,
              fmt::format("derivatives at {} drawn nodes, recomputed in double precision",
                          std::min(nodes, most_drawn) + 4 * beside),
              array, nodes * fields_of(p),
              [&]<class T>(T) { return Truth<T>{p}.fault(array, instance.stream()); });
}

}  // namespace portcost::derivatives
