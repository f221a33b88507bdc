// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn numbers recomputed in closed form. A kernel is an affine
// map modulo 2^32, so `kernels` of them are found by squaring.
#include <fmt/format.h>

#include "variants/launches/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::launches {

namespace {

constexpr std::uint64_t most_drawn = 4096;

std::uint32_t input(const Problem& problem, std::uint64_t at) {
  return static_cast<std::uint32_t>(random_bits(problem.seed, at));
}

std::uint32_t mapped(const Problem& problem, std::uint64_t i) {
  const auto words = static_cast<std::uint64_t>(problem.size.at("bytes") / 4 - 4);
  std::uint32_t factor = 1'664'525, term = input(problem, (1 << 20) + i % words) | 1;
  std::uint32_t result = input(problem, i);
  for (std::int64_t left = problem.size.at("kernels"); left > 0; left /= 2) {
    if (left % 2 == 1) result = factor * result + term;
    term += factor * term;
    factor *= factor;
  }
  return result;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::vector<Known<std::uint32_t>>> remembered;
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const auto& truth = remembered.of(problem, step, [&] {
    return drawn_known(n, most_drawn, problem.seed,
                       [&](std::uint64_t i) { return mapped(problem, i); });
  });
  return held_against(truth, fmt::format("{} of {} numbers, in closed form", truth.size(), n),
                      answer.at("x"), n, instance);
}

}  // namespace portcost::launches
