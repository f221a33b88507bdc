// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Floyd and Warshall's algorithm: a path over a vertex, and the shorter of two
// paths.
#pragma once

#include <cmath>
#include <limits>

#include "src/support/host_device.hpp"

namespace portcost::floyd_warshall {

/// The length of a missing edge in kernels. In floating point it is infinity. In whole numbers it
/// is 2^30 - 1, so that two of them can be added and kernels need not test for missing edges;
/// most_length bounds real paths accordingly.
template <class T>
inline constexpr T no_edge = std::numeric_limits<T>::infinity();
template <>
inline constexpr int no_edge<int> = (1 << 30) - 1;

/// The length of a missing edge in answers and users' matrices: infinity, or 2147483647.
template <class T>
inline constexpr T no_path = no_edge<T>;
template <>
inline constexpr int no_path<int> = std::numeric_limits<int>::max();

/// Whole numbers: no path may be longer than this, nor shorter than its negative. `portcost
/// solve` checks a user's graph.
///
/// Why this suffices without negative cycles. Replace a missing edge by an edge of length e = 2^30
/// - 1. Every number that a kernel stores is the length of a walk in this complete graph. It is at
/// most e, since it starts so and only falls, and at least the shortest path's length. A shortest
/// path visits no vertex twice. Without missing edges its length is within +-(2^29 - 1). With m >=
/// 1 missing edges it is at least e - (2^29 - 1) = 2^29. So there is no path exactly where the
/// number is at least 2^29; sums of two numbers lie between -2^30 and 2^31 - 2, which an int holds.
/// With a negative cycle, numbers could double with every vertex: see Graph::negative.
inline constexpr int most_length = (1 << 29) - 1;

/// Whether a kernel's number means that there is no path.
template <class T>
PORTCOST_HOST_DEVICE constexpr bool is_no_path(T length) {
  return length == no_edge<T>;
}
template <>
PORTCOST_HOST_DEVICE constexpr bool is_no_path(int length) {
  return length > most_length;
}

/// The lesser of two; the first where they are equal or the second is NaN (infinity less infinity,
/// near a negative cycle).
template <class T>
PORTCOST_HOST_DEVICE inline T lesser(T first, T second) {
#ifdef __CUDA_ARCH__
  if constexpr (!std::numeric_limits<T>::is_integer) return fmin(first, second);  // one instruction
#endif
  return second < first ? second : first;
}

/// Relaxes a path over a vertex, given the two parts of the path.
template <class T>
PORTCOST_HOST_DEVICE inline T relax(T known, T to_vertex, T from_vertex) {
  return lesser(known, to_vertex + from_vertex);
}

/// The same, but returns whether the path over the vertex is shorter; `known` is then its length.
template <class T>
PORTCOST_HOST_DEVICE inline bool relaxes(T& known, T to_vertex, T from_vertex) {
  const T over = to_vertex + from_vertex;
  if (!(over < known)) return false;
  known = over;
  return true;
}

}  // namespace portcost::floyd_warshall
