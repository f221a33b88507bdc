// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn places of it, each either an element made anew from the
// input's function of its index, or one that the step must leave as it was.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/contract/truth.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

constexpr std::uint64_t most_drawn = 4096;

// Which element of the input a place of the answer has; nothing where none is written.
std::optional<std::int64_t> element_at(const Problem& p, std::string_view step, std::int64_t at) {
  const std::int64_t n = p.size.at("n"), offset = p.size.at("offset"), stride = p.size.at("stride");
  const std::int64_t columns = p.size.at("columns");
  if (step == "packed_rows") {
    if (at < rows_of(p) * columns) return at;
    return {};
  }
  if (step == "padded_rows") {
    const int pitch = pitch_of(static_cast<int>(columns), static_cast<int>(bytes(p.type)));
    if (at / pitch < rows_of(p) && at % pitch < columns) return at;
    return {};
  }
  if (step == "reads") {
    if (at < n) return offset + at * stride;
    return {};
  }
  if (at < offset || (at - offset) % stride != 0 || (at - offset) / stride >= n) return {};
  if (step == "writes") return (at - offset) / stride;
  return at;
}

// Drawn ones, most of which a large stride leaves out, and as many that are written; and around the
// ends of what is.
std::vector<std::int64_t> places(const Problem& p, std::int64_t length) {
  std::vector<std::int64_t> result;
  for (const std::uint64_t at : drawn(static_cast<std::uint64_t>(length), most_drawn, p.seed)) {
    result.push_back(static_cast<std::int64_t>(at));
  }
  const std::int64_t n = p.size.at("n"), stride = p.size.at("stride");
  for (const std::uint64_t i : drawn(static_cast<std::uint64_t>(n), most_drawn, p.seed + 1)) {
    result.push_back(p.size.at("offset") + static_cast<std::int64_t>(i) * stride);
    result.push_back(static_cast<std::int64_t>(i));
  }
  const std::int64_t columns = p.size.at("columns"), rows = rows_of(p);
  const int pitch = pitch_of(static_cast<int>(columns), static_cast<int>(bytes(p.type)));
  for (std::int64_t near = -2; near <= 2; ++near) {
    for (const std::int64_t end : {n, columns, rows * columns, (rows - 1) * pitch + columns}) {
      const std::int64_t at = end + near;
      if (at >= 0 && at < length) result.push_back(at);
    }
  }
  return result;
}

template <class T>
std::string fault(const Problem& p, std::string_view step, const Array& answer,
                  const Stream& stream) {
  const Elements<T> elements(answer, stream);
  for (const std::int64_t at : places(p, length_of(p))) {
    const std::optional<std::int64_t> from = element_at(p, step, at);
    const T found = elements[static_cast<std::uint64_t>(at)];
    if (!from) {
      if (std::isnan(found)) continue;  // as it was poisoned
      return fmt::format("element {} is {:.17g}, where nothing is to be written", at, found);
    }
    const T right = element<T>(p.seed, static_cast<std::uint64_t>(*from));
    if (found == right) continue;  // NaN is not
    return fmt::format("element {} is {:.17g}, where {:.17g} is right", at, found, right);
  }
  return {};
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  const auto all = static_cast<std::uint64_t>(length_of(problem));
  const auto copied = static_cast<std::uint64_t>(problem.size.at("n"));
  return held(problem,
              fmt::format("{} drawn elements, made anew from the input, and what lies between",
                          std::min(all, most_drawn) + 2 * std::min(copied, most_drawn)),
              array, all,
              [&]<class T>(T) { return fault<T>(problem, step, array, instance.stream()); });
}

}  // namespace portcost::strides
