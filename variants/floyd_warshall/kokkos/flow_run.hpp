// SPDX-License-Identifier: Apache-2.0
// A run of dataflow: the ticket order and the counters in memory, and one launch.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "src/memory/buffer.hpp"
#include "variants/floyd_warshall/schedule.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::floyd_warshall {

/// Resets the counters and makes one launch(paths, graph, flow, sections, state, teams, space) of
/// as many teams as the device has threads for. Teams that do not fit at first find no work when
/// they start.
template <class T, class Launch>
class FlowRun final : public Execution {
 public:
  FlowRun(const Graph<T>& g, const Stream& stream, const Launch& launch)
      : g_(g), stream_(stream), launch_(launch) {
    with_paths(g, [&](auto paths) {
      using Shape = RegisterShape<paths.value>;
      flow_.tiles = tiles_of(g.n, Shape::tile);
      flow_.depth = flow_depth(flow_.tiles);
      const int threads = static_cast<int>(kokkos_space(stream).concurrency());
      teams_ = flow_teams_of(flow_.tiles, std::max(1, threads / team_size(Shape::threads)),
                             processors(stream.place()));
    });
    const std::vector<Section> sections = flow_sections(flow_.tiles, flow_.depth);
    sections_ = Sections("portcost::floyd_warshall::sections", sections.size());
    Kokkos::deep_copy(
        sections_,
        Kokkos::View<const Section*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            sections.data(), sections.size()));
    state_ = State("portcost::floyd_warshall::state", Flow::state_size(flow_.tiles, flow_.depth));
    flow_.sections = sections_.data();
    flow_.state = state_.data();
  }

  void run(int) override {
    Kokkos::deep_copy(kokkos_space(stream_), state_, 0);
    with_paths(g_,
               [&](auto paths) { launch_(paths, g_, flow_, sections_, state_, teams_, stream_); });
  }

 private:
  using Sections = Kokkos::View<Section*, typename KokkosSpace::memory_space>;
  using State = Kokkos::View<int*, typename KokkosSpace::memory_space>;

  Graph<T> g_;
  const Stream& stream_;
  Launch launch_;
  Flow flow_{};
  Sections sections_;
  State state_;
  int teams_ = 0;
};

template <class T, class Launch>
std::unique_ptr<Execution> flow_run(const Graph<T>& g, const Stream& stream, const Launch& launch) {
  return std::make_unique<FlowRun<T, Launch>>(g, stream, launch);
}

}  // namespace portcost::floyd_warshall
