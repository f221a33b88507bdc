// SPDX-License-Identifier: Apache-2.0
// Jacobi sweeps in plain Kokkos. This header depends only on Kokkos and rule.hpp. The kernels
// naive, three_rows and device follow the Keldysh Institute's HOWTO for the K-100 computer.
// README.md explains the other kernels.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "variants/jacobi/rule.hpp"

namespace portcost::jacobi::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<256>::member_type;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
template <class Array>
using Scratch = Kokkos::View<Array, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

/// Sixteen contiguous bytes of a row. One vector instruction loads or stores them.
template <class T>
struct alignas(16) Pack {
  static constexpr int length = 16 / sizeof(T);
  T at[length];
};

/// A view of a row, indexed by column: column x is element x + shift. A host compiler can vectorise
/// loops over it.
template <class Nodes>
struct Row {
  Nodes nodes;
  int shift;
  KOKKOS_INLINE_FUNCTION auto& operator()(int x) const { return nodes(x + shift); }
};
template <class Nodes>
KOKKOS_INLINE_FUNCTION Row<Nodes> row_of(const Nodes& nodes, int shift) {
  return {nodes, shift};
}

/// A grid, indexed by its interior nodes: (0, 0) is the first interior node. The boundary nodes are
/// in row -1, in column -1, and after the last interior row and column. The View begins one row and
/// 128 bytes before node (0, 0).
template <class T>
struct Grid {
  using View = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;
  static constexpr int margin = 128 / sizeof(T);
  View nodes;
  KOKKOS_INLINE_FUNCTION T& operator()(int y, int x) const { return nodes(y + 1, x + margin); }
  KOKKOS_INLINE_FUNCTION auto row(int y) const {
    return row_of(Kokkos::subview(nodes, y + 1, Kokkos::ALL), margin);
  }
};

/// One sweep from grid `in` to grid `out`. `columns` is a number of nodes, even if an element is a
/// pack and x is a pack index.
template <class T, class Element = T>
struct Sweep {
  Grid<const Element> in;
  Grid<Element> out;
  Grid<const Element> right_side;
  int rows, columns;
  Coefficients<T> c;
};

KOKKOS_INLINE_FUNCTION constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0); }
KOKKOS_INLINE_FUNCTION constexpr int least(int a, int b) { return a < b ? a : b; }
KOKKOS_INLINE_FUNCTION constexpr int greatest(int a, int b) { return a < b ? b : a; }
/// Returns the end of a tile that begins at `begin` and has at most `count` rows or columns.
KOKKOS_INLINE_FUNCTION int end_of(int begin, int count, int all) {
  return begin + least(count, all - begin);
}

/// Updates columns [begin, end) of a row. The lanes of `range` share the columns.
template <class Range, class T, class From, class Right, class To>
KOKKOS_INLINE_FUNCTION void relax_row(const Range& range, Coefficients<T> c, const From& north,
                                      const From& middle, const From& south, const Right& right,
                                      const To& to) {
  Kokkos::parallel_for(range, [&](int x) {
    to(x) = relaxed(c, north(x), south(x), middle(x - 1), middle(x + 1), source(c, right(x)));
  });
}

/// naive: each lane loads the four neighbours of its node from global memory.
template <class T>
void naive(const Space& space, int team_size, int tile_x, int tile_y, const Sweep<T>& s) {
  const int tiles_x = ceil_div(s.columns, tile_x), tiles_y = ceil_div(s.rows, tile_y);
  Kokkos::parallel_for(
      "jacobi::book::naive", Teams<256>(space, tiles_x * tiles_y, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % tiles_x * tile_x;
        const int y0 = team.league_rank() / tiles_x * tile_y;
        const int x1 = end_of(x0, tile_x, s.columns), y1 = end_of(y0, tile_y, s.rows);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, y0, y1), [&](int y) {
          relax_row(Kokkos::ThreadVectorRange(team, x0, x1), s.c, s.in.row(y - 1), s.in.row(y),
                    s.in.row(y + 1), s.right_side.row(y), s.out.row(y));
        });
      });
}

