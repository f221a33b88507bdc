// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels do alike with elements in registers. An item is a
// thread of a block, or an item of a team's range, at position (x, y) of its tile's items.
#pragma once

#include "variants/floyd_warshall/problem.hpp"
#include "variants/shared/slices.hpp"

namespace portcost::floyd_warshall {

/// Relaxes an element over vertex k. The store happens only where the length falls, so that row and
/// column k are never written.
template <bool paths, class T>
PORTCOST_HOST_DEVICE inline void relax_element(const Graph<T>& g, int i, int j, int k, T to,
                                               T from) {
  T* const place = g.row(i) + j;
  T known = *place;
  if (!relaxes(known, to, from)) return;
  *place = known;
  if constexpr (paths) g.next_row(i)[j] = g.next_row(i)[k];
}

/// Loads an item's elements of the tile whose row and column are i0, and their next hops; or stores
/// them.
template <class Shape, bool paths, class T>
PORTCOST_HOST_DEVICE void load_pivot(const Graph<T>& g, T (&best)[Shape::rows][Shape::cols],
                                     auto& hop, int i0, int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; ++c) {
      const int i = i0 + Shape::row_of(y, r), j = i0 + Shape::col_of(x, c);
      best[r][c] = g.row(i)[j];
      if constexpr (paths) hop[r][c] = g.next_row(i)[j];
    }
  }
}
template <class Shape, bool paths, class T>
PORTCOST_HOST_DEVICE void store_pivot(const Graph<T>& g, const T (&best)[Shape::rows][Shape::cols],
                                      const auto& hop, int i0, int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; ++c) {
      const int i = i0 + Shape::row_of(y, r), j = i0 + Shape::col_of(x, c);
      g.row(i)[j] = best[r][c];
      if constexpr (paths) g.next_row(i)[j] = hop[r][c];
    }
  }
}

/// No path yet.
template <class Shape, bool paths, class T>
PORTCOST_HOST_DEVICE void begin_paths(T (&best)[Shape::rows][Shape::cols], auto& middle) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; ++c) {
      best[r][c] = no_edge<T>;
      if constexpr (paths) middle[r][c] = -1;
    }
  }
}

/// Relaxes an item's elements over the vertices of a slice, of which `first` is the number of the
/// first. `middle`, with next hops: the vertex over which an element was relaxed last.
template <class Shape, bool paths, class T>
PORTCOST_HOST_DEVICE void relax_slice(T (&best)[Shape::rows][Shape::cols], auto& middle, int x,
                                      int y, int first, const T* left, const T* right) {
  constexpr int together = Shape::template together<T>;
  for_slice<Shape, together>(x, y, left, right, [&](int k, const T* to, const T* from) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int c = 0; c < Shape::cols; ++c) {
        if constexpr (paths) {
          if (relaxes(best[r][c], to[r], from[c])) middle[r][c] = first + k;
        } else {
          best[r][c] = relax(best[r][c], to[r], from[c]);
        }
      }
    }
  });
}

/// Stores an item's elements of the tile at row i0 and column j0 where they are shorter.
template <class Shape, class T>
PORTCOST_HOST_DEVICE void store(const Graph<T>& g, const T (&best)[Shape::rows][Shape::cols],
                                int i0, int j0, int x, int y) {
  constexpr int wide = Shape::group_x;
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      T* const place = g.row(i0 + Shape::row_of(y, r)) + j0 + Shape::col_of(x, c);
      alignas(pack_bytes<T>) T known[wide];
      copy_pack<wide>(known, place);
      bool shorter = false;
#pragma unroll
      for (int e = 0; e < wide; ++e) {
        shorter = shorter || best[r][c + e] < known[e];
        known[e] = lesser(known[e], best[r][c + e]);
      }
      if (shorter) copy_pack<wide>(place, known);
    }
  }
}
/// With next hops, first all items read and then all write, because a tile of the cross is the
/// source of its own hops. `middle` becomes the first hop where a path over vertex k0 + middle is
/// shorter, else -1.
template <class Shape, class T>
PORTCOST_HOST_DEVICE void find_hops(const Graph<T>& g, const T (&best)[Shape::rows][Shape::cols],
                                    int (&middle)[Shape::rows][Shape::cols], int i0, int j0, int k0,
                                    int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int i = i0 + Shape::row_of(y, r);
#pragma unroll
    for (int c = 0; c < Shape::cols; ++c) {
      const bool shorter = best[r][c] < g.row(i)[j0 + Shape::col_of(x, c)];
      middle[r][c] = shorter ? g.next_row(i)[k0 + middle[r][c]] : -1;
    }
  }
}
template <class Shape, class T>
PORTCOST_HOST_DEVICE void store_hops(const Graph<T>& g, const T (&best)[Shape::rows][Shape::cols],
                                     const int (&hop)[Shape::rows][Shape::cols], int i0, int j0,
                                     int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int i = i0 + Shape::row_of(y, r);
#pragma unroll
    for (int c = 0; c < Shape::cols; ++c) {
      if (hop[r][c] < 0) continue;
      const int j = j0 + Shape::col_of(x, c);
      g.row(i)[j] = best[r][c];
      g.next_row(i)[j] = hop[r][c];
    }
  }
}

}  // namespace portcost::floyd_warshall
