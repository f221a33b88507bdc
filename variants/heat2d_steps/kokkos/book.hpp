// SPDX-License-Identifier: Apache-2.0
// Several time steps of the 2D heat equation in one pass over memory, in plain Kokkos. This header
// depends only on Kokkos and heat_rule.hpp. README.md explains the kernels.
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/shared/heat_rule.hpp"

namespace portcost::heat2d_steps::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<256>::member_type;
/// Nodes (y, x), or packs (y, p); elements along a row are contiguous.
template <class T>
using Grid = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;
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

/// One pass from grid `in` to grid `out`. nx and ny are numbers of nodes, even if an element is a
/// pack.
template <class T, class Element = T>
struct Pass {
  Grid<const Element> in;
  Grid<Element> out;
  int nx, ny;
  Coefficients<T> c;
  KOKKOS_INLINE_FUNCTION int near_y(int y) const { return y < 0 ? 0 : y < ny ? y : ny - 1; }
  KOKKOS_INLINE_FUNCTION bool on_edge(int y, int x) const {
    return x <= 0 || y <= 0 || x >= nx - 1 || y >= ny - 1;
  }
};

KOKKOS_INLINE_FUNCTION constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0); }
KOKKOS_INLINE_FUNCTION constexpr int least(int a, int b) { return a < b ? a : b; }
KOKKOS_INLINE_FUNCTION constexpr int greatest(int a, int b) { return a < b ? b : a; }

/// Advances pack `centre` of row y by one time step. x is the column of its first node.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> next_pack(const Pass<T, Pack<T>>& s, const Pack<T>& north,
                                              const Pack<T>& centre, const Pack<T>& south, T west,
                                              T east, int y, int x, bool edges) {
  constexpr int length = Pack<T>::length;
  Pack<T> result;
  for (int j = 0; j < length; ++j) {
    const T moved = heat_step(s.c, centre.at[j], j > 0 ? centre.at[j - 1] : west,
                              j < length - 1 ? centre.at[j + 1] : east, north.at[j], south.at[j]);
    result.at[j] = edges && s.on_edge(y, x + j) ? centre.at[j] : moved;
  }
  return result;
}

/// overlapped: the team copies a tile of 32 rows of 32 packs, halo included, to scratch, and
/// advances it `depth` steps between two buffers. The valid part shrinks by one node on each side
/// per step. Each lane advances packs of four rows.
template <class T>
void overlapped(const Space& space, int team_size, int depth, const Pass<T, Pack<T>>& s) {
  constexpr int length = Pack<T>::length, packs = 32, rows = 32, rows_a_thread = 4;
  using Tile = Scratch<Pack<T>[2][rows][packs]>;
  const int halo = ceil_div(depth, length), inner = packs - 2 * halo;
  const int strips = ceil_div(s.nx, inner * length), bands = ceil_div(s.ny, rows - 2 * depth);
  Teams<256> teams(space, strips * bands, team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size()));
  Kokkos::parallel_for(
      "heat2d_steps::book::overlapped", teams, KOKKOS_LAMBDA(const Member& team) {
        const int p0 = team.league_rank() % strips * inner - halo;
        const int y0 = team.league_rank() / strips * (rows - 2 * depth) - depth;
        const int last_pack = static_cast<int>(s.in.extent(1)) - 1;
        const Tile tile(team.team_scratch(0));
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, packs), [&](int lp) {
            tile(0, ly, lp) = s.in(s.near_y(y0 + ly), least(greatest(p0 + lp, 0), last_pack));
          });
        });
        team.team_barrier();
        for (int step = 0; step < depth; ++step) {
          const int now = step % 2;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows / rows_a_thread), [&](int group) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, packs), [&](int lp) {
              const int first = group * rows_a_thread;
              const int before = greatest(lp - 1, 0), after = least(lp + 1, packs - 1);
              Pack<T> north = tile(now, greatest(first - 1, 0), lp), centre = tile(now, first, lp);
              for (int ly = first; ly < first + rows_a_thread; ++ly) {
                const Pack<T> south = tile(now, least(ly + 1, rows - 1), lp);
                tile(1 - now, ly, lp) =
                    next_pack(s, north, centre, south, tile(now, ly, before).at[length - 1],
                              tile(now, ly, after).at[0], y0 + ly, (p0 + lp) * length, true);
                north = centre;
                centre = south;
              }
            });
          });
          team.team_barrier();
        }
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, depth, rows - depth), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, halo, packs - halo), [&](int lp) {
            if (y0 + ly < s.ny && (p0 + lp) * length < s.nx)
              s.out(y0 + ly, p0 + lp) = tile(depth % 2, ly, lp);
          });
        });
      });
}

