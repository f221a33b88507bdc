// SPDX-License-Identifier: Apache-2.0
// Portable variants: the steps of one launch a vertex, and the table of all steps. A team works on
// one tile; its work is shared out by ranges, never by rank.
#include "variants/floyd_warshall/kokkos/dataflow.hpp"
#include "variants/floyd_warshall/kokkos/look_ahead.hpp"
#include "variants/floyd_warshall/kokkos/tiles.hpp"

namespace portcost::floyd_warshall {

namespace {

// Notes vertex k when it lies on a negative cycle; no path is then taken over it.
template <class T>
KOKKOS_INLINE_FUNCTION bool negative_at(const Graph<T>& g, int k, bool first_team) {
  if (!(g.row(k)[k] < 0)) return false;
  if (first_team && *g.negative < 0) *g.negative = k;
  return true;
}

// One element over vertex k. It is stored only when it falls, so that row and column k, which never
// do, are only read.
template <bool paths, class T>
KOKKOS_INLINE_FUNCTION void relax_element(const Graph<T>& g, int i, int j, int k, T to, T from) {
  T* const place = g.row(i) + j;
  T known = *place;
  if (!relaxes(known, to, from)) return;
  *place = known;
  if constexpr (paths) g.next_row(i)[j] = g.next_row(i)[k];
}

// One launch a vertex, one item an element.
template <bool paths, class T, Way way>
struct Naive2d {
  using On = Teams<way, naive_warps>;
  using Index = typename On::Index;
  static constexpr FlatTile tile = naive_tile(kokkos_shapes);
  Graph<T> g;
  TileGrid<way> tiles;
  int k;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (negative_at(g, k, team.league_rank() == 0)) return;
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    if constexpr (tile.rows == 1) {
      // One thread's work, if the team has more of them: a row.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
        if (ty != k) relax_row<paths>(team, g, ty, k, 0, g.n);
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{tile.rows}), [&](Index row) {
        const int i = ty * tile.rows + static_cast<int>(row);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{tile.cols}), [&](Index column) {
          const int j = tx * tile.cols + static_cast<int>(column);
          if (i < g.n && j < g.n) relax_element<paths>(g, i, j, k, g.row(i)[k], g.row(k)[j]);
        });
      });
    }
  }
};

// One launch a vertex; what a tile needs of the vertex's row and column is staged in scratch.
template <bool paths, class T, Way way>
struct Block2d {
  using On = Teams<way, flat_warps>;
  using Index = typename On::Index;
  Graph<T> g;
  TileGrid<way> tiles;
  int k;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (negative_at(g, k, team.league_rank() == 0)) return;
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int i0 = ty * flat_tile, j0 = tx * flat_tile;
    T* const column = On::template scratch<T>(team, 2 * flat_tile);
    T* const row = column + flat_tile;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{2 * flat_tile}), [&](Index item) {
      const int at = static_cast<int>(item) % flat_tile;
      column[item] = item < flat_tile ? g.row(i0 + at)[k] : g.row(k)[j0 + at];
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{flat_threads}), [&](Index item) {
      const int x = static_cast<int>(item) % flat_tile, y = static_cast<int>(item) / flat_tile;
      const T from = row[x];
#pragma unroll 4
      for (int r = y; r < flat_tile; r += flat_rows_apart) {
        relax_element<paths>(g, i0 + r, j0 + x, k, column[r], from);
      }
    });
  }
};

// A launch a vertex.
template <template <bool, class, Way> class Kernel, Way way, class T>
void flat(const char* label, const Graph<T>& g, const Stream& stream, FlatTile tile,
          int scratch_elements) {
  const TileGrid<way> tiles{ceil_div(g.n, tile.cols), ceil_div(g.n, tile.rows)};
  const int bytes = scratch_elements > 0 ? scratch_bytes<T>(scratch_elements) : 0;
  with_paths(g, [&](auto paths) {
    using Made = Kernel<paths.value, T, way>;
    for (int k = 0; k < g.n; ++k) {
      Kokkos::parallel_for(label, Made::On::policy(stream, tiles, bytes), Made{g, tiles, k});
    }
  });
}

