// SPDX-License-Identifier: Apache-2.0
// The check of an answer: the words of drawn groups in drawn rounds, recomputed and added up.
#include <fmt/format.h>

#include <algorithm>

#include "variants/message_passing/problem.hpp"
#include "variants/shared/known_elements.hpp"

namespace portcost::message_passing {

namespace {

constexpr std::uint64_t most_drawn = 1024, most_words = std::uint64_t{1} << 26;

auto add_drawn(const Problem& problem, std::uint64_t groups, std::uint64_t sums) {
  const auto words =
      static_cast<std::uint64_t>(problem.size.at("members") * problem.size.at("words"));
  const auto most = std::clamp<std::uint64_t>(most_words / words, 1, most_drawn);
  return drawn_known(sums, most, problem.seed, [&](std::uint64_t at) {
    const std::uint64_t round = at / groups, group = at % groups;
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < words; ++i) {
      sum += message_word(static_cast<std::uint32_t>(problem.seed),
                          static_cast<std::uint32_t>(round), group * words + i);
    }
    return sum;
  });
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::vector<Known<std::uint32_t>>> remembered;
  const auto groups = static_cast<std::uint64_t>(problem.size.at("groups"));
  const std::uint64_t sums = groups * static_cast<std::uint64_t>(problem.size.at("rounds"));
  const auto& truth = remembered.of(problem, {}, [&] { return add_drawn(problem, groups, sums); });
  return held_against(truth, fmt::format("{} of {} sums, recomputed", truth.size(), sums),
                      answer.at("sums"), sums, instance);
}

}  // namespace portcost::message_passing
