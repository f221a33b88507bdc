// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn tiles, asked element by element, with the questions
// written out here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/contract/truth.hpp"
#include "variants/block_vote/problem.hpp"

namespace portcost::block_vote {

namespace {

constexpr std::size_t most_drawn = 1024;

struct Tile {
  std::uint64_t number;
  std::array<std::int32_t, 3> says;
};

template <class T>
Tile ask(const Problem& problem, std::uint64_t number) {
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  Tile tile{number, {0, 0, 1}};
  for (std::uint64_t i = 1024 * number; i < std::min(n, 1024 * (number + 1)); ++i) {
    const T x = element_of<T>(problem.seed, i);
    if (x != 0) ++tile.says[0];
    if (std::isnan(x)) tile.says[1] = 1;
    if (!(0 <= x && x <= 1)) tile.says[2] = 0;
  }
  return tile;
}

std::vector<Tile> ask_drawn(const Problem& problem, std::uint64_t tiles) {
  std::vector<Tile> result;
  for (const std::uint64_t number : drawn(tiles, most_drawn, problem.seed)) {
    result.push_back(problem.type == ElementType::f64 ? ask<double>(problem, number)
                                                      : ask<float>(problem, number));
  }
  return result;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("tiles");
  static Remembered<std::vector<Tile>> remembered;
  const auto tiles = (static_cast<std::uint64_t>(problem.size.at("n")) + 1023) / 1024;
  const auto& truth = remembered.of(problem, {}, [&] { return ask_drawn(problem, tiles); });
  Judgement result{fmt::format("{} of {} tiles, recomputed", truth.size(), tiles),
                   shape_fault(array, ElementType::i32, 3 * tiles)};
  if (!result.fault.empty()) return result;
  const Elements<std::int32_t> elements(array, instance.stream());
  for (const Tile& tile : truth) {
    const std::uint64_t at = 3 * tile.number;
    const std::array found{elements[at], elements[at + 1], elements[at + 2]};
    if (found == tile.says) continue;
    result.fault = fmt::format("tile {} says {}, where {} is right", tile.number,
                               fmt::join(found, " "), fmt::join(tile.says, " "));
    break;
  }
  return result;
}

}  // namespace portcost::block_vote
