// SPDX-License-Identifier: Apache-2.0
// gauss_batched by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A system is
// factorised by a thread, by a team, or by a grid of threads that keep its elements in registers.
// All steps eliminate column by column with one division a column, as LAPACK's getf2 does.
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

#include "variants/gauss_batched/rule.hpp"

namespace portcost::gauss_batched::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<128>::member_type;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

/// Row-major arrays in memory and in a team's scratch.
template <class Array>
using Global = Kokkos::View<Array, Kokkos::LayoutRight, Space, Unmanaged>;
template <class Array>
using Scratch = Kokkos::View<Array, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;

/// Neighbours of a row, loaded and stored by one instruction.
template <class T, int length>
struct alignas(length * sizeof(T)) PackOf {
  T at[length];
};
template <class T>
using Pack = PackOf<T, 16 / sizeof(T)>;

/// `count` systems of n unknowns: element (i, j) of system s is a(s, i, j). `flat` has the n * n
/// elements of a system in one row; where n is a multiple of a pack's length, packs(s, i, p) has
/// the rows in packs. bad_pivot(s) is -1, or the first column whose pivot is refused.
template <class T>
struct Batch {
  Global<T***> a;
  Global<T**> flat;
  Global<Pack<T>***> packs;
  Global<int*> bad_pivot;
  int count, n;
  T tiny;

  KOKKOS_INLINE_FUNCTION bool refuses(T pivot) const { return is_bad_pivot(pivot, tiny); }
};

// ---- A system a thread.

/// Factorises system a(i, j). Returns the column whose pivot is refused, or -1.
template <class T, class View>
KOKKOS_INLINE_FUNCTION int factorise(const Batch<T>& b, const View& a) {
  for (int k = 0; k < b.n; ++k) {
    if (b.refuses(a(k, k))) return k;
    const T inverse = reciprocal(a(k, k));
    for (int i = k + 1; i < b.n; ++i) {
      const T factor = multiplier(a(i, k), inverse);
      a(i, k) = factor;
#pragma unroll 4
      for (int j = k + 1; j < b.n; ++j) a(i, j) = eliminate(a(i, j), factor, a(k, j));
    }
  }
  return -1;
}

/// thread_each: a thread factorises one system at a time in memory; a team has `systems` systems.
template <class T>
void thread_each(const Space& space, int team_size, int systems, const Batch<T>& b) {
  Kokkos::parallel_for(
      "gauss_batched::book::thread_each",
      Teams<128>(space, (b.count + systems - 1) / systems, team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, systems), [&](int item) {
          const int s = team.league_rank() * systems + item;
          if (s >= b.count) return;
          const int bad = factorise(b, Kokkos::subview(b.a, s, Kokkos::ALL, Kokkos::ALL));
          if (bad >= 0) b.bad_pivot(s) = bad;
        });
      });
}

/// Copies to(e) = from(e) for e = 0, ..., count - 1 by `threads` lanes. A lane loads `together`
/// elements before it stores the first, so that all these loads are in flight at once.
template <class T, int threads, int together, class From, class To>
KOKKOS_INLINE_FUNCTION void copy(const Member& team, int count, const From& from, const To& to) {
  constexpr int group = threads * together;
  const int grouped = count / group * group;
  for (int begin = 0; begin < grouped; begin += group) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, begin + threads), [&](int first) {
      T some[together];
#pragma unroll
      for (int q = 0; q < together; ++q) some[q] = from(first + q * threads);
#pragma unroll
      for (int q = 0; q < together; ++q) to(first + q * threads) = some[q];
    });
  }
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, grouped, count),
                       [&](int e) { to(e) = from(e); });
}

