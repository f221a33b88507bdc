// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants (kokkos_team.hpp explains the tricks). In stream_y a
// thread's registers hold its columns of the strip; overlapped divides its tile by ranges.
#include "variants/heat2d_steps/bodies.hpp"
#include "variants/heat2d_steps/host_bodies.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::heat2d_steps {

namespace {

// ---- overlapped: a team advances a tile, which shrinks by a node on each side a step.

template <class T>
struct Tile {
  static constexpr int wide = tile_x<T>, nodes = wide * tile_y, groups = tile_y / tile_rows;

  // Node (0, 0) of the tile is node (y0, x0) of the grid; `tile` holds two buffers of `nodes`.
  KOKKOS_FORCEINLINE_FUNCTION static void advance(const auto& team, T* tile, const Pass<T>& s,
                                                  int depth, int halo, int x0, int y0) {
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
      const auto now = rows_of<T>(tile + step % 2 * nodes);
      T* const next = tile + (1 - step % 2) * nodes;
      for_pieces(team,
                 [&](int lx, int ly) { advance_part(s, now, next, lx, ly, x0 + lx, y0 + ly); });
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
    using Index = std::int64_t;  // Teams::Index
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{groups}), [&](Index group) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{lanes}), [&](Index lane) {
        f(static_cast<int>(lane) * piece<T>, static_cast<int>(group) * tile_rows);
      });
    });
  }
};

template <class T>
struct Overlapped {
  using On = Teams<tile_warps>;
  Pass<T> s;
  TilesOf<T> of;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int band = tiles.row(team.league_rank());
    const int strip = tiles.column(team.league_rank(), band);
    Tile<T>::advance(team, On::template scratch<T>(team, 2 * Tile<T>::nodes), s, of.depth, of.halo,
                     of.x0(strip), of.y0(band));
  }
};

constexpr auto overlapped = []<class T>(const Run<T>& run, const Stream& stream) {
  using Kernel = Overlapped<T>;
  for_passes(
      run, [&](int left) { return tile_depth(run.depth, left); },
      [&](const Pass<T>& s, int depth) {
        const TilesOf<T> of(s, depth);
        const TileGrid tiles(of.strips, of.bands);
        Kokkos::parallel_for(
            "portcost::heat2d_steps::overlapped",
            Kernel::On::policy(stream, tiles, scratch_bytes<T>(2 * Tile<T>::nodes)),
            Kernel{s, of, tiles});
      });
};

// ---- persistent: one launch makes all passes of overlapped. Kokkos has no barrier of a league, so
// the teams spin on a counter, and all of them must run at once.

template <class T>
struct Persistent {
  using On = Teams<tile_warps, persistent_teams>;
  Run<T> run;
  int most;
  unsigned* arrived;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const tile = On::template scratch<T>(team, 2 * Tile<T>::nodes);
    const unsigned teams = static_cast<unsigned>(team.league_size());
    unsigned awaited = 0;  // below 2^32 with 10^6 passes of 4294 teams
    const auto next = [this](int left) { return left < most ? left : most; };
    for_passes(run, next, [&](const Pass<T>& s, int depth) {
      const TilesOf<T> of(s, depth);
      for (int k = team.league_rank(); k < of.strips * of.bands; k += team.league_size()) {
        const int band = k / of.strips, strip = k - band * of.strips;
        Tile<T>::advance(team, tile, s, depth, of.halo, of.x0(strip), of.y0(band));
        team.team_barrier();
      }
      awaited += teams;
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        Kokkos::memory_fence();
        Kokkos::atomic_add(arrived, 1u);
        while (atomic_load(arrived) < awaited) {
        }
        Kokkos::memory_fence();
      });
      team.team_barrier();
    });
  }
};

template <class T>
class PersistentRun final : public Execution {
 public:
  PersistentRun(const Run<T>& run, const Stream& stream) : run_(run), stream_(stream) {}

  void run(int) override {
    using Kernel = Persistent<T>;
    const int most = tile_depth(run_.depth, run_.steps);
    const TilesOf<T> of(run_.pass, most);
#ifdef KOKKOS_ENABLE_CUDA
    const auto shared = kokkos_space(stream_).cuda_device_prop().sharedMemPerMultiprocessor;
    require(persistent_teams * (scratch_bytes<T>(2 * Tile<T>::nodes) + 1024) <= shared,
            "a multiprocessor has less shared memory than the teams that wait for each other");
#endif
    Kokkos::deep_copy(kokkos_space(stream_), arrived_, 0u);
    Kokkos::parallel_for(
        "portcost::heat2d_steps::persistent",
        Kernel::On::policy(stream_,
                           std::min(league(of.strips, of.bands), Kernel::On::at_once(stream_)),
                           scratch_bytes<T>(2 * Tile<T>::nodes)),
        Kernel{run_, most, arrived_.data()});
  }

