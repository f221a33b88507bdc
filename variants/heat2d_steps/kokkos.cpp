// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants (kokkos_team.hpp explains the tricks). In stream_y a
// thread's registers hold its columns of the strip; overlapped divides its tile by ranges.
#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::heat2d_steps {

namespace {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool on_edge(const Pass<T>& s, int x, int y) {
  return x <= 0 || y <= 0 || x >= s.nx - 1 || y >= s.ny - 1;
}

// ---- overlapped: a team advances a tile, which shrinks by a node on each side a step.

template <class T>
struct Overlapped {
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  static constexpr int wide = tile_x<T>, nodes = wide * tile_y, groups = tile_y / tile_rows;
  Pass<T> s;
  TileGrid tiles;
  int depth, halo;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int band = tiles.row(team.league_rank());
    const int x0 = tiles.column(team.league_rank(), band) * (wide - 2 * halo) - halo;
    const int y0 = band * (tile_y - 2 * depth) - depth;
    T* const tile = On::template scratch<T>(team, 2 * nodes);
    for_pieces(team, [&](int lx, int ly) {
#pragma unroll
      for (int r = 0; r < tile_rows; ++r) {
        Wide<T> loaded{};
        if (x0 + lx >= 0 && x0 + lx < static_cast<int>(s.pitch)) {
          loaded = *reinterpret_cast<const Wide<T>*>(s.row_in(s.near_y(y0 + ly + r)) + x0 + lx);
        }
        *reinterpret_cast<Wide<T>*>(tile + (ly + r) * wide + lx) = loaded;
      }
    });
    team.team_barrier();
    for (int step = 0; step < depth; ++step) {
      const T* const now = tile + step % 2 * nodes;
      T* const next = tile + (1 - step % 2) * nodes;
      for_pieces(team, [&](int lx, int ly) { advance(now, next, x0, y0, lx, ly); });
      team.team_barrier();
    }
    const T* const done = tile + depth % 2 * nodes;
    for_pieces(team, [&](int lx, int first) {
      if (lx < halo || lx >= wide - halo || x0 + lx >= s.nx) return;
#pragma unroll
      for (int r = 0; r < tile_rows; ++r) {
        const int ly = first + r, y = y0 + ly;
        if (ly < depth || ly >= tile_y - depth || y >= s.ny) continue;
        *reinterpret_cast<Wide<T>*>(s.row_out(y) + x0 + lx) =
            *reinterpret_cast<const Wide<T>*>(done + ly * wide + lx);
      }
    });
  }

  // f(lx, ly): 16 bytes of four rows, from node (ly, lx) of the tile.
  KOKKOS_FORCEINLINE_FUNCTION static void for_pieces(const auto& team, const auto& f) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{groups}), [&](Index group) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{lanes}), [&](Index lane) {
        f(static_cast<int>(lane) * piece<T>, static_cast<int>(group) * tile_rows);
      });
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void advance(const T* now, T* next, int x0, int y0, int lx,
                                           int ly) const {
    const auto row = [&](int r) {
      const int near = compat::min(compat::max(r, 0), tile_y - 1);
      return *reinterpret_cast<const Wide<T>*>(now + near * wide + lx);
    };
    Wide<T> north = row(ly - 1), centre = row(ly);
#pragma unroll
    for (int r = 0; r < tile_rows; ++r) {
      const Wide<T> south = row(ly + r + 1);
      const T* const at = now + (ly + r) * wide;
      const T west = at[compat::max(lx - 1, 0)], east = at[compat::min(lx + piece<T>, wide - 1)];
      Wide<T> result;
#pragma unroll
      for (int j = 0; j < piece<T>; ++j) {
        const T w = j == 0 ? west : centre.at[j == 0 ? 0 : j - 1];
        const T e = j == piece<T> - 1 ? east : centre.at[j == piece<T> - 1 ? 0 : j + 1];
        const T moved = heat_step(s.c, centre.at[j], w, e, north.at[j], south.at[j]);
        result.at[j] = on_edge(s, x0 + lx + j, y0 + ly + r) ? centre.at[j] : moved;
      }
      *reinterpret_cast<Wide<T>*>(next + (ly + r) * wide + lx) = result;
      north = centre;
      centre = south;
    }
  }
};

template <class T>
void overlapped(const Run<T>& run, const Stream& stream) {
  using Kernel = Overlapped<T>;
  for_passes(
      run, [&](int left) { return tile_depth(run.depth, left); },
      [&](const Pass<T>& s, int depth) {
        const int halo = tile_halo<T>(depth);
        const TileGrid tiles(ceil_div(s.nx, Kernel::wide - 2 * halo),
                             ceil_div(s.ny, tile_y - 2 * depth));
        Kokkos::parallel_for("portcost::heat2d_steps::overlapped",
                             Kernel::On::policy(stream, tiles, scratch_bytes<T>(2 * Kernel::nodes)),
                             Kernel{s, tiles, depth, halo});
      });
}

