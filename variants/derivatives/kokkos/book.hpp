// SPDX-License-Identifier: Apache-2.0
// Eighth-order differences on a periodic 3D grid in plain Kokkos. This header depends only on
// Kokkos and rule.hpp. The tiles are those of NVIDIA's finite-difference articles.
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/derivatives/rule.hpp"

namespace portcost::derivatives::book {

using Space = Kokkos::DefaultExecutionSpace;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<256>::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

/// Nodes (z, y, x), derivatives (which, z, y, x), and elements of scratch.
template <class T>
using Grid = Kokkos::View<T***, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Answer = Kokkos::View<T****, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Metric = Kokkos::View<const T*, Space, Unmanaged>;
template <class Data>
using Scratch = Kokkos::View<Data, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;

/// What is computed: the derivative along an axis (0: x, 1: y, 2: z), all three, or the Laplacian.
inline constexpr int all_three = 3, laplacian = 4;

struct Node {
  int x, y, z;
};

/// An index that is at most `reach` outside of [0, n), brought into it.
KOKKOS_INLINE_FUNCTION int wrapped(int i, int n) { return i < 0 ? i + n : i < n ? i : i - n; }
/// The same of an index that may be further outside; its node is then not used.
KOKKOS_INLINE_FUNCTION int near(int i, int n) {
  return wrapped(i < n + reach ? i : n + reach - 1, n);
}
KOKKOS_INLINE_FUNCTION int least(int a, int b) { return a < b ? a : b; }
KOKKOS_INLINE_FUNCTION int ceil_div(int a, int b) { return a / b + (a % b != 0); }

/// A periodic field and what is computed of it. On a stretched grid `metric` has the derivative of
/// the uniform coordinate by x, y and z; on a uniform grid its Views have no elements.
template <class T>
struct Field {
  Grid<const T> f;
  Answer<T> out;
  Metric<T> metric[3];
  Weights<T> w[3];

  KOKKOS_INLINE_FUNCTION int extent(int axis) const {
    return static_cast<int>(f.extent(static_cast<std::size_t>(2 - axis)));
  }
  KOKKOS_INLINE_FUNCTION bool contains(Node p) const {
    return p.x < extent(0) && p.y < extent(1) && p.z < extent(2);
  }
  /// The node `away` nodes from p along an axis.
  KOKKOS_INLINE_FUNCTION T beside(Node p, int axis, int away) const {
    int& i = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    i = wrapped(i + away, extent(axis));
    return f(p.z, p.y, p.x);
  }
  KOKKOS_INLINE_FUNCTION void store_first(Node p, int axis, int which, const T* nodes) const {
    T d = first_difference(w[axis], nodes);
    const int i = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    if (metric[axis].extent(0) > 0) d = metric[axis](i) * d;
    out(which, p.z, p.y, p.x) = d;
  }
  /// Stores the result at p from the nine nodes along each axis.
  template <int kind>
  KOKKOS_INLINE_FUNCTION void store(Node p, T (&nodes)[3][nine]) const {
    if constexpr (kind < all_three) {
      store_first(p, kind, 0, nodes[kind]);
    } else if constexpr (kind == all_three) {
      for (int axis = 0; axis < 3; ++axis) store_first(p, axis, axis, nodes[axis]);
    } else {
      out(0, p.z, p.y, p.x) = second_difference(w[0], nodes[0]) +
                              second_difference(w[1], nodes[1]) + second_difference(w[2], nodes[2]);
    }
  }
  /// Loads the nine nodes along each axis from global memory, and stores the result at p.
  template <int kind>
  KOKKOS_INLINE_FUNCTION void compute(Node p) const {
    T nodes[3][nine] = {};
    for (int axis = 0; axis < 3; ++axis) {
      if (kind < all_three && kind != axis) continue;
      for (int k = 0; k < nine; ++k) nodes[axis][k] = beside(p, axis, k - reach);
    }
    store<kind>(p, nodes);
  }
};

/// The first node of a team whose box has x by y by z nodes, and the number of boxes.
struct Boxes {
  int x, y, z, count_x, count_y, count_z;
  template <class T>
  Boxes(const Field<T>& s, int x_, int y_, int z_)
      : x(x_),
        y(y_),
        z(z_),
        count_x(ceil_div(s.extent(0), x)),
        count_y(ceil_div(s.extent(1), y)),
        count_z(ceil_div(s.extent(2), z)) {}
  int count() const { return count_x * count_y * count_z; }
  KOKKOS_INLINE_FUNCTION Node first(int rank) const {
    return {rank % count_x * x, rank / count_x % count_y * y, rank / count_x / count_y * z};
  }
};

/// naive: a lane has a node. A team has 32 x 8 nodes of a plane.
template <int kind, class T>
void naive(const Space& space, int team_size, const Field<T>& s) {
  constexpr int tile_x = 32, tile_y = 8;
  const Boxes boxes(s, tile_x, tile_y, 1);
  Kokkos::parallel_for(
      "derivatives::book::naive", Teams<256>(space, boxes.count(), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_y), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, tile_x), [&](int lx) {
            const Node p{first.x + lx, first.y + ly, first.z};
            if (s.contains(p)) s.template compute<kind>(p);
          });
        });
      });
}

