// SPDX-License-Identifier: Apache-2.0
// Portable variants: the steps of one launch a vertex, and the table of all steps. A team works on
// one tile; ranges, never ranks, distribute its work.
#include "variants/floyd_warshall/kokkos/flow_run.hpp"
#include "variants/floyd_warshall/kokkos/rounds_ahead.hpp"
#include "variants/floyd_warshall/kokkos/tiles.hpp"
#include "variants/shared/kokkos_graph.hpp"

namespace portcost::floyd_warshall {

namespace {

// An element an item.
struct Naive2d {
  static constexpr FlatTile tile = naive_tile(kokkos_shapes);
  static constexpr int warps = naive_warps, scratch_elements = 0;

  template <class On, bool paths, class T>
  KOKKOS_FUNCTION static void take(const auto& team, const Graph<T>& g, Tile at, int k) {
    using Index = typename On::Index;
    if constexpr (tile.rows == 1) {
      // Where a team has several threads, one of them relaxes the row.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
        if (at.row != k) relax_row<paths>(g, at.row, k, 0, g.n);
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{tile.rows}), [&](Index row) {
        const int i = at.row * tile.rows + static_cast<int>(row);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{tile.cols}), [&](Index column) {
          const int j = at.col * tile.cols + static_cast<int>(column);
          if (i < g.n && j < g.n) relax_element<paths>(g, i, j, k, g.row(i)[k], g.row(k)[j]);
        });
      });
    }
  }
};

// The tile's parts of the vertex's row and column are staged in scratch.
struct Block2d {
  static constexpr FlatTile tile{flat_tile, flat_tile};
  static constexpr int warps = flat_warps, scratch_elements = 2 * flat_tile;

