// SPDX-License-Identifier: Apache-2.0
// All rounds in one launch, portable: teams draw tickets and spin on the counters of the tiles that
// their tile depends on.
#pragma once

#include "variants/floyd_warshall/kokkos/flow_run.hpp"
#include "variants/floyd_warshall/kokkos/tiles.hpp"

namespace portcost::floyd_warshall {

/// A team's work. Its first thread draws tickets, spins and increments counters; its state lies in
/// scratch.
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

/// The step, or the reason for its absence.
inline Rungs dataflow_rungs() {
  const auto launch = []<class T>(auto paths, const Graph<T>& g, const Flow& flow, const auto&,
                                  const auto&, int teams, const Stream& on) {
    using Team = DataflowTeam<RegisterShape<paths.value>, paths.value, T>;
    Kokkos::parallel_for("portcost::floyd_warshall::dataflow",
                         Team::On::policy(on, teams, Team::scratch()), Team{g, flow});
  };
  const auto made = [launch](const auto& g, const Stream& on) { return flow_run(g, on, launch); };
  return {device_step(works, "dataflow", made,
                      "a host's threads wait for each other at few barriers already")};
}

}  // namespace portcost::floyd_warshall
