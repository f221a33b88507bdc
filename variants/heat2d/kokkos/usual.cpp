// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3):
// Views, and a range over all nodes. No tile, no scratch. The form without dials comes first, by
// itself, and then what its dials need.
#include <cstdint>
#include <string_view>

#include "variants/heat2d/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::heat2d {

namespace {

using Space = KokkosSpace;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

// A node after one step: (x, y) of a View with LayoutLeft, (y, x) of other Views.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T next(const View2d<LayoutLeft, const T>& t, Coefficients<T> c, int x,
                                   int y) {
  return heat_step(c, t(x, y), t(x - 1, y), t(x + 1, y), t(x, y - 1), t(x, y + 1));
}
template <class Layout, class T>
KOKKOS_FORCEINLINE_FUNCTION T next(const View2d<Layout, const T>& t, Coefficients<T> c, int y,
                                   int x) {
  return heat_step(c, t(y, x), t(y, x - 1), t(y, x + 1), t(y - 1, x), t(y + 1, x));
}

// The form without dials.
template <class T>
void nodes(const Step<T>& s, const Stream& stream) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  const auto in = view_of<DefaultLayout>(s.in, s.ny, s.nx, s.pitch);
  const auto out = view_of<DefaultLayout>(s.out, s.ny, s.nx, s.pitch);
  const Coefficients<T> c = s.c;
  const int ni = in.extent_int(0), nj = in.extent_int(1);
  Kokkos::parallel_for(
      "portcost::heat2d::usual", Policy(kokkos_space(stream), {0, 0}, {ni, nj}),
      KOKKOS_LAMBDA(const int i, const int j) {
        if (i == 0 || j == 0 || i == ni - 1 || j == nj - 1) {
          out(i, j) = in(i, j);
        } else {
          out(i, j) = next(in, c, i, j);
        }
      });
}

// ---- With dials turned.

// Both grids in any layout.
template <class Layout, class T>
struct Grids {
  explicit Grids(const Step<T>& s)
      : in(view_of<Layout>(s.in, s.ny, s.nx, s.pitch)),
        out(view_of<Layout>(s.out, s.ny, s.nx, s.pitch)),
        c(s.c),
        ni(in.extent_int(0)),
        nj(in.extent_int(1)) {}

  KOKKOS_FORCEINLINE_FUNCTION void node(int i, int j) const {
    if (i == 0 || j == 0 || i == ni - 1 || j == nj - 1) {
      out(i, j) = in(i, j);
    } else {
      out(i, j) = next(in, c, i, j);
    }
  }

  View2d<Layout, const T> in;
  View2d<Layout, T> out;
  Coefficients<T> c;
  int ni, nj;
};

template <class Layout, class Policy, class T, int first, int second>
void md_range(const Step<T>& s, const Stream& stream, PolicyTile<first, second>) {
  using Point = typename Policy::point_type;
  const Grids<Layout, T> grids(s);
  const Space& space = kokkos_space(stream);
  const Point begin{0, 0}, end{grids.ni, grids.nj};
  Kokkos::parallel_for(
      "portcost::heat2d::usual",
      first == 0 ? Policy(space, begin, end) : Policy(space, begin, end, {first, second}),
      KOKKOS_LAMBDA(const int i, const int j) { grids.node(i, j); });
}

// One index for all nodes, row by row; `items` rows an index.
template <class Index, int items, class T>
void range_of(const Step<T>& s, const Stream& stream) {
  const Grids<LayoutRight, T> grids(s);
  const auto nx = static_cast<Index>(s.nx);
  const auto count = nx * static_cast<Index>(ceil_div(s.ny, items));
  Kokkos::parallel_for(
      "portcost::heat2d::usual", RangeOf<Index>(kokkos_space(stream), Index{0}, count),
      KOKKOS_LAMBDA(const Index i) {
        const int x = static_cast<int>(i % nx), y0 = static_cast<int>(i / nx) * items;
        for (int y = y0; y < y0 + items && y < grids.ni; ++y) grids.node(y, x);
      });
}

template <int items>
void range(const auto& s, const Stream& on) {
  with_index(std::int64_t{s.nx} * s.ny, [&](auto i) { range_of<decltype(i), items>(s, on); });
}

// A row a team, of whatever size Kokkos chooses.
template <class Layout, class T>
void teams(const Step<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Grids<Layout, T> grids(s);
  Kokkos::parallel_for(
      "portcost::heat2d::usual", Policy(kokkos_space(stream), s.ny, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int y = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, grids.nj),
                             [&](const int x) { grids.node(y, x); });
      });
}

// The same by a subview of each row.
template <class T>
void team_rows(const Step<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Grids<LayoutRight, T> grids(s);
  Kokkos::parallel_for(
      "portcost::heat2d::usual", Policy(kokkos_space(stream), s.ny, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int y = team.league_rank();
        const bool edge = y == 0 || y == grids.ni - 1;
        const auto row_of = [&](int of) { return Kokkos::subview(grids.in, of, Kokkos::ALL); };
        const auto row = row_of(y), north = row_of(edge ? y : y - 1),
                   south = row_of(edge ? y : y + 1);
        const auto out = Kokkos::subview(grids.out, y, Kokkos::ALL);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, grids.nj), [&](const int x) {
          out(x) = edge || x == 0 || x == grids.nj - 1
                       ? row(x)
                       : heat_step(grids.c, row(x), row(x - 1), row(x + 1), north(x), south(x));
        });
      });
}

using Kokkos::Iterate;
using Plain = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
using Right = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2, Iterate::Right, Iterate::Right>>;

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { nodes(s, on); }),
      usual(GoodTile::dial,
            [](const auto& s, const Stream& on) {
              md_range<DefaultLayout, Plain>(s, on, GoodTile());
            }),
      usual("index=int64",
            [](const auto& s, const Stream& on) {
              md_range<DefaultLayout, MDRangeOf<std::int64_t, 2>>(s, on, OwnTile());
            }),
      usual(
          default_is_left ? "layout=right" : "layout=left",
          [](const auto& s, const Stream& on) { md_range<OtherLayout, Plain>(s, on, OwnTile()); }),
      usual(
          default_is_left ? "layout=right,iterate=right" : "layout=left,iterate=right",
          [](const auto& s, const Stream& on) { md_range<OtherLayout, Right>(s, on, OwnTile()); }),
      usual("policy=range", [](const auto& s, const Stream& on) { range<1>(s, on); }),
      usual("policy=range,index=int64",
            [](const auto& s, const Stream& on) { range_of<std::int64_t, 1>(s, on); }),
      usual("policy=range,items=4", [](const auto& s, const Stream& on) { range<4>(s, on); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams<LayoutRight>(s, on); }),
      usual("policy=team,view=stride",
            [](const auto& s, const Stream& on) { teams<LayoutStride>(s, on); }),
      usual("policy=team,view=subview", [](const auto& s, const Stream& on) { team_rows(s, on); }),
  };
}

}  // namespace portcost::heat2d
