// SPDX-License-Identifier: Apache-2.0
// Which tile of which matrix a team has.
#pragma once

#include <cstdint>

#include "variants/kokkos_team.hpp"

namespace portcost::transpose {

/// The tiles of all matrices, numbered matrix by matrix and line by line.
template <Way way>
class TileGrids {
 public:
  TileGrids(int columns, int lines, int batch)
      : in_matrix_(columns, lines), of_all_(columns * lines, batch) {}
  std::int64_t count() const { return of_all_.count(); }
  struct At {
    int matrix, line, column;
  };
  KOKKOS_INLINE_FUNCTION At at(int rank) const {
    const int matrix = of_all_.row(rank), rest = of_all_.column(rank, matrix);
    const int line = in_matrix_.row(rest);
    return {matrix, line, in_matrix_.column(rest, line)};
  }

 private:
  TileGrid<way> in_matrix_, of_all_;
};

}  // namespace portcost::transpose
