// SPDX-License-Identifier: Apache-2.0
// The check of an answer: drawn elements, recomputed from the input's function of matrix, row and
// column.
#include <fmt/format.h>

#include <algorithm>

#include "variants/shared/grid_truth.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

constexpr std::uint64_t most_drawn = 4096, beside = 512;

// The first element that differs from the input's, as a line of text; or an empty line.
template <class T>
std::string fault(const Problem& p, bool copied, const Array& answer, const Stream& stream) {
  const std::int64_t nx = p.size.at("nx"), ny = p.size.at("ny"), matrices = p.size.at("batch");
  const std::int64_t rows = copied ? ny : nx, columns = copied ? nx : ny;
  const Elements<T> elements(answer, stream);
  for (const auto& [matrix, row, column] :
       drawn_places({matrices, rows, columns}, most_drawn, beside, 1, p.seed)) {
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
                          std::min(all, most_drawn) + 3 * beside),
              array, all, [&]<class T>(T) {
                return fault<T>(problem, step == "copy", array, instance.stream());
              });
}

}  // namespace portcost::transpose
