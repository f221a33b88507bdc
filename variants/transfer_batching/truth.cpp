// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: all elements of the input, made anew, and poison between rows.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

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
  const std::int64_t count = all_rows(p), n = p.size.at("n"), pitch = n + p.size.at("gap");
  const std::int64_t plane = p.size.at("count") / p.parameters.whole("planes") + 1;
  const std::int64_t rows = std::max<std::int64_t>(1, (std::int64_t{1} << 24) / pitch);
  for (std::int64_t first = 0; first < count; first += rows) {
    const std::int64_t taken = std::min(rows, count - first), size = taken * pitch;
    const auto piece = on_host<T>(array, static_cast<std::size_t>(first * pitch),
                                  static_cast<std::size_t>(size), stream);
    std::int64_t wrong = size;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t row = first + i / pitch, column = i % pitch;
      const T found = piece[static_cast<std::size_t>(i)];
      const bool between = column >= n || (row + 1) % plane == 0;
      const bool right =
          between ? is_poison(found) : found == element<T>(p.seed, row - row / plane, column);
      if (!right && i < wrong) wrong = i;
    }
    if (wrong == size) continue;
    const std::int64_t row = first + wrong / pitch, column = wrong % pitch;
    const T found = piece[static_cast<std::size_t>(wrong)];
    const std::int64_t before = row - ((row + 1) % plane == 0), i = before - before / plane;
    if (column >= n || before < row) {
      return fmt::format("element {} after row {} was written to: {:.17g}",
                         (row - before) * pitch + column - n, i, found);
    }
    return fmt::format("element {} of row {} is {:.17g}, where {:.17g} is right", column, i, found,
                       element<T>(p.seed, i, column));
  }
  return {};
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
