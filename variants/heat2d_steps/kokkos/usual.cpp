// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3):
// Views, a range over all nodes, and a launch for each step.
#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::heat2d_steps {

namespace {

using Space = KokkosSpace;

// Node (i, j) of Views in Kokkos's own layout: (x, y) on a GPU, (y, x) on a host.
template <class In, class Out, class T>
KOKKOS_FORCEINLINE_FUNCTION void node(const In& in, const Out& out, Coefficients<T> c, int i,
                                      int j) {
  const int ni = in.extent_int(0), nj = in.extent_int(1);
  if (i == 0 || j == 0 || i == ni - 1 || j == nj - 1) {
    out(i, j) = in(i, j);
  } else if constexpr (default_is_left) {
    out(i, j) = heat_step(c, in(i, j), in(i - 1, j), in(i + 1, j), in(i, j - 1), in(i, j + 1));
  } else {
    out(i, j) = heat_step(c, in(i, j), in(i, j - 1), in(i, j + 1), in(i - 1, j), in(i + 1, j));
  }
}

template <class T, int first, int second>
void md_range(const Steps<T>& s, const Stream& stream, PolicyTile<first, second>) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  for_passes(s, 1, any_depth, [&](const Pass<T>& p, int) {
    const auto in = view_of<DefaultLayout>(p.in, p.ny, p.nx, p.pitch);
    const auto out = view_of<DefaultLayout>(p.out, p.ny, p.nx, p.pitch);
    const Coefficients<T> c = p.c;
    const typename Policy::point_type begin{0, 0}, end{in.extent_int(0), in.extent_int(1)};
    const Space& space = kokkos_space(stream);
    Kokkos::parallel_for(
        "portcost::heat2d_steps::usual",
        first == 0 ? Policy(space, begin, end) : Policy(space, begin, end, {first, second}),
        KOKKOS_LAMBDA(const int i, const int j) { node(in, out, c, i, j); });
  });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, auto tile) {
    return rung(works, "one_step", [=](const auto& s, const Stream& on) { md_range(s, on, tile); })
        .written(Way::usual, dials);
  };
  return {usual("", OwnTile()), usual(GoodTile::dial, GoodTile())};
}

}  // namespace portcost::heat2d_steps
