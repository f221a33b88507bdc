// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: all elements of the input, made anew, and poison between rows.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/contract/truth.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

template <class T>
bool is_poison(const T& value) {
  std::byte of[sizeof(T)];
  std::memcpy(of, &value, sizeof(T));
  return std::all_of(of, of + sizeof(T), [](std::byte b) { return b == std::byte{0xFF}; });
}

template <class T>
std::string fault(const Problem& p, const Array& array, const Stream& stream) {
  const std::int64_t n = p.size.at("n"), pitch = n + p.size.at("gap");
  const std::int64_t plane = p.size.at("count") / p.parameters.whole("planes") + 1;
  const auto wrong = first_wrong<T>(array, stream, [&](std::uint64_t at, T found) {
    const auto i = static_cast<std::int64_t>(at), row = i / pitch, column = i % pitch;
    const bool between = column >= n || (row + 1) % plane == 0;
    return between ? is_poison(found) : found == element<T>(p.seed, row - row / plane, column);
  });
  if (!wrong) return {};
  const T found = wrong->value;
  const auto at = static_cast<std::int64_t>(wrong->at), row = at / pitch, column = at % pitch;
  const std::int64_t before = row - ((row + 1) % plane == 0), i = before - before / plane;
  if (column >= n || before < row) {
    return fmt::format("element {} after row {} was written to: {:.17g}",
                       (row - before) * pitch + column - n, i, found);
  }
  return fmt::format("element {} of row {} is {:.17g}, where {:.17g} is right", column, i, found,
                     element<T>(p.seed, i, column));
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  const auto all = static_cast<std::uint64_t>(all_rows(problem) *
                                              (problem.size.at("n") + problem.size.at("gap")));
  return held(problem, "all elements, made anew, and poison between rows", array, all,
              [&]<class T>(T) { return fault<T>(problem, array, instance.stream()); });
}

}  // namespace portcost::transfer_batching
