// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn numbers recomputed from the input, with the trips and the
// maps written out here, not taken from what the variants share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "variants/divergence/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::divergence {

namespace {

constexpr std::uint64_t most_drawn = 1024, most_maps = std::uint64_t{1} << 28;

float mapped(const Problem& problem, bool loops, std::uint64_t i) {
  const auto lane = static_cast<std::int64_t>(i % 32);
  const bool other = !loops && lane < problem.size.at("diverging");
  const std::int64_t trips = loops ? 6 + lane % 3 : 8;
  float x = number(problem.seed, i);
  for (std::int64_t k = 0; k < 16 * trips * problem.size.at("trip"); ++k) {
    x = other ? std::fma(-x, x, 1.9f) : std::fma(x, x, -1.9f);
  }
  return x;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::vector<Known<float>>> remembered;
  const bool loops = step.starts_with("loop");
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const auto& truth = remembered.of(problem, step, [&] {
    const auto maps = static_cast<std::uint64_t>(128 * problem.size.at("trip") + 1);
    return drawn_known(n, std::clamp<std::uint64_t>(most_maps / maps, 1, most_drawn), problem.seed,
                       [&](std::uint64_t i) { return mapped(problem, loops, i); });
  });
  return held_against(truth, fmt::format("{} of {} numbers, recomputed", truth.size(), n),
                      answer.at("out"), n, instance);
}

}  // namespace portcost::divergence