/// naive on a host: a team has a row. Its inner nodes have all neighbours beside them in memory, so
/// that the compiler can vectorise the loop over them.
template <int kind, class T>
void rows(const Space& space, int team_size, const Field<T>& s) {
  const Boxes boxes(s, s.extent(0), 1, 1);
  Kokkos::parallel_for(
      "derivatives::book::rows", Teams<256>(space, boxes.count(), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const int y = first.y, z = first.z, nx = s.extent(0);
        const T* row[3][nine];
        for (int k = 0; k < nine; ++k) {
          row[0][k] = &s.f(z, y, 0) + (k - reach);
          row[1][k] = &s.f(z, wrapped(y + k - reach, s.extent(1)), 0);
          row[2][k] = &s.f(wrapped(z + k - reach, s.extent(2)), y, 0);
        }
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, reach), [&](int x) {
          s.template compute<kind>({x, y, z});
          s.template compute<kind>({nx - 1 - x, y, z});
        });
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, reach, nx - reach), [&](int x) {
          T nodes[3][nine];
          for (int axis = 0; axis < 3; ++axis) {
            const bool needed = kind >= all_three || kind == axis;
            for (int k = 0; k < nine; ++k) nodes[axis][k] = needed ? row[axis][k][x] : T(0);
          }
          s.template store<kind>({x, y, z}, nodes);
        });
      });
}

/// tile, long_pencils: a team has `width` pencils of 64 nodes along an axis, side by side along x
/// (along x: along y). Scratch has them with `reach` more nodes at both ends.
template <int axis, int width, class T>
void pencils(const Space& space, int team_size, const Field<T>& s) {
  constexpr int length = 64, ends = length + 2 * reach;
  using Tile = Scratch<T**>;
  const Boxes boxes(s, axis == 0 ? length : width,
                    axis == 0   ? width
                    : axis == 1 ? length
                                : 1,
                    axis == 2 ? length : 1);
  Teams<256> teams(space, boxes.count(), team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size(ends, width)));
  Kokkos::parallel_for(
      "derivatives::book::pencils", teams, KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const Tile tile(team.team_scratch(0), axis == 0 ? width : ends, axis == 0 ? ends : width);
        const auto node = [&](int along, int across) {
          if constexpr (axis == 0) return Node{first.x + along, first.y + across, first.z};
          if constexpr (axis == 1) return Node{first.x + across, first.y + along, first.z};
          return Node{first.x + across, first.y, first.z + along};
        };
        const auto element = [&](int along, int across) -> T& {
          return axis == 0 ? tile(across, along) : tile(along, across);
        };
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, ends * width), [&](int i) {
          const int along = axis == 0 ? i % ends : i / width;
          const int across = axis == 0 ? i / ends : i % width;
          const Node p = node(along - reach, across);
          element(along, across) =
              s.f(near(p.z, s.extent(2)), near(p.y, s.extent(1)), near(p.x, s.extent(0)));
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, length * width), [&](int i) {
          const int along = axis == 0 ? i % length : i / width;
          const int across = axis == 0 ? i / length : i % width;
          const Node p = node(along, across);
          if (!s.contains(p)) return;
          T nodes[nine];
          for (int k = 0; k < nine; ++k) nodes[k] = element(along + k, across);
          s.store_first(p, axis, 0, nodes);
        });
      });
}

