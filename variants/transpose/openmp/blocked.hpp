// SPDX-License-Identifier: Apache-2.0
// Native CPU form of blocked, for whole matrices (Matrices) and for blocks of them.
#pragma once

#include "variants/transpose/blocks.hpp"

namespace portcost::transpose {

// All groups of blocks, shared among the threads.
template <template <class> class At, class T>
void blocked(const At<T>& s, int batch) {
  const int down = ceil_div(s.ny, group), across = ceil_div(s.nx, group);
#pragma omp parallel for collapse(3) schedule(static)
  for (int m = 0; m < batch; ++m) {
    for (int gj = 0; gj < across; ++gj) {
      for (int gi = 0; gi < down; ++gi) transpose_group(s, m, gi * group, gj * group);
    }
  }
}

}  // namespace portcost::transpose
