// SPDX-License-Identifier: Apache-2.0
// random: n random numbers in memory, n >= 0. Plain C++.
//
//   out[i] = number i of the seed's sequence (rule.hpp), or a number of a library's generator
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "src/contract/rung.hpp"
#include "src/support/host_device.hpp"
#include "variants/random/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::random {

inline constexpr std::int64_t most_numbers = std::int64_t{1} << 38;
inline constexpr std::array<std::string_view, 2> numbers_names{"uniform", "normal"};
inline constexpr std::array<std::string_view, 2> pool_names{"64", "1024"};

/// The array that every variant receives, 256-byte aligned.
template <class Rule_>
struct Filling {
  using Rule = Rule_;
  using T = typename Rule::T;
  T* out;
  std::uint64_t n;
  PhiloxSeed seed;
  int processors;  // multiprocessors, or host threads
  int pool;        // 64 or 1024: the generator of Kokkos's pool
  bool* own;       // set by variants whose numbers a library makes
};

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// A team fills tiles of `groups` groups of `calls` calls; an item fills one group. many_calls has
/// `teams` teams per processor.
struct Shape {
  int threads, groups, calls, teams;
};
/// The shape of many_calls; one_number and one_call have groups of one call.
PORTCOST_HOST_DEVICE constexpr Shape shape_in(Place place) {
  return place == Place::device ? Shape{256, 256, 1, 8} : Shape{1, 128, 32, 1};
}
/// Items of a team in one_number (numbers) and one_call (calls).
PORTCOST_HOST_DEVICE constexpr int items_in(Place place) {
  return place == Place::device ? shape_in(place).threads : 4096;
}

/// One team's tiles: on a device every `teams`-th tile, on a host consecutive tiles.
struct Tiles {
  std::uint64_t first, end, step;
};
PORTCOST_HOST_DEVICE constexpr Tiles tiles_of(Place place, std::uint64_t tiles, int team,
                                              int teams) {
  const auto rank = static_cast<std::uint64_t>(team), all = static_cast<std::uint64_t>(teams);
  if (place == Place::device) return {rank, tiles, all};
  const std::uint64_t each = ceil_div(tiles, all), first = rank * each;
  return {first, first + each < tiles ? first + each : tiles, 1};
}
/// The number of teams of many_calls, at most one per tile.
constexpr int teams_of(Place place, std::uint64_t tiles, int processors) {
  const auto most = static_cast<std::uint64_t>(processors * shape_in(place).teams);
  return static_cast<int>(std::min(most, tiles));
}

/// Numbers that a device thread draws each time it takes a generator from a pool.
inline constexpr int draws = 64;

/// The work that a variant receives, and Algorithm's compare and judge (truth.cpp).
template <class T, Kind kind>
using Fill = Filling<Rule<T, kind>>;
inline constexpr Works<Fill<float, Kind::uniform>, Fill<float, Kind::normal>,
                       Fill<double, Kind::uniform>, Fill<double, Kind::normal>>
    works;
Disagreement compare(const Problem&, const Answer&, const Answer&, const Stream&);
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::random