/// march_z: a lane marches up a column through `stretch` planes, eight at a time: it loads eight
/// nodes at once, and has the last eight in registers.
template <class T>
void march_z(const Space& space, int team_size, int stretch, const Field<T>& s) {
  constexpr int tile_x = 32, tile_y = 8, trip = 8;
  const Boxes boxes(s, tile_x, tile_y, stretch);
  Kokkos::parallel_for(
      "derivatives::book::march_z", Teams<256>(space, boxes.count(), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const int nz = s.extent(2), end = least(first.z + stretch, nz);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_y), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, tile_x), [&](int lx) {
            const int x = first.x + lx, y = first.y + ly;
            if (!s.contains({x, y, 0})) return;
            T column[2 * trip];
            for (int k = 0; k < trip; ++k) {
              column[k] = s.f(wrapped(first.z + k - reach, nz), y, x);
            }
            for (int z = first.z; z < end; z += trip) {
              for (int k = 0; k < trip; ++k) {
                column[trip + k] = s.f(wrapped(least(z + k, end - 1) + reach, nz), y, x);
              }
              for (int k = 0; k < trip; ++k) {
                if (z + k < end) s.store_first({x, y, z + k}, 2, 0, column + k);
              }
              for (int k = 0; k < trip; ++k) column[k] = column[trip + k];
            }
          });
        });
      });
}

/// Calls f(thread, i) for each of `threads` logical threads. On a GPU each team thread is one
/// logical thread. On a host a team may have only one thread; it then executes several logical
/// threads. The mapping is fixed, so their data may stay in an array across barriers.
template <int threads>
inline constexpr int own_threads = on_host ? threads : 1;
template <int threads, class F>
KOKKOS_INLINE_FUNCTION void for_threads(const Member& team, const F& f) {
  for (int i = 0; i < own_threads<threads>; ++i) {
    const int thread = team.team_rank() + i * team.team_size();
    if (i > 0 && thread >= threads) break;
    f(thread, i);
  }
}

/// The place, in a row of scratch, of the h-th of the 2 * reach nodes beside `side` others.
KOKKOS_INLINE_FUNCTION int outside(int h, int side) { return h < reach ? h : h + side; }

/// all_three, laplacian: a team marches up a tile of 32 x 32 columns through `stretch` planes. A
/// thread has nine nodes of four columns in registers; the current plane, with `reach` more nodes
/// on each side, is in double-buffered scratch.
template <int kind, class T>
void planes(const Space& space, int team_size, int stretch, const Field<T>& s) {
  constexpr int side = 32, rows = 4, threads = side * side / rows, pitch = side + 2 * reach;
  using Plane = Scratch<T[2][pitch][pitch]>;
  const Boxes boxes(s, side, side, stretch);
  Teams<threads, sizeof(T) == 8 ? 2 : 3> teams(space, boxes.count(), team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Plane::shmem_size()));
  Kokkos::parallel_for(
      "derivatives::book::planes", teams, KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const int nz = s.extent(2), end = least(first.z + stretch, nz);
        const Plane plane(team.team_scratch(0));
        constexpr int own = own_threads<threads>;
        T column[own][rows][nine];
        const auto load = [&](int lx, int ly, int z) {
          return s.f(wrapped(z, nz), near(first.y + ly, s.extent(1)),
                     near(first.x + lx, s.extent(0)));
        };
        for_threads<threads>(team, [&](int thread, int i) {
          for (int r = 0; r < rows; ++r) {
            for (int k = 0; k < nine - 1; ++k) {
              column[i][r][k + 1] =
                  load(thread % side, thread / side * rows + r, first.z + k - reach);
            }
          }
        });
        for (int z = first.z; z < end; ++z) {
          const int now = (z - first.z) % 2;
          for_threads<threads>(team, [&](int thread, int i) {
            const int lx = thread % side, ly = thread / side * rows;
            for (int r = 0; r < rows; ++r) {
              for (int k = 0; k < nine - 1; ++k) column[i][r][k] = column[i][r][k + 1];
              column[i][r][nine - 1] = load(lx, ly + r, z + reach);
              plane(now, ly + r + reach, lx + reach) = column[i][r][reach];
            }
            // One node to the left or right of the tile, and one above or below it.
            const int x = outside(thread % (2 * reach), side), y = thread / (2 * reach) + reach;
            plane(now, y, x) = load(x - reach, y - reach, z);
            const int rim = outside(thread / side, side);
            plane(now, rim, lx + reach) = load(lx, rim - reach, z);
          });
          team.team_barrier();
          for_threads<threads>(team, [&](int thread, int i) {
            const int lx = thread % side, ly = thread / side * rows;
            for (int r = 0; r < rows; ++r) {
              T nodes[3][nine];
              for (int k = 0; k < nine; ++k) {
                nodes[0][k] = plane(now, ly + r + reach, lx + k);
                nodes[1][k] = plane(now, ly + r + k, lx + reach);
                nodes[2][k] = column[i][r][k];
              }
              const Node p{first.x + lx, first.y + ly + r, z};
              if (s.contains(p)) s.template store<kind>(p, nodes);
            }
          });
        }
      });
}

}  // namespace portcost::derivatives::book
