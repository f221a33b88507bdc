// SPDX-License-Identifier: Apache-2.0
// Steps as a graph of launches: panel in which the next tile's cross begins early, and that with
// narrow tiles.
#pragma once

#include "variants/gauss/kokkos/close.hpp"
#include "variants/gauss/kokkos/solve.hpp"
#include "variants/kokkos_graph.hpp"

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

/// Where a round has got to: its cross is solved; the rest of the round before is taken.
template <class Node>
struct Taken {
  Node crossed, rested;
};

/// What the next tile needs is taken first, in the smallest tiles, and it is closed; beside that
/// its row and column are taken, in small ones (next_tile, next_cross). Then its cross is solved,
/// while the rest is taken, in two launches (in_waves). `count` tiles are closed, at least one.
template <Way way, class T, class Node>
Taken<Node> enqueue(const System<T>& s, const Launches<way, T>& launches, const Node& root,
                    int count) {
  const Tiles tiles(s.n, panel_tile);
  Node crossed = launches.template solve<panel_tile>(launches.close(root, 0), 0), rested = crossed;
  for (int k = 0; k + 1 < count; ++k) {
    // A join for each launch: where several follow one, what is an empty node in CUDA's graph, the
    // next tile begins late.
    const auto ready = [&] { return k == 0 ? crossed : after_both(crossed, rested); };
    const Node next = launches.template take<SmallestShape>(ready(), next_tile(k));
    const Node beside = launches.template take<SmallShape>(ready(), next_cross(s.n, k));
    const auto [first, second] = in_waves(rest_around(tiles, k), launches.wave());
    rested = launches.template take<PanelShape<T>>(
        launches.template take<PanelShape<T>>(ready(), first), second);
    crossed =
        launches.template solve<panel_tile>(after_both(launches.close(next, k + 1), beside), k + 1);
  }
  return {crossed, rested};
}

template <Way way, class T, class Node>
void look_ahead(const System<T>& s, const Stream& stream, const Node& root) {
  const Launches<way, T> launches(s, stream, "portcost::gauss::look_ahead");
  enqueue(s, launches, root, tiles_of(s.n, panel_tile));
}

/// look_ahead, whose last tiles are narrow ones, each closed by who takes its products first.
template <Way way, class T, class Node>
void narrow_tiles(const System<T>& s, const Stream& stream, const Node& root) {
  const Launches<way, T> launches(s, stream, "portcost::gauss::narrow_tiles");
  const Tiles tiles(s.n, narrow_tile);
  // In order, for tests alone, fewer, so that small problems have wide tiles, too.
  const int wide = wide_tiles(s.n, launches_in_order ? 4 : narrow_rounds);
  const auto begin = [&]() -> Taken<Node> {
    if (wide > 0) return enqueue(s, launches, root, wide);
    const Node crossed =
        launches.template solve<narrow_tile>(launches.close_narrow(root, 0, {}), 0);
    return {crossed, crossed};
  };
  Taken<Node> now = begin();
  bool waits = wide > 1;  // whether there is a rest to wait for
  Columns taken = wide > 0 ? Tiles(s.n, panel_tile).of(wide - 1) : tiles.of(0);
  for (int k = taken.end / narrow_tile; k < tiles.rows; ++k) {
    const auto ready = [&] { return waits ? after_both(now.crossed, now.rested) : now.crossed; };
    const Node closed = launches.close_narrow(ready(), k, taken);
    const Node beside = launches.template take<SmallShape>(ready(), narrow_cross(s.n, taken));
    now.rested = launches.template take<PanelShape<T>>(
        launches.template take<SmallShape>(ready(), narrow_line(s.n, taken)),
        narrow_rest(s.n, taken));
    now.crossed = launches.template solve<narrow_tile>(after_both(closed, beside), k);
    taken = tiles.of(k);
    waits = true;
  }
}

/// The steps in both ways, or why they are not there.
inline Rungs look_ahead_rungs() {
  return joined({graph_step(works, "look_ahead",
                            [](auto way, const auto& s, const Stream& on, const auto& root) {
                              look_ahead<way.value>(s, on, root);
                            }),
                 graph_step(works, "narrow_tiles",
                            [](auto way, const auto& s, const Stream& on, const auto& root) {
                              narrow_tiles<way.value>(s, on, root);
                            })});
}

}  // namespace portcost::gauss