  template <class On, bool paths, class T>
  KOKKOS_FUNCTION static void take(const auto& team, const Graph<T>& g, Tile at, int k) {
    using Index = typename On::Index;
    const int i0 = at.row * flat_tile, j0 = at.col * flat_tile;
    T* const column = On::template scratch<T>(team, scratch_elements);
    T* const row = column + flat_tile;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{2 * flat_tile}), [&](Index item) {
      const int line = static_cast<int>(item) % flat_tile;
      column[item] = item < flat_tile ? g.row(i0 + line)[k] : g.row(k)[j0 + line];
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

// A launch a vertex, a flat tile a team. A vertex on a negative cycle is stored in `negative`; no
// path over it is relaxed.
template <class Kernel, bool paths, class T>
struct FlatTeam {
  using On = Teams<Kernel::warps>;
  Graph<T> g;
  TileGrid tiles;
  int k;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int tile = team.league_rank();
    if (g.row(k)[k] < 0) {
      if (tile == 0 && *g.negative < 0) *g.negative = k;
      return;
    }
    const int row = tiles.row(tile);
    Kernel::template take<On, paths>(team, g, {row, tiles.column(tile, row)}, k);
  }
};
template <class Kernel, class T>
void flat(const char* label, const Graph<T>& g, const Stream& stream) {
  const TileGrid tiles{ceil_div(g.n, Kernel::tile.cols), ceil_div(g.n, Kernel::tile.rows)};
  const int count = Kernel::scratch_elements, bytes = count > 0 ? scratch_bytes<T>(count) : 0;
  with_paths(g, [&](auto paths) {
    using Made = FlatTeam<Kernel, paths.value, T>;
    for (int k = 0; k < g.n; ++k) {
      Kokkos::parallel_for(label, Made::On::policy(stream, tiles, bytes), Made{g, tiles, k});
    }
  });
}

// The kernels of a shape: for tiles that one thread has, or that a team shares.
template <class Shape, bool paths, class T>
using CloseOf = std::conditional_t<Shape::threads == 1, HostClose<Shape, paths, T>,
                                   ClosePivot<Shape, paths, T>>;
template <class Shape, bool paths, class T>
using ProductOf =
    std::conditional_t<Shape::threads == 1, HostProduct<Shape, paths, T>, Product<Shape, paths, T>>;

// The launches of a step on cubes, in rounds of `depth` tiles.
template <class Shape, bool paths>
void cubes(const char* label, const auto& g, const Stream& stream, int depth) {
  using T = std::remove_pointer_t<decltype(g.a)>;
  using Close = CloseOf<Shape, paths, T>;
  using Take = ProductOf<Shape, paths, T>;
  rounds(
      g, Shape::tile, depth,
      [&](int k) {
        Kokkos::parallel_for(label, Close::On::policy(stream, 1, Close::scratch()), Close{g, k});
      },
      [&](const Region& region) {
        Kokkos::parallel_for(label, Take::On::policy(stream, region.count(), Take::scratch()),
                             Take{g, region});
      });
}

template <bool>
using Block3d = ShapeIn<kokkos_shapes, Block3dShape, HostBlock3dShape>;
template <bool>
using Staged = ShapeIn<kokkos_shapes, StagedShape<staged_teams_kokkos>, HostRegisterShape>;
template <bool paths>
using Registers = ShapeIn<kokkos_shapes, RegisterShape<paths>, HostRegisterShape>;

// A step on cubes of a shape; depth(graph, tile): tiles a round.
template <template <bool> class ShapeOf, class Depth>
auto on_cubes(const char* label, const Depth& depth) {
  return [label, depth](const auto& g, const Stream& on) {
    with_paths(g, [&](auto paths) {
      using Shape = ShapeOf<paths.value>;
      cubes<Shape, paths.value>(label, g, on, depth(g, Shape::tile));
    });
  };
}

// ---- register_tile with look-ahead, as a graph of launches.

template <bool paths, class T, class Node>
void enqueue(const Graph<T>& g, const Stream& stream, const Node& root) {
  using Shape = RegisterShape<paths>;
  using Close = ClosePivot<Shape, paths, T>;
  using Take = Product<Shape, paths, T>;
  constexpr const char* label = "portcost::floyd_warshall::look_ahead";
  const auto close = [&](const Node& after, int k) -> Node {
    return after.then_parallel_for(label, Close::On::policy(stream, 1, Close::scratch()),
                                   Close{g, k});
  };
  const auto take = [&](const Node& after, const Region& region) -> Node {
    if (region.count() == 0) return after;
    return after.then_parallel_for(label, Take::On::policy(stream, region.count(), Take::scratch()),
                                   Take{g, region});
  };
  const auto both = [](const Node& one, const Node& other) -> Node {
    return after_both(one, other);
  };
  rounds_ahead(tiles_of(g.n, Shape::tile), root, close, take, both);
}

// ---- All rounds in one launch, portable: teams draw tickets and spin on the counters of the tiles
// that their tile depends on.

// A team's work. Its first thread draws tickets, spins and increments counters; its state lies in
// scratch.
template <class Shape, bool paths, class T>
struct DataflowTeam {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  using Member = typename On::Member;
  using Take = Product<Shape, paths, T>;
  using Close = ClosePivot<Shape, paths, T>;
  static_assert(sizeof(T) == sizeof(int) && alignof(Task) == alignof(int) &&
                Close::elements <= Shape::scratch);
  // Scratch besides the tile's: the task and the section.
  static constexpr int own_ints = static_cast<int>(sizeof(Task) / sizeof(int)) + 1;
  static constexpr int elements = Shape::scratch + own_ints;
  Graph<T> g;
  Flow flow;

