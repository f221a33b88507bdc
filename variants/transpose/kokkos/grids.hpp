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
  TileGrids(int columns, int lines) : columns_(columns), lines_(lines) {}
  struct At {
    int matrix, line, column;
  };
  KOKKOS_INLINE_FUNCTION At at(int rank) const {
    const int line = columns_(rank), matrix = lines_(line);  // the line among those of all matrices
    return {matrix, lines_.rest(line, matrix), columns_.rest(rank, line)};
  }

 private:
  Divisor<way> columns_, lines_;
};

}  // namespace portcost::transpose
