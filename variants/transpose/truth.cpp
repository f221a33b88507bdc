// SPDX-License-Identifier: Apache-2.0
// The check of an answer: drawn elements, recomputed from the input's function of matrix, row and
// column.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "src/contract/truth.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

constexpr std::uint64_t most_drawn = 4096;

// An element of the answer: its matrix, row and column there.
struct Place3 {
  std::int64_t matrix, row, column;
};

// All elements of a small answer; else some anywhere, and some in the first and last rows, columns
// and matrices, where tiles end.
std::vector<Place3> draw(std::int64_t matrices, std::int64_t rows, std::int64_t columns,
                         std::uint64_t seed) {
  std::vector<Place3> result;
  for (const std::uint64_t at :
       drawn(static_cast<std::uint64_t>(matrices * rows * columns), most_drawn, seed)) {
    const auto i = static_cast<std::int64_t>(at);
    result.push_back({i / (rows * columns), i / columns % rows, i % columns});
  }
  std::mt19937_64 random(seed + 1);
  const auto anywhere = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  };
  const auto beside = [&](std::int64_t count) {
    const auto r = anywhere(4);
    return std::clamp<std::int64_t>(r < 2 ? r : count - 1 - (r - 2), 0, count - 1);
  };
  for (std::uint64_t i = 0; i < most_drawn / 8; ++i) {
    result.push_back({anywhere(matrices), beside(rows), anywhere(columns)});
    result.push_back({anywhere(matrices), anywhere(rows), beside(columns)});
    result.push_back({beside(matrices), beside(rows), beside(columns)});
  }
  return result;
}

// The first element that differs from the input's, as a line of text; or an empty line.
template <class T>
std::string fault(const Problem& p, bool copied, const Array& answer, const Stream& stream) {
  const std::int64_t nx = p.size.at("nx"), ny = p.size.at("ny"), matrices = p.size.at("batch");
  const std::int64_t rows = copied ? ny : nx, columns = copied ? nx : ny;
  const Elements<T> elements(answer, stream);
  for (const auto& [matrix, row, column] : draw(matrices, rows, columns, p.seed)) {
    const std::int64_t given_row = copied ? row : column, given_column = copied ? column : row;
    const T right = element<T>(
        p.seed, static_cast<std::uint64_t>((matrix * ny + given_row) * nx + given_column));
    const T found = elements[static_cast<std::uint64_t>((matrix * rows + row) * columns + column)];
    if (found == right) continue;  // NaN is not
    return fmt::format("element [{}][{}] of matrix {} is {:.17g}, where {:.17g} is right", row,
                       column, matrix, found, right);
  }
  return {};
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  const auto all = static_cast<std::uint64_t>(problem.size.at("nx") * problem.size.at("ny") *
                                              problem.size.at("batch"));
  Judgement result{fmt::format("{} drawn elements, made anew from the input",
                               std::min(all, most_drawn) + most_drawn / 8 * 3),
                   shape_fault(array, problem.type, all)};
  if (!result.fault.empty()) return result;
  const bool copied = step == "copy";
  result.fault = problem.type == ElementType::f64
                     ? fault<double>(problem, copied, array, instance.stream())
                     : fault<float>(problem, copied, array, instance.stream());
  return result;
}

}  // namespace portcost::transpose
