// SPDX-License-Identifier: Apache-2.0
// A team's tile and matrix, and the launch of a team for each tile.
#pragma once

#include <cstdint>

#include "variants/shared/kokkos_team.hpp"

namespace portcost::transpose {

/// A tile, in a grid of lines and columns for each matrix.
struct InGrid {
  int matrix, line, column;
};

/// The tiles of all matrices, numbered matrix by matrix and line by line.
class TileGrids {
 public:
  TileGrids(int columns, int lines) : columns_(columns), lines_(lines) {}
  KOKKOS_INLINE_FUNCTION InGrid at(int rank) const {
    const int line = columns_(rank), matrix = lines_(line);  // the line among all matrices' lines
    return {matrix, lines_.rest(line, matrix), columns_.rest(rank, line)};
  }

 private:
  Divisor columns_, lines_;
};

/// The tiles of one matrix, which take one division less.
class OneGrid {
 public:
  OneGrid(int columns, int) : columns_(columns) {}
  KOKKOS_INLINE_FUNCTION InGrid at(int rank) const {
    const int line = columns_(rank);
    return {0, line, columns_.rest(rank, line)};
  }

 private:
  Divisor columns_;
};

template <class Kernel>
constexpr int occupancy_of() {
  if constexpr (requires { Kernel::occupancy; }) {
    return Kernel::occupancy;
  } else {
    return 0;
  }
}

/// Launches a team for each tile of `batch` matrices, in a grid of `columns` by `lines` a matrix,
/// with the kernel's scratch and occupancy. Throws Failure where there are more tiles than a league
/// can hold.
template <class Kernel, class Matrices>
void launch_grid(const char* label, const Matrices& s, int batch, const Stream& on, int columns,
                 int lines) {
  const std::int64_t teams = std::int64_t{columns} * lines * batch;
  require(teams <= Kernel::On::most_teams, "more tiles than a league can hold");
  int scratch = 0;
  if constexpr (requires { Kernel::scratch(); }) scratch = Kernel::scratch();
  const auto policy = Kernel::On::policy(on, static_cast<int>(teams), scratch);
  const Kernel kernel{s, {columns, lines}};
  if constexpr (occupancy_of<Kernel>() > 0) {
    Kokkos::parallel_for(label, Kernel::On::with_first_cache(policy, occupancy_of<Kernel>()),
                         kernel);
  } else {
    Kokkos::parallel_for(label, policy, kernel);
  }
}

}  // namespace portcost::transpose
