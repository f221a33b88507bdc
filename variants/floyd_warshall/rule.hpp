// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Floyd and Warshall's algorithm: a path over a vertex, and the shorter of two.
#pragma once

#include <cmath>
#include <limits>

#include "src/support/host_device.hpp"

namespace portcost::floyd_warshall {

/// The length of an edge that is not there, as kernels have it. In floating point infinity. In
/// whole numbers 2^30 - 1, so that two of them can be added: kernels need no question whether an
/// edge is there. How long real paths may then be is said at most_length.
template <class T>
inline constexpr T no_edge = std::numeric_limits<T>::infinity();
template <>
inline constexpr int no_edge<int> = (1 << 30) - 1;

/// The same in answers and in matrices that users give: infinity, or 2147483647.
template <class T>
inline constexpr T no_path = no_edge<T>;
template <>
inline constexpr int no_path<int> = std::numeric_limits<int>::max();

/// Whole numbers: no path may be longer than this, nor shorter than its negative. range_fault()
/// (problem.hpp) checks it of a matrix.
///
/// Why that is enough, where no cycle is negative. Take a missing edge for one of length
/// e = 2^30 - 1.
/// Every number that a kernel stores is the length of a walk in this complete graph, is at most e,
/// since it starts so and only falls, and is not below the shortest path's. A shortest path has no
/// vertex twice. Without missing edges its length is within +-(2^29 - 1). With m >= 1 missing edges
/// it is at least e - (2^29 - 1) = 2^29. So no path exists exactly where the number is at least
/// 2^29; sums of two numbers lie between -2^30 and 2^31 - 2, which an int holds.
/// Where a cycle is negative, numbers could double with every vertex: see Graph::negative.
inline constexpr int most_length = (1 << 29) - 1;

/// Whether a number of a kernel is that of no path.
template <class T>
PORTCOST_HOST_DEVICE constexpr bool is_no_path(T length) {
  return length == no_edge<T>;
}
template <>
PORTCOST_HOST_DEVICE constexpr bool is_no_path(int length) {
  return length > most_length;
}

/// The lesser of two; the first where they are equal or the second is no number (infinity less
/// infinity, near a negative cycle).
template <class T>
PORTCOST_HOST_DEVICE inline T lesser(T first, T second) {
#ifdef __CUDA_ARCH__
  if constexpr (!std::numeric_limits<T>::is_integer) return fmin(first, second);  // one instruction
#endif
  return second < first ? second : first;
}

/// The shorter of the path known so far and of the one over a vertex, whose two parts are given.
template <class T>
PORTCOST_HOST_DEVICE inline T relax(T known, T to_vertex, T from_vertex) {
  return lesser(known, to_vertex + from_vertex);
}

/// The same where it matters which of them it is: true when the path over the vertex is shorter,
/// and `known` is then its length.
template <class T>
PORTCOST_HOST_DEVICE inline bool relaxes(T& known, T to_vertex, T from_vertex) {
  const T over = to_vertex + from_vertex;
  if (!(over < known)) return false;
  known = over;
  return true;
}

}  // namespace portcost::floyd_warshall
