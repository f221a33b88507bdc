// SPDX-License-Identifier: Apache-2.0
// The check of an answer: all counts, from keys that are recomputed one by one.
#include <fmt/format.h>

#include "variants/histogram/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::histogram {

namespace {

std::vector<Known<std::uint32_t>> count_anew(const Problem& problem) {
  const auto bins = static_cast<unsigned>(problem.size.at("bins"));
  const std::int64_t n = problem.size.at("n");
  const Skew skew = skew_of(problem);
  std::vector<Known<std::uint32_t>> counts;
  for (unsigned bin = 0; bin < bins; ++bin) counts.push_back({bin, 0});
#pragma omp parallel
  {
    std::vector<std::uint32_t> mine(bins, 0);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      ++mine[key_of(skew, problem.seed, static_cast<std::uint64_t>(i), bins)];
    }
#pragma omp critical
    for (unsigned bin = 0; bin < bins; ++bin) counts[bin].value += mine[bin];
  }
  return counts;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::vector<Known<std::uint32_t>>> remembered;
  const auto& truth = remembered.of(problem, {}, [&] { return count_anew(problem); });
  return held_against(truth, fmt::format("all {} counts, recomputed from the keys", truth.size()),
                      answer.at("counts"), truth.size(), instance);
}

}  // namespace portcost::histogram