/// Buffers per band for three_rows: a ring of three rows, and the row below the band.
template <class T>
using KeptRows = Kokkos::View<T***, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
KOKKOS_INLINE_FUNCTION auto kept_row(const KeptRows<T>& kept, int band, int row) {
  return row_of(Kokkos::subview(kept, band, row, Kokkos::ALL), Grid<T>::margin);
}
/// Copies a row and the boundary node at each end.
template <class From, class To>
KOKKOS_INLINE_FUNCTION void copy_row(const Member& team, int columns, const From& from,
                                     const To& to) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, -1, columns + 1),
                       [&](int x) { to(x) = from(x); });
}

/// three_rows, in place: each team traverses a band of rows from top to bottom. It keeps the old
/// values of a row until it has computed the row below. A first launch copies the rows above and
/// below each band, which belong to neighbouring bands, before any row is overwritten.
template <class T>
void three_rows(const Space& space, int team_size, const Grid<T>& grid, const KeptRows<T>& kept,
                const Sweep<T>& s) {
  const int bands = static_cast<int>(kept.extent(0)), share = ceil_div(s.rows, bands);
  const Teams<256> teams(space, ceil_div(s.rows, share), team_size, 1);
  Kokkos::parallel_for(
      "jacobi::book::keep_edges", teams, KOKKOS_LAMBDA(const Member& team) {
        const int b = team.league_rank(), y0 = b * share, y1 = end_of(y0, share, s.rows);
        copy_row(team, s.columns, grid.row(y0 - 1), kept_row(kept, b, 0));
        copy_row(team, s.columns, grid.row(y1), kept_row(kept, b, 3));
      });
  Kokkos::parallel_for(
      "jacobi::book::three_rows", teams, KOKKOS_LAMBDA(const Member& team) {
        const int b = team.league_rank(), y0 = b * share, y1 = end_of(y0, share, s.rows);
        copy_row(team, s.columns, grid.row(y0), kept_row(kept, b, 1));
        for (int y = y0; y < y1; ++y) {
          const int upper = (y - y0) % 3, middle = (upper + 1) % 3, below = (upper + 2) % 3;
          const int lower = y + 1 < y1 ? below : 3;
          if (lower == below) copy_row(team, s.columns, grid.row(y + 1), kept_row(kept, b, below));
          team.team_barrier();
          relax_row(Kokkos::TeamVectorRange(team, 0, s.columns), s.c, kept_row(kept, b, upper),
                    kept_row(kept, b, middle), kept_row(kept, b, lower), s.right_side.row(y),
                    grid.row(y));
          team.team_barrier();
        }
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

/// device: each thread traverses a column of a band of 8 rows. It keeps the rows above and below in
/// registers; the current row is in double-buffered scratch. The thread prefetches four rows ahead,
/// to overlap the loads with the barriers. The columns of neighbouring teams overlap by two.
template <class T>
void device(const Space& space, int team_size, const Sweep<T>& s) {
  constexpr int threads = 512, columns = threads - 2, rows = 8, ahead = 4;
  using Middle = Scratch<T[2][threads]>;
  const int strips = ceil_div(s.columns, columns), bands = ceil_div(s.rows, rows);
  Teams<threads, 4> teams(space, strips * bands, team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Middle::shmem_size()));
  Kokkos::parallel_for(
      "jacobi::book::device", teams, KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % strips * columns - 1;
        const int y0 = team.league_rank() / strips * rows, y1 = end_of(y0, rows, s.rows);
        const Middle middle(team.team_scratch(0));
        constexpr int own = own_threads<threads>;
        T upper[own], lower[own][ahead], right[own][ahead];
        for_threads<threads>(team, [&](int thread, int i) {
          const int x = least(x0 + thread, s.columns);
          upper[i] = s.in(y0 - 1, x);
          for (int r = 0; r < ahead; ++r) {
            const int y = least(y0 + r, y1 - 1);
            lower[i][r] = s.in(y + 1, x);
            right[i][r] = s.right_side(y, x);
          }
          middle(0, thread) = s.in(y0, x);
        });
        team.team_barrier();
        for (int begin = y0; begin < y1; begin += ahead) {
#pragma unroll
          for (int r = 0; r < ahead; ++r) {  // unrolled: constant indices keep arrays in registers
            const int y = begin + r, now = r % 2;
            if (y >= y1) break;
            for_threads<threads>(team, [&](int thread, int i) {
              const int x = least(x0 + thread, s.columns);
              if (thread > 0 && thread < threads - 1 && x < s.columns) {
                s.out(y, x) = relaxed(s.c, upper[i], lower[i][r], middle(now, thread - 1),
                                      middle(now, thread + 1), source(s.c, right[i][r]));
              }
              upper[i] = middle(now, thread);
              middle(1 - now, thread) = lower[i][r];
              if (y + ahead < y1) {
                lower[i][r] = s.in(y + ahead + 1, x);
                right[i][r] = s.right_side(y + ahead, x);
              }
            });
            team.team_barrier();
          }
        }
      });
}

/// register_march: uses no scratch. Each lane traverses four rows of a column of packs and keeps
/// the rows above and below in registers.
template <class T>
void register_march(const Space& space, int team_size, const Sweep<T, Pack<T>>& s) {
  constexpr int length = Pack<T>::length, lanes = 32, groups = 4, rows = 4;
  const int packs = ceil_div(s.columns, length), tiles_x = ceil_div(packs, lanes);
  const int tiles_y = ceil_div(s.rows, groups * rows);
  Kokkos::parallel_for(
      "jacobi::book::register_march", Teams<128>(space, tiles_x * tiles_y, team_size, lanes),
      KOKKOS_LAMBDA(const Member& team) {
        const int p0 = team.league_rank() % tiles_x * lanes;
        const int y0 = team.league_rank() / tiles_x * groups * rows;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, groups), [&](int group) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, lanes), [&](int lane) {
            const int p = p0 + lane, first = y0 + group * rows;
            if (p >= packs) return;
            Pack<T> row[rows + 2], right[rows];
            T west[rows], east[rows];
            for (int r = 0; r < rows + 2; ++r) row[r] = s.in(least(first - 1 + r, s.rows), p);
            for (int r = 0; r < rows; ++r) {
              const int y = least(first + r, s.rows);
              right[r] = s.right_side(y, p);
              west[r] = s.in(y, p - 1).at[length - 1];
              east[r] = s.in(y, p + 1).at[0];
            }
            for (int r = 0; r < rows && first + r < s.rows; ++r) {
              Pack<T> result;
              for (int j = 0; j < length; ++j) {
                const T moved = relaxed(
                    s.c, row[r].at[j], row[r + 2].at[j], j > 0 ? row[r + 1].at[j - 1] : west[r],
                    j < length - 1 ? row[r + 1].at[j + 1] : east[r], source(s.c, right[r].at[j]));
                result.at[j] = p * length + j < s.columns ? moved : row[r + 1].at[j];
              }
              s.out(first + r, p) = result;
            }
          });
        });
      });
}

