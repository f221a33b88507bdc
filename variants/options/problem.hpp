// SPDX-License-Identifier: Apache-2.0
// options: the price of a European call by paths of the underlying price. Plain C++.
//
//   out = sum over paths of p and of p^2,   p = max(S - strike, 0),   S = spot exp(x)
//   x = the sum over steps of (rate - volatility^2 / 2) dt + volatility sqrt(dt) z
//   dt = years / steps
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/contract/rung.hpp"
#include "src/support/error.hpp"
#include "variants/options/rule.hpp"
#include "variants/shared/fast_math.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::options {

/// One problem as every variant receives it.
template <class T>
struct Simulation {
  Terms<T> terms;
  std::uint64_t paths;
  Sums* out;          // one element
  Sums* partials[2];  // sums between launches: partials_of() elements, teams_to_add() of these
  bool fast;          // math=fast
  int processors;     // multiprocessors, or host threads
};

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// A team has warps * lanes items; an item has `paths` paths in one_path, or adds `partials`
/// partial sums. On a host a team is one item.
struct Shape {
  unsigned warps, lanes, paths, partials;
  PORTCOST_HOST_DEVICE constexpr unsigned threads() const { return warps * lanes; }
};
PORTCOST_HOST_DEVICE constexpr Shape shape_in(Place place) {
  return place == Place::device ? Shape{8, 32, 1, 16} : Shape{1, 1, 4096, 1 << 16};
}
/// many_paths: the teams of a multiprocessor; a host's thread has one team. Items of all teams
/// stride over the groups; there is at most one team per 256 groups, rounded up.
inline constexpr unsigned teams_a_processor = 8, least_groups = 256;

template <class T>
PORTCOST_HOST_DEVICE constexpr std::uint64_t groups_of(std::uint64_t paths) {
  return ceil_div(paths, static_cast<std::uint64_t>(paths_of_a_group<T>));
}
/// The teams of one_path.
constexpr std::uint64_t teams_of_paths(Shape shape, std::uint64_t paths) {
  return ceil_div(paths, std::uint64_t{shape.threads()} * shape.paths);
}
/// The teams of many_paths.
template <class T>
constexpr std::uint64_t teams_of_groups(Place place, std::uint64_t paths, int processors) {
  const auto most =
      static_cast<std::uint64_t>(processors) * (place == Place::device ? teams_a_processor : 1);
  return std::min(ceil_div(groups_of<T>(paths), std::uint64_t{least_groups}), most);
}
/// The teams that add up `count` partial sums.
constexpr std::uint64_t teams_to_add(Shape shape, std::uint64_t count) {
  return ceil_div(count, std::uint64_t{shape.threads()} * shape.partials);
}
/// The most partial sums of a step: in a device's shape, which tests run on a host.
constexpr std::uint64_t partials_of(std::uint64_t paths, int processors) {
  return std::max(teams_of_paths(shape_in(Place::device), paths),
                  static_cast<std::uint64_t>(processors) * teams_a_processor);
}
/// Adds up the partial sums of `teams` teams, in a fixed order: repeats launch(from, count, to,
/// teams) until one sum is left, in `out`.
template <class T, class Launch>
void add_up(Shape shape, const Simulation<T>& s, std::uint64_t teams, const Launch& launch) {
  const Sums* from = s.partials[0];
  for (int other = 1;; other ^= 1) {
    const std::uint64_t count = teams;
    teams = teams_to_add(shape, count);
    Sums* const to = teams == 1 ? s.out : s.partials[other];
    launch(from, count, to, static_cast<int>(teams));
    if (teams == 1) return;
    from = to;
  }
}

// ---- Parameters and agreement.

template <class T>
Terms<T> terms_of(const Problem& problem);

/// By the formula of Black, Scholes and Merton (1973).
struct ClosedForm {
  double price, deviation;  // of one path's discounted payoff
};
ClosedForm closed_form(const Problem& problem);

/// The largest allowed differences of a problem's sums from the exact sums.
Sums bound(const Problem& problem, const Sums& sums);

Disagreement compare(const Problem&, const Answer&, const Answer&, const Stream&);

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Simulation<float>, Simulation<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::options
