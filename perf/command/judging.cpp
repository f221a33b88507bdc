// SPDX-License-Identifier: Apache-2.0
#include "perf/command/judging.hpp"

#include <fmt/format.h>

namespace portcost {

namespace {

Finding judged(const Algorithm& algorithm, const Problem& problem,
               const std::vector<Answered>& answers, const Instance& instance) {
  const auto judgement_of = [&](const Answered& side) {
    return algorithm.judge(problem, side.variant->step, side.answer, instance);
  };
  const auto blamed = [&](const Answered& side, const std::string& fault) {
    return fmt::format("{} is wrong: {}", variant_name(algorithm, *side.variant), fault);
  };
  const Answered& first = answers.front();
  const Judgement judgement = judgement_of(first);
  Finding finding{judgement.truth, {}};
  for (std::size_t i = 1; i < answers.size(); ++i) {
    const Answered& other = answers[i];
    const Disagreement difference =
        algorithm.compare(problem, first.answer, other.answer, instance.stream());
    if (difference.agrees()) continue;
    finding.disagreement = fmt::format("{} against {}: {}", variant_name(algorithm, *first.variant),
                                       variant_name(algorithm, *other.variant), difference.text);
    const std::string fault = judgement_of(other).fault;
    if (!judgement.fault.empty()) finding.disagreement += "; " + blamed(first, judgement.fault);
    if (!fault.empty()) finding.disagreement += "; " + blamed(other, fault);
    return finding;
  }
  if (!judgement.fault.empty()) finding.disagreement = blamed(first, judgement.fault);
  return finding;
}

}  // namespace

Finding judge_answers(const Algorithm& algorithm, const Problem& problem,
                      const std::vector<Answered>& answers, const Instance& instance) {
  const Ranks& ranks = instance.stream().ranks();
  Finding finding;
  ranks.together([&] {
    if (ranks.is_first()) finding = judged(algorithm, problem, answers, instance);
  });
  return {ranks.from_first(finding.truth), ranks.from_first(finding.disagreement)};
}

}  // namespace portcost
