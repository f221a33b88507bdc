// SPDX-License-Identifier: Apache-2.0
// summation: the sum of n numbers, n >= 0, by methods that differ in rounding. Plain C++.
//
//   out[0] + out[1] = in[0] + in[1] + ... + in[n - 1], rounded; only kahan and wide_accumulator
//   have out[1] other than 0
//
// Each step has one order of additions, the same in all models and places:
//
//   a row      4096 bytes of numbers; a lane is a column of rows
//   a team     plan_of(n).rows rows; it adds each lane's numbers sequentially (pairwise: eight
//              rows as a tree), then joins the lanes of each of 256 threads, then the threads
//   the end    the teams' sums are joined (pairwise: the next launch adds the sums)
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/contract/rung.hpp"
#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"
#include "variants/summation/rule.hpp"

namespace portcost::summation {

/// One problem as every variant receives it. `in` is 256-byte aligned, as every Buffer is.
template <class T>
struct Numbers {
  const T* in;
  std::uint64_t n;
  T* out;             // two elements: the pair
  void* partials[2];  // accumulators that a launch leaves for the next, bytes_of_partials(n)
  void* lanes;        // accumulators of all lanes of a launch, for the usual way
};

/// A launch on `n` numbers: each team adds `rows` rows and stores its accumulator in `partials`. If
/// there is one team, the team stores its pair in `out`, which is null otherwise.
template <class T>
struct Launched {
  const T* in;
  std::uint64_t n;
  unsigned rows;
  void* partials;
  T* out;
};

/// A team has warps * lanes items. On a host a team is one item with the lanes of all threads.
struct Shape {
  unsigned warps, lanes, pack_bytes;
  PORTCOST_HOST_DEVICE constexpr unsigned items() const { return warps * lanes; }
};
PORTCOST_HOST_DEVICE constexpr Shape shape_in(Place place) {
  return place == Place::device ? Shape{threads / 32, 32, 16} : Shape{1, 1, 64};
}
/// Numbers that are loaded at once.
template <class T, Place place>
struct alignas(shape_in(place).pack_bytes) Pack {
  static constexpr unsigned length = shape_in(place).pack_bytes / sizeof(T);
  T at[length];
};

struct Plan {
  unsigned rows, teams;
};
/// At least eight rows a team, and at least one team.
template <class T>
constexpr Plan plan_of(std::uint64_t n) {
  const std::uint64_t rows = ceil_div(n, std::uint64_t{row<T>});
  const auto wanted = std::clamp<std::uint64_t>(ceil_div(rows, std::uint64_t{8}), 1, most_teams);
  const std::uint64_t each = std::max<std::uint64_t>(1, ceil_div(rows, wanted));
  return {static_cast<unsigned>(each),
          static_cast<unsigned>(std::max<std::uint64_t>(1, ceil_div(rows, each)))};
}
template <class T>
constexpr std::uint64_t teams_of_pairs(std::uint64_t n) {
  return std::max<std::uint64_t>(1, ceil_div(n, std::uint64_t{pair_rows * row<T>}));
}
template <class T>
constexpr std::uint64_t bytes_of_partials(std::uint64_t n) {
  return std::max<std::uint64_t>(most_teams * 16, teams_of_pairs<T>(n) * sizeof(T));
}

template <class T>
constexpr std::uint64_t bytes_of_lanes(std::uint64_t n) {
  return row<T> * sizeof(T) *
         std::max<std::uint64_t>(2 * plan_of<T>(n).teams, teams_of_pairs<T>(n));
}

/// The launches of a step: add_teams(Launched, teams) and, for several teams of a step other than
/// pairwise, add_partials(accumulators, teams).
template <class Step, class T, class AddTeams, class AddPartials>
void launch_all(Step, const Numbers<T>& s, const AddTeams& add_teams,
                const AddPartials& add_partials) {
  if constexpr (Step::pairs) {
    const T* in = s.in;
    std::uint64_t n = s.n;
    for (int to = 0;; to ^= 1) {
      const std::uint64_t teams = teams_of_pairs<T>(n);
      add_teams(Launched<T>{in, n, pair_rows, s.partials[to], teams == 1 ? s.out : nullptr},
                static_cast<int>(teams));
      if (teams == 1) return;
      in = static_cast<const T*>(s.partials[to]);
      n = teams;
    }
  } else {
    const Plan p = plan_of<T>(s.n);
    const auto teams = static_cast<int>(p.teams);
    add_teams(Launched<T>{s.in, s.n, p.rows, s.partials[0], teams == 1 ? s.out : nullptr}, teams);
    using Sum = typename Step::template Of<T>;
    if (teams > 1) add_partials(static_cast<const Sum*>(s.partials[0]), teams);
  }
}

/// The reason why serial refuses a problem.
inline std::string_view too_many(const Problem& p) {
  return p.size.at("n") > most_serial ? "one thread adds at most 2^22 numbers" : "";
}

/// A table of all steps, from f(Method, name).
template <class F>
Rungs each_method(const F& f) {
  const auto no_wider = [](const Problem& p) {
    return p.type == ElementType::f64 ? "f64 has no wider type on a GPU" : "";
  };
  return {f(Serial(), "serial").unless(too_many),
          f(Chunks(), "chunks"),
          f(BlockTree(), "block_tree"),
          f(Pairwise(), "pairwise"),
          f(Kahan(), "kahan"),
          f(WideAccumulator(), "wide_accumulator").unless(no_wider)};
}

inline Data data_of(const Problem& problem) {
  return static_cast<Data>(problem.parameters.number_of("data", data_names));
}

/// The largest allowed errors of out[0] and out[0] + out[1]; `absolute` is the sum of absolute
/// values.
struct Bounds {
  double sum, pair;
};
Bounds bounds(std::string_view step, ElementType type, std::uint64_t n, double absolute);

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Numbers<float>, Numbers<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::summation
