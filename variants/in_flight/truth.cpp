// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: the sum of the input's function of its index.
#include <string>

#include "src/contract/truth.hpp"
#include "variants/in_flight/problem.hpp"

namespace portcost::in_flight {

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::uint32_t> remembered;
  const Array& array = answer.at("sum");
  Judgement result{"the sum of the inputs, made anew", shape_fault(array, ElementType::i32, 1)};
  if (!result.fault.empty()) return result;
  const std::uint32_t right = remembered.of(problem, step, [&] {
    const std::int64_t n = problem.size.at("n");
    std::uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) {
      sum += static_cast<std::uint32_t>(element(problem.seed, static_cast<std::uint64_t>(i)));
    }
    return sum;
  });
  const std::int32_t found = Elements<std::int32_t>(array, instance.stream())[0];
  if (static_cast<std::uint32_t>(found) != right) {
    result.fault = wrong_element(array, 0, std::to_string(found),
                                 std::to_string(static_cast<std::int32_t>(right)));
  }
  return result;
}

}  // namespace portcost::in_flight
