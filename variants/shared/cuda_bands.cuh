// SPDX-License-Identifier: Apache-2.0
// For CUDA kernels on tiles: a grid's y and z are limited to 65535, so they are launched in bands.
#pragma once

#include <algorithm>
#include <source_location>

#include "src/memory/cuda_check.hpp"

namespace portcost {

/// Calls launch(grid, first row, first matrix) for bands that cover `tiles_y` rows of `tiles_x`
/// tiles in each of `batch` matrices. Throws Failure, with the caller's line, where CUDA refuses a
/// launch.
template <class F>
void for_bands(int tiles_x, int tiles_y, int batch, const F& launch,
               std::source_location where = std::source_location::current()) {
  constexpr int most = 65535;
  for (int matrix = 0; matrix < batch; matrix += most) {
    for (int row = 0; row < tiles_y; row += most) {
      launch(
          dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(std::min(most, tiles_y - row)),
               static_cast<unsigned>(std::min(most, batch - matrix))),
          row, matrix);
      cuda_check(cudaGetLastError(), where);
    }
  }
}
/// The same of one matrix: launch(grid, first row).
template <class F>
void for_bands(int tiles_x, int tiles_y, const F& launch,
               std::source_location where = std::source_location::current()) {
  for_bands(
      tiles_x, tiles_y, 1, [&](dim3 grid, int row, int) { launch(grid, row); }, where);
}

}  // namespace portcost
