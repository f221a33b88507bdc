// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn numbers recomputed from the input, with the trips and the
// maps written out here, not taken from what the variants share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/contract/truth.hpp"
#include "variants/divergence/problem.hpp"

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

struct Mapped {
  std::uint64_t at;
  float value;
};

std::vector<Mapped> map_drawn(const Problem& problem, bool loops) {
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const auto maps = static_cast<std::uint64_t>(128 * problem.size.at("trip") + 1);
  std::vector<Mapped> result;
  for (const std::uint64_t i :
       drawn(n, std::clamp<std::uint64_t>(most_maps / maps, 1, most_drawn), problem.seed)) {
    result.push_back({i, mapped(problem, loops, i)});
  }
  return result;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  static Remembered<std::vector<Mapped>> remembered;
  const bool loops = step.starts_with("loop");
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const auto& truth = remembered.of(problem, step, [&] { return map_drawn(problem, loops); });
  Judgement result{fmt::format("{} of {} numbers, recomputed", truth.size(), n),
                   shape_fault(array, ElementType::f32, n)};
  if (!result.fault.empty()) return result;
  const Elements<float> elements(array, instance.stream());
  for (const Mapped& one : truth) {
    const float found = elements[one.at];
    if (found == one.value) continue;
    result.fault = wrong_element(array, one.at, fmt::format("{:.9g}", found),
                                 fmt::format("{:.9g}", one.value));
    break;
  }
  return result;
}

}  // namespace portcost::divergence
