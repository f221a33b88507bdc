// SPDX-License-Identifier: Apache-2.0
// Portable variants: the steps of one launch a column and of blocks in scratch, and the table of
// all steps. A team works on one tile; ranges, never ranks, distribute its work.
#include "variants/gauss/host_bodies.hpp"
#include "variants/gauss/kokkos/rounds_ahead.hpp"
#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

namespace {

// The tiles of one column's launch, at least one, since the launch always checks the pivot.
TileGrid tiles_after(int n, int k, FlatTile tile) {
  return {ceil_div(n - k, tile.cols), std::max(1, ceil_div(n - 1 - k, tile.rows))};
}

// A launch a column; an item updates four elements of a column. On a device column k keeps its
// elements, since all items of a row still divide its element by the pivot; Multipliers divides it
// at the end.
template <class T>
struct Naive {
  using On = Teams<naive_warps>;
  using Index = typename On::Index;
  static constexpr FlatTile tile = column_tile(kokkos_shapes);
  System<T> s;
  TileGrid tiles;
  int k;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const T* const from = s.row(k);
    const T pivot = from[k];
    if (s.refuses(k, pivot)) {
      if (team.league_rank() == 0 && team.team_rank() == 0) *s.bad_pivot = k;
      return;
    }
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    if constexpr (tile.cols == most_rows) {  // a row a thread
      const int first = k + 1 + ty * tile.rows, end = compat::min(first + tile.rows, s.n);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, end), [&](int i) {
        T* const row = s.row(i);
        row[k] = multiplier(row[k], pivot);
        eliminate_row(row + k + 1, row[k], from + k + 1, s.n - k);
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{lanes * naive_warps}),
                           [&](Index item) {
                             const unsigned place = static_cast<unsigned>(item);
                             const int i = k + 1 + ty * tile.rows + static_cast<int>(place / lanes);
                             const int j = k + 1 + tx * tile.cols + static_cast<int>(place % lanes);
                             if (j <= s.n) take_column(s, k, i, j, from[j], reciprocal(pivot));
                           });
    }
  }
};

// Divides the elements below the diagonal by their pivots, an item an element.
template <class T>
struct Multipliers {
  using On = Teams<naive_warps>;
  using Index = typename On::Index;
  static constexpr FlatTile tile = naive_tile(Place::device);
  System<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile.rows * tile.cols}),
                         [&](Index item) {
                           const int i = ty * tile.rows + static_cast<int>(item) / lanes;
                           const int j = tx * tile.cols + static_cast<int>(item) % lanes;
                           if (i >= s.n || j >= i) return;
                           s.row(i)[j] = multiplier(s.row(i)[j], s.row(j)[j]);
                         });
  }
};

constexpr auto naive = []<class T>(const System<T>& s, const Stream& stream) {
  constexpr const char* label = "portcost::gauss::naive";
  constexpr FlatTile tile = column_tile(kokkos_shapes), square = naive_tile(Place::device);
  using Made = Naive<T>;
  for (int k = 0; k < s.n; ++k) {
    const TileGrid tiles = tiles_after(s.n, k, tile);
    Kokkos::parallel_for(label, Made::On::policy(stream, tiles), Made{s, tiles, k});
  }
  if (tile.cols == most_rows) return;
  using Last = Multipliers<T>;
  const TileGrid tiles{ceil_div(s.n, square.cols), ceil_div(s.n, square.rows)};
  Kokkos::parallel_for(label, Last::On::policy(stream, tiles), Last{s, tiles});
};

// A tile of block_r1 that a team shares, an element an item at a time. (Where one thread has the
// tile: StagedByRows.)
struct StagedByItems {
  static constexpr int tile = flat_tile;
  template <class T>
  static constexpr int elements() {
    return tile * tile;
  }