// The kernels of a shape: of tiles that one thread has to itself, or that a team shares.
template <class Shape, bool paths, class T, Way way>
using CloseOf = std::conditional_t<Shape::threads == 1, HostClose<Shape, paths, T, way>,
                                   ClosePivot<Shape, paths, T, way>>;
template <class Shape, bool paths, class T, Way way>
using ProductOf = std::conditional_t<Shape::threads == 1, HostProduct<Shape, paths, T, way>,
                                     Product<Shape, paths, T, way>>;

// Launches of a step on cubes, in rounds of `depth` tiles.
template <class Shape, bool paths, Way way, class T>
void cubes(const char* label, const Graph<T>& g, const Stream& stream, int depth) {
  using Close = CloseOf<Shape, paths, T, way>;
  using Take = ProductOf<Shape, paths, T, way>;
  rounds(
      tiles_of(g.n, Shape::tile), depth,
      [&](int k) {
        Kokkos::parallel_for(label, Close::On::policy(stream, 1, Close::scratch()), Close{g, k});
      },
      [&](const Region& region) {
        Kokkos::parallel_for(label, Take::On::policy(stream, region.count(), Take::scratch()),
                             Take{g, region});
      });
}

using Block3d = ShapeIn<kokkos_shapes, Block3dShape, HostBlock3dShape>;
using Staged = ShapeIn<kokkos_shapes, StagedShape<staged_teams_kokkos>, HostRegisterShape>;
template <bool paths>
using Registers = ShapeIn<kokkos_shapes, RegisterShape<paths>, HostRegisterShape>;

}  // namespace

Rungs kokkos_rungs() {
  const auto naive_2d = [](auto way, const auto& g, const Stream& on) {
    constexpr FlatTile tile = naive_tile(kokkos_shapes);
    flat<Naive2d, way.value>("portcost::floyd_warshall::naive_2d", g, on, tile, 0);
  };
  const auto block_2d = [](auto way, const auto& g, const Stream& on) {
    flat<Block2d, way.value>("portcost::floyd_warshall::block_2d", g, on, {flat_tile, flat_tile},
                             2 * flat_tile);
  };
  const auto block_3d = [](auto way, const auto& g, const Stream& on) {
    with_paths(g, [&](auto paths) {
      cubes<Block3d, paths.value, way.value>("portcost::floyd_warshall::block_3d", g, on, 1);
    });
  };
  const auto staged = [](auto way, const auto& g, const Stream& on) {
    with_paths(g, [&](auto paths) {
      cubes<Staged, paths.value, way.value>("portcost::floyd_warshall::staged", g, on, 1);
    });
  };
  const auto deep_k = [](auto way, const auto& g, const Stream& on) {
    with_paths(g, [&](auto paths) {
      cubes<Staged, paths.value, way.value>("portcost::floyd_warshall::deep_k", g, on,
                                            ceil_div(g.r1, Staged::tile));
    });
  };
  const auto register_tile = [](auto way, const auto& g, const Stream& on) {
    with_paths(g, [&](auto paths) {
      using Shape = Registers<paths.value>;
      cubes<Shape, paths.value, way.value>(
          "portcost::floyd_warshall::register_tile", g, on,
          register_depth(kokkos_shapes, tiles_of(g.n, Shape::tile)));
    });
  };
  return joined({team_step(works, "naive_2d", naive_2d),
                 team_step(works, "block_2d", block_2d),
                 team_step(works, "block_3d", block_3d),
                 team_step(works, "staged", staged),
                 team_step(works, "deep_k", deep_k),
                 team_step(works, "register_tile", register_tile),
                 {absent_rung("async_copies", "Kokkos has no asynchronous copies to scratch")},
                 look_ahead_rungs(),
                 {absent_rung("priorities", "nodes of Kokkos's graphs have no priorities")},
                 dataflow_rungs()});
}

}  // namespace portcost::floyd_warshall
