// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a thread adds what its paths pay, then one thread adds the partial sums.
#include "variants/options/problem.hpp"

namespace portcost::options {

namespace {

constexpr Shape shape = shape_in(Place::host);

// The sums of add(team, sums) for all teams, added in the teams' order.
template <class T, class Add>
void add_teams(const Simulation<T>& s, std::uint64_t teams, const Add& add) {
#pragma omp parallel for schedule(static) if (teams > 1)
  for (std::int64_t team = 0; team < static_cast<std::int64_t>(teams); ++team) {
    Sums sums;
    add(static_cast<unsigned>(team), sums);
    s.partials[0][team] = sums;
  }
  Sums total;
  for (std::uint64_t team = 0; team < teams; ++team) total += s.partials[0][team];
  *s.out = total;
}

constexpr auto one_path = []<class T>(const Simulation<T>& s, const Stream&) {
  add_teams(s, teams_of_paths(shape, s.paths), [&](unsigned team, Sums& sums) {
    const std::uint64_t first = std::uint64_t{team} * shape.paths;
    const std::uint64_t end = std::min(first + shape.paths, s.paths);
    for (std::uint64_t p = first; p < end; ++p) sums.add(payoff_of_path<false>(s.terms, p));
  });
};

constexpr auto many_paths = []<class T>(const Simulation<T>& s, const Stream&) {
  const std::uint64_t teams = teams_of_groups<T>(Place::host, s.paths, s.processors);
  add_teams(s, teams, [&](unsigned team, Sums& sums) {
    for (std::uint64_t group = team; group < groups_of<T>(s.paths); group += teams) {
      const Payoffs<T> paid = payoffs<false>(s.terms, group);
      for (unsigned i = 0; i < paths_of_a_group<T>; ++i) {
        if (group * paths_of_a_group<T> + i < s.paths) sums.add(paid.at[i]);
      }
    }
  });
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "one_path", one_path).unless(no_fast_functions<Place::host>),
          rung(works, "many_paths", many_paths).unless(no_fast_functions<Place::host>)};
}

}  // namespace portcost::options
