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

/// What is computed: the derivative along an axis (0: x, 1: y, 2: z), all three, the Laplacian, or
/// all three on a stretched grid.
inline constexpr int all_three = 3, laplacian = 4, stretched = 5;

struct Node {
  int x, y, z;
};

/// An index that is at most `reach` outside of [0, n), brought into it.
KOKKOS_INLINE_FUNCTION int wrapped(int i, int n) { return i < 0 ? i + n : i < n ? i : i - n; }
/// As wrapped(), but 0 for an index past n + reach, whose node is not used.
KOKKOS_INLINE_FUNCTION int wrapped_or_zero(int i, int n) {
  return i < n + reach ? wrapped(i, n) : 0;
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
  /// The derivative along an axis, from the nine nodes around p.
  KOKKOS_INLINE_FUNCTION T first_at(Node p, int axis, const T* nodes) const {
    const T d = first_difference(w[axis], nodes);
    const int i = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    return metric[axis].extent(0) > 0 ? metric[axis](i) * d : d;
  }
  KOKKOS_INLINE_FUNCTION void store_first(Node p, int axis, int which, const T* nodes) const {
    out(which, p.z, p.y, p.x) = first_at(p, axis, nodes);
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

/// `piece` neighbours of a row, which a lane loads and stores at once.
template <class T, int piece>
struct alignas(piece * sizeof(T)) Pack {
  T at[piece];
};

/// A field as packs, indexed (z, y * row + x): the second index fits 32 bits. Rows are a multiple
/// of a pack long. Kokkos passes a functor with its policy as a kernel's argument only below 512
/// bytes, and copies a larger one to constant memory before each launch. So a field of packs holds
/// no Views of single nodes.
template <class T, int piece>
struct Packed {
  using Element = Pack<T, piece>;
  int nx, ny, nz, row;  // a row has so many packs
  Metric<T> metric[3];
  Weights<T> w[3];
  Kokkos::View<const Element**, Kokkos::LayoutRight, Space, Unmanaged> f;
  Kokkos::View<Element***, Kokkos::LayoutRight, Space, Unmanaged> out;

  explicit Packed(const Field<T>& s)
      : nx(s.extent(0)),
        ny(s.extent(1)),
        nz(s.extent(2)),
        row(nx / piece),
        metric{s.metric[0], s.metric[1], s.metric[2]},
        w{s.w[0], s.w[1], s.w[2]},
        f(reinterpret_cast<const Element*>(s.f.data()), s.f.extent(0), s.f.extent(1) * row),
        out(reinterpret_cast<Element*>(s.out.data()), s.out.extent(0), s.out.extent(1),
            s.out.extent(2) * row) {}
  KOKKOS_INLINE_FUNCTION bool contains(Node p) const { return p.x < nx && p.y < ny && p.z < nz; }
  /// The place of the x-th pack of row y. Both may be outside of the grid.
  KOKKOS_INLINE_FUNCTION std::uint32_t place(int x, int y) const {
    x = x < row + reach / piece ? wrapped(x, row) : 0;
    return static_cast<std::uint32_t>(wrapped_or_zero(y, ny)) * row + x;
  }
  /// Stores the result at the pack of node p. of(axis, j, k): the k-th of the nine nodes along an
  /// axis around the j-th node of the pack.
  template <int kind, class F>
  KOKKOS_INLINE_FUNCTION void store(Node p, std::uint32_t at, const F& of) const {
    constexpr int fields = kind == all_three || kind == stretched ? 3 : 1;
    Element d[fields] = {};
#pragma unroll
    for (int j = 0; j < piece; ++j) {
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        if (kind < all_three && kind != axis) continue;
        T around[nine];
#pragma unroll
        for (int k = 0; k < nine; ++k) around[k] = of(axis, j, k);
        if constexpr (kind == laplacian) {
          const T second = second_difference(w[axis], around);
          d[0].at[j] = axis == 0 ? second : d[0].at[j] + second;
        } else if constexpr (kind < all_three) {
          d[0].at[j] = first_difference(w[axis], around);
        } else if constexpr (kind == all_three) {
          d[axis].at[j] = first_difference(w[axis], around);
        } else {
          const int i = axis == 0 ? p.x + j : axis == 1 ? p.y : p.z;
          d[axis].at[j] = metric[axis](i) * first_difference(w[axis], around);
        }
      }
    }
    for (int field = 0; field < fields; ++field) out(field, p.z, at) = d[field];
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

/// naive on a host: a team has a row. Away from its ends no x index wraps, so that the compiler can
/// vectorise the loop along x.
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
              s.f(wrapped_or_zero(p.z, s.extent(2)), wrapped_or_zero(p.y, s.extent(1)),
                  wrapped_or_zero(p.x, s.extent(0)));
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

/// march_z: the 16 threads of a team lie side by side, each with 32 packs of a row, and march up z
/// through `stretch` planes, four at a time. A lane has the last eight packs and the next four in
/// registers, and loads the four after them ahead.
template <int piece, class T>
void march_z(const Space& space, int team_size, int stretch, const Field<T>& field) {
  constexpr int threads = 16, trip = 4, before = nine - 1;
  const Packed<T, piece> s(field);
  const Boxes boxes(field, 32 * piece, threads, stretch);
  Kokkos::parallel_for(
      "derivatives::book::march_z", Teams<512>(space, boxes.count(), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const int end = least(first.z + stretch, s.nz);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int thread) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 32), [&](int lane) {
            Node p{first.x + lane * piece, first.y + thread, first.z};
            if (!s.contains(p)) return;
            const std::uint32_t place = s.place(first.x / piece + lane, p.y);
            const auto load = [&](int z) { return s.f(wrapped(z, s.nz), place); };
            Pack<T, piece> column[before + trip], next[trip];
#pragma unroll
            for (int k = 0; k < before; ++k) column[k] = load(first.z + k - reach);
#pragma unroll
            for (int k = 0; k < trip; ++k) next[k] = load(least(first.z + k, end - 1) + reach);
            for (int z = first.z; z < end; z += trip) {
#pragma unroll
              for (int k = 0; k < trip; ++k) {
                column[before + k] = next[k];
                if (z + trip < end) next[k] = load(least(z + trip + k, end - 1) + reach);
              }
#pragma unroll
              for (int k = 0; k < trip; ++k) {
                p.z = z + k;
                if (p.z >= end) break;
                s.template store<2>(p, place,
                                    [&](int, int j, int q) { return column[k + q].at[j]; });
              }
#pragma unroll
              for (int k = 0; k < before; ++k) column[k] = column[k + trip];
            }
          });
        });
      });
}

