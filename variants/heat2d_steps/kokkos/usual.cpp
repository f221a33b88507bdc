// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: an MDRangePolicy over all nodes, launched
// once a time step; with a dial, its tile.
#include <string_view>

#include "variants/heat2d_steps/problem.hpp"
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

template <class Policy>
auto launch_each_step(const auto& tile) {
  return [=]<class T>(const Run<T>& run, const Stream& stream) {
    for_passes(
        run, [](int) { return 1; },
        [&](const Pass<T>& s, int) {
          const OneStep<T> step(s);
          Kokkos::parallel_for("portcost::heat2d_steps::usual",
                               policy_of<Policy>(kokkos_space(stream), step.ni, step.nj, tile),
                               step);
        });
  };
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "one_step", f).written(Way::usual, dials);
  };
  return {usual("", launch_each_step<Plain>(OwnTile())),
          usual("index=int64", launch_each_step<MDRangeOf<std::int64_t, 2>>(OwnTile())),
          usual(GoodTile::dial, launch_each_step<Plain>(GoodTile()))};
}

}  // namespace portcost::heat2d_steps
