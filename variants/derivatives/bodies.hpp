// SPDX-License-Identifier: Apache-2.0
// What a thread does with its registers, shared by CUDA and the tuned form.
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

/// Fields of the answer.
template <Kind kind>
inline constexpr int fields = kind == all_three || kind == stretched ? 3 : 1;
/// The derivatives that `kind` asks for at the piece whose first node is p. node(axis, j, k): the
/// k-th of the nine nodes along an axis around the piece's j-th node.
template <Kind kind, int piece, class T, class F>
PORTCOST_FORCEINLINE void differentiate(const Field<T>& s, Node p, Piece<T, piece>* d,
                                        const F& node) {
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
      } else if constexpr (kind == all_three) {
        d[axis].at[j] = first_difference(s.w[axis], f);
      } else {
        const int i = coordinate({p.x + j, p.y, p.z}, axis);
        d[axis].at[j] = s.metric[axis][i] * first_difference(s.w[axis], f);
      }
    }
  }
}
/// Stores the derivatives of the piece with the linear index `place`.
template <Kind kind, int piece, class T, class F>
PORTCOST_FORCEINLINE void store_piece(const Field<T>& s, Node p, std::uint64_t place,
                                      const F& node) {
  Piece<T, piece> d[fields<kind>] = {};
  differentiate<kind>(s, p, d, node);
#pragma unroll
  for (int field = 0; field < fields<kind>; ++field) {
    T* const to = s.out + place + static_cast<std::uint32_t>(field) * s.size();
    *reinterpret_cast<Piece<T, piece>*>(to) = d[field];
  }
}

/// wide: computes the thread's pieces, the first of which is at p.
template <int axis, int piece, class T>
PORTCOST_FORCEINLINE void wide(const Field<T>& s, Node p) {
  using Shape = Wide<axis, piece>;
  if (!s.holds(p)) return;
  const int first = coordinate(p, axis), n = s.extent(axis);
  int& i = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
  i = 0;
  const T* const from = s.f + s.at(p);
  if constexpr (axis == 0) {
    constexpr int sides = reach / piece, loads = 2 * sides + 1, apart = lanes * piece;
    Piece<T, piece> row[Shape::own][loads];
#pragma unroll
    for (int r = 0; r < Shape::own; ++r) {
      const int x = first + r * apart;
      if (x >= n) break;
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        row[r][k] = load_piece<piece>(from + wrapped(x + (k - sides) * piece, n));
      }
    }
#pragma unroll
    for (int r = 0; r < Shape::own; ++r) {
      i = first + r * apart;
      if (i >= n) break;
      store_piece<along_x, piece>(s, p, s.at(p), [&](int, int j, int k) {
        return row[r][(j + k) / piece].at[(j + k) % piece];
      });
    }
  } else {
    Piece<T, piece> column[Shape::own + nine - 1];
#pragma unroll
    for (int k = 0; k < Shape::own + nine - 1; ++k) {
      column[k] = load_piece<piece>(from + wrapped_or_zero(first + k - reach, n) * s.step(axis));
    }
#pragma unroll
    for (int r = 0; r < Shape::own; ++r) {
      i = first + r;
      if (i >= n) break;
      store_piece<static_cast<Kind>(axis), piece>(
          s, p, s.at(p), [&](int, int j, int k) { return column[r + k].at[j]; });
    }
  }
}

/// march_z: marches up from p through `stretch` pieces. In each trip `column` has the pieces of
/// planes begin - 4 to begin + 7, and `next` receives the four after these.
template <int piece, class T>
PORTCOST_FORCEINLINE void march(const Field<T>& s, Node p, int stretch) {
  constexpr int trip = March<piece>::trip, before = nine - 1;
  if (!s.holds(p)) return;
  const auto least = [](int a, int b) { return a < b ? a : b; };
  const int first = p.z, end = least(first + stretch, s.nz);
  const T* const from = s.f + s.at({p.x, p.y, 0});
  const auto load = [&](int z) { return load_piece<piece>(from + wrapped(z, s.nz) * s.step(2)); };
  Piece<T, piece> column[before + trip], next[trip];
#pragma unroll
  for (int k = 0; k < before; ++k) column[k] = load(first + k - reach);
#pragma unroll
  for (int k = 0; k < trip; ++k) next[k] = load(least(first + k, end - 1) + reach);
#pragma unroll 1
  for (int begin = first; begin < end; begin += trip) {
#pragma unroll
    for (int k = 0; k < trip; ++k) column[before + k] = next[k];
    if (begin + trip < end) {
#pragma unroll
      for (int k = 0; k < trip; ++k) next[k] = load(least(begin + trip + k, end - 1) + reach);
    }
#pragma unroll
    for (int k = 0; k < trip; ++k) {
      p.z = begin + k;
      if (p.z >= end) break;
      store_piece<along_z, piece>(s, p, s.at(p),
                                  [&](int, int j, int q) { return column[k + q].at[j]; });
    }
#pragma unroll
    for (int k = 0; k < before; ++k) column[k] = column[k + trip];
  }
}