/// staged: a team copies `systems` systems to scratch, each thread factorises one system there, and
/// the team copies them back. A system in scratch has an odd number of elements, so that threads at
/// the same element of their systems access different banks.
template <class T>
void staged(const Space& space, int team_size, int systems, const Batch<T>& b) {
  const int size = b.n * b.n, pitch = size | 1;
  const unsigned inverse = ((1u << 25) + size - 1) / size;  // e / size is e * inverse >> 25
  Teams<32> teams(space, (b.count + systems - 1) / systems, team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Scratch<T**>::shmem_size(systems, pitch)));
  Kokkos::parallel_for(
      "gauss_batched::book::staged", teams, KOKKOS_LAMBDA(const Member& team) {
        const Scratch<T**> tile(team.team_scratch(0), systems, pitch);
        const int first = team.league_rank() * systems;
        const int there = b.count - first < systems ? b.count - first : systems;
        const auto in_memory = [&](int e) -> T& {
          const int s = static_cast<int>(static_cast<unsigned>(e) * inverse >> 25);
          return b.flat(first + s, e - s * size);
        };
        const auto in_tile = [&](int e) -> T& {
          const int s = static_cast<int>(static_cast<unsigned>(e) * inverse >> 25);
          return tile(s, e - s * size);
        };
        copy<T, 32, 8>(team, there * size, in_memory, in_tile);
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, there), [&](int s) {
          const int bad = factorise(b, Scratch<T**>(&tile(s, 0), b.n, b.n));
          if (bad >= 0) b.bad_pivot(first + s) = bad;
        });
        team.team_barrier();
        copy<T, 32, 8>(team, there * size, in_tile, in_memory);
      });
}

/// staged on a host: a team has as many systems as a line of the cache has elements. In scratch the
/// systems are interleaved, so that each lane factorises one system.
template <class T>
void staged_strips(const Space& space, int team_size, int scratch_level, const Batch<T>& b) {
  constexpr int wide = 64 / sizeof(T);
  using Strip = Scratch<PackOf<T, wide>**>;
  Teams<32> teams(space, (b.count + wide - 1) / wide, team_size, 1);
  teams.set_scratch_size(scratch_level, Kokkos::PerTeam(Strip::shmem_size(b.n, b.n)));
  Kokkos::parallel_for(
      "gauss_batched::book::staged_strips", teams, KOKKOS_LAMBDA(const Member& team) {
        const Strip strip(team.team_scratch(scratch_level), b.n, b.n);
        const int first = team.league_rank() * wide;
        const int there = b.count - first < wide ? b.count - first : wide;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, b.n), [&](int i) {
          for (int j = 0; j < b.n; ++j) {
            for (int l = 0; l < wide; ++l) strip(i, j).at[l] = l < there ? b.a(first + l, i, j) : 1;
          }
        });
        for (int k = 0; k < b.n; ++k) {
          team.team_barrier();
          PackOf<T, wide> inverse;
          for (int l = 0; l < wide; ++l) {
            const T pivot = strip(k, k).at[l];
            inverse.at[l] = reciprocal(b.refuses(pivot) ? T(1) : pivot);
          }
          Kokkos::single(Kokkos::PerTeam(team), [&] {
            for (int l = 0; l < there; ++l) {
              int& bad = b.bad_pivot(first + l);
              if (bad < 0 && b.refuses(strip(k, k).at[l])) bad = k;
            }
          });
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, b.n), [&](int i) {
            PackOf<T, wide> multipliers = strip(i, k);
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, wide), [&](int l) {
              multipliers.at[l] = multiplier(multipliers.at[l], inverse.at[l]);
            });
            strip(i, k) = multipliers;
            for (int j = k + 1; j < b.n; ++j) {
              T *const row = strip(i, j).at, *const from = strip(k, j).at;
              Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, wide), [&](int l) {
                row[l] = eliminate(row[l], multipliers.at[l], from[l]);
              });
            }
          });
        }
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, there), [&](int l) {
          for (int i = 0; i < b.n; ++i) {
            for (int j = 0; j < b.n; ++j) b.a(first + l, i, j) = strip(i, j).at[l];
          }
        });
      });
}

// ---- A system a team.

