// SPDX-License-Identifier: Apache-2.0
// panel in which the next tile's cross begins early, as a graph of launches.
#pragma once

#include <memory>
#include <utility>

#include "variants/gauss/kokkos/close.hpp"

// Graphs on a stream, built in a loop, are of Kokkos 4.5 and later.
#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION >= 40500
#define PORTCOST_HAS_KOKKOS_GRAPH 1
#include <Kokkos_Graph.hpp>
#endif

namespace portcost::gauss {

inline constexpr std::string_view no_graph_of_gauss =
    "hosts close a tile with all their threads; a GPU needs the graphs of Kokkos 4.5";

#ifdef PORTCOST_HAS_KOKKOS_GRAPH

/// What the next tile's cross needs is taken first, in small tiles, and the cross solved while the
/// rest is taken (next_cross, rest_in_two).
template <class T, Way way>
class LookAhead final : public Execution {
 public:
  LookAhead(const System<T>& s, const Stream& stream)
      : stream_(stream),
        graph_(Kokkos::Experimental::create_graph(
            kokkos_space(stream), [&](const Node& root) { enqueue(s, stream, root); })) {
    graph_.instantiate();
  }

  void run(int) override { graph_.submit(kokkos_space(stream_)); }

 private:
  using Node = Kokkos::Experimental::GraphNodeRef<KokkosSpace>;

  static void enqueue(const System<T>& s, const Stream& stream, const Node& root) {
    using Close = CloseTile<PanelShape<T>, T, way>;
    using Solve = SolveCross<T, way>;
    using Small = Product<SmallShape, T, way>;
    using Take = Product<PanelShape<T>, T, way>;
    constexpr const char* label = "portcost::gauss::look_ahead";
    const Tiles tiles(s.n, panel_tile);
    const auto closed = [&](const Node& after, int k) -> Node {
      const Node close = after.then_parallel_for(
          label, Close::On::policy(stream, 1, Close::scratch()), Close{s, k});
      const Region cross = tiles.cross(k, tiles.of(k));
      if (cross.count() == 0) return close;
      return close.then_parallel_for(
          label, Solve::On::policy(stream, cross.count() * solve_parts, Solve::scratch()),
          Solve{s, cross, k});
    };
    const auto take = [&](const Node& after, const Region& region) -> Node {
      if (region.count() == 0) return after;
      return after.then_parallel_for(
          label, Take::On::policy(stream, region.count(), Take::scratch()), Take{s, region});
    };
    Node crossed = closed(root, 0), rested = crossed;
    for (int k = 0; k + 1 < tiles.rows; ++k) {
      // A join for each of two launches: where both follow one, what is an empty node in CUDA's
      // graph, the next tile begins late.
      const auto ready = [&]() -> Node {
        return k == 0 ? crossed : Node(Kokkos::Experimental::when_all(crossed, rested));
      };
      const Region next = next_cross(s.n, k);
      const Node ahead = ready().then_parallel_for(
          label, Small::On::policy(stream, next.count(), Small::scratch()), Small{s, next});
      const auto [first, second] = rest_in_two(tiles, k);
      rested = take(take(ready(), first), second);
      crossed = closed(ahead, k + 1);
    }
  }

  const Stream& stream_;
  Kokkos::Experimental::Graph<KokkosSpace> graph_;
};

#endif

/// The step in both ways, or why it is not there.
inline Rungs look_ahead_rungs() {
#ifdef PORTCOST_HAS_KOKKOS_GRAPH
  const auto made = [](auto way, const auto& s, const Stream& on) -> std::unique_ptr<Execution> {
    using T = std::remove_pointer_t<decltype(s.a)>;
    return std::make_unique<LookAhead<T, way.value>>(s, on);
  };
  return team_step(works, "look_ahead", made);
#else
  return {absent_rung("look_ahead", no_graph_of_gauss)};
#endif
}

}  // namespace portcost::gauss