/// many_steps on a GPU (temporal blocking): each team traverses one strip of columns within a band
/// of rows, one pack per thread. Level t is the grid after t sweeps. For each row that a team
/// loads, it advances each level by one row; the rows above and below stay in registers. Each
/// thread stores the first and last value of its pack of each level to scratch, where its two
/// neighbours load them. One barrier per row suffices, because scratch is double-buffered.
template <int depth, class T>
struct ManySteps {
  static constexpr int threads = 128, length = Pack<T>::length;
  static constexpr int halo = (depth + length - 1) / length, packs = threads - 2 * halo;
  static constexpr int unrolled = depth < 2 ? 2 : depth, teams = depth == 8 ? 3 : 4;
  using Policy = Teams<threads, teams>;
  using Sides = Scratch<T[2][depth][2][threads]>;

  Sweep<T, Pack<T>> s;
  int strips, height;

  /// A team's strip: thread 0 processes pack p0. The team stores rows [y0, y1).
  struct Strip {
    int p0, y0, y1;
  };
  /// A thread's registers: the two latest rows of each level except the last, the sources of the
  /// last `depth` rows, and two prefetched rows. beta is 0 in columns whose values must not change.
  struct Own {
    T beta[length];
    Pack<T> row[depth][2], added[depth], next_in[2], next_right[2];
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int p0 = team.league_rank() % strips * packs - halo;
    const int y0 = team.league_rank() / strips * height;
    const Strip strip{p0, y0, end_of(y0, height, s.rows)};
    if (p0 < 0 || (p0 + threads) * length > s.columns) {
      go_down<true>(team, strip);
    } else {
      go_down<false>(team, strip);
    }
  }

