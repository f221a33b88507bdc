// SPDX-License-Identifier: Apache-2.0
// register_tile in which the next round begins early, as a graph of launches.
#pragma once

#include <memory>
#include <utility>

#include "variants/floyd_warshall/kokkos/tiles.hpp"

// Graphs on a stream, built in a loop, are of Kokkos 4.5 and later.
#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION >= 40500
#define PORTCOST_HAS_KOKKOS_GRAPH 1
#include <Kokkos_Graph.hpp>
#endif

namespace portcost::floyd_warshall {

inline constexpr std::string_view no_graph =
    "hosts close a tile with all their threads; a GPU needs the graphs of Kokkos 4.5";

#ifdef PORTCOST_HAS_KOKKOS_GRAPH

/// The next tile's cross is taken first, and closed while the rest is taken. Nodes have no
/// priority, and a launch begins when all blocks of those before it have begun. So the rest is
/// two launches (rest_in_two): the next tile is closed beside the second.
template <class T, Way way>
class LookAhead final : public Execution {
 public:
  LookAhead(const Graph<T>& g, const Stream& stream)
      : stream_(stream),
        graph_(Kokkos::Experimental::create_graph(kokkos_space(stream), [&](const Node& root) {
          with_paths(g, [&](auto paths) { enqueue<paths.value>(g, stream, root); });
        })) {
    graph_.instantiate();
  }

  void run(int) override { graph_.submit(kokkos_space(stream_)); }

 private:
  using Node = Kokkos::Experimental::GraphNodeRef<KokkosSpace>;

  template <bool paths>
  static void enqueue(const Graph<T>& g, const Stream& stream, const Node& root) {
    using Shape = RegisterShape<paths>;
    using Close = ClosePivot<Shape, paths, T, way>;
    using Take = Product<Shape, paths, T, way>;
    constexpr const char* label = "portcost::floyd_warshall::look_ahead";
    const auto close = [&](const Node& after, int k) -> Node {
      return after.then_parallel_for(label, Close::On::policy(stream, 1, Close::scratch()),
                                     Close{g, k});
    };
    const auto take = [&](const Node& after, const Region& region) -> Node {
      if (region.count() == 0) return after;
      return after.then_parallel_for(
          label, Take::On::policy(stream, region.count(), Take::scratch()), Take{g, region});
    };
    const int tiles = tiles_of(g.n, Shape::tile);
    Node crossed = take(close(root, 0), cross_of(tiles, 0)), rested = crossed;
    for (int k = 0; k + 1 < tiles; ++k) {
      // A join for each of two launches: where both follow one, what is an empty node in CUDA's
      // graph, the next tile begins late.
      const auto ready = [&]() -> Node {
        return k == 0 ? crossed : Node(Kokkos::Experimental::when_all(crossed, rested));
      };
      const Node next = take(ready(), next_cross(tiles, k));
      const auto [first, second] = rest_in_two(tiles, k);
      rested = take(take(ready(), first), second);
      crossed = take(close(next, k + 1), cross_of(tiles, k + 1));
    }
    if (tiles > 1) {
      take(Kokkos::Experimental::when_all(crossed, rested), rest_of(tiles, tiles - 1, 1));
    }
  }

  const Stream& stream_;
  Kokkos::Experimental::Graph<KokkosSpace> graph_;
};

#endif

/// The step in both ways, or why it is not there.
inline Rungs look_ahead_rungs() {
#ifdef PORTCOST_HAS_KOKKOS_GRAPH
  const auto made = [](auto way, const auto& g, const Stream& on) -> std::unique_ptr<Execution> {
    using T = std::remove_pointer_t<decltype(g.a)>;
    return std::make_unique<LookAhead<T, way.value>>(g, on);
  };
  return team_step(works, "look_ahead", made);
#else
  return {absent_rung("look_ahead", no_graph)};
#endif
}

}  // namespace portcost::floyd_warshall
