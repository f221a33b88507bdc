// SPDX-License-Identifier: Apache-2.0
// Steps as a graph of launches: panel in which the next tile's cross begins early, that with narrow
// tiles, and that with products of two tiles at a time.
#pragma once

#include "variants/gauss/kokkos/close.hpp"
#include "variants/gauss/kokkos/solve.hpp"
#include "variants/shared/kokkos_graph.hpp"

namespace portcost::gauss {

/// The nodes of a graph: f(after, ...) adds a launch and returns what comes after it.
template <Way way, class T>
class Launches {
 public:
  Launches(const System<T>& s, const Stream& stream, const char* label)
      : s_(s), stream_(stream), label_(label) {}

  template <class Node>
  Node close(const Node& after, int k) const {
    using Close = CloseTile<PanelShape<T>, T, way>;
    return after.then_parallel_for(label_, Close::On::policy(stream_, 1, Close::scratch()),
                                   Close{s_, k});
  }
  /// Of a narrow tile, less the products over `before`, if any.
  template <class Node>
  Node close_narrow(const Node& after, int k, Columns before) const {
    using Close = CloseTile<NarrowShape, T, way, true>;
    return after.then_parallel_for(label_, Close::On::policy(stream_, 1, Close::scratch()),
                                   Close{s_, k, before});
  }
  /// The cross of a tile of `tile` columns.
  template <int tile, class Node>
  Node solve(const Node& after, int k) const {
    using Solve = SolveCross<tile, T, way>;
    const Tiles tiles(s_.n, tile);
    const Region cross = tiles.cross(k, tiles.of(k));
    if (cross.count() == 0) return after;
    return after.then_parallel_for(
        label_, Solve::On::policy(stream_, cross.count() * Solve::parts, Solve::scratch()),
        Solve{s_, cross, k});
  }
  template <class Shape, class Node>
  Node take(const Node& after, const Region& region) const {
    using Take = Product<Shape, T, way>;
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

/// Where a round has got to: its cross is solved; the rest of the round before is taken, if there
/// was one (`waits`). columns: those of the round.
template <class Node>
struct Taken {
  Node crossed, rested;
  bool waits;
  Columns columns;

  // A join for each launch: where several follow one, what is an empty node in CUDA's graph, the
  // next tile begins late.
  Node ready() const { return waits ? after_both(crossed, rested) : crossed; }
};

/// The first round: tile 0 of `tile` columns is closed.
template <int tile, Way way, class T, class Node>
Taken<Node> first_round(const System<T>& s, const Launches<way, T>& launches, const Node& closed) {
  const Node crossed = launches.template solve<tile>(closed, 0);
  return {crossed, crossed, false, Tiles(s.n, tile).of(0)};
}

/// What the next tile needs is taken first, in the smallest tiles, and it is closed; beside that
/// its row and column are taken, in small ones (tile_alone, cross_alone). Then its cross is solved,
/// while the rest is taken, in two launches (in_waves). `count` tiles are closed, at least one.
template <Way way, class T, class Node>
Taken<Node> enqueue(const System<T>& s, const Launches<way, T>& launches, const Node& root,
                    int count) {
  const Tiles tiles(s.n, panel_tile);
  Taken<Node> now = first_round<panel_tile>(s, launches, launches.close(root, 0));
  for (int k = 1; k < count; ++k) {
    const Node next =
        launches.template take<SmallestShape>(now.ready(), tile_alone(k, now.columns));
    const Node beside =
        launches.template take<SmallShape>(now.ready(), cross_alone(s.n, k, now.columns));
    const auto [first, second] = in_waves(tiles.rest(k + 1, now.columns), launches.wave());
    now.rested = launches.template take<PanelShape<T>>(
        launches.template take<PanelShape<T>>(now.ready(), first), second);
    now.crossed =
        launches.template solve<panel_tile>(after_both(launches.close(next, k), beside), k);
    now.waits = true;
    now.columns = tiles.of(k);
  }
  return now;
}

/// The same with two tiles a round. When both are closed and their crosses solved, the first of the
/// next two, its row and its column take the products of both; beside that so do the row and the
/// column of the second, which is then to take only those of the first, and the rest. `count` tiles
/// are closed, an even number, at least two.
template <Way way, class T, class Node>
Taken<Node> enqueue_two(const System<T>& s, const Launches<way, T>& launches, const Node& root,
                        int count) {
  const Tiles tiles(s.n, panel_tile);
  // Tile k less the products over `columns`, and its cross; when_ready() is what they come after.
  const auto eliminate_tile = [&](const auto& when_ready, int k, Columns columns) {
    const Node alone = launches.template take<SmallestShape>(when_ready(), tile_alone(k, columns));
    const Node closed = launches.close(alone, k);
    const Node beside =
        launches.template take<SmallShape>(when_ready(), cross_alone(s.n, k, columns));
    return launches.template solve<panel_tile>(after_both(closed, beside), k);
  };
  Taken<Node> now = first_round<panel_tile>(s, launches, launches.close(root, 0));
  for (int first = 0; first < count; first += 2) {
    Node lined = now.crossed;
    if (first > 0) {
      const Taken<Node> before = now;
      const auto ready = [&] { return before.ready(); };
      now.crossed = eliminate_tile(ready, first, before.columns);
      const Region line = second_line(tiles, first, before.columns);
      lined = launches.template take<PanelShape<T>>(ready(), line);
      const auto [wave, others] = in_waves(rest_around_both(tiles, first, before.columns),
                                           wave_beside(launches.wave(), line));
      now.rested = launches.template take<PanelShape<T>>(
          launches.template take<PanelShape<T>>(ready(), wave), others);
      now.waits = true;
    }
    const Node crossed = now.crossed;
    now.crossed = eliminate_tile([&] { return first > 0 ? after_both(crossed, lined) : crossed; },
                                 first + 1, tiles.of(first));
    now.columns = columns_of_two(first);
  }
  return now;
}

/// The rounds after those with tiles of panel_tile, of narrow ones, each closed by who takes its
/// products first.
template <Way way, class T, class Node>
void enqueue_narrow(const System<T>& s, const Launches<way, T>& launches, Taken<Node> now) {
  const Tiles tiles(s.n, narrow_tile);
  for (int k = now.columns.end / narrow_tile; k < tiles.rows; ++k) {
    const Node closed = launches.close_narrow(now.ready(), k, now.columns);
    const Node beside =
        launches.template take<SmallShape>(now.ready(), narrow_cross(s.n, now.columns));
    now.rested = launches.template take<PanelShape<T>>(
        launches.template take<SmallShape>(now.ready(), narrow_line(s.n, now.columns)),
        narrow_rest(s.n, now.columns));
    now.crossed = launches.template solve<narrow_tile>(after_both(closed, beside), k);
    now.waits = true;
    now.columns = tiles.of(k);
  }
}
template <Way way, class T, class Node>
Taken<Node> begin_narrow(const System<T>& s, const Launches<way, T>& launches, const Node& root) {
  return first_round<narrow_tile>(s, launches, launches.close_narrow(root, 0, {}));
}

/// The steps in both ways, or why they are not there. In order, for tests alone, fewer tiles are
/// narrow, so that small problems have wide ones, too.
inline Rungs look_ahead_rungs() {
  const auto look_ahead = []<class T>(auto way, const System<T>& s, const Stream& on,
                                      const auto& root) {
    const Launches<way.value, T> launches(s, on, "portcost::gauss::look_ahead");
    enqueue(s, launches, root, tiles_of(s.n, panel_tile));
  };
  const auto narrow_tiles = []<class T>(auto way, const System<T>& s, const Stream& on,
                                        const auto& root) {
    const Launches<way.value, T> launches(s, on, "portcost::gauss::narrow_tiles");
    const int wide = wide_tiles(s.n, launches_in_order ? 4 : narrow_rounds);
    enqueue_narrow(s, launches,
                   wide > 0 ? enqueue(s, launches, root, wide) : begin_narrow(s, launches, root));
  };
  const auto delayed_updates = []<class T>(auto way, const System<T>& s, const Stream& on,
                                           const auto& root) {
    const Launches<way.value, T> launches(s, on, "portcost::gauss::delayed_updates");
    const int wide = delayed_tiles(s.n, launches_in_order ? 2 : delayed_rounds);
    enqueue_narrow(
        s, launches,
        wide > 0 ? enqueue_two(s, launches, root, wide) : begin_narrow(s, launches, root));
  };
  return joined({graph_step(works, "look_ahead", look_ahead),
                 graph_step(works, "narrow_tiles", narrow_tiles),
                 graph_step(works, "delayed_updates", delayed_updates)});
}

}  // namespace portcost::gauss
