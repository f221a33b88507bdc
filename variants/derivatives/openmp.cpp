// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows, vectors along x.
#include <algorithm>

#include "variants/derivatives/problem.hpp"

namespace portcost::derivatives {

namespace {

// A node whose neighbours along x may lie at the other end of the row.
template <Kind kind, class T>
void node(const Field<T>& s, Node p) {
  const T* const centre = s.f + s.at(p);
  T f[3][nine] = {};
  for (int axis = 0; axis < 3; ++axis) {
    const int i = coordinate(p, axis);
    if (!needs<kind>(axis)) continue;
    for (int k = 0; k < nine; ++k) {
      f[axis][k] = centre[(wrapped(i + k - reach, s.extent(axis)) - i) * s.step(axis)];
    }
  }
  store<kind>(s, p, f);
}

// The rows of the nine nodes along each axis.
template <class T>
struct Rows {
  const T* at[3][nine];
};

// A node with all neighbours inside of its rows. By itself, because compilers keep arrays that a
// vectorised loop declares in memory.
template <Kind kind, class T>
PORTCOST_FORCEINLINE void inner_node(const Field<T>& s, const Rows<T>& rows, Node p) {
  T f[3][nine];
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < nine; ++k) f[axis][k] = needs<kind>(axis) ? rows.at[axis][k][p.x] : T(0);
  }
  store<kind>(s, p, f);
}

template <Kind kind, class T>
PORTCOST_FORCEINLINE void sweep_row(const Field<T>& s, int y, int z) {
  Rows<T> rows;
  for (int k = 0; k < nine; ++k) {
    rows.at[0][k] = s.f + s.at({0, y, z}) + (k - reach);
    rows.at[1][k] = s.f + s.at({0, wrapped(y + k - reach, s.ny), z});
    rows.at[2][k] = s.f + s.at({0, y, wrapped(z + k - reach, s.nz)});
  }
  for (int x = 0; x < reach; ++x) node<kind>(s, {x, y, z});
#pragma omp simd
  for (int x = reach; x < s.nx - reach; ++x) inner_node<kind>(s, rows, {x, y, z});
  for (int x = s.nx - reach; x < s.nx; ++x) node<kind>(s, {x, y, z});
}

template <Kind kind, class T>
void naive(Field<T> s) {
  // Inlined, and a thread's own copy: what threads share is loaded again for each vector.
#pragma omp parallel for collapse(2) schedule(static) firstprivate(s)
  for (int z = 0; z < s.nz; ++z) {
    for (int y = 0; y < s.ny; ++y) sweep_row<kind>(s, y, z);
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive",
               of_kind([](auto kind, const auto& s, const Stream&) { naive<kind.value>(s); }))};
}

}  // namespace portcost::derivatives