  template <bool sides>
  KOKKOS_FUNCTION void go_down(const Member& team, const Strip& strip) const {
    const Sides side(team.team_scratch(0));
    Own own[own_threads<threads>] = {};
    const int first = strip.y0 - depth;
    for_threads<threads>(team, [&](int thread, int i) {
      const int p = strip.p0 + thread;
      for (int j = 0; j < length; ++j) {
        const int x = p * length + j;
        own[i].beta[j] = x >= 0 && x < s.columns ? s.c.beta : T(0);
      }
      for (int t = 0; t < depth; ++t) side(0, t, 0, thread) = side(0, t, 1, thread) = 0;
      for (int k = 0; k < 2; ++k) {
        own[i].next_in[k] = load<true>(s.in, p, first + k);
        own[i].next_right[k] = load<true>(s.right_side, p, first + k);
      }
    });
    team.team_barrier();
    for (int y = first; y < strip.y1 + depth; y += unrolled) {
      if (y >= depth && y < s.rows - unrolled) {
        take_rows<sides, false>(team, strip, side, own, y);
      } else {
        take_rows<sides, true>(team, strip, side, own, y);
      }
    }
  }

  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void take_rows(const Member& team, const Strip& strip,
                                             const Sides& side, Own* own, int y) const {
#pragma unroll
    for (int turn = 0; turn < unrolled; ++turn) {  // constant indices keep the arrays in registers
      for_threads<threads>(team, [&](int thread, int i) {
        advance<sides, ends>(strip, side, own[i], thread, y + turn, turn);
      });
      team.team_barrier();
    }
  }