/// wide along x: a thread has `length` packs of 16 bytes of a row. A lane computes four packs, 32
/// apart, in turn (in f64 one), and loads the packs beside each.
template <int piece, class T>
void wide_x(const Space& space, int team_size, const Field<T>& field) {
  constexpr int threads = 16, length = piece == 4 ? 128 : 32, sides = reach / piece;
  const Packed<T, piece> s(field);
  const Boxes boxes(field, length * piece, threads, 1);
  Kokkos::parallel_for(
      "derivatives::book::wide", Teams<512>(space, boxes.count(), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const int begin = first.x / piece, end = least(begin + length, s.row);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int thread) {
          const int y = first.y + thread, z = first.z;
          if (y >= s.ny) return;
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, begin, end), [&](int x) {
            Pack<T, piece> packs[2 * sides + 1];
#pragma unroll
            for (int k = 0; k < 2 * sides + 1; ++k) packs[k] = s.f(z, s.place(x + k - sides, y));
            s.template store<0>({x * piece, y, z}, s.place(x, y), [&](int, int j, int k) {
              return packs[(j + k) / piece].at[(j + k) % piece];
            });
          });
        });
      });
}

/// wide along y or z: a lane has eight packs of 8 bytes, adjacent along the axis, and loads
/// sixteen. Caches serve loads that several threads share.
template <int axis, int piece, class T>
void wide_column(const Space& space, int team_size, const Field<T>& field) {
  constexpr int threads = 16, run = 8, length = threads * run;
  const Packed<T, piece> s(field);
  const Boxes boxes(field, 32 * piece, axis == 1 ? length : 1, axis == 2 ? length : 1);
  Kokkos::parallel_for(
      "derivatives::book::wide", Teams<512, 2>(space, boxes.count(), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Node corner = boxes.first(team.league_rank());
        const int n = axis == 1 ? s.ny : s.nz;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int thread) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 32), [&](int lane) {
            const int x = corner.x / piece + lane;
            const int first = (axis == 1 ? corner.y : corner.z) + thread * run;
            const auto node = [&](int i) {
              return Node{x * piece, axis == 1 ? i : corner.y, axis == 1 ? corner.z : i};
            };
            if (!s.contains(node(first))) return;
            Pack<T, piece> column[run + nine - 1];
#pragma unroll
            for (int k = 0; k < run + nine - 1; ++k) {
              const Node p = node(wrapped_or_zero(first + k - reach, n));
              column[k] = s.f(p.z, s.place(x, p.y));
            }
#pragma unroll
            for (int k = 0; k < run; ++k) {
              const Node p = node(first + k);
              if (first + k >= n) break;
              s.template store<axis>(p, s.place(x, p.y),
                                     [&](int, int j, int q) { return column[k + q].at[j]; });
            }
          });
        });
      });
}

/// The most logical threads that a team's thread executes.
template <int threads>
inline constexpr int own_threads = on_host ? threads : 1;
/// Calls f(thread, i) for each of `threads` logical threads. On a GPU each team thread is one
/// logical thread. On a host a team may have only one thread; it then executes several logical
/// threads. The mapping is fixed, so their data may stay in an array across barriers.
template <int threads, class F>
KOKKOS_INLINE_FUNCTION void for_threads(const Member& team, const F& f) {
  for (int i = 0; i < own_threads<threads>; ++i) {
    const int thread = team.team_rank() + i * team.team_size();
    if (i > 0 && thread >= threads) break;
    f(thread, i);
  }
}

