// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: all counts, from keys that are recomputed one by one.
#include <fmt/format.h>

#include "src/contract/truth.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::histogram {

namespace {

std::vector<std::uint32_t> count_anew(const Problem& problem) {
  const auto bins = static_cast<unsigned>(problem.size.at("bins"));
  const std::int64_t n = problem.size.at("n");
  const Skew skew = skew_of(problem);
  std::vector<std::uint32_t> counts(bins, 0);
#pragma omp parallel
  {
    std::vector<std::uint32_t> mine(bins, 0);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      ++mine[key_of(skew, problem.seed, static_cast<std::uint64_t>(i), bins)];
    }
#pragma omp critical
    for (unsigned bin = 0; bin < bins; ++bin) counts[bin] += mine[bin];
  }
  return counts;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("counts");
  static Remembered<std::vector<std::uint32_t>> remembered;
  const auto& truth = remembered.of(problem, {}, [&] { return count_anew(problem); });
  Judgement result{fmt::format("all {} counts, recomputed from the keys", truth.size()),
                   shape_fault(array, ElementType::i32, truth.size())};
  if (!result.fault.empty()) return result;
  const Elements<std::uint32_t> found(array, instance.stream());
  for (std::size_t bin = 0; bin < truth.size(); ++bin) {
    if (found[bin] == truth[bin]) continue;
    result.fault = fmt::format("bin {} has {}, where {} is right", bin, found[bin], truth[bin]);
    break;
  }
  return result;
}

}  // namespace portcost::histogram