  /// Loads row y and advances each level by one row: computes row y - 1 - t of level t + 1.
  /// `sides`: some columns of the strip may be outside the grid. `ends`: some rows may be outside
  /// the grid.
  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Strip& strip, const Sides& side, Own& own,
                                           int thread, int y, int turn) const {
    const int now = turn % 2, p = strip.p0 + thread;
    Pack<T> south = own.next_in[now], added = own.next_right[now];
    own.next_in[now] = load<ends>(s.in, p, y + 2);
    own.next_right[now] = load<ends>(s.right_side, p, y + 2);
    for (int j = 0; j < length; ++j) {
      const int x = p * length + j;
      if (sides && (x < -1 || x > s.columns)) south.at[j] = 0;
      added.at[j] = sides && own.beta[j] == 0 ? south.at[j] : source(s.c, added.at[j]);
    }
    for (int t = 0; t < depth; ++t) {
      const T west = side(now, t, 1, greatest(thread - 1, 0));
      const T east = side(now, t, 0, least(thread + 1, threads - 1));
      const Pack<T> result =
          relaxed_pack<sides, ends>(own, own.row[t][now], own.row[t][1 - now], south, west, east,
                                    own.added[(turn + depth - 1 - t) % depth], y - 1 - t);
      own.row[t][now] = south;
      side(1 - now, t, 0, thread) = south.at[0];
      side(1 - now, t, 1, thread) = south.at[length - 1];
      south = result;
    }
    own.added[turn % depth] = added;
    const int done = y - depth;
    const bool stores = thread >= halo && thread < threads - halo && p * length < s.columns;
    if (stores && done >= strip.y0 && done < strip.y1) s.out(done, p) = south;
  }

  /// Loads the thread's pack of row y. Clamps the row and the pack to the allocated grid.
  template <bool ends>
  KOKKOS_INLINE_FUNCTION Pack<T> load(const Grid<const Pack<T>>& grid, int p, int y) const {
    const int column = least(greatest(p, -halo), s.columns / length);
    return grid(ends ? least(greatest(y, -1), s.rows) : y, column);
  }

  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION Pack<T> relaxed_pack(const Own& own, const Pack<T>& north,
                                                   const Pack<T>& middle, const Pack<T>& south,
                                                   T west, T east, const Pack<T>& added,
                                                   int y) const {
    Pack<T> result;
    for (int j = 0; j < length; ++j) {
      const Coefficients<T> c{s.c.x, s.c.y, sides ? own.beta[j] : s.c.beta};
      const T moved = relaxed(c, north.at[j], south.at[j], j > 0 ? middle.at[j - 1] : west,
                              j < length - 1 ? middle.at[j + 1] : east, added.at[j]);
      result.at[j] = !ends || (y >= 0 && y < s.rows) ? moved : middle.at[j];
    }
    return result;
  }
};

/// `height` is the number of rows of a band; it must be a multiple of ManySteps::unrolled.
template <int depth, class T>
void many_steps(const Space& space, int team_size, int height, const Sweep<T, Pack<T>>& s) {
  using Kernel = ManySteps<depth, T>;
  const int strips = ceil_div(s.columns, Kernel::packs * Kernel::length);
  typename Kernel::Policy teams(space, strips * ceil_div(s.rows, height), team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Kernel::Sides::shmem_size()));
  Kokkos::parallel_for("jacobi::book::many_steps", teams, Kernel{s, strips, height});
}

/// many_steps on a host: each team traverses 1024 columns of a band of rows and advances each level
/// by one row at a time. Scratch holds three rows of each level except the first and the last, and
/// fits in the private cache of a core.
template <class T>
void many_steps_in_cache(const Space& space, int team_size, int scratch_level, int height,
                         int sweeps, const Sweep<T>& s) {
  constexpr int most = 8, chunk = 1024, width = chunk + 2 * most + 2;
  const int chunks = ceil_div(s.columns, chunk);
  Teams<256> teams(space, chunks * ceil_div(s.rows, height), team_size, 1);
  teams.set_scratch_size(scratch_level,
                         Kokkos::PerTeam(Scratch<T***>::shmem_size(most - 1, 3, width)));
  Kokkos::parallel_for(
      "jacobi::book::many_steps", teams, KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % chunks * chunk, x1 = end_of(x0, chunk, s.columns);
        const int y0 = team.league_rank() / chunks * height, y1 = end_of(y0, height, s.rows);
        const Scratch<T***> rows(team.team_scratch(scratch_level), most - 1, 3, width);
        const auto row = [&](int level, int y) {
          return row_of(Kokkos::subview(rows, level - 1, (y + 3) % 3, Kokkos::ALL), most + 1 - x0);
        };
        const auto relax = [&](int level, int y, int begin, int end, const auto& to) {
          const auto range = Kokkos::TeamVectorRange(team, begin, end);
          if (level == 1) {
            relax_row(range, s.c, s.in.row(y - 1), s.in.row(y), s.in.row(y + 1),
                      s.right_side.row(y), to);
          } else {
            relax_row(range, s.c, row(level - 1, y - 1), row(level - 1, y), row(level - 1, y + 1),
                      s.right_side.row(y), to);
          }
        };
        for (int first = y0 - sweeps + 1; first < y1 + sweeps - 1; ++first) {
          for (int level = 1; level < sweeps; ++level) {
            const int y = first - level + 1, halo = sweeps - level;
            if (y < greatest(y0 - halo, -1) || y >= least(y1 + halo, s.rows + 1)) continue;
            const auto now = row(level, y);
            const auto grid = s.in.row(y);
            const int begin = x0 - halo, end = x1 + halo;
            if (y == -1 || y == s.rows) {  // boundary values do not change
              const int from = greatest(begin, -1), to = least(end, s.columns + 1);
              Kokkos::parallel_for(Kokkos::TeamVectorRange(team, from, to),
                                   [&](int x) { now(x) = grid(x); });
            } else {
              Kokkos::single(Kokkos::PerTeam(team), [&] {
                if (begin < 0) now(-1) = grid(-1);
                if (end > s.columns) now(s.columns) = grid(s.columns);
              });
              relax(level, y, greatest(begin, 0), least(end, s.columns), now);
            }
            team.team_barrier();
          }
          const int y = first - sweeps + 1;
          if (y < y0 || y >= y1) continue;
          relax(sweeps, y, x0, x1, s.out.row(y));
          team.team_barrier();
        }
      });
}