/// all_three, laplacian: a team marches up a tile of 32 rows of 32 packs of 8 bytes through
/// `stretch` planes. A thread has ten planes of four packs in registers, which change their roles
/// from plane to plane; the current plane, with `reach` more nodes on each side, is in
/// double-buffered scratch. While a plane is computed, the packs for the next are loaded.
template <int kind, int piece, class T>
void planes(const Space& space, int team_size, int stretch, const Field<T>& field) {
  constexpr int side = 32, rows = 4, threads = side * side / rows, sides = reach / piece;
  constexpr int ring = nine + 1, rim = 2 * reach * side, edges = rim + 2 * sides * side;
  constexpr int own = own_threads<threads>, own_edges = (edges + threads - 1) / threads;
  using Element = Pack<T, piece>;
  using Plane = Scratch<Element[2][side + 2 * reach][side + 2 * sides]>;
  const Packed<T, piece> s(field);
  const Boxes boxes(field, side * piece, side, stretch);
  Teams<threads, 2> teams(space, boxes.count(), team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Plane::shmem_size()));
  Kokkos::parallel_for(
      "derivatives::book::planes", teams, KOKKOS_LAMBDA(const Member& team) {
        const Node first = boxes.first(team.league_rank());
        const int nz = s.nz, end = least(first.z + stretch, nz);
        const Plane plane(team.team_scratch(0));
        Element column[own][rows][ring], outer[own][own_edges];
        std::uint32_t place[own][rows], outer_place[own][own_edges];
        // The packs above and below the tile, and to the left and right of it.
        const auto edge = [&](int e) {
          if (e < rim)
            return Node{e % side, e / side - (e / side < reach ? reach : reach - side), 0};
          const int h = (e - rim) % (2 * sides);
          return Node{h - (h < sides ? sides : sides - side), (e - rim) / (2 * sides), 0};
        };
        // Loads the tile of plane z + reach and the edges of plane z; all else is in registers.
        const auto load = [&](int i, int thread, int z, int phase) {
#pragma unroll
          for (int r = 0; r < rows; ++r) {
            column[i][r][(phase + nine - 1) % ring] = s.f(wrapped(z + reach, nz), place[i][r]);
          }
#pragma unroll
          for (int e = 0; e < own_edges; ++e) {
            if (thread + e * threads < edges) outer[i][e] = s.f(z, outer_place[i][e]);
          }
        };
        for_threads<threads>(team, [&](int thread, int i) {
          const int x = first.x / piece;
#pragma unroll
          for (int r = 0; r < rows; ++r) {
            place[i][r] = s.place(x + thread % side, first.y + thread / side * rows + r);
            for (int k = 0; k < nine - 1; ++k) {
              column[i][r][k] = s.f(wrapped(first.z + k - reach, nz), place[i][r]);
            }
          }
#pragma unroll
          for (int e = 0; e < own_edges; ++e) {
            const Node at = edge(thread + e * threads);
            outer_place[i][e] = s.place(x + at.x, first.y + at.y);
          }
          load(i, thread, first.z, 0);
        });
        for (int begin = first.z; begin < end; begin += ring) {
#pragma unroll
          for (int phase = 0; phase < ring; ++phase) {
            const int z = begin + phase, now = phase % 2;
            if (z >= end) break;
            for_threads<threads>(team, [&](int thread, int i) {
              const int lx = thread % side, ly = thread / side * rows;
#pragma unroll
              for (int r = 0; r < rows; ++r) {
                plane(now, ly + r + reach, lx + sides) = column[i][r][(phase + reach) % ring];
              }
#pragma unroll
              for (int e = 0; e < own_edges; ++e) {
                const Node at = edge(thread + e * threads);
                if (thread + e * threads < edges) {
                  plane(now, at.y + reach, at.x + sides) = outer[i][e];
                }
              }
            });
            team.team_barrier();
            for_threads<threads>(team, [&](int thread, int i) {
              const int lx = thread % side, ly = thread / side * rows;
              if (z + 1 < end) load(i, thread, z + 1, phase + 1);
#pragma unroll
              for (int r = 0; r < rows; ++r) {
                Element beside[2 * sides + 1], down[nine];
#pragma unroll
                for (int k = 0; k < 2 * sides + 1; ++k) {
                  beside[k] = k == sides ? column[i][r][(phase + reach) % ring]
                                         : plane(now, ly + r + reach, lx + k);
                }
#pragma unroll
                for (int k = 0; k < nine; ++k) {
                  const int row = r + k - reach;
                  down[k] = 0 <= row && row < rows ? column[i][row][(phase + reach) % ring]
                                                   : plane(now, ly + r + k, lx + sides);
                }
                const Node p{first.x + lx * piece, first.y + ly + r, z};
                if (!s.contains(p)) continue;
                s.template store<kind>(p, place[i][r], [&](int axis, int j, int k) {
                  return axis == 0   ? beside[(j + k) / piece].at[(j + k) % piece]
                         : axis == 1 ? down[k].at[j]
                                     : column[i][r][(phase + k) % ring].at[j];
                });
              }
            });
          }
        }
      });
}

}  // namespace portcost::derivatives::book
