// SPDX-License-Identifier: Apache-2.0
// The order of the launches of steps that overlap, alike by the book and tuned: panel in which the
// next tile's cross begins early, that with narrow tiles, and that with products of two tiles at a
// time. `Launches`: of look_ahead.hpp or book.cpp; f(after, ...) adds a launch and returns what
// comes after it.
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/shared/kokkos_graph.hpp"

namespace portcost::gauss {

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
template <int tile, class T, class Launches, class Node>
Taken<Node> first_round(const System<T>& s, const Launches& launches, const Node& closed) {
  const Node crossed = launches.template solve<tile>(closed, 0);
  return {crossed, crossed, false, Tiles(s.n, tile).of(0)};
}

/// What the next tile needs is taken first, in the smallest tiles, and it is closed; beside that
/// its row and column are taken, in small ones (tile_alone, cross_alone). Then its cross is solved,
/// while the rest is taken, in two launches (in_waves). `count` tiles are closed, at least one.
template <class T, class Launches, class Node>
Taken<Node> enqueue(const System<T>& s, const Launches& launches, const Node& root, int count) {
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
template <class T, class Launches, class Node>
Taken<Node> enqueue_two(const System<T>& s, const Launches& launches, const Node& root, int count) {
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
template <class T, class Launches, class Node>
void enqueue_narrow(const System<T>& s, const Launches& launches, Taken<Node> now) {
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
template <class T, class Launches, class Node>
Taken<Node> begin_narrow(const System<T>& s, const Launches& launches, const Node& root) {
  return first_round<narrow_tile>(s, launches, launches.close_narrow(root, 0, {}));
}

/// The steps. In order, for tests alone, fewer tiles are narrow, so that small problems have wide
/// ones, too.
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
