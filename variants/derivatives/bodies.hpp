// SPDX-License-Identifier: Apache-2.0
// What a thread does with its registers, alike in CUDA and in the tuned form.
#pragma once

#include "variants/derivatives/problem.hpp"

namespace portcost::derivatives {

/// `piece` neighbours of a row, which a thread loads and stores at once.
template <class T, int piece>
struct alignas(piece * sizeof(T)) Piece {
  T at[piece];
};
template <int piece, class T>
PORTCOST_FORCEINLINE Piece<T, piece> load_piece(const T* from) {
  return *reinterpret_cast<const Piece<T, piece>*>(from);
}

/// Stores what `kind` asks for at the piece that begins at p. node(axis, j, k): the k-th of the
/// nine nodes along an axis around the piece's j-th node.
template <Kind kind, int piece, class T, class F>
PORTCOST_FORCEINLINE void store_piece(const Field<T>& s, Node p, const F& node) {
  constexpr int fields = kind == all_three ? 3 : 1;
  Piece<T, piece> d[fields] = {};
#pragma unroll
  for (int j = 0; j < piece; ++j) {
    T sum = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (!needs<kind>(axis)) continue;
      T f[nine];
#pragma unroll
      for (int k = 0; k < nine; ++k) f[k] = node(axis, j, k);
      if constexpr (kind == laplacian) {
        sum = axis == 0 ? second_difference(s.w[0], f) : sum + second_difference(s.w[axis], f);
        d[0].at[j] = sum;
      } else if constexpr (kind < all_three) {
        d[0].at[j] = first_difference(s.w[axis], f);
      } else {
        d[axis].at[j] = first_at(s, {p.x + j, p.y, p.z}, axis, f);
      }
    }
  }
#pragma unroll
  for (int field = 0; field < fields; ++field) {
    T* const to = s.out + s.at(p) + static_cast<std::uint32_t>(field) * s.size();
    *reinterpret_cast<Piece<T, piece>*>(to) = d[field];
  }
}

/// wide: thread `thread` of the team whose box begins at `first`.
template <Kind axis, int piece, class T>
PORTCOST_FORCEINLINE void wide_nodes(const Field<T>& s, Node first, int thread) {
  using Shape = Wide<axis, piece>;
  const Node p = Shape::node(first, thread);
  if (!s.holds(p)) return;
  Piece<T, piece> loaded[Shape::loads];
#pragma unroll
  for (int k = 0; k < Shape::loads; ++k) {
    loaded[k] = load_piece<piece>(s.f + s.at(Shape::around(s, p, k)));
  }
#pragma unroll
  for (int k = 0; k < Shape::own; ++k) {
    const Node own = Shape::moved(p, axis == along_x ? 0 : k);
    if (!s.holds(own)) break;
    store_piece<axis, piece>(s, own, [&](int, int j, int q) {
      return axis == along_x ? loaded[(j + q) / piece].at[(j + q) % piece] : loaded[k + q].at[j];
    });
  }
}

/// march_z: the column of p, of whose nodes 16 are in registers: the last eight, and the next.
template <class T>
PORTCOST_FORCEINLINE void march_column(const Field<T>& s, Node p, int stretch) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  const T* const from = s.f + s.at({p.x, p.y, 0});
  const int end = least(p.z + stretch, s.nz);
  T column[2 * trip];
#pragma unroll
  for (int k = 0; k < trip; ++k) column[k] = from[wrapped(p.z + k - reach, s.nz) * s.step(2)];
  for (; p.z < end; p.z += trip) {
#pragma unroll
    for (int k = 0; k < trip; ++k) {
      column[trip + k] = from[wrapped(least(p.z + k, end - 1) + reach, s.nz) * s.step(2)];
    }
#pragma unroll
    for (int k = 0; k < trip; ++k) {
      if (p.z + k < end) store_first(s, {p.x, p.y, p.z + k}, 2, 0, column + k);
    }
#pragma unroll
    for (int k = 0; k < trip; ++k) column[k] = column[trip + k];
  }
}

