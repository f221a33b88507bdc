// SPDX-License-Identifier: Apache-2.0
// The check of an answer: the sums of neighbours are known without adding (rule.hpp).
#include <fmt/format.h>

#include "src/contract/truth.hpp"
#include "variants/scan/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::scan {

namespace {

template <class T>
Judgement judge_as(const Problem& problem, const Answer& answer, const Instance& instance) {
  constexpr std::size_t most_drawn = 4096;
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const auto known = drawn_known(n, most_drawn, problem.seed,
                                 [&](std::uint64_t i) { return prefix<T>(problem.seed, i); });
  return held_against(known, fmt::format("{} of {} sums, known without adding", known.size(), n),
                      answer.at("sums"), n, instance);
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  if (problem.type == ElementType::i32) return judge_as<Word>(problem, answer, instance);
  return typed(problem, [&]<class T>(T) { return judge_as<T>(problem, answer, instance); });
}

}  // namespace portcost::scan
