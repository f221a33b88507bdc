// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants (kokkos_team.hpp explains the tricks). A team works on one tile; lanes
// (ThreadVectorRange) lie along x, threads of the team along y. Ranges, never ranks, share out a
// tile's work, so a team of one thread does all of it.
#include "variants/heat2d/bodies.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::heat2d {

namespace {

// Columns [begin, end) of row y, by the lanes of a thread.
template <class T>
KOKKOS_INLINE_FUNCTION void sweep_row(const auto& team, const Step<T>& s, int y, int begin,
                                      int end) {
  const T* const row = s.row_in(y);
  T* const out = s.row_out(y);
  if (y == 0 || y == s.ny - 1) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, begin, end),
                         [&](int x) { out[x] = row[x]; });
    return;
  }
  const T *const north = row - s.pitch, *const south = row + s.pitch;
  const Coefficients<T> c = s.c;
  const int first = compat::max(begin, 1), last = compat::min(end, s.nx - 1);
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, last), [&](int x) {
    out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], north[x], south[x]);
  });
  Kokkos::single(Kokkos::PerThread(team), [&] {
    if (begin == 0) out[0] = row[0];
    if (end == s.nx) out[s.nx - 1] = row[s.nx - 1];
  });
}

// Lecture 1: each thread fetches its five nodes by itself; `read_only` by the read-only path.
template <class T, bool read_only = false>
struct Naive {
  static constexpr NaiveShape shape = naive_shape(kokkos_shapes);
  using On = Teams<shape.warps>;
  using Index = typename On::Index;
  Step<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * shape.x;
    if constexpr (shape.y == 1) {
      // One thread's work, if the team has more of them.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
        sweep_row(team, s, ty, x0, x0 + compat::min(int{shape.x}, s.nx - x0));
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{shape.y}), [&](Index y) {
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{shape.x}), [&](Index x) {
          node(x0 + static_cast<int>(x), ty * shape.y + static_cast<int>(y));
        });
      });
    }
  }

  KOKKOS_FUNCTION void node(int x, int y) const {
    if (x >= s.nx || y >= s.ny) return;
    const T* const row = s.row_in(y) + x;
    T next = read(row);
    if (!s.on_edge(x, y))
      next = heat_step(s.c, next, read(row - 1), read(row + 1), read(row - s.pitch),
                       read(row + s.pitch));
    s.row_out(y)[x] = next;
  }
  KOKKOS_FUNCTION static T read(const T* at) {
    if constexpr (!read_only) return *at;
    return Kokkos::View<const T, KokkosSpace::memory_space,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>(at)();
  }
};
template <class T>
using ReadOnly = Naive<T, true>;

// Blocks of rows that stay in a core's own cache: a shape for hosts.
template <class T>
struct Blocked {
  using On = Teams<1>;
  Step<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int begin = tx * block_x, end = begin + compat::min(s.nx - begin, int{block_x});
    const int rows = compat::min(s.ny - ty * block_y, int{block_y});
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows),
                         [&](int ly) { sweep_row(team, s, ty * block_y + ly, begin, end); });
  }
};

// Lecture 2: the team loads the tile with its halo as one array of 34 x 18.
template <class T>
struct FullHalo {
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  Step<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * tile_x, y0 = ty * tile_y;
    if (s.holds(x0, y0, tile_x, tile_y)) {
      work<true>(team, x0, y0);
    } else {
      work<false>(team, x0, y0);
    }
  }

  template <bool inside>
  KOKKOS_FUNCTION void work(const typename On::Member& team, int x0, int y0) const {
    T* const tile = On::template scratch<T>(team, halo_nodes);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index item) {
      load_with_halo<inside>(s, tile, static_cast<int>(item), x0, y0);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index item) {
      const int lx = item % lanes, ly = item / lanes * rows_a_thread;
      compute_from_tile<inside>(s, tile + (ly + 1) * halo_x + lx + 1, x0 + lx, y0 + ly);
    });
  }
};

// Lecture 3: the team loads the inner nodes, then part of it the rim.
template <class T>
struct InnerHalo {
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  Step<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * tile_x, y0 = ty * tile_y;
    if (s.holds(x0, y0, tile_x, tile_y)) {
      work<true>(team, x0, y0);
    } else {
      work<false>(team, x0, y0);
    }
  }

  template <bool inside>
  KOKKOS_FUNCTION void work(const typename On::Member& team, int x0, int y0) const {
    T* const tile = On::template scratch<T>(team, halo_nodes);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index item) {
      const int lx = item % lanes, ly = item / lanes * rows_a_thread;
      const int x = bounded<inside>(x0 + lx, s.nx);
      T loaded[rows_a_thread];
#pragma unroll
      for (int r = 0; r < rows_a_thread; ++r) {
        loaded[r] = s.row_in(bounded<inside>(y0 + ly + r, s.ny))[x];
      }
      if (item < rim_nodes) {
        const RimNode rim = rim_node(item);
        tile[(rim.y + 1) * halo_x + rim.x + 1] =
            s.row_in(bounded<inside>(y0 + rim.y, s.ny))[bounded<inside>(x0 + rim.x, s.nx)];
      }
#pragma unroll
      for (int r = 0; r < rows_a_thread; ++r) tile[(ly + r + 1) * halo_x + lx + 1] = loaded[r];
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index item) {
      const int lx = item % lanes, ly = item / lanes * rows_a_thread;
      compute_from_tile<inside>(s, tile + (ly + 1) * halo_x + lx + 1, x0 + lx, y0 + ly);
    });
  }
};