/// team_each: a team copies its system to scratch and factorises it there. For each pivot the
/// threads share the rows below, the lanes of a thread the columns of a row.
template <class T>
void team_each(const Space& space, int team_size, const Batch<T>& b) {
  Teams<128> teams(space, b.count, team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Scratch<T**>::shmem_size(b.n, b.n)));
  Kokkos::parallel_for(
      "gauss_batched::book::team_each", teams, KOKKOS_LAMBDA(const Member& team) {
        const int s = team.league_rank(), size = b.n * b.n;
        const Scratch<T**> tile(team.team_scratch(0), b.n, b.n);
        const Scratch<T*> flat(tile.data(), size);
        const auto in_memory = [&](int e) -> T& { return b.flat(s, e); };
        const auto in_tile = [&](int e) -> T& { return flat(e); };
        copy<T, 128, 4>(team, size, in_memory, in_tile);
        for (int k = 0; k < b.n; ++k) {
          team.team_barrier();
          if (b.refuses(tile(k, k))) {
            Kokkos::single(Kokkos::PerTeam(team), [&] { b.bad_pivot(s) = k; });
            break;
          }
          const T inverse = reciprocal(tile(k, k));
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, b.n), [&](int i) {
            const T factor = multiplier(tile(i, k), inverse);
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, k + 1, b.n), [&](int j) {
              tile(i, j) = eliminate(tile(i, j), factor, tile(k, j));
            });
            Kokkos::single(Kokkos::PerThread(team), [&] { tile(i, k) = factor; });
          });
        }
        team.team_barrier();
        copy<T, 128, 4>(team, size, in_tile, in_memory);
      });
}

// ---- A system a grid of threads.

/// How `down` x `across` threads share a system of up to n unknowns: thread (x, y) has every
/// down-th row, and every across-th pack of these rows. A round eliminates `together` columns. A
/// team has as many systems as its warps hold; a multiprocessor is to hold `teams` teams.
template <class T, int n_, int down_, int across_, int warps, int teams_, int together_>
struct Grid {
  static constexpr int n = n_, down = down_, across = across_, teams = teams_;
  static constexpr int together = together_, pack = 16 / sizeof(T);
  static constexpr int threads = 32 * warps, systems = threads / (down * across);
  static constexpr int rows = n / down, packs = n / (across * pack);
  /// The most parts of one thread: one on a GPU, all on a host, where a team may have one thread.
  static constexpr int most = on_host ? threads : 1;
  /// The code of all rounds nearly fills a GPU's instruction cache: branches would make it longer.
  static constexpr bool long_code = n > 32 && sizeof(T) == 4;
  using Few = PackOf<T, together>;
  /// The published rows and columns of a round's pivots, double-buffered. Columns are longer than
  /// n, so that threads of several systems access different banks.
  using Rows = Scratch<Pack<T>[2][together][systems][n / pack]>;
  using Columns = Scratch<Few[2][systems][n + down]>;

  /// Thread (x, y) of system `system` of a team, and its rows and packs.
  struct Place {
    int system, x, y;
    KOKKOS_INLINE_FUNCTION explicit Place(int item)
        : system(item / (down * across)), x(item % across), y(item / across % down) {}
    KOKKOS_INLINE_FUNCTION int row(int r) const { return r * down + y; }
    KOKKOS_INLINE_FUNCTION int pack_of(int p) const { return p * across + x; }
    KOKKOS_INLINE_FUNCTION bool has_row(int k) const { return y == k % down; }
    KOKKOS_INLINE_FUNCTION bool has_column(int k) const { return x == k / pack % across; }
    /// Calls f(r, p, i, j) for each pack: pack p of row r begins with element (i, j).
    template <class F>
    KOKKOS_INLINE_FUNCTION void each_pack(const F& f) const {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int p = 0; p < packs; ++p) f(r, p, row(r), pack_of(p) * pack);
      }
    }
  };

  /// Calls f(place, i) for the thread's parts. A thread has the same parts in each call, so that it
  /// may keep their data in registers over a barrier.
  template <class F>
  KOKKOS_INLINE_FUNCTION static void for_parts(const Member& team, const F& f) {
    for (int i = 0; i < most; ++i) {
      const int item = team.team_rank() + i * team.team_size();
      if (i > 0 && item >= threads) break;
      f(Place(item), i);
    }
  }
};

/// A thread's elements of a system.
template <class Grid, class T>
struct Part {
  using Place = typename Grid::Place;
  using Few = typename Grid::Few;
  static constexpr int pack = Grid::pack, together = Grid::together;
  static constexpr int rows = Grid::rows, packs = Grid::packs;
  Pack<T> own[rows][packs];
  int bad;