// ---- stream_y on a GPU: a team of 32 threads walks down a strip. With each row that arrives, each
// level (the grid after so many steps) advances by a row: level k computes its row y - k. Rows
// north and south are in registers, columns west and east of a thread's own in its neighbours'.

template <class T, int depth>
struct StreamY {
  using Shape = StreamShape<T, depth>;
  using On = Teams<1, Shape::warps, Lanes::one>;
  using Member = typename On::Member;
  static constexpr int pieces = stream_columns / piece<T>, most_own = On::most_own(lanes);
  // Each thread's first and last column of the three latest rows of each level but the last.
  static constexpr int kept = ahead * depth * 2 * lanes;
  using Row = T[stream_columns];
  // The three latest rows of each level but the last, and the rows to come.
  struct Own {
    Row level[depth][3], soon[ahead];
  };
  struct Strip {
    int x0, y0, y1;
    T* kept;
    KOKKOS_FORCEINLINE_FUNCTION T* first_columns(int level, int row) const {
      return kept + (row * depth + level) * 2 * lanes;
    }
  };
  Pass<T> s;
  TileGrid tiles;
  int height;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    const int band = tiles.row(team.league_rank()), y0 = band * height;
    const int x0 = tiles.column(team.league_rank(), band) * Shape::columns - Shape::halo;
    const Strip strip{x0, y0, y0 + compat::min(height, s.ny - y0),
                      On::template exchange_scratch<T>(team, kept)};
    Own own[most_own] = {};
    On::template for_own<lanes>(team, [&](int lane, int i) {
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        load<true>(own[i].soon[k], x0 + lane * stream_columns, y0 - depth + k);
      }
    });
    const bool sides = x0 <= 0 || x0 >= s.nx - stream_width;
    for (int y = y0 - depth; y < strip.y1 + depth; y += ahead) {
      if (sides || y - depth <= 0 || y + 2 * ahead > s.ny) {
        take_rows<true>(team, strip, own, y);
      } else {
        take_rows<false>(team, strip, own, y);
      }
    }
  }

  // Rows y, y + 1 and y + 2 arrive. `ends`: nodes may lie on the grid's edges or beyond.
  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void take_rows(const Member& team, const Strip& strip, Own* own,
                                             int y) const {
#pragma unroll
    for (int turn = 0; turn < ahead; ++turn) {
      On::template for_own<lanes>(
          team, [&](int lane, int i) { take_row<ends>(strip, own[i], lane, y + turn, turn); });
      On::exchange_barrier(team);
    }
  }

  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void take_row(const Strip& strip, Own& own, int lane, int y,
                                            int turn) const {
    const int north = (turn + 1) % 3, centre = (turn + 2) % 3, x = strip.x0 + lane * stream_columns;
#pragma unroll
    for (int j = 0; j < stream_columns; ++j) own.level[0][turn][j] = own.soon[turn][j];
    load<ends>(own.soon[turn], x, y + ahead);
    Row last;
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      const Row& row = own.level[k][centre];
      const T* const beside = strip.first_columns(k, centre);
      const T west = On::of_lane(row[stream_columns - 1], lane > 0 ? lane - 1 : 0, beside + lanes);
      const T east = On::of_lane(row[0], lane < lanes - 1 ? lane + 1 : lane, beside);
      advance<ends>(own.level[k][north], row, own.level[k][turn], west, east,
                    k == depth - 1 ? last : own.level[k < depth - 1 ? k + 1 : 0][turn], x,
                    y - k - 1);
      T* const mine = strip.first_columns(k, turn) + lane;
      On::keep(mine, own.level[k][turn][0]);
      On::keep(mine + lanes, own.level[k][turn][stream_columns - 1]);
    }
    store<ends>(strip, last, lane, x, y - depth);
  }

  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void load(Row& row, int x, int y) const {
    const T* const from = s.row_in(ends ? s.near_y(y) : y) + x;
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      const int at = x + p * piece<T>;
      Wide<T> loaded{};
      if (!ends || (at >= 0 && at < static_cast<int>(s.pitch))) {
        loaded = *reinterpret_cast<const Wide<T>*>(from + p * piece<T>);
      }
#pragma unroll
      for (int j = 0; j < piece<T>; ++j) row[p * piece<T> + j] = loaded.at[j];
    }
  }

  // Row `y` of the next level.
  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Row& north, const Row& centre, const Row& south,
                                           T west, T east, Row& next, int x, int y) const {
    const bool end = ends && (y <= 0 || y >= s.ny - 1);
#pragma unroll
    for (int j = 0; j < stream_columns; ++j) {
      const T w = j == 0 ? west : centre[j == 0 ? 0 : j - 1];
      const T e = j == stream_columns - 1 ? east : centre[j == stream_columns - 1 ? 0 : j + 1];
      const T moved = heat_step(s.c, centre[j], w, e, north[j], south[j]);
      next[j] = ends && (end || x + j <= 0 || x + j >= s.nx - 1) ? centre[j] : moved;
    }
  }

  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Strip& strip, const Row& row, int lane, int x,
                                         int y) const {
    if (y < strip.y0 || y >= strip.y1) return;
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      const int lx = lane * stream_columns + p * piece<T>, at = x + p * piece<T>;
      if (lx < Shape::halo || lx >= stream_width - Shape::halo || (ends && at >= s.nx)) continue;
      Wide<T> out;
#pragma unroll
      for (int j = 0; j < piece<T>; ++j) out.at[j] = row[p * piece<T> + j];
      *reinterpret_cast<Wide<T>*>(s.row_out(y) + at) = out;
    }
  }

  static void passes(const Run<T>& run, const Stream& stream, int own_depth) {
    for_stream_passes(run, own_depth, [&]<int own>(const Pass<T>& s) {
      using Kernel = StreamY<T, own>;
      const int strips = ceil_div(s.nx, Kernel::Shape::columns);
      const int slots = processors(stream.place()) * Kernel::Shape::warps * Kernel::Shape::waves;
      const int height = band_rows(s.ny, strips, slots);
      const TileGrid tiles(strips, ceil_div(s.ny, height));
      Kokkos::parallel_for(
          "portcost::heat2d_steps::stream_y",
          Kernel::On::policy(stream, tiles, Kernel::On::template exchange_bytes<T>(Kernel::kept)),
          Kernel{s, tiles, height});
    });
  }
};

