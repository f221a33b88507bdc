// SPDX-License-Identifier: Apache-2.0
// Native CPU form of in_place, which exchanges two blocks on both sides of the diagonal.
#pragma once

#include <algorithm>

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Transposes the block at row i0 and column j0 to `own`. `whole`: the compiler knows the block's
// size. A separate function, on both sides: where g++ inlines it, twice, it is slower.
template <bool whole, class T>
[[gnu::noinline]] void take_block(T* own, const Matrices<T>& s, int m, int i0, int j0) {
  constexpr int wide = Square<T>::wide, most = block<T>;
  if constexpr (whole) {
    for (int i = 0; i < most; i += wide) {
      const T* const from = s.row_of_a(m, i0 + i) + j0;
      for (int j = 0; j < most; j += wide) {
        Square<T>::transpose(own + j * most + i, most, from + j, s.nx);
      }
    }
  } else {
    const int rows = std::min(most, s.nx - i0), columns = std::min(most, s.nx - j0);
    for (int i = 0; i < rows; ++i) {
      const T* const from = s.row_of_a(m, i0 + i) + j0;
      for (int j = 0; j < columns; ++j) own[j * most + i] = from[j];
    }
  }
}

template <bool whole, class T>
void put_block(const T* own, const Matrices<T>& s, int m, int i0, int j0) {
  constexpr int most = block<T>;
  const int rows = whole ? most : std::min(most, s.nx - i0);
  const int columns = whole ? most : std::min(most, s.nx - j0);
  for (int i = 0; i < rows; ++i) {
    std::copy(own + i * most, own + i * most + columns, s.row_of_a(m, i0 + i) + j0);
  }
}

// A block on the diagonal has no partner.
template <bool whole, class T>
void exchange_blocks(const Matrices<T>& s, int m, int i0, int j0) {
  alignas(cache_line) T own[block_elements<T>], other[block_elements<T>];
  take_block<whole>(own, s, m, i0, j0);
  if (i0 != j0) {
    take_block<whole>(other, s, m, j0, i0);
    put_block<whole>(other, s, m, i0, j0);
  }
  put_block<whole>(own, s, m, j0, i0);
}

// All blocks of a group on or above the diagonal, with the blocks on the other side.
template <class T>
void exchange_groups(const Matrices<T>& s, int m, int i0, int j0) {
  constexpr int most = block<T>;
  for (int i = i0; i < std::min(i0 + group, s.nx); i += most) {
    for (int j = std::max(i, j0); j < std::min(j0 + group, s.nx); j += most) {
      if (s.nx - j >= most) {  // hence i, too, which is no greater
        exchange_blocks<true>(s, m, i, j);
      } else {
        exchange_blocks<false>(s, m, i, j);
      }
    }
  }
}

template <class T>
void in_place(const Matrices<T>& s) {
  const PairGrid pairs{ceil_div(s.nx, group)};
#pragma omp parallel for collapse(3) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int line = 0; line < pairs.lines(); ++line) {
      for (int column = 0; column < pairs.columns(); ++column) {
        const Tile at = pairs.at(column, line);
        exchange_groups(s, m, at.row * group, at.col * group);
      }
    }
  }
  *s.answer = s.a;
}

}  // namespace portcost::transpose