  /// Loads system s; zeros where a system or an element is missing.
  KOKKOS_INLINE_FUNCTION void load(const Batch<T>& b, const Place& at, int s) {
    bad = -1;
    if (s < b.count && b.n == Grid::n) {
      at.each_pack([&](int r, int p, int i, int j) { own[r][p] = b.packs(s, i, j / pack); });
      return;
    }
    at.each_pack([&](int r, int p, int i, int j) {
      own[r][p] = {};
      if (s >= b.count || i >= b.n) return;
      if (b.n % pack == 0) {
        if (j < b.n) own[r][p] = b.packs(s, i, j / pack);
      } else {
        for (int q = 0; q < pack && j + q < b.n; ++q) own[r][p].at[q] = b.a(s, i, j + q);
      }
    });
  }
  KOKKOS_INLINE_FUNCTION void store(const Batch<T>& b, const Place& at, int s) const {
    if (s >= b.count) return;
    if (bad >= 0 && at.x == 0 && at.y == 0) b.bad_pivot(s) = bad;
    if (b.n == Grid::n) {
      at.each_pack([&](int r, int p, int i, int j) { b.packs(s, i, j / pack) = own[r][p]; });
      return;
    }
    at.each_pack([&](int r, int p, int i, int j) {
      if (i >= b.n) return;
      if (b.n % pack == 0) {
        if (j < b.n) b.packs(s, i, j / pack) = own[r][p];
      } else {
        for (int q = 0; q < pack && j + q < b.n; ++q) b.a(s, i, j + q) = own[r][p].at[q];
      }
    });
  }

  /// Publishes the thread's part of columns k, ..., k + together - 1 and of their pivots' rows.
  template <int k>
  KOKKOS_INLINE_FUNCTION void publish(const Place& at, const typename Grid::Rows& pivot_rows,
                                      const typename Grid::Columns& columns) const {
    constexpr int place = k / together % 2, first = k / pack / Grid::across;
    if (at.has_column(k)) {
#pragma unroll
      for (int r = k / Grid::down; r < rows; ++r) {
        Few some;
#pragma unroll
        for (int e = 0; e < together; ++e) some.at[e] = own[r][first].at[k % pack + e];
        columns(place, at.system, at.row(r)) = some;
      }
    }
#pragma unroll
    for (int e = 0; e < together; ++e) {
      if (!at.has_row(k + e)) continue;
#pragma unroll
      for (int p = first; p < packs; ++p) {
        pivot_rows(place, e, at.system, at.pack_of(p)) = own[(k + e) / Grid::down][p];
      }
    }
  }

  /// Eliminates the columns; every thread factorises the diagonal square itself, to save a barrier.
  template <int k>
  KOKKOS_INLINE_FUNCTION void take(const Batch<T>& b, const Place& at,
                                   const typename Grid::Rows& pivot_rows,
                                   const typename Grid::Columns& columns) {
    constexpr int place = k / together % 2, first = k / pack / Grid::across;
    Few square[together], multipliers[rows];
#pragma unroll
    for (int e = 0; e < together; ++e) square[e] = columns(place, at.system, k + e);
#pragma unroll
    for (int r = k / Grid::down; r < rows; ++r)
      multipliers[r] = columns(place, at.system, at.row(r));
#pragma unroll
    for (int e = 0; e < together; ++e) {
      const bool refused = b.refuses(square[e].at[e]);
      if (refused && bad < 0 && k + e < b.n) bad = k + e;
      const T inverse = reciprocal(refused ? T(1) : square[e].at[e]);
      const auto divide = [&](Few& row) {
        row.at[e] = multiplier(row.at[e], inverse);
#pragma unroll
        for (int f = e + 1; f < together; ++f) {
          row.at[f] = eliminate(row.at[f], row.at[e], square[e].at[f]);
        }
      };
#pragma unroll
      for (int f = e + 1; f < together; ++f) divide(square[f]);
#pragma unroll
      for (int r = k / Grid::down; r < rows; ++r) divide(multipliers[r]);
    }
#pragma unroll
    for (int p = first; p < packs; ++p) {
      Pack<T> from[together];
#pragma unroll
      for (int e = 0; e < together; ++e) {
        from[e] = pivot_rows(place, e, at.system, at.pack_of(p));
#pragma unroll
        for (int above = 0; above < e; ++above) {
#pragma unroll
          for (int q = 0; q < pack; ++q) {
            from[e].at[q] = eliminate(from[e].at[q], square[e].at[above], from[above].at[q]);
          }
        }
      }
#pragma unroll
      for (int r = k / Grid::down; r < rows; ++r) {
        take_pack<k>(at, r, p, square, multipliers[r], from);
      }
    }
  }

