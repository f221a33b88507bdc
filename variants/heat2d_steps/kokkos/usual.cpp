// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: an MDRangePolicy over all nodes, launched
// once a time step; with dials, its tile, and all launches as one graph.
#include <string_view>

#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/kokkos_graph.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::heat2d_steps {

namespace {

using Plain = Kokkos::MDRangePolicy<KokkosSpace, Kokkos::Rank<2>>;

// Node (i, j) of Views in the default layout: along i and j, the coefficients ci and cj.
template <class T>
struct OneStep {
  explicit OneStep(const Pass<T>& s)
      : in(view_of<DefaultLayout>(s.in, s.ny, s.nx, s.pitch)),
        out(view_of<DefaultLayout>(s.out, s.ny, s.nx, s.pitch)),
        c(s.c),
        ni(in.extent_int(0)),
        nj(in.extent_int(1)) {}

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    if (i == 0 || j == 0 || i == ni - 1 || j == nj - 1) {
      out(i, j) = in(i, j);
    } else if constexpr (default_is_left) {
      out(i, j) = heat_step(c, in(i, j), in(i - 1, j), in(i + 1, j), in(i, j - 1), in(i, j + 1));
    } else {
      out(i, j) = heat_step(c, in(i, j), in(i, j - 1), in(i, j + 1), in(i - 1, j), in(i + 1, j));
    }
  }

  View2d<DefaultLayout, const T> in;
  View2d<DefaultLayout, T> out;
  Coefficients<T> c;
  int ni, nj;
};

template <class Policy, int first, int second>
Policy policy_of(const KokkosSpace& space, int ni, int nj, PolicyTile<first, second>) {
  if constexpr (first == 0) return Policy(space, {0, 0}, {ni, nj});
  return Policy(space, {0, 0}, {ni, nj}, {first, second});
}

// launch(policy, functor) for each time step.
template <class Policy, class T, class Tile, class Launch>
void for_steps(const Run<T>& run, const Stream& stream, const Tile& tile, const Launch& launch) {
  for_passes(
      run, [](int) { return 1; },
      [&](const Pass<T>& s, int) {
        const OneStep<T> step(s);
        launch(policy_of<Policy>(kokkos_space(stream), step.ni, step.nj, tile), step);
      });
}

constexpr const char* label = "portcost::heat2d_steps::usual";

template <class Policy>
auto launch_each_step(const auto& tile) {
  return [=](const auto& run, const Stream& stream) {
    for_steps<Policy>(run, stream, tile, [](const auto& policy, const auto& step) {
      Kokkos::parallel_for(label, policy, step);
    });
  };
}

auto add_each_step(const auto& tile) {
  return [=](const auto& run, const Stream& stream, GraphNode last) {
    for_steps<Plain>(run, stream, tile, [&](const auto& policy, const auto& step) {
      last = last.then_parallel_for(label, policy, step);
    });
  };
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "one_step", f).written(Way::usual, dials);
  };
  Rungs result{usual("", launch_each_step<Plain>(OwnTile())),
               usual("index=int64", launch_each_step<MDRangeOf<std::int64_t, 2>>(OwnTile())),
               usual(GoodTile::dial, launch_each_step<Plain>(GoodTile()))};
  if constexpr (has_launch_graphs) {
    result.push_back(graph_step(works, "one_step", add_each_step(LeftTile()))
                         .written(Way::usual, "graph=on,tile=64x4"));
  }
  return result;
}

}  // namespace portcost::heat2d_steps
