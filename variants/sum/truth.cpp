// SPDX-License-Identifier: Apache-2.0
// The check of an answer: the exact sum, which compare() recomputes from the rule.
#include <fmt/format.h>

#include "variants/sum/problem.hpp"

namespace portcost::sum {

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const double allowed = bound(problem, truth_of(problem));
  return {allowed > 0 ? fmt::format("the exact sum, recomputed; allowed error {:.3g}", allowed)
                      : std::string("the sum, recomputed"),
          compare(problem, answer, answer, instance.stream()).text};
}

}  // namespace portcost::sum