  static constexpr int scratch() { return scratch_bytes<T>(elements + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    T* const tile = aligned_scratch<On, T>(team, elements);
    int& section = *reinterpret_cast<int*>(tile + Shape::scratch);
    Task& shared_task = *reinterpret_cast<Task*>(&section + 1);
    Kokkos::single(Kokkos::PerTeam(team), [&] { section = 0; });
    for (;;) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { shared_task = next(section); });
      team.team_barrier();
      const Task task = shared_task;
      if (task.depth == 0) return;
      if (task.closes) {
        Close{g, task.k}.close(team, tile);
      } else {
        Take{g, {task.k, task.depth, {}, {}, {}, {}}}.take(team, task.at, tile);
      }
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] { done(shared_task); });
    }
  }

  // Draws the next ticket and spins until its tile can be relaxed; or no ticket is left. `section`
  // is the section of the previous ticket.
  KOKKOS_FUNCTION Task next(int& section) const {
    const int ticket = Kokkos::atomic_fetch_add(flow.state + Flow::ticket, 1);
    while (flow.sections[section + 1].first_ticket <= ticket) ++section;
    const Section& now = flow.sections[section];
    if (now.region.depth == 0) return Task::none();
    const Task task = Task::of(now, ticket);
    if (!there({Flow::panel, now.panel_parts})) return Task::none();
    if (now.touches && !there(flow.before(now.round, task.at))) return Task::none();
    Kokkos::memory_fence();  // what has been counted is read after its count
    return task;
  }
  KOKKOS_FUNCTION void done(const Task& task) const {
    if (task.closes && atomic_load(g.negative) >= 0) return;
    Kokkos::memory_fence();  // what is counted was written before
    if (task.round < 0) {
      Kokkos::atomic_add(flow.state + Flow::panel, 1);
    } else {
      Kokkos::atomic_exchange(flow.state + flow.tile(task.at), task.round + 1);
      Kokkos::atomic_add(flow.state + flow.row(task.round, task.at.row), 1);
      Kokkos::atomic_add(flow.state + flow.col(task.round, task.at.col), 1);
    }
  }
  // Spins on a counter; returns false where there is a negative cycle, which stops all counters.
  KOKKOS_FUNCTION bool there(Awaited awaited) const {
    while (atomic_load(g.negative) < 0) {
      if (atomic_load(flow.state + awaited.place) >= awaited.least) return true;
    }
    return false;
  }
};

}  // namespace

Rungs kokkos_rungs() {
  const auto naive_2d = [](const auto& g, const Stream& on) {
    flat<Naive2d>("portcost::floyd_warshall::naive_2d", g, on);
  };
  const auto block_2d = [](const auto& g, const Stream& on) {
    flat<Block2d>("portcost::floyd_warshall::block_2d", g, on);
  };
  const auto look_ahead = [](const auto& g, const Stream& on, const GraphNode& root) {
    with_paths(g, [&](auto paths) { enqueue<paths.value>(g, on, root); });
  };
  const auto launch_flow = []<class T>(auto paths, const Graph<T>& g, const Flow& flow, const auto&,
                                       const auto&, int teams, const Stream& on) {
    using Team = DataflowTeam<RegisterShape<paths.value>, paths.value, T>;
    Kokkos::parallel_for("portcost::floyd_warshall::dataflow",
                         Team::On::policy(on, teams, Team::scratch()), Team{g, flow});
  };
  const auto dataflow = [=](const auto& g, const Stream& on) {
    return flow_run(g, on, launch_flow);
  };
  return {
      rung(works, "naive_2d", naive_2d),
      rung(works, "block_2d", block_2d),
      rung(works, "block_3d", on_cubes<Block3d>("portcost::floyd_warshall::block_3d", one_tile)),
      rung(works, "staged", on_cubes<Staged>("portcost::floyd_warshall::staged", one_tile)),
      rung(works, "deep_k", on_cubes<Staged>("portcost::floyd_warshall::deep_k", tiles_of_r1)),
      rung(shared_works, "register_tile",
           on_cubes<Registers>("portcost::floyd_warshall::register_tile",
                               tiles_by_size<kokkos_shapes>)),
      absent_rung("async_copies", "Kokkos has no asynchronous copies to scratch"),
      graph_step(works, "look_ahead", look_ahead),
      absent_rung("priorities", "nodes of Kokkos's graphs have no priorities"),
      device_step(works, "dataflow", dataflow,
                  "a host's threads wait for each other at few barriers already")};
}

}  // namespace portcost::floyd_warshall
