// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: the sum of the input's function of its index.
#include "variants/in_flight/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::in_flight {

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::uint32_t> remembered;
  const std::uint32_t right = remembered.of(problem, step, [&] {
    const std::int64_t n = problem.size.at("n");
    std::uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) {
      sum += static_cast<std::uint32_t>(element(problem.seed, static_cast<std::uint64_t>(i)));
    }
    return sum;
  });
  return held_against<std::int32_t>({{0, static_cast<std::int32_t>(right)}},
                                    "the sum of the inputs, made anew", answer.at("sum"), 1,
                                    instance);
}

}  // namespace portcost::in_flight