/// Calls f(thread, i) for each of `threads` logical threads. On a GPU each team thread is one
/// logical thread; on a host it executes several. The mapping is fixed, so their data may stay in
/// an array across barriers.
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

/// stream_y on a GPU: each team traverses one strip of columns within a band of rows, one pack per
/// thread. Level k is the grid after k steps. For each row that arrives, each level advances
/// by one row; the rows above and below stay in registers. Each thread stores the first and last
/// value of its new row of each level to scratch, where its two neighbours load them one row later.
/// Scratch holds three rows, so that one barrier per row suffices.
template <int depth, class T>
struct StreamY {
  static constexpr int threads = 32, length = Pack<T>::length, ahead = 3;
  static constexpr int halo = ceil_div(depth, length), columns = (threads - 2 * halo) * length;
  using Policy = Teams<threads, 16>;
  using Sides = Scratch<T[3][depth][2][threads]>;

  Pass<T, Pack<T>> s;
  int strips, height;

  /// A team's strip: pack p0 is its first. The team stores rows [y0, y1).
  struct Strip {
    int p0, y0, y1;
  };
  struct Own {
    Pack<T> level[depth][3], soon[ahead];
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int p0 = team.league_rank() % strips * (threads - 2 * halo) - halo;
    const int y0 = team.league_rank() / strips * height;
    const Strip strip{p0, y0, y0 + least(height, s.ny - y0)};
    const Sides sides(team.team_scratch(0));
    Own own[own_threads<threads>] = {};
    for_threads<threads>(team, [&](int thread, int i) {
      for (int k = 0; k < ahead; ++k) own[i].soon[k] = load<true>(p0 + thread, y0 - depth + k);
    });
    const bool wide = p0 < 1 || (p0 + threads) * length >= s.nx;
    for (int y = y0 - depth; y < strip.y1 + depth; y += ahead) {
      if (wide || y - depth <= 0 || y + 2 * ahead > s.ny) {
        take_rows<true>(team, strip, sides, own, y);
      } else {
        take_rows<false>(team, strip, sides, own, y);
      }
    }
  }

  /// `edges`: some nodes may be on the grid's edges or outside the grid.
  template <bool edges>
  KOKKOS_FORCEINLINE_FUNCTION void take_rows(const Member& team, const Strip& strip,
                                             const Sides& sides, Own* own, int y) const {
#pragma unroll
    for (int turn = 0; turn < ahead; ++turn) {  // constant indices keep the arrays in registers
      for_threads<threads>(team, [&](int thread, int i) {
        take_row<edges>(strip, sides, own[i], thread, y + turn, turn);
      });
      team.team_barrier();
    }
  }

  template <bool edges>
  KOKKOS_FORCEINLINE_FUNCTION void take_row(const Strip& strip, const Sides& sides, Own& own,
                                            int thread, int y, int turn) const {
    const int above = (turn + 1) % 3, middle = (turn + 2) % 3, p = strip.p0 + thread;
    own.level[0][turn] = own.soon[turn];
    own.soon[turn] = load<edges>(p, y + ahead);
    Pack<T> last;
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      const T west = sides(middle, k, 1, greatest(thread - 1, 0));
      const T east = sides(middle, k, 0, least(thread + 1, threads - 1));
      const Pack<T>&north = own.level[k][above], &centre = own.level[k][middle],
            &south = own.level[k][turn];
      Pack<T>& next = k == depth - 1 ? last : own.level[k < depth - 1 ? k + 1 : 0][turn];
      next = next_pack(s, north, centre, south, west, east, y - k - 1, p * length, edges);
      sides(turn, k, 0, thread) = south.at[0];
      sides(turn, k, 1, thread) = south.at[length - 1];
    }
    if (y - depth < strip.y0 || y - depth >= strip.y1) return;
    const bool stores = thread >= halo && thread < threads - halo && p * length < s.nx;
    if (stores) s.out(y - depth, p) = last;
  }

  /// Loads a pack of row y. Clamps the row and the pack to the allocated grid.
  template <bool edges>
  KOKKOS_FORCEINLINE_FUNCTION Pack<T> load(int p, int y) const {
    const int near = least(greatest(p, 0), static_cast<int>(s.in.extent(1)) - 1);
    return s.in(edges ? s.near_y(y) : y, edges ? near : p);
  }
};

