// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: the whole input, made anew, and poison beyond its end.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

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

// The first word of a piece that is not right, or -1.
std::int64_t first_wrong(const Problem& p, const std::vector<std::uint32_t>& piece,
                         std::uint64_t first) {
  const auto count = static_cast<std::int64_t>(piece.size());
  std::int64_t wrong = count;
#pragma omp parallel for schedule(static) reduction(min : wrong)
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i < wrong && piece[at] != right_word(p, first + at)) wrong = i;
  }
  return wrong < count ? wrong : -1;
}

std::string fault(const Problem& p, const Array& array, std::uint64_t words, const Stream& stream) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;  // of a piece
  for (std::uint64_t first = 0; first < words; first += most) {
    const auto piece = on_host<std::uint32_t>(array, first, std::min(most, words - first), stream);
    const std::int64_t wrong = first_wrong(p, piece, first);
    if (wrong < 0) continue;
    const std::uint64_t at = first + static_cast<std::uint64_t>(wrong);
    return wrong_element(array, at, fmt::format("{:#010x}", piece[static_cast<std::size_t>(wrong)]),
                         fmt::format("{:#010x}", right_word(p, at)));
  }
  return {};
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
  if (result.fault.empty()) result.fault = fault(problem, array, words, instance.stream());
  return result;
}

}  // namespace portcost::transfer_bandwidth