 private:
  // Pack p of row r. A thread whose first pack has the round's columns keeps multipliers and the
  // factorised square there; other threads change only elements to the right of these columns.
  template <int k>
  KOKKOS_INLINE_FUNCTION void take_pack(const Place& at, int r, int p,
                                        const Few (&square)[together], const Few& multipliers,
                                        const Pack<T> (&from)[together]) {
    const bool in_first = p == k / pack / Grid::across, has = in_first && at.has_column(k);
    const int past = at.row(r) - k;  // the row, from the first pivot's on
    const bool below = r * Grid::down >= k + together || past >= together;
#pragma unroll
    for (int q = 0; q < pack; ++q) {
      const int f = q - k % pack;  // which of the columns, if one of them
      const bool of_them = has && f >= 0 && f < together;
      const bool later = !in_first || at.x > k / pack % Grid::across || (has && f >= together);
      T& element = own[r][p].at[q];
      if (Grid::long_code || (below && later)) {
        T left = element;
#pragma unroll
        for (int e = 0; e < together; ++e) left = eliminate(left, multipliers.at[e], from[e].at[q]);
        element = below && later ? left : element;
      }
      if (of_them && below) element = multipliers.at[f];
      if (r * Grid::down >= k + together) continue;  // no row of a pivot
#pragma unroll
      for (int e = 1; e < together; ++e) {
        if (past != e) continue;
        if (later) element = from[e].at[q];
        if (of_them) element = square[e].at[f];
      }
    }
  }
};

/// lane_grid: in each round the threads publish the next columns and their pivots' rows in scratch,
/// wait at a barrier, and eliminate the columns from their elements. A round's first column is a
/// template argument, so that elements lie in registers.
template <class Grid, class T>
struct LaneGrid {
  using Rows = typename Grid::Rows;
  using Columns = typename Grid::Columns;
  using Parts = Part<Grid, T>[Grid::most];
  using Place = typename Grid::Place;
  Batch<T> b;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Rows pivot_rows(team.team_scratch(0));
    const Columns columns(team.team_scratch(0));
    const int first = team.league_rank() * Grid::systems;
    Parts parts;
    Grid::for_parts(team, [&](const Place& at, int i) { parts[i].load(b, at, first + at.system); });
    take_all(team, parts, pivot_rows, columns,
             std::make_integer_sequence<int, Grid::n / Grid::together>());
    Grid::for_parts(team,
                    [&](const Place& at, int i) { parts[i].store(b, at, first + at.system); });
  }
  // Ends at the first round without columns, and is always inlined: at 64 unknowns nvcc otherwise
  // calls functions, and a thread's elements lie in local memory.
  template <int... round>
  KOKKOS_FORCEINLINE_FUNCTION void take_all(const Member& team, Parts& parts,
                                            const Rows& pivot_rows, const Columns& columns,
                                            std::integer_sequence<int, round...>) const {
    static_cast<void>((take<round * Grid::together>(team, parts, pivot_rows, columns) && ...));
  }
  template <int k>
  KOKKOS_INLINE_FUNCTION bool take(const Member& team, Parts& parts, const Rows& pivot_rows,
                                   const Columns& columns) const {
    if (k >= b.n) return false;
    Grid::for_parts(team, [&](const Place& at, int i) {
      parts[i].template publish<k>(at, pivot_rows, columns);
    });
    team.team_barrier();
    Grid::for_parts(team, [&](const Place& at, int i) {
      parts[i].template take<k>(b, at, pivot_rows, columns);
    });
    return true;
  }
};

template <class Grid, class T>
void lane_grid(const Space& space, int team_size, const Batch<T>& b) {
  Teams<Grid::threads, Grid::teams> teams(space, (b.count + Grid::systems - 1) / Grid::systems,
                                          team_size, 1);
  teams.set_scratch_size(0,
                         Kokkos::PerTeam(Grid::Rows::shmem_size() + Grid::Columns::shmem_size()));
  Kokkos::parallel_for("gauss_batched::book::lane_grid", teams, LaneGrid<Grid, T>{b});
}

}  // namespace portcost::gauss_batched::book
