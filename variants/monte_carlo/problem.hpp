// SPDX-License-Identifier: Apache-2.0
// monte_carlo: the number of random points, of `pairs` in the unit square, that lie in the quarter
// circle: pi / 4 of all points on average. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "src/contract/rung.hpp"
#include "src/support/host_device.hpp"
#include "variants/monte_carlo/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::monte_carlo {

inline constexpr std::int64_t most_pairs = std::int64_t{1} << 34, most_stored = 1 << 30;

/// What every variant receives; all pointers are 256-byte aligned.
template <class T>
struct Drawing {
  std::uint64_t pairs;
  PhiloxSeed seed;
  std::uint64_t* hits;      // the answer
  std::uint64_t* partials;  // one per team of the largest launch
  T* numbers;               // 2 * pairs, for `stored` alone
  int processors;           // multiprocessors, or host threads

  PORTCOST_HOST_DEVICE std::uint64_t calls() const { return pairs / pairs_of_call<T>; }
  /// The pairs of an incomplete last call: 0, or 1 in f32.
  PORTCOST_HOST_DEVICE int rest() const { return static_cast<int>(pairs % pairs_of_call<T>); }
};

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// one_pair: a team makes `items` calls, one per item. In the other steps `teams` teams per
/// processor share the groups of `calls` calls; `stored` stores `stored` calls at a time.
struct Shape {
  int threads, items, teams, calls, stored;
};
PORTCOST_HOST_DEVICE constexpr Shape shape_in(Place place) {
  return place == Place::device ? Shape{256, 256, 6, 4, 1} : Shape{1, 4096, 1, 32, 32};
}

/// The teams of one_pair: at least one.
template <class T>
constexpr std::uint64_t teams_of_one_pair(Place place, std::uint64_t pairs) {
  const std::uint64_t calls = ceil_div(pairs, std::uint64_t{pairs_of_call<T>});
  const auto items = static_cast<std::uint64_t>(shape_in(place).items);
  return std::max<std::uint64_t>(1, ceil_div(calls, items));
}
/// The teams of the other steps.
constexpr int teams_of(Place place, int processors) { return processors * shape_in(place).teams; }

/// The type of a team's hits: on a device a team has at most 2^34 / 6 pairs.
template <Place place>
using HitsOfTeam = std::conditional_t<place == Place::device, std::uint32_t, std::uint64_t>;

/// A team's share of `all` items: [first, end).
struct Share {
  std::uint64_t first, end;
};
PORTCOST_HOST_DEVICE constexpr Share share_of(std::uint64_t all, int team, int teams) {
  const std::uint64_t each = ceil_div(all, static_cast<std::uint64_t>(teams));
  const std::uint64_t first = each * static_cast<std::uint64_t>(team);
  return {first < all ? first : all, first + each < all ? first + each : all};
}

inline std::string_view too_many_to_store(const Problem& p) {
  if (p.size.at("pairs") <= most_stored) return {};
  return "more than 2^30 pairs are too many to store";
}

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Drawing<float>, Drawing<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::monte_carlo
