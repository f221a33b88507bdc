// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels of lane_grid and shuffles do alike: an item at position
// (x, y) of a system's grid, a thread of a block or an item of a team's range, holds its elements
// in registers.
#pragma once

#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost::gauss_batched {

/// Loads or stores an item's elements, `wide` neighbours at a time. Elements past the end of the
/// system are 0.
template <class Shape, int wide, class T>
PORTCOST_FORCEINLINE void load_by(T (&own)[Shape::rows][Shape::cols], const T* a, int n, int x,
                                  int y) {
  const int first = Shape::col_of(x, 0);
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = Shape::row_of(y, r);
    const T* const from = a + row * n + first;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
#pragma unroll
      for (int e = 0; e < wide; ++e) own[r][c + e] = T(0);
      if (row < n && first + Shape::columns_after(c) < n) {
        copy_pack<wide>(own[r] + c, from + Shape::columns_after(c));
      }
    }
  }
}
template <class Shape, int wide, class T>
PORTCOST_FORCEINLINE void store_by(const T (&own)[Shape::rows][Shape::cols], T* a, int n, int x,
                                   int y) {
  const int first = Shape::col_of(x, 0);
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = Shape::row_of(y, r);
    T* const to = a + row * n + first;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      if (row < n && first + Shape::columns_after(c) < n)
        copy_pack<wide>(to + Shape::columns_after(c), own[r] + c);
    }
  }
}
/// By packs where each row begins at a multiple of 16 bytes, else by elements. Where n equals the
/// shape's n it is a constant, so that no comparison remains.
template <class Shape, class T>
PORTCOST_FORCEINLINE void load_own(T (&own)[Shape::rows][Shape::cols], const T* a, int n, int x,
                                   int y, bool there) {
  if (there && n == Shape::n) {
    load_by<Shape, Shape::pack>(own, a, Shape::n, x, y);
  } else if (n % Shape::pack == 0) {
    load_by<Shape, Shape::pack>(own, a, there ? n : 0, x, y);
  } else {
    load_by<Shape, 1>(own, a, there ? n : 0, x, y);
  }
}
template <class Shape, class T>
PORTCOST_FORCEINLINE void store_own(const T (&own)[Shape::rows][Shape::cols], T* a, int n, int x,
                                    int y) {
  if (n == Shape::n) {
    store_by<Shape, Shape::pack>(own, a, Shape::n, x, y);
  } else if (n % Shape::pack == 0) {
    store_by<Shape, Shape::pack>(own, a, n, x, y);
  } else {
    store_by<Shape, 1>(own, a, n, x, y);
  }
}

/// What others publish for columns k, ..., eliminated together: the square where they cross their
/// pivots' rows, and their unfinished elements in the item's rows. Then packs of the pivots' rows.
template <class Shape, class T>
struct Published {
  static constexpr int together = Shape::together;
  alignas(16) T square[together][together];
  alignas(16) T column[Shape::rows][together];
};
template <class Shape, class T>
struct PivotRows {
  alignas(16) T at[Shape::together][Shape::pack];
};

/// Factorises the square and computes the multipliers in the item's rows. Every item factorises the
/// square for itself, so that no item waits.
template <class Shape, class T>
PORTCOST_FORCEINLINE void factorise_square(Published<Shape, T>& published, const Batch<T>& b,
                                           int& bad, int k) {
  constexpr int together = Shape::together;
#pragma unroll
  for (int e = 0; e < together; ++e) {
    const bool refused = b.refuses(published.square[e][e]);
    if (refused && bad < 0 && k + e < b.n) bad = k + e;
    const T inverse = reciprocal(refused ? T(1) : published.square[e][e]);
    const auto update = [&](T(&row)[together]) {
      row[e] = multiplier(row[e], inverse);
#pragma unroll
      for (int f = e + 1; f < together; ++f) {
        row[f] = eliminate(row[f], row[e], published.square[e][f]);
      }
    };
#pragma unroll
    for (int f = e + 1; f < together; ++f) update(published.square[f]);
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) update(published.column[r]);
  }
}

/// Updates each of the pivots' rows by the pivots above it.
template <class Shape, class T>
PORTCOST_FORCEINLINE void solve_pivot_rows(const Published<Shape, T>& published,
                                           PivotRows<Shape, T>& rows) {
#pragma unroll
  for (int e = 1; e < Shape::together; ++e) {
#pragma unroll
    for (int above = 0; above < e; ++above) {
#pragma unroll
      for (int q = 0; q < Shape::pack; ++q) {
        rows.at[e][q] = eliminate(rows.at[e][q], published.square[e][above], rows.at[above][q]);
      }
    }
  }
}

/// Updates a pack of an item's row r. `first`: the pack with the eliminated columns: there their
/// items keep the multipliers and the factorised square, and only later columns are updated.
template <class Shape, class T>
PORTCOST_FORCEINLINE void update_row(T (&own)[Shape::rows][Shape::cols],
                                     const Published<Shape, T>& published,
                                     const PivotRows<Shape, T>& rows, int x, int y, int k, int c,
                                     int r) {
  constexpr int together = Shape::together, pack = Shape::pack;
  const bool first = c == Shape::c_with(k) / pack * pack, has = first && x == Shape::x_with(k);
  const int past = Shape::row_of(y, r) - k;  // the row, counted from the first pivot's
  const bool below = r * Shape::down >= k + together || past >= together;
#pragma unroll
  for (int q = 0; q < pack; ++q) {
    const int f = q - k % pack;  // the index among the columns, if in range
    const bool of_them = has && f >= 0 && f < together;
    const bool later = !first || x > Shape::x_with(k) || (has && f >= together);
    T& element = own[r][c + q];
    const bool updated = below && later;
    if (updated || Shape::long_code) {
      T left = element;
#pragma unroll
      for (int e = 0; e < together; ++e) {
        left = eliminate(left, published.column[r][e], rows.at[e][q]);
      }
      element = updated ? left : element;
    }
    if (of_them && below) element = published.column[r][f];
    if (r * Shape::down >= k + together) continue;  // not a pivot's row
#pragma unroll
    for (int e = 1; e < together; ++e) {
      if (past != e) continue;
      if (later) element = rows.at[e][q];
      if (of_them) element = published.square[e][f];
    }
  }
}

}  // namespace portcost::gauss_batched
