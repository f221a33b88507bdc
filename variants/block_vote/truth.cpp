// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn tiles, asked element by element, with the questions
// written out here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "variants/block_vote/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::block_vote {

namespace {

constexpr std::size_t most_drawn = 1024;

using Says = std::array<std::int32_t, 3>;

template <class T>
Says ask(const Problem& problem, std::uint64_t number) {
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  Says tile{0, 0, 1};
  for (std::uint64_t i = 1024 * number; i < std::min(n, 1024 * (number + 1)); ++i) {
    const T x = element_of<T>(problem.seed, i);
    if (x != 0) ++tile[0];
    if (std::isnan(x)) tile[1] = 1;
    if (!(0 <= x && x <= 1)) tile[2] = 0;
  }
  return tile;
}

std::vector<Known<std::int32_t>> ask_drawn(const Problem& problem, std::uint64_t tiles) {
  std::vector<Known<std::int32_t>> result;
  for (const std::uint64_t number : drawn(tiles, most_drawn, problem.seed)) {
    const Says says = typed(problem, [&]<class T>(T) { return ask<T>(problem, number); });
    for (std::size_t i = 0; i < says.size(); ++i) result.push_back({3 * number + i, says[i]});
  }
  return result;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::vector<Known<std::int32_t>>> remembered;
  const auto tiles = (static_cast<std::uint64_t>(problem.size.at("n")) + 1023) / 1024;
  const auto& truth = remembered.of(problem, {}, [&] { return ask_drawn(problem, tiles); });
  return held_against(truth, fmt::format("{} of {} tiles, recomputed", truth.size() / 3, tiles),
                      answer.at("tiles"), 3 * tiles, instance);
}

}  // namespace portcost::block_vote