 private:
  Run<T> run_;
  const Stream& stream_;
  Kokkos::View<unsigned, typename KokkosSpace::memory_space> arrived_{
      "portcost::heat2d_steps::arrived"};
};

constexpr auto persistent = []<class T>(const Run<T>& run,
                                        const Stream& on) -> std::unique_ptr<Execution> {
  return std::make_unique<PersistentRun<T>>(run, on);
};

// ---- stream_y on a GPU: a team of 32 threads walks down a strip. With each row that arrives, each
// level (the grid after so many steps) advances by a row: level k computes its row y - k. Rows
// north and south are in registers, columns west and east of a thread's own in its neighbours'.

template <class T, int depth>
struct StreamY {
  using Shape = StreamShape<T, depth>;
  using On = Teams<1, Shape::warps, Lanes::one>;
  using Member = typename On::Member;
  static constexpr int most_own = On::most_own(lanes);
  // Each thread's first and last column of the three latest rows of each level but the last.
  static constexpr int kept = ahead * depth * 2 * lanes;
  using Row = Wide<T>;
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
        own[i].soon[k] = load<true>(x0 + lane * piece<T>, y0 - depth + k);
      }
    });
    const bool sides = x0 <= 0 || x0 >= s.nx - stream_width<T>;
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
    const int north = (turn + 1) % 3, centre = (turn + 2) % 3, x = strip.x0 + lane * piece<T>;
    own.level[0][turn] = own.soon[turn];
    own.soon[turn] = load<ends>(x, y + ahead);
    Row last;
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      const Row& row = own.level[k][centre];
      const T* const beside = strip.first_columns(k, centre);
      const T west = On::of_lane(row.at[piece<T> - 1], lane > 0 ? lane - 1 : 0, beside + lanes);
      const T east = On::of_lane(row.at[0], lane < lanes - 1 ? lane + 1 : lane, beside);
      advance<ends>(own.level[k][north], row, own.level[k][turn], west, east,
                    k == depth - 1 ? last : own.level[k < depth - 1 ? k + 1 : 0][turn], x,
                    y - k - 1);
      T* const mine = strip.first_columns(k, turn) + lane;
      On::keep(mine, own.level[k][turn].at[0]);
      On::keep(mine + lanes, own.level[k][turn].at[piece<T> - 1]);
    }
    store<ends>(strip, last, lane, x, y - depth);
  }

  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION Row load(int x, int y) const {
    if (ends && (x < 0 || x >= static_cast<int>(s.pitch))) return {};
    return *reinterpret_cast<const Row*>(s.row_in(ends ? s.near_y(y) : y) + x);
  }

  // Row `y` of the next level.
  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Row& north, const Row& centre, const Row& south,
                                           T west, T east, Row& next, int x, int y) const {
    const bool end = ends && (y <= 0 || y >= s.ny - 1);
#pragma unroll
    for (int j = 0; j < piece<T>; ++j) {
      const T w = j == 0 ? west : centre.at[j == 0 ? 0 : j - 1];
      const T e = j == piece<T> - 1 ? east : centre.at[j == piece<T> - 1 ? 0 : j + 1];
      const T moved = heat_step(s.c, centre.at[j], w, e, north.at[j], south.at[j]);
      next.at[j] = ends && (end || x + j <= 0 || x + j >= s.nx - 1) ? centre.at[j] : moved;
    }
  }

  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Strip& strip, const Row& row, int lane, int x,
                                         int y) const {
    const int lx = lane * piece<T>;
    if (y < strip.y0 || y >= strip.y1) return;
    if (lx < Shape::halo || lx >= stream_width<T> - Shape::halo || (ends && x >= s.nx)) return;
    *reinterpret_cast<Row*>(s.row_out(y) + x) = row;
  }

  static void passes(const Run<T>& run, const Stream& stream) {
    for_stream_passes(run, [&]<int own>(const Pass<T>& s) {
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

// ---- On a host: a tile an index.

template <class T>
struct StreamInCache {
  static void passes(const Run<T>& run, const Stream& stream) {
    for_host_passes(run, stream, [&](const HostTiles<T>& tiles) {
      Kokkos::parallel_for("portcost::heat2d_steps::stream_y",
                           Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>(
                               kokkos_space(stream), 0, tiles.count()),
                           [=](std::int64_t i) { tiles.advance(i); });
    });
  }
};

template <class T>
using Streams = ShapeIn<kokkos_shapes, StreamY<T, 1>, StreamInCache<T>>;

}  // namespace

Rungs kokkos_rungs() {
  const auto stream_y = []<class T>(const Run<T>& run, const Stream& on) {
    Streams<T>::passes(run, on);
  };
  return {rung(works, "one_step", of_single_steps(stream_y)),
          device_step(works, "overlapped", overlapped),
          device_step(works, "persistent", persistent),
          absent_rung("cluster", "Kokkos has no teams that read each other's scratch"),
          rung(works, "stream_y", stream_y)};
}

}  // namespace portcost::heat2d_steps