  // Calls f(row, column, element in scratch) for an item's elements, all of one column. The loop
  // does not begin at the item's row, so that the compiler knows the trip count.
  template <class T, class F>
  KOKKOS_FUNCTION static void each(int item, T* staged, const F& f) {
    const int x = item % tile, y = item / tile;
    T* element = staged + item;
#pragma unroll 4
    for (int r = 0; r < tile; r += flat_rows_apart) {
      f(y + r, x, *element);
      element += flat_rows_apart * tile;
    }
  }
  template <class On, class F>
  KOKKOS_FUNCTION static void for_items(const typename On::Member& team, const F& f) {
    using Index = typename On::Index;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{flat_threads}),
                         [&](Index item) { f(static_cast<int>(item)); });
  }
  template <class On, class T>
  KOKKOS_FUNCTION static void take(const typename On::Member& team, const System<T>& s, Tile at,
                                   int k, Columns columns) {
    T* const staged = On::template scratch<T>(team, tile * tile);
    const int i0 = at.row * tile, j0 = at.col * tile;
    for_items<On>(team, [&](int item) {
      each(item, staged, [&](int r, int x, T& element) { element = s.row(i0 + r)[j0 + x]; });
    });
    if (at.row == k && at.col == k) {
      take_cross<On, true, true>(team, s, staged, i0, j0, columns);
    } else if (at.row == k) {
      take_cross<On, true, false>(team, s, staged, i0, j0, columns);
    } else if (at.col == k) {
      take_cross<On, false, true>(team, s, staged, i0, j0, columns);
    } else {  // items do not depend on each other
      for_items<On>(team, [&](int item) {
        const T* left = s.row(i0 + item / tile) + columns.first;
        const std::uint64_t apart = s.offset(flat_rows_apart);
        for (int p = columns.first; p < columns.end; ++p) {
          const T* factor = left++;
          const T from = s.row(p)[j0 + item % tile];
          each(item, staged, [&](int, int, T& element) {
            element = eliminate(element, *factor, from);
            factor += apart;
          });
        }
        each(item, staged, [&](int r, int x, T& element) { s.row(i0 + r)[j0 + x] = element; });
      });
    }
  }

 private:
  // Factorises or solves for a tile that has the pivots' rows (`beside`), their columns (`below`),
  // or both.
  template <class On, bool beside, bool below, class T>
  KOKKOS_FUNCTION static void take_cross(const typename On::Member& team, const System<T>& s,
                                         T* staged, int i0, int j0, Columns columns) {
    using Index = typename On::Index;
    for (int p = columns.first; p < columns.end; ++p) {
      const T* const from = beside ? staged + (p - i0) * tile : s.row(p) + j0;
      const int row = beside ? p - i0 : -1, column = below ? p - j0 : -1;
      team.team_barrier();
      if constexpr (below) {
        const T pivot = from[column];
        if (beside && s.refuses(p, pivot)) {
          if (team.team_rank() == 0) *s.bad_pivot = p;
          return;
        }
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile}), [&](Index r) {
          T& element = staged[static_cast<int>(r) * tile + column];
          if (r > row) element = multiplier(element, pivot);
        });
        team.team_barrier();
      }
      for_items<On>(team, [&](int item) {
        each(item, staged, [&](int r, int x, T& element) {
          if (r <= row || x <= column) return;
          const T factor = below ? staged[r * tile + column] : s.row(i0 + r)[p];
          element = eliminate(element, factor, from[x]);
        });
      });
    }
    team.team_barrier();
    for_items<On>(team, [&](int item) {
      each(item, staged, [&](int r, int x, T& element) { s.row(i0 + r)[j0 + x] = element; });
    });
  }
};

// Updates the tiles of a region, each in scratch, by the region's columns. `k`: the pivot tile;
// tiles in its row have the pivots' rows, tiles in its column the pivots' columns.
template <class Shape, class T>
struct BlockR1 {
  // f64 requests 6 teams, since otherwise nvcc takes 32 registers and spills.
  using On = Teams<flat_warps, sizeof(T) == 8 ? 6 : 0>;
  System<T> s;
  Region region;
  int k;

  static constexpr int scratch() { return scratch_bytes<T>(Shape::template elements<T>()); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    Shape::template take<On>(team, s, region.at(team.league_rank()), k, region.columns);
  }
};

// ---- Portable kernels for a tile that one thread has, as on a host (host_bodies.hpp).

// block_r1: a tile in scratch, row by row, by one thread of a team. `k`: the pivot tile.
struct StagedByRows {
  template <class T>
  static constexpr int elements() {
    return flat_tile * flat_tile + aligned_extra<T, cache_line>;
  }
  template <class On, class T>
  KOKKOS_FUNCTION static void take(const typename On::Member& team, const System<T>& s, Tile at,
                                   int k, Columns columns) {
    T* const staged = aligned_scratch<On, T, cache_line>(team, flat_tile * flat_tile);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      StagedTile<T>{s, staged}.eliminate_columns(at, k, columns);
    });
  }
};

// panel's work on the tiles of a region. `k`: the pivot tile, where the region is the pivot tile
// or its cross, else -1.
template <class T>
struct HostPanelStep {
  using On = Teams<1>;
  static constexpr int elements = HostStrips<T>::scratch;
  System<T> s;
  Region region;
  int k;

  static constexpr int scratch() {
    return scratch_bytes<T>(elements + aligned_extra<T, cache_line>);
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const right = aligned_scratch<On, T, cache_line>(team, elements);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      HostStrips<T>{s}.eliminate_columns(right, region.at(team.league_rank()), k, region.columns);
    });
  }
};

// panel's kernels where one thread has a tile: factorising tile (k, k), solving for its cross, and
// the trailing update. Other threads of the team idle.
template <class T>
struct HostPanelKernels {
  using Step = HostPanelStep<T>;
  struct Pivot : Step {
    Pivot(const System<T>& all, int at)
        : Step{all, alone(at, {at * panel_tile, (at + 1) * panel_tile}), at} {}
  };
  struct Cross : Step {
    static constexpr int parts = 1;
    Cross(const System<T>& all, const Region& tiles, int at) : Step{all, tiles, at} {}
  };
  struct Rest : Step {
    Rest(const System<T>& all, const Region& tiles) : Step{all, tiles, -1} {}
  };
};

