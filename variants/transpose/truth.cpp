// SPDX-License-Identifier: Apache-2.0
// The check of an answer: drawn elements, recomputed from the input's function of matrix, row and
// column.
#include <fmt/format.h>

#include <algorithm>

#include "variants/shared/grid_truth.hpp"
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
  Coordinates place(seed + 1);
  for (std::uint64_t i = 0; i < most_drawn / 8; ++i) {
    result.push_back({place.anywhere(matrices), place.beside(rows), place.anywhere(columns)});
    result.push_back({place.anywhere(matrices), place.anywhere(rows), place.beside(columns)});
    result.push_back({place.beside(matrices), place.beside(rows), place.beside(columns)});
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
  return held(problem,
              fmt::format("{} drawn elements, made anew from the input",
                          std::min(all, most_drawn) + most_drawn / 8 * 3),
              array, all, [&]<class T>(T) {
                return fault<T>(problem, step == "copy", array, instance.stream());
              });
}

}  // namespace portcost::transpose