// ---- On a host: a team walks down a chunk of columns; three rows of each level lie in scratch.

template <class T>
struct StreamInCache {
  using On = Teams<1>;
  using Member = typename On::Member;
  Pass<T> s;
  TileGrid tiles;
  int height, depth;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int band = tiles.row(team.league_rank());
    const int x0 = tiles.column(team.league_rank(), band) * chunk_columns, y0 = band * height;
    const int x1 = x0 + compat::min(s.nx - x0, int{chunk_columns});
    const int y1 = y0 + compat::min(s.ny - y0, height);
    T* const rows = On::template scratch<T>(team, elements(depth));
    const auto kept = [&](int level, int y) {
      return rows + ((level - 1) * 3 + (y + 3) % 3) * chunk_row + chunk_margin - x0;
    };
    const auto row = [&](int level, int y) -> const T* {
      return level == 0 ? s.row_in(s.near_y(y)) : kept(level, y);
    };
    // Row `first` of level 1; behind it, one row of each later level.
    for (int first = y0 - depth + 1; first < y1 + depth - 1; ++first) {
      for (int level = 1; level <= depth; ++level) {
        const int y = first - level + 1, halo = depth - level;
        if (y < compat::max(y0 - halo, 0) || y >= compat::min(y1 + halo, s.ny)) continue;
        step_row(team, y, row(level - 1, y - 1), row(level - 1, y), row(level - 1, y + 1),
                 level == depth ? s.row_out(y) : kept(level, y), compat::max(x0 - halo, 0),
                 compat::min(x1 + halo, s.nx));
        team.team_barrier();
      }
    }
  }

  KOKKOS_FUNCTION void step_row(const Member& team, int y, const T* north, const T* row,
                                const T* south, T* out, int begin, int end) const {
    const Coefficients<T> c = s.c;
    if (y == 0 || y == s.ny - 1) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, end),
                           [&](int x) { out[x] = row[x]; });
      return;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (begin == 0) out[0] = row[0];
      if (end == s.nx) out[end - 1] = row[end - 1];
    });
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, compat::max(begin, 1), compat::min(end, s.nx - 1)),
        [&](int x) { out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], north[x], south[x]); });
  }

  KOKKOS_INLINE_FUNCTION static int elements(int depth) { return (depth - 1) * 3 * chunk_row + 1; }

  static void passes(const Run<T>& run, const Stream& stream, int own_depth) {
    const int asked = run.depth == 0 ? own_depth : run.depth;
    for_passes(
        run, [=](int left) { return host_depth(asked, left); },
        [&](const Pass<T>& s, int depth) {
          const int chunks = ceil_div(s.nx, chunk_columns);
          const int height = band_rows(s.ny, chunks, bands_a_thread * processors(stream.place()));
          const TileGrid tiles(chunks, ceil_div(s.ny, height));
          Kokkos::parallel_for("portcost::heat2d_steps::stream_y",
                               On::policy(stream, tiles, scratch_bytes<T>(elements(depth))),
                               StreamInCache{s, tiles, height, depth});
        });
  }
};

template <class T>
using Streams = ShapeIn<kokkos_shapes, StreamY<T, 1>, StreamInCache<T>>;

}  // namespace

Rungs kokkos_rungs() {
  const auto one_step = []<class T>(Run<T> run, const Stream& on) {
    run.depth = 1;
    Streams<T>::passes(run, on, 1);
  };
  const auto stream_y = []<class T>(const Run<T>& run, const Stream& on) {
    Streams<T>::passes(run, on, stream_depth);
  };
  return {rung(works, "one_step", one_step),
          device_step(works, "overlapped",
                      [](const auto& run, const Stream& on) { overlapped(run, on); }),
          rung(works, "stream_y", stream_y)};
}

}  // namespace portcost::heat2d_steps
