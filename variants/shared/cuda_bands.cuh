// SPDX-License-Identifier: Apache-2.0
// For CUDA kernels on rows of tiles: a grid's y is limited to 65535, so they are launched in bands.
#pragma once

#include <algorithm>
#include <source_location>

#include "src/memory/cuda_check.hpp"

namespace portcost {

/// Calls launch(grid, first row of tiles) for bands that cover `tiles_y` rows of `tiles_x` tiles.
/// Throws Failure, with the caller's line, where CUDA refuses a launch.
template <class F>
void for_bands(int tiles_x, int tiles_y, const F& launch,
               std::source_location where = std::source_location::current()) {
  constexpr int most = 65535;
  for (int first = 0; first < tiles_y; first += most) {
    launch(dim3(static_cast<unsigned>(tiles_x),
                static_cast<unsigned>(std::min(most, tiles_y - first))),
           first);
    cuda_check(cudaGetLastError(), where);
  }
}

}  // namespace portcost