/// all_three, laplacian: what a thread has in registers. `phase`, a constant where loops are
/// unrolled, is a plane's number modulo Planes::ring, and turns the roles of the registers.
template <class T, int piece>
struct Columns {
  using Shape = Planes<piece>;
  using Element = Piece<T, piece>;

  /// The thread's place in the plane, and the pieces that it loads of each plane.
  PORTCOST_FORCEINLINE void begin(const Field<T>& s, Node first, int thread) {
    item = thread;
    const int lx = thread % lanes, ly = thread / lanes * Shape::rows;
    const auto offset = [&](int x, int y) {
      return static_cast<std::uint32_t>(wrapped_or_zero(first.y + y, s.ny)) * s.nx +
             wrapped_or_zero(first.x + x * piece, s.nx);
    };
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) own[r] = offset(lx, ly + r);
#pragma unroll
    for (int e = 0; e < Shape::own_edges; ++e) {
      const int i = thread + e * threads;
      const Node at = Shape::edge(i < Shape::edges ? i : 0);
      edge[e] = offset(at.x, at.y);
    }
#pragma unroll
    for (int k = 0; k < nine - 1; ++k) {
      const T* const from = plane(s, first.z + k - reach);
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) column[r][k] = load_piece<piece>(from + own[r]);
    }
    load(s, first.z, 0);
  }
  /// Loads the pieces that plane z adds to those of plane z - 1.
  PORTCOST_FORCEINLINE void load(const Field<T>& s, int z, int phase) {
    const T *const now = plane(s, z), *const ahead = plane(s, z + reach);
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      at(r, phase, nine - 1) = load_piece<piece>(ahead + own[r]);
    }
#pragma unroll
    for (int e = 0; e < Shape::own_edges; ++e) {
      if (item + e * threads < Shape::edges) outer[e] = load_piece<piece>(now + edge[e]);
    }
  }
  /// Writes the thread's part of the loaded plane to scratch.
  PORTCOST_FORCEINLINE void publish(Element* now, int phase) {
    const int lx = item % lanes, ly = item / lanes * Shape::rows;
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) now[Shape::place(lx, ly + r)] = at(r, phase, reach);
#pragma unroll
    for (int e = 0; e < Shape::own_edges; ++e) {
      const int i = item + e * threads;
      const Node of = Shape::edge(i);
      if (i < Shape::edges) now[Shape::place(of.x, of.y)] = outer[e];
    }
  }
  template <Kind kind>
  PORTCOST_FORCEINLINE void compute(const Field<T>& s, const Element* now, Node first, int z,
                                    int phase) {
    const std::uint64_t plane = std::uint64_t{s.plane()} * static_cast<std::uint32_t>(z);
    const int lx = item % lanes, ly = item / lanes * Shape::rows;
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      Element along_row[2 * Shape::sides + 1], down[nine];
#pragma unroll
      for (int k = 0; k < 2 * Shape::sides + 1; ++k) {
        const bool own_piece = k == Shape::sides;
        along_row[k] =
            own_piece ? at(r, phase, reach) : now[Shape::place(lx + k - Shape::sides, ly + r)];
      }
#pragma unroll
      for (int k = 0; k < nine; ++k) {
        const int row = r + k - reach;
        const bool of_thread = row >= 0 && row < Shape::rows;
        down[k] =
            of_thread ? at(of_thread ? row : 0, phase, reach) : now[Shape::place(lx, ly + row)];
      }
      const Node p{first.x + lx * piece, first.y + ly + r, z};
      if (s.holds(p)) {
        store_piece<kind, piece>(s, p, plane + own[r], [&](int axis, int j, int k) {
          return axis == 0   ? along_row[(j + k) / piece].at[(j + k) % piece]
                 : axis == 1 ? down[k].at[j]
                             : at(r, phase, k).at[j];
        });
      }
    }
  }

 private:
  PORTCOST_FORCEINLINE static const T* plane(const Field<T>& s, int z) {
    return s.f + wrapped(z, s.nz) * s.step(2);
  }
  /// Row r of the k-th of the nine planes.
  PORTCOST_FORCEINLINE Element& at(int r, int phase, int k) {
    return column[r][(phase + k) % Shape::ring];
  }
  Element column[Shape::rows][Shape::ring], outer[Shape::own_edges];
  std::uint32_t own[Shape::rows], edge[Shape::own_edges];
  int item;
};

}  // namespace portcost::derivatives
