// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: the whole input, made anew, and poison beyond its end.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/contract/truth.hpp"
#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

namespace {

// Word `at`: beyond the array's end its bytes are as they were before the run.
std::uint32_t right_word(const Problem& p, std::uint64_t at) {
  const auto bytes = static_cast<std::uint64_t>(p.size.at("bytes"));
  std::uint32_t result = 0xFFFF'FFFF;
  const std::uint32_t given = word_of(p.seed, at);
  std::memcpy(&result, &given, std::min<std::uint64_t>(4, bytes - 4 * at));
  return result;
}

std::string fault(const Problem& p, const Array& array, const Stream& stream) {
  const auto wrong = first_wrong<std::uint32_t>(
      array, stream,
      [&](std::uint64_t at, std::uint32_t found) { return found == right_word(p, at); });
  if (!wrong) return {};
  return wrong_element(array, wrong->at, fmt::format("{:#010x}", wrong->value),
                       fmt::format("{:#010x}", right_word(p, wrong->at)));
}

// What the step's memory turned out to be.
std::string memory_of(std::string_view step, const Arrays& arrays) {
  for (const Route& route : routes) {
    if (route.step == step) return arrays.described(route.kind, route.direction);
  }
  return arrays.described(HostKind::pageable, Direction::within_host);
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  const auto words =
      ceil_div(static_cast<std::uint64_t>(problem.size.at("bytes")), std::uint64_t{4});
  Judgement result{"all bytes, made anew", shape_fault(array, ElementType::i32, words)};
  if (const auto* held = dynamic_cast<const InstanceOf<Transfer>*>(&instance)) {
    const std::string memory = memory_of(step, *held->work(0).arrays);
    if (!memory.empty()) result.truth += "; " + memory;
  }
  if (result.fault.empty()) result.fault = fault(problem, array, instance.stream());
  return result;
}

}  // namespace portcost::transfer_bandwidth
