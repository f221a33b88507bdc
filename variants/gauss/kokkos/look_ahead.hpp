// SPDX-License-Identifier: Apache-2.0
// Steps as a graph of launches (rounds_ahead.hpp).
#pragma once

#include "variants/gauss/kokkos/factorise.hpp"
#include "variants/gauss/kokkos/rounds_ahead.hpp"
#include "variants/gauss/kokkos/solve.hpp"

namespace portcost::gauss {

/// The nodes of a graph: f(after, ...) adds a launch after a node and returns its node.
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

/// The steps, or the reason for their absence.
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

}  // namespace portcost::gauss
