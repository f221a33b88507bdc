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
  TileGrids(int columns, int lines) : columns_(columns), tiles_(columns * lines) {}
  struct At {
    int matrix, line, column;
  };
  KOKKOS_INLINE_FUNCTION At at(int rank) const {
    const int matrix = tiles_(rank), rest = tiles_.rest(rank, matrix);
    const int line = columns_(rest);
    return {matrix, line, columns_.rest(rest, line)};
  }

 private:
  Divisor<way> columns_, tiles_;
};

}  // namespace portcost::transpose