/// The bits of a residual. An unsigned comparison orders them like the values; NaN is greatest.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
template <class T>
KOKKOS_INLINE_FUNCTION void take_residual(Bits<T>& most, T value) {
  Bits<T> bits;
  std::memcpy(&bits, &value, sizeof(T));
  if (most < bits) most = bits;
}
template <class T>
using Residual = Kokkos::View<Bits<T>, Space, Unmanaged>;

/// Computes the maximum residual over all nodes. Each thread traverses a column of a band of 64
/// rows and keeps the rows above and below in registers.
template <class T>
void residual_of_columns(const Space& space, const Residual<T>& into, const Sweep<T>& s) {
  constexpr int rows = 64;
  const std::int64_t columns = s.columns, items = columns * ceil_div(s.rows, rows);
  Kokkos::parallel_reduce(
      "jacobi::book::residual", Range(space, 0, items),
      KOKKOS_LAMBDA(std::int64_t item, Bits<T> & most) {
        const int x = static_cast<int>(item % columns);
        const int y0 = static_cast<int>(item / columns) * rows, y1 = end_of(y0, rows, s.rows);
        T north = s.in(y0 - 1, x), centre = s.in(y0, x);
        for (int y = y0; y < y1; ++y) {
          const T south = s.in(y + 1, x);
          take_residual(most, residual(s.c, centre, north, south, s.in(y, x - 1), s.in(y, x + 1),
                                       s.right_side(y, x)));
          north = centre;
          centre = south;
        }
      },
      Kokkos::Max<Bits<T>, Space::memory_space>(into));
}

/// The same on a host; each thread processes one row.
template <class T>
void residual_of_rows(const Space& space, const Residual<T>& into, const Sweep<T>& s) {
  Kokkos::parallel_reduce(
      "jacobi::book::residual", Range(space, 0, s.rows),
      KOKKOS_LAMBDA(std::int64_t row, Bits<T> & greatest_so_far) {
        const int y = static_cast<int>(row);
        Bits<T> most = greatest_so_far;
        for (int x = 0; x < s.columns; ++x) {
          take_residual(most, residual(s.c, s.in(y, x), s.in(y - 1, x), s.in(y + 1, x),
                                       s.in(y, x - 1), s.in(y, x + 1), s.right_side(y, x)));
        }
        greatest_so_far = most;
      },
      Kokkos::Max<Bits<T>, Space::memory_space>(into));
}

}  // namespace portcost::jacobi::book