template <int depth, class T>
void stream_y(const Space& space, int team_size, int height, const Pass<T, Pack<T>>& s) {
  using Kernel = StreamY<depth, T>;
  const int strips = ceil_div(s.nx, Kernel::columns);
  typename Kernel::Policy teams(space, strips * ceil_div(s.ny, height), team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Kernel::Sides::shmem_size()));
  Kokkos::parallel_for("heat2d_steps::book::stream_y", teams, Kernel{s, strips, height});
}

/// stream_y on a host: each team traverses 1024 columns of a band of rows and advances each level
/// by one row at a time. Scratch holds three rows of each level except the first and the last, and
/// fits in the private cache of a core.
template <class T>
void stream_in_cache(const Space& space, int team_size, int scratch_level, int height, int depth,
                     const Pass<T>& s) {
  constexpr int chunk = 1024;
  const int chunks = ceil_div(s.nx, chunk), margin = depth + 1, width = chunk + 2 * margin;
  Teams<256> teams(space, chunks * ceil_div(s.ny, height), team_size, 1);
  teams.set_scratch_size(scratch_level,
                         Kokkos::PerTeam(Scratch<T***>::shmem_size(depth, 3, width)));
  Kokkos::parallel_for(
      "heat2d_steps::book::stream_y", teams, KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % chunks * chunk, x1 = x0 + least(chunk, s.nx - x0);
        const int y0 = team.league_rank() / chunks * height, y1 = y0 + least(height, s.ny - y0);
        const Scratch<T***> kept(team.team_scratch(scratch_level), depth, 3, width);
        const auto in = [&](int y, int x) { return s.in(y, x); };
        const auto step = [&](int y, int begin, int end, const auto& from, const auto& to) {
          if (y == 0 || y == s.ny - 1) {
            Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, end),
                                 [&](int x) { to(x) = from(y, x); });
            return;
          }
          Kokkos::single(Kokkos::PerTeam(team), [&] {
            if (begin == 0) to(0) = from(y, 0);
            if (end == s.nx) to(end - 1) = from(y, end - 1);
          });
          Kokkos::parallel_for(
              Kokkos::TeamVectorRange(team, greatest(begin, 1), least(end, s.nx - 1)), [&](int x) {
                to(x) = heat_step(s.c, from(y, x), from(y, x - 1), from(y, x + 1), from(y - 1, x),
                                  from(y + 1, x));
              });
        };
        for (int first = y0 - depth + 1; first < y1 + depth - 1; ++first) {
          for (int level = 1; level <= depth; ++level) {
            const int y = first - level + 1, halo = depth - level;
            if (y < greatest(y0 - halo, 0) || y >= least(y1 + halo, s.ny)) continue;
            const int begin = greatest(x0 - halo, 0), end = least(x1 + halo, s.nx);
            const auto before = [&](int row, int x) {
              return kept(level - 1, row % 3, x - x0 + margin);
            };
            const auto after = [&](int x) -> T& { return kept(level, y % 3, x - x0 + margin); };
            const auto out = [&](int x) -> T& { return s.out(y, x); };
            if (level == 1 && level == depth) {
              step(y, begin, end, in, out);
            } else if (level == 1) {
              step(y, begin, end, in, after);
            } else if (level == depth) {
              step(y, begin, end, before, out);
            } else {
              step(y, begin, end, before, after);
            }
            team.team_barrier();
          }
        }
      });
}

}  // namespace portcost::heat2d_steps::book
