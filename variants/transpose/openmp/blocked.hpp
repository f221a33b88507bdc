// SPDX-License-Identifier: Apache-2.0
// Native CPU form of blocked, for whole matrices (Matrices) and for their blocks.
#pragma once

#include <algorithm>

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Transposes a block, by way of `own`. `whole`: the compiler knows the block's size.
template <bool whole, template <class> class At, class T>
void transpose_block(const At<T>& s, int m, int i0, int j0) {
  constexpr int wide = Square<T>::wide, most = block<T>;
  const int rows = whole ? most : std::min(most, s.ny - i0);
  const int columns = whole ? most : std::min(most, s.nx - j0);
  alignas(cache_line) T own[block_elements<T>];
  for (int i = 0; i < rows; ++i) {
    const T* const from = s.row_of_a(m, i0 + i) + j0;
    if (whole && i % wide == 0) {
      for (int j = 0; j < most; j += wide) {
        Square<T>::transpose(own + j * most + i, most, from + j, s.pitch_a());
      }
    }
    for (int j = whole ? columns : 0; j < columns; ++j) own[j * most + i] = from[j];
  }
  for (int j = 0; j < columns; ++j) {
    const T* const from = own + j * most;
    std::copy(from, from + rows, s.row_of_b(m, j0 + j) + i0);
  }
}

template <template <class> class At, class T>
void transpose_group(const At<T>& s, int m, int i0, int j0) {
  constexpr int most = block<T>;
  for (int j = j0; j < j0 + std::min(group, s.nx - j0); j += most) {
    for (int i = i0; i < i0 + std::min(group, s.ny - i0); i += most) {
      if (s.ny - i >= most && s.nx - j >= most) {
        transpose_block<true>(s, m, i, j);
      } else {
        transpose_block<false>(s, m, i, j);
      }
    }
  }
}

// All groups of blocks, distributed to the threads.
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
