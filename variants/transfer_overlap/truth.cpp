// SPDX-License-Identifier: Apache-2.0
// What an answer is held against: a(i) + 1, the exact answer, within the bound that rule.hpp
// derives. All elements count: by what they have increased, part by part, and one by one where the
// answer has them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "src/contract/truth.hpp"
#include "src/memory/host_memory.hpp"
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

namespace {

template <class T>
bool is_right(T increase, T bound) {
  return std::abs(increase - T(1)) <= bound;  // not of what is no number
}

// The first part with an element that has not increased by 1, and the largest error of all.
template <class T>
std::string fault_of_parts(const Answer& answer, std::int64_t n, const Stream& stream, T bound,
                           T& largest) {
  const Elements<T> least(answer.at("least"), stream), most(answer.at("most"), stream);
  const auto parts = static_cast<std::uint64_t>(ceil_div(n, part_elements));
  largest = 0;
  for (std::uint64_t part = 0; part < parts; ++part) {
    for (const T increase : {least[part], most[part]}) {
      if (is_right(increase, bound)) {
        largest = std::max(largest, std::abs(increase - T(1)));
        continue;
      }
      const std::int64_t first = static_cast<std::int64_t>(part) * part_elements;
      return fmt::format(
          "of elements {} to {} one has increased by {:.17g}, where 1 is right, within {:.3g}",
          first, std::min(n, first + part_elements) - 1, increase, bound);
    }
  }
  return {};
}

template <class T>
std::string fault_of_elements(const Problem& p, const Array& out, const Stream& stream, T bound) {
  const auto wrong = first_wrong<T>(out, stream, [&](std::uint64_t at, T now) {
    return is_right(now - element<T>(p.seed, at), bound);
  });
  if (!wrong) return {};
  return wrong_element(out, wrong->at, fmt::format("{:.17g}", wrong->value),
                       fmt::format("{:.17g}", element<T>(p.seed, wrong->at) + T(1)));
}

template <class T>
Judgement judged(const Problem& p, const Answer& answer, const Instance& instance) {
  const std::int64_t n = p.size.at("n");
  const bool whole = n * static_cast<std::int64_t>(sizeof(T)) <= most_bytes_kept;
  const auto parts = static_cast<std::uint64_t>(ceil_div(n, part_elements));
  const T bound = is_fast(p) ? largest_error<T, true> : largest_error<T>;
  Judgement result{fmt::format("all elements, exact within {:.3g}", bound), {}};
  for (const char* name : {"least", "most"}) {
    if (result.fault.empty()) result.fault = shape_fault(answer.at(name), p.type, parts);
  }
  if (result.fault.empty()) {
    result.fault = shape_fault(answer.at("out"), p.type, whole ? static_cast<std::uint64_t>(n) : 0);
  }
  if (!result.fault.empty()) return result;
  T largest = 0;
  result.fault = fault_of_elements<T>(p, answer.at("out"), instance.stream(), bound);
  if (result.fault.empty()) {
    result.fault = fault_of_parts<T>(answer, n, instance.stream(), bound, largest);
  }
  if (p.parameters.whole("host_work") > 0 && result.fault.empty()) {
    result.fault = fault_of_elements<T>(p, answer.at("own"), instance.stream(), largest_error<T>);
  }
  if (result.fault.empty()) result.truth += fmt::format("; largest error {:.3g}", largest);
  if (const auto* held = dynamic_cast<const InstanceOf<Overlap<T>>*>(&instance)) {
    const Overlap<T> s = held->work(0);
    const auto bytes = static_cast<std::size_t>(s.cut.n) * sizeof(T);
    result.truth +=
        fmt::format("; {} memory on {}",
                    s.pinned && instance.stream().place() == Place::device ? "pinned" : "pageable",
                    numa_nodes({reinterpret_cast<const std::byte*>(s.a), bytes}));
  }
  return result;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  return typed(problem, [&]<class T>(T) { return judged<T>(problem, answer, instance); });
}

}  // namespace portcost::transfer_overlap
