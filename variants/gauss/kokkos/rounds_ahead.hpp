// SPDX-License-Identifier: Apache-2.0
// The launch order of overlapping steps, for the kernels by the book and the tuned kernels: panel
// with look-ahead, with narrow tiles, and with updates by two tiles at a time. `Launches`: of
// kokkos.cpp or book.cpp; f(after, ...) adds a launch after a node and returns its node.
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/shared/kokkos_graph.hpp"

namespace portcost::gauss {

/// The state of a round: its cross is solved (`crossed`), and the trailing update of the round
/// before is done (`rested`), if there was a round before (`waits`). columns: the round's columns.
template <class Node>
struct Taken {
  Node crossed, rested;
  bool waits;
  Columns columns;

  // A join for each launch: where several launches follow one join, which is an empty node in
  // CUDA's graph, the next tile begins late.
  Node ready() const { return waits ? after_both(crossed, rested) : crossed; }
};

/// The first round, after tile 0 of `tile` columns is factorised.
template <int tile, class T, class Launches, class Node>
Taken<Node> first_round(const System<T>& s, const Launches& launches, const Node& factorised) {
  const Node crossed = launches.template solve<tile>(factorised, 0);
  return {crossed, crossed, false, Tiles(s.n, tile).of(0)};
}

/// In a round the next pivot tile is updated first, in the smallest tiles, and factorised; beside
/// it its row and column are updated, in small tiles (tile_alone, cross_alone). Then its cross is
/// solved, during the trailing update, which is two launches (in_waves). `count` tiles are
/// factorised, at least one.
template <class T, class Launches, class Node>
Taken<Node> enqueue(const System<T>& s, const Launches& launches, const Node& root, int count) {
  const Tiles tiles(s.n, panel_tile);
  Taken<Node> now = first_round<panel_tile>(s, launches, launches.factorise(root, 0));
  for (int k = 1; k < count; ++k) {
    const Node next =
        launches.template take<SmallestShape>(now.ready(), tile_alone(k, now.columns));
    const Node beside =
        launches.template take<SmallShape>(now.ready(), cross_alone(s.n, k, now.columns));
    const auto [first, second] = in_waves(tiles.rest(k + 1, now.columns), launches.wave());
    now.rested = launches.template take<PanelShape<T>>(
        launches.template take<PanelShape<T>>(now.ready(), first), second);
    now.crossed =
        launches.template solve<panel_tile>(after_both(launches.factorise(next, k), beside), k);
    now.waits = true;
    now.columns = tiles.of(k);
  }
  return now;
}

/// The same with two pivot tiles a round. When both are factorised and their crosses solved, the
/// first of the next two tiles and its row and column are updated by both. Meanwhile the row and
/// column of the second, and all other tiles, are updated by both, too; the second then needs only
/// the update by the first. `count` tiles are factorised, an even number, at least two.
template <class T, class Launches, class Node>
Taken<Node> enqueue_two(const System<T>& s, const Launches& launches, const Node& root, int count) {
  const Tiles tiles(s.n, panel_tile);
  // Updates tile k by `columns`, factorises it and solves for its cross; the updates follow
  // when_ready().
  const auto eliminate_tile = [&](const auto& when_ready, int k, Columns columns) {
    const Node alone = launches.template take<SmallestShape>(when_ready(), tile_alone(k, columns));
    const Node factorised = launches.factorise(alone, k);
    const Node beside =
        launches.template take<SmallShape>(when_ready(), cross_alone(s.n, k, columns));
    return launches.template solve<panel_tile>(after_both(factorised, beside), k);
  };
  Taken<Node> now = first_round<panel_tile>(s, launches, launches.factorise(root, 0));
  for (int first = 0; first < count; first += 2) {
    Node lined = now.crossed;
    if (first > 0) {
      const Taken<Node> before = now;
      const auto ready = [&] { return before.ready(); };
      now.crossed = eliminate_tile(ready, first, before.columns);
      const Region line = tiles.inner(first, first + 2, before.columns);
      lined = launches.template take<PanelShape<T>>(ready(), line);
      const auto [wave, others] =
          in_waves(tiles.rest(first + 2, before.columns), wave_beside(launches.wave(), line));
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

/// The rounds of narrow pivot tiles, after the wide ones. The launch that factorises a narrow tile
/// updates it first.
template <class T, class Launches, class Node>
void enqueue_narrow(const System<T>& s, const Launches& launches, Taken<Node> now) {
  const Tiles tiles(s.n, narrow_tile);
  for (int k = now.columns.end / narrow_tile; k < tiles.rows; ++k) {
    const Node factorised = launches.factorise_narrow(now.ready(), k, now.columns);
    const Node beside =
        launches.template take<SmallShape>(now.ready(), narrow_cross(s.n, now.columns));
    now.rested = launches.template take<PanelShape<T>>(
        launches.template take<SmallShape>(now.ready(), narrow_line(s.n, now.columns)),
        narrow_rest(s.n, now.columns));
    now.crossed = launches.template solve<narrow_tile>(after_both(factorised, beside), k);
    now.waits = true;
    now.columns = tiles.of(k);
  }
}
template <class T, class Launches, class Node>
Taken<Node> begin_narrow(const System<T>& s, const Launches& launches, const Node& root) {
  return first_round<narrow_tile>(s, launches, launches.factorise_narrow(root, 0, {}));
}

/// The steps. Where launches run in order, which only tests do, fewer tiles are narrow, so that
/// small problems have wide tiles, too.
template <class T, class Launches>
void look_ahead(const System<T>& s, const Launches& launches, const GraphNode& root) {
  enqueue(s, launches, root, tiles_of(s.n, panel_tile));
}
template <class T, class Launches>
void narrow_tiles(const System<T>& s, const Launches& launches, const GraphNode& root) {
  const int wide = wide_tiles(s.n, launches_in_order ? 4 : narrow_rounds);
  enqueue_narrow(s, launches,
                 wide > 0 ? enqueue(s, launches, root, wide) : begin_narrow(s, launches, root));
}
template <class T, class Launches>
void delayed_updates(const System<T>& s, const Launches& launches, const GraphNode& root) {
  const int wide = delayed_tiles(s.n, launches_in_order ? 2 : delayed_rounds);
  enqueue_narrow(s, launches,
                 wide > 0 ? enqueue_two(s, launches, root, wide) : begin_narrow(s, launches, root));
}

}  // namespace portcost::gauss
