// SPDX-License-Identifier: Apache-2.0
// Portable steps in a host's shapes: rows of a band in place, and several sweeps a pass in a core's
// own cache. Lanes lie along a row.
#pragma once

#include "variants/jacobi/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::jacobi {

/// Relaxes nodes [begin, end) of a row from the old rows north of it, its own, and south of it, by
/// a whole team or by a thread's lanes, as `range` says.
template <class T, class Range>
KOKKOS_INLINE_FUNCTION void relax_row(const Range& range, Coefficients<T> c, const T* north,
                                      const T* row, const T* south, const T* right_side, T* out) {
  Kokkos::parallel_for(range, [&](int x) {
    out[x] = relaxed(c, north[x], south[x], row[x - 1], row[x + 1], source(c, right_side[x]));
  });
}

/// The memory of three_rows: four rows for each band.
template <class T>
struct Bands {
  Sweep<T> s;
  T *grid, *buffers;
  int bands;

  KOKKOS_FUNCTION T* buffer_row(int band, int row) const {
    return buffers + (std::int64_t{band} * buffer_rows + row) * s.pitch + margin<T>;
  }
  // Copies a row and the frame's node on either side.
  KOKKOS_FUNCTION void copy_row(const auto& team, const T* from, T* to) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, -1, s.columns + 1),
                         [&](int x) { to[x] = from[x]; });
  }
};

/// First each band saves its neighbours' rows, which the neighbours overwrite.
template <class T>
struct KeepEdges : Bands<T> {
  using On = Teams<1>;
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const int b = team.league_rank();
    const Band band = band_of(this->s.rows, this->bands, b);
    if (band.first == band.end) return;
    this->copy_row(team, this->s.row_in(band.first - 1), this->buffer_row(b, 0));
    this->copy_row(team, this->s.row_in(band.end), this->buffer_row(b, 3));
  }
};

/// In place: buffers hold a row's old values until the row below has been computed.
template <class T>
struct ThreeRows : Bands<T> {
  using On = Teams<1>;
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const Sweep<T>& sweep = this->s;
    const int b = team.league_rank();
    const Band band = band_of(sweep.rows, this->bands, b);
    if (band.first == band.end) return;
    T *upper = this->buffer_row(b, 0), *middle = this->buffer_row(b, 1),
      *lower = this->buffer_row(b, 2);
    this->copy_row(team, sweep.row_in(band.first), middle);
    for (int y = band.first; y < band.end; ++y) {
      const bool last = y + 1 == band.end;
      if (!last) this->copy_row(team, sweep.row_in(y + 1), lower);
      team.team_barrier();
      relax_row(Kokkos::TeamVectorRange(team, sweep.columns), sweep.c, upper, middle,
                last ? this->buffer_row(b, 3) : lower, sweep.row_right(y),
                this->grid + sweep.offset(y));
      team.team_barrier();
      T* const free = upper;
      upper = middle;
      middle = lower;
      lower = free;
    }
  }
};

template <class T>
void three_rows_sweep(const Task<T>& task, const Stream& stream) {
  const int bands = std::min(task.processors, task.rows);
  const Bands<T> work{task.sweep(), task.grids->now, task.buffers, bands};
  using Keep = KeepEdges<T>;
  using Rows = ThreeRows<T>;
  Kokkos::parallel_for("portcost::jacobi::keep_edges", Keep::On::policy(stream, bands), Keep{work});
  Kokkos::parallel_for("portcost::jacobi::three_rows", Rows::On::policy(stream, bands), Rows{work});
}

/// A team walks down a chunk of columns, and a row of each level (the grid after so many sweeps)
/// follows the row of the level below it. Scratch holds three rows of each level between the first
/// and the last.
template <class T>
struct ManyStepsOnHost {
  using On = Teams<1>;
  using Member = typename On::Member;
  static constexpr int scratch_elements = (most_depth - 1) * 3 * chunk_row;
  Sweep<T> s;
  TileGrid tiles;
  int height, sweeps;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * chunk_columns, x1 = x0 + compat::min(int{chunk_columns}, s.columns - x0);
    const int y0 = ty * height, y1 = y0 + compat::min(height, s.rows - y0);
    // The address of column 0.
    T* const kept = On::template scratch<T>(team, scratch_elements) + most_depth + 1 - x0;
    // Row `first` of level 1; behind it, one row of each later level.
    for (int first = y0 - sweeps + 1; first < y1 + sweeps - 1; ++first) {
      for (int level = 1; level < sweeps; ++level) {
        const int y = first - level + 1, halo = sweeps - level;
        if (y < compat::max(y0 - halo, -1) || y >= compat::min(y1 + halo, s.rows + 1)) continue;
        advance_row(team, kept, level, y, x0 - halo, x1 + halo);
        team.team_barrier();
      }
      const int y = first - sweeps + 1;
      if (y < y0 || y >= y1) continue;
      relax(team, kept, sweeps, y, x0, x1, s.row_out(y));
      team.team_barrier();
    }
  }

  // Row y of a level; level 0 is the grid.
  KOKKOS_FUNCTION static T* kept_row(T* kept, int level, int y) {
    return kept + ((level - 1) * 3 + (y + 3) % 3) * chunk_row;
  }
  KOKKOS_FUNCTION const T* row(T* kept, int level, int y) const {
    return level == 0 ? s.row_in(y) : kept_row(kept, level, y);
  }
  KOKKOS_FUNCTION void relax(const Member& team, T* kept, int level, int y, int begin, int end,
                             T* out) const {
    relax_row(Kokkos::TeamVectorRange(team, begin, end), s.c, row(kept, level - 1, y - 1),
              row(kept, level - 1, y), row(kept, level - 1, y + 1), s.row_right(y), out);
  }
  // Relaxes nodes [begin, end), except the frame's, which are copied.
  KOKKOS_FUNCTION void advance_row(const Member& team, T* kept, int level, int y, int begin,
                                   int end) const {
    const T* const grid = s.row_in(y);
    T* const out = kept_row(kept, level, y);
    if (y == -1 || y == s.rows) {
      Kokkos::parallel_for(
          Kokkos::TeamVectorRange(team, compat::max(begin, -1), compat::min(end, s.columns + 1)),
          [&](int x) { out[x] = grid[x]; });
      return;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (begin < 0) out[-1] = grid[-1];
      if (end > s.columns) out[s.columns] = grid[s.columns];
    });
    relax(team, kept, level, y, compat::max(begin, 0), compat::min(end, s.columns), out);
  }
};

struct HostManyStepsShape {
  /// A pass of `sweeps` sweeps, at most most_depth.
  template <class T>
  static void pass(const Sweep<T>& s, int sweeps, int threads, const Stream& stream) {
    using Made = ManyStepsOnHost<T>;
    const int chunks = ceil_div(s.columns, chunk_columns);
    const int height = many_rows(s.rows, chunks, tiles_a_thread * threads, 1);
    const TileGrid tiles{chunks, ceil_div(s.rows, height)};
    Kokkos::parallel_for("portcost::jacobi::many_steps",
                         Made::On::policy(stream, tiles, scratch_bytes<T>(Made::scratch_elements)),
                         Made{s, tiles, height, sweeps});
  }
};

}  // namespace portcost::jacobi