/// all_three, laplacian: what a thread has in registers.
template <class T, int piece>
struct Columns {
  using Shape = Planes<piece>;
  using Element = Piece<T, piece>;

  /// The thread's place in the plane, and the pieces that it loads of each plane.
  PORTCOST_FORCEINLINE void begin(const Field<T>& s, Node first, int thread) {
    lx = thread % lanes, ly = thread / lanes * Shape::rows;
    const int side_x = Shape::outside(thread % (2 * Shape::sides), Shape::sides, lanes);
    const int side_y = thread / (2 * Shape::sides);
    const int rim_y = Shape::outside(thread / lanes, reach, Shape::height);
    const auto offset = [&](int x, int y) {
      return static_cast<std::uint32_t>(near(first.y + y, s.ny)) * s.nx +
             near(first.x + x * piece, s.nx);
    };
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) own[r] = offset(lx, ly + r);
    has_side = thread < Shape::beside;
    side = offset(side_x, has_side ? side_y : 0), rim = offset(lx, rim_y);
    side_place = Shape::place(side_x, side_y), rim_place = Shape::place(lx, rim_y);
#pragma unroll
    for (int k = 0; k < nine - 1; ++k) {
      const T* const from = plane(s, first.z + k - reach);
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) column[r][k] = load_piece<piece>(from + own[r]);
    }
    load(s, first.z);
  }
  /// Loads what plane z needs and the plane before has not.
  PORTCOST_FORCEINLINE void load(const Field<T>& s, int z) {
    const T *const now = plane(s, z), *const ahead = plane(s, z + reach);
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) next[r] = load_piece<piece>(ahead + own[r]);
    if (has_side) beside = load_piece<piece>(now + side);
    above = load_piece<piece>(now + rim);
  }
  /// Writes the thread's part of the plane that load() was for to scratch.
  PORTCOST_FORCEINLINE void publish(Element* now) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      column[r][nine - 1] = next[r];
      now[Shape::place(lx, ly + r)] = column[r][reach];
    }
    if (has_side) now[side_place] = beside;
    now[rim_place] = above;
  }
  template <Kind kind>
  PORTCOST_FORCEINLINE void compute(const Field<T>& s, const Element* now, Node first, int z) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      Element along_row[2 * Shape::sides + 1], down[nine];
#pragma unroll
      for (int k = 0; k < 2 * Shape::sides + 1; ++k) {
        const bool own_piece = k == Shape::sides;
        along_row[k] =
            own_piece ? column[r][reach] : now[Shape::place(lx + k - Shape::sides, ly + r)];
      }
#pragma unroll
      for (int k = 0; k < nine; ++k) {
        const int row = r + k - reach;
        const bool of_thread = row >= 0 && row < Shape::rows;
        down[k] = of_thread ? column[of_thread ? row : 0][reach] : now[Shape::place(lx, ly + row)];
      }
      const Node p{first.x + lx * piece, first.y + ly + r, z};
      if (s.holds(p)) {
        store_piece<kind, piece>(s, p, [&](int axis, int j, int k) {
          return axis == 0   ? along_row[(j + k) / piece].at[(j + k) % piece]
                 : axis == 1 ? down[k].at[j]
                             : column[r][k].at[j];
        });
      }
    }
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int k = 0; k < nine - 1; ++k) column[r][k] = column[r][k + 1];
    }
  }

 private:
  PORTCOST_FORCEINLINE static const T* plane(const Field<T>& s, int z) {
    return s.f + wrapped(z, s.nz) * s.step(2);
  }
  Element column[Shape::rows][nine], next[Shape::rows], beside, above;
  std::uint32_t own[Shape::rows], side, rim;
  int lx, ly, side_place, rim_place;
  bool has_side;
};

}  // namespace portcost::derivatives