// Lecture 4: a team slides its tile along a stretch of a strip of rows. Each slide computes 32
// columns from the ring and loads 32 further on into it; the columns between stay.
template <class T>
struct SlidingStrip {
  using On = Teams<tile_warps, strip_teams<T>>;
  using Index = typename On::Index;
  Step<T> s;
  TileGrid stretches;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = stretches.row(team.league_rank());
    const int begin = stretches.column(team.league_rank(), ty) * stretch_x;
    const int end = begin + compat::min(s.nx - begin, int{stretch_x}), y0 = ty * tile_y;
    T* const ring = On::template scratch<T>(team, ring_nodes);
    // What the first slide reads and the second reads further on: columns begin - 1 to begin + 63.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{filled_nodes}), [&](Index node) {
      const int row = node / filled_x, x = begin - 1 + static_cast<int>(node % filled_x);
      ring[row * ring_x + ring_slot(x)] =
          s.row_in(bounded<false>(y0 - 1 + row, s.ny))[bounded<false>(x, s.nx)];
    });
    team.team_barrier();
    for (int x0 = begin; x0 < end; x0 += tile_x) {
      if (s.holds(x0, y0, 3 * tile_x, tile_y)) {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}),
                             [&](Index item) { slide<true>(ring, item, x0, y0, end); });
      } else {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}),
                             [&](Index item) { slide<false>(ring, item, x0, y0, end); });
      }
      team.team_barrier();
    }
  }

  template <bool inside>
  KOKKOS_FUNCTION void slide(T* ring, Index item, int x0, int y0, int end) const {
    const int lx = item % lanes, group = item / lanes, ly = group * rows_a_thread;
    const int x_next = x0 + 2 * tile_x + lx;
    const bool wanted = x_next <= end;  // the last node computed has a neighbour at `end`
    T loaded[slide_loads];
// g++ 16 does not see that both branches are taken together.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
    if (wanted) {
      const int x_read = inside ? x_next : compat::min(x_next, s.nx - 1);
#pragma unroll
      for (int k = 0; k < slide_loads; ++k) {
        const int row = compat::min(group + k * tile_warps, halo_y - 1);
        loaded[k] = s.row_in(bounded<inside>(y0 - 1 + row, s.ny))[x_read];
      }
    }
    compute_from_ring<inside>(s, ring + ly * ring_x, x0 + lx, y0 + ly);
    if (wanted) {
#pragma unroll
      for (int k = 0; k < slide_loads; ++k) {
        const int row = group + k * tile_warps;
        if (row < halo_y) ring[row * ring_x + ring_slot(x_next)] = loaded[k];
      }
    }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  }
};

// Beyond the lecture: no tile; 16 bytes a row, rows above and below in registers.
template <class T>
struct RegisterMarch {
  using On = Teams<march_warps>;
  using Index = typename On::Index;
  Step<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{march_threads}), [&](Index item) {
      march(s, (tx * lanes + item % lanes) * march_columns<T>,
            (ty * march_warps + item / lanes) * march_rows);
    });
  }
};

// Tiles of tile_x by tile_y nodes, and a kernel on them.
template <template <class> class Kernel, class T>
void launch(const char* label, const Step<T>& s, const Stream& stream, int x, int y,
            int scratch_nodes = 0) {
  using Made = Kernel<T>;
  const TileGrid tiles{ceil_div(s.nx, x), ceil_div(s.ny, y)};
  const int bytes = scratch_nodes > 0 ? scratch_bytes<T>(scratch_nodes) : 0;
  Kokkos::parallel_for(label, Made::On::policy(stream, tiles, bytes), Made{s, tiles});
}

}  // namespace

Rungs kokkos_rungs() {
  const auto naive = []<class T>(const Step<T>& s, const Stream& on) {
    constexpr NaiveShape shape = naive_shape(kokkos_shapes);
    launch<Naive>("portcost::heat2d::naive", s, on, shape.x, shape.y);
  };
  const auto read_only = [](const auto& s, const Stream& on) {
    constexpr NaiveShape shape = naive_shape(Place::device);
    launch<ReadOnly>("portcost::heat2d::read_only", s, on, shape.x, shape.y);
  };
  const auto blocked = [](const auto& s, const Stream& on) {
    launch<Blocked>("portcost::heat2d::blocked", s, on, block_x, block_y);
  };
  const auto full_halo = [](const auto& s, const Stream& on) {
    launch<FullHalo>("portcost::heat2d::full_halo", s, on, tile_x, tile_y, halo_nodes);
  };
  const auto inner_halo = [](const auto& s, const Stream& on) {
    launch<InnerHalo>("portcost::heat2d::inner_halo", s, on, tile_x, tile_y, halo_nodes);
  };
  const auto sliding_strip = [](const auto& s, const Stream& on) {
    launch<SlidingStrip>("portcost::heat2d::sliding_strip", s, on, stretch_x, tile_y, ring_nodes);
  };
  const auto register_march = []<class T>(const Step<T>& s, const Stream& on) {
    launch<RegisterMarch>("portcost::heat2d::register_march", s, on, lanes * march_columns<T>,
                          march_warps * march_rows);
  };
  return {rung(works, "naive", naive),
          device_step(works, "read_only", read_only),
          absent_rung("texture", "Kokkos has no textures, only the read-only path"),
          host_step(works, "blocked", blocked),
          rung(works, "full_halo", full_halo),
          rung(works, "inner_halo", inner_halo),
          rung(works, "sliding_strip", sliding_strip),
          rung(works, "register_march", register_march)};
}

}  // namespace portcost::heat2d
