// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels of blocked and in_place do alike on a host, where a
// thread has a group of blocks. `At`: whole matrices (Places), or their blocks.
#pragma once

#include <algorithm>

#include "variants/shared/vectors.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// A square of elements, a compiler's vector a row.
template <class T>
struct Square {
  using Of = Vectors<T, 32>;
  static constexpr int wide = Of::wide;

  /// Transposes the square at `from`, whose rows are `apart` elements apart, to `to`.
  static void transpose(T* to, int to_apart, const T* from, std::int64_t apart) {
    using Vector = typename Of::Vector;
    Vector of[wide];
    for (int v = 0; v < wide; ++v) of[v] = *reinterpret_cast<const Vector*>(from + v * apart);
    Of::transpose(of);
    for (int v = 0; v < wide; ++v) *reinterpret_cast<Vector*>(to + v * to_apart) = of[v];
  }
};

/// Transposes a block, by way of `own`. `whole`: the compiler knows the block's size.
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

// ---- in_place.

/// Transposes the block at row i0 and column j0 to `own`. `whole`: the compiler knows the block's
/// size. A separate function: where g++ inlines it, twice, it is slower.
template <bool whole, class T>
[[gnu::noinline]] void take_block(T* own, const Places<T>& s, int m, int i0, int j0) {
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
void put_block(const T* own, const Places<T>& s, int m, int i0, int j0) {
  constexpr int most = block<T>;
  const int rows = whole ? most : std::min(most, s.nx - i0);
  const int columns = whole ? most : std::min(most, s.nx - j0);
  for (int i = 0; i < rows; ++i) {
    std::copy(own + i * most, own + i * most + columns, s.row_of_a(m, i0 + i) + j0);
  }
}

/// A block on the diagonal has no partner.
template <bool whole, class T>
void exchange_blocks(const Places<T>& s, int m, int i0, int j0) {
  alignas(cache_line) T own[block_elements<T>], other[block_elements<T>];
  take_block<whole>(own, s, m, i0, j0);
  if (i0 != j0) {
    take_block<whole>(other, s, m, j0, i0);
    put_block<whole>(other, s, m, i0, j0);
  }
  put_block<whole>(own, s, m, j0, i0);
}

/// All blocks of a group on or above the diagonal, with the blocks on the other side.
template <class T>
void exchange_groups(const Places<T>& s, int m, int i0, int j0) {
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

}  // namespace portcost::transpose