constexpr auto block_r1 = []<class T>(const System<T>& s, const Stream& stream) {
  using Made = BlockR1<ShapeIn<kokkos_shapes, StagedByItems, StagedByRows>, T>;
  const auto launch = [&](int k, const Region& region) {
    Kokkos::parallel_for("portcost::gauss::block_r1",
                         Made::On::policy(stream, region.count(), Made::scratch()),
                         Made{s, region, k});
  };
  rounds(
      s, flat_tile, s.r1, [&](int k, Columns columns) { launch(k, alone(k, columns)); }, launch,
      [&](const Region& region) { launch(-1, region); });
};

// panel's kernels where a team shares a tile; HostPanelKernels is for one thread a tile.
template <class T>
struct PanelKernels {
  using Pivot = CloseTile<PanelShape<T>, T>;
  using Cross = SolveCross<panel_tile, T>;
  using Rest = Product<PanelShape<T>, T>;
};

constexpr auto panel = [](const auto& s, const Stream& stream) {
  using T = std::remove_pointer_t<decltype(s.a)>;
  constexpr const char* label = "portcost::gauss::panel";
  using Kernels = ShapeIn<kokkos_shapes, PanelKernels<T>, HostPanelKernels<T>>;
  using Pivot = typename Kernels::Pivot;
  using Cross = typename Kernels::Cross;
  using Rest = typename Kernels::Rest;
  rounds(
      s, panel_tile, panel_tile,
      [&](int k, Columns) {
        Kokkos::parallel_for(label, Pivot::On::policy(stream, 1, Pivot::scratch()), Pivot{s, k});
      },
      [&](int k, const Region& region) {
        Kokkos::parallel_for(
            label, Cross::On::policy(stream, region.count() * Cross::parts, Cross::scratch()),
            Cross{s, region, k});
      },
      [&](const Region& region) {
        Kokkos::parallel_for(label, Rest::On::policy(stream, region.count(), Rest::scratch()),
                             Rest{s, region});
      });
};

// ---- Steps as a graph of launches (rounds_ahead.hpp).

// The nodes of a graph: f(after, ...) adds a launch after a node and returns its node.
template <class T>
class Launches {
 public:
  Launches(const System<T>& s, const Stream& stream, const char* label)
      : s_(s), stream_(stream), label_(label) {}

  template <class Node>
  Node factorise(const Node& after, int k) const {
    using Pivot = CloseTile<PanelShape<T>, T>;
    return after.then_parallel_for(label_, Pivot::On::policy(stream_, 1, Pivot::scratch()),
                                   Pivot{s_, k});
  }
  /// Factorises a narrow tile, first updated by the pivots in `before`, if there are any.
  template <class Node>
  Node factorise_narrow(const Node& after, int k, Columns before) const {
    using Pivot = CloseTile<NarrowShape, T, true>;
    return after.then_parallel_for(label_, Pivot::On::policy(stream_, 1, Pivot::scratch()),
                                   Pivot{s_, k, before});
  }
  template <int tile, class Node>
  Node solve(const Node& after, int k) const {
    using Solve = SolveCross<tile, T>;
    const Tiles tiles(s_.n, tile);
    const Region cross = tiles.cross(k, tiles.of(k));
    if (cross.count() == 0) return after;
    return after.then_parallel_for(
        label_, Solve::On::policy(stream_, cross.count() * Solve::parts, Solve::scratch()),
        Solve{s_, cross, k});
  }
  template <class Shape, class Node>
  Node take(const Node& after, const Region& region) const {
    using Take = Product<Shape, T>;
    if (region.count() == 0) return after;
    return after.then_parallel_for(
        label_, Take::On::policy(stream_, region.count(), Take::scratch()), Take{s_, region});
  }
  int wave() const { return wave_of<T>(processors(stream_.place())); }

 private:
  const System<T>& s_;
  const Stream& stream_;
  const char* label_;
};

// The steps, or the reason for their absence.
inline Rungs look_ahead_rungs() {
  const auto launches = []<class T>(const System<T>& s, const Stream& on, const char* label) {
    return Launches<T>(s, on, label);
  };
  return {graph_step(works, "look_ahead",
                     [=](const auto& s, const Stream& on, const GraphNode& root) {
                       look_ahead(s, launches(s, on, "portcost::gauss::look_ahead"), root);
                     }),
          graph_step(works, "narrow_tiles",
                     [=](const auto& s, const Stream& on, const GraphNode& root) {
                       narrow_tiles(s, launches(s, on, "portcost::gauss::narrow_tiles"), root);
                     }),
          graph_step(works, "delayed_updates",
                     [=](const auto& s, const Stream& on, const GraphNode& root) {
                       delayed_updates(s, launches(s, on, "portcost::gauss::delayed_updates"),
                                       root);
                     })};
}

}  // namespace

Rungs kokkos_rungs() {
  return joined({{rung(works, "naive", naive), rung(works, "block_r1", block_r1),
                  rung(shared_works, "panel", panel)},
                 look_ahead_rungs(),
                 {absent_rung("priorities", "nodes of Kokkos's graphs have no priorities"),
                  absent_rung("async_copies", "Kokkos has no name for copies past the registers"),
                  absent_rung("tensor_cores", "Kokkos has no name for tensor cores")}});
}

}  // namespace portcost::gauss
