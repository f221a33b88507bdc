// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a thread adds a team's rows, all lanes of a row at a time; then one thread
// joins the teams.
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

// The sum of a team's rows.
template <class Step, class T>
auto add_team(const Launched<T>& s, std::uint64_t team) {
  constexpr unsigned width = row<T>;
  const std::uint64_t first = team * s.rows * width;
  const std::uint64_t end = std::min(s.n, first + std::uint64_t{s.rows} * width);
  typename Step::template Of<T> sums[width];
  if constexpr (Step::pairs) {
    const auto number = [&](std::uint64_t i) { return i < end ? s.in[i] : T(0); };
    const auto add = [&](const auto& at) {
      for (unsigned j = 0; j < width; ++j) {
        T of[pair_rows];
        for (unsigned k = 0; k < pair_rows; ++k) of[k] = at(first + k * width + j);
        sums[j].sum = add_pairs(of);
      }
    };
    end - first == pair_rows* width ? add([&](std::uint64_t i) { return s.in[i]; }) : add(number);
  } else {
    std::uint64_t i = first;
    for (; end - i >= width && i < end; i += width) {
      for (unsigned j = 0; j < width; ++j) sums[j].add(s.in[i + j]);
    }
    for (unsigned j = 0; i + j < end; ++j) sums[j].add(s.in[i + j]);
  }
  for (unsigned thread = 0; thread < threads; ++thread) {
    Step::template join<lanes_of_a_thread<T>>(sums + thread * lanes_of_a_thread<T>);
    sums[thread] = sums[thread * lanes_of_a_thread<T>];
  }
  Step::template join<threads>(sums);
  return sums[0];
}

template <class T>
void add(Serial, const Numbers<T>& s) {
  T sum = 0;
  for (std::uint64_t i = 0; i < s.n; ++i) sum += s.in[i];
  s.out[0] = sum;
  s.out[1] = 0;
}

template <class Step, class T>
void add(Step, const Numbers<T>& s) {
  using Sum = typename Step::template Of<T>;
  const auto add_teams = [](const Launched<T>& one, int teams) {
    auto* const sums = static_cast<Sum*>(one.partials);
#pragma omp parallel for schedule(static) if (teams > 1)
    for (int team = 0; team < teams; ++team) {
      sums[team] = add_team<Step>(one, static_cast<std::uint64_t>(team));
    }
    if (one.out != nullptr) sums[0].store(one.out);
  };
  launch_all(Step(), s, add_teams, [&](const Sum* from, int teams) {
    Sum sums[most_teams];
    std::copy_n(from, teams, sums);
    Step::template join<most_teams>(sums);
    sums[0].store(s.out);
  });
}

}  // namespace

Rungs openmp_rungs() {
  return each_method([]<class Step>(Step, std::string_view name) {
    return rung(works, name, [](const auto& s, const Stream&) { add(Step(), s); });
  });
}

}  // namespace portcost::summation
