// SPDX-License-Identifier: Apache-2.0
// Launches of tiles in bands, because a grid's y and z are limited to 65535.
#pragma once

#include <algorithm>

#include "src/memory/cuda_check.hpp"

namespace portcost::transpose {

// Calls launch(grid, first line, first matrix) for bands that cover `lines` lines of `columns`
// tiles in each of `batch` matrices.
template <class F>
void for_bands(int columns, int lines, int batch, const F& launch) {
  constexpr int most = 65535;
  for (int matrix = 0; matrix < batch; matrix += most) {
    for (int line = 0; line < lines; line += most) {
      launch(
          dim3(static_cast<unsigned>(columns), static_cast<unsigned>(std::min(most, lines - line)),
               static_cast<unsigned>(std::min(most, batch - matrix))),
          line, matrix);
      cuda_check(cudaGetLastError());
    }
  }
}

}  // namespace portcost::transpose
