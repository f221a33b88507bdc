// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3):
// Views, and a range over all nodes. No tile, no scratch. The form without dials comes first, by
// itself, and then what its dials need.
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "variants/heat2d/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::heat2d {

namespace {

using Space = KokkosSpace;
using DefaultLayout = Space::array_layout;
using OtherLayout = std::conditional_t<std::is_same_v<DefaultLayout, Kokkos::LayoutLeft>,
                                       Kokkos::LayoutRight, Kokkos::LayoutLeft>;

// The form without dials.
template <class T>
void nodes(const Step<T>& s, const Stream& stream) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  const Plane<const T> in(s.in, s.pitch, static_cast<std::size_t>(s.ny));
  const Plane<T> out(s.out, s.pitch, static_cast<std::size_t>(s.ny));
  const Coefficients<T> c = s.c;
  const int nx = s.nx, ny = s.ny;
  Kokkos::parallel_for(
      "portcost::heat2d::usual",
      Policy(kokkos_space(stream), {0, 0}, {x_first ? nx : ny, x_first ? ny : nx}),
      KOKKOS_LAMBDA(const int i, const int j) {
        const int x = x_first ? i : j, y = x_first ? j : i;
        const T centre = in(x, y);
        if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
          out(x, y) = centre;
        } else {
          out(x, y) = heat_step(c, centre, in(x - 1, y), in(x + 1, y), in(x, y - 1), in(x, y + 1));
        }
      });
}

// ---- With dials turned.

// Both grids in either layout.
template <class Layout, class T>
struct Grids {
  static constexpr bool x_first = Plane<T, Layout>::x_first;

  explicit Grids(const Step<T>& s)
      : in(s.in, s.pitch, static_cast<std::size_t>(s.ny)),
        out(s.out, s.pitch, static_cast<std::size_t>(s.ny)),
        c(s.c),
        nx(s.nx),
        ny(s.ny) {}

  KOKKOS_FORCEINLINE_FUNCTION void node(int x, int y) const {
    const T centre = in(x, y);
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
      out(x, y) = centre;
    } else {
      out(x, y) = heat_step(c, centre, in(x - 1, y), in(x + 1, y), in(x, y - 1), in(x, y + 1));
    }
  }

  Plane<const T, Layout> in;
  Plane<T, Layout> out;
  Coefficients<T> c;
  int nx, ny;
};

template <class Layout, class Rank, class T, int tile_x, int tile_y>
void md_range(const Step<T>& s, const Stream& stream, PolicyTile<tile_x, tile_y>) {
  using Policy = Kokkos::MDRangePolicy<Space, Rank>;
  using Point = typename Policy::point_type;
  const Grids<Layout, T> grids(s);
  const Space& space = kokkos_space(stream);
  if constexpr (Grids<Layout, T>::x_first) {
    const Point end{s.nx, s.ny};
    Kokkos::parallel_for(
        "portcost::heat2d::usual",
        tile_x == 0 ? Policy(space, Point{0, 0}, end)
                    : Policy(space, Point{0, 0}, end, {tile_x, tile_y}),
        KOKKOS_LAMBDA(const int x, const int y) { grids.node(x, y); });
  } else {
    const Point end{s.ny, s.nx};
    Kokkos::parallel_for(
        "portcost::heat2d::usual",
        tile_x == 0 ? Policy(space, Point{0, 0}, end)
                    : Policy(space, Point{0, 0}, end, {tile_y, tile_x}),
        KOKKOS_LAMBDA(const int y, const int x) { grids.node(x, y); });
  }
}

// One index for all nodes, row by row; `items` rows an index.
template <class Index, int items, class T>
void range_of(const Step<T>& s, const Stream& stream) {
  const Grids<DefaultLayout, T> grids(s);
  const auto nx = static_cast<Index>(s.nx);
  const auto count = nx * static_cast<Index>(ceil_div(s.ny, items));
  Kokkos::parallel_for(
      "portcost::heat2d::usual",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>(kokkos_space(stream), Index{0}, count),
      KOKKOS_LAMBDA(const Index i) {
        const int x = static_cast<int>(i % nx), y0 = static_cast<int>(i / nx) * items;
        for (int y = y0; y < y0 + items && y < grids.ny; ++y) grids.node(x, y);
      });
}

// In 32 bits, Kokkos's default on a GPU, where these are enough.
template <int items, class T>
void range(const Step<T>& s, const Stream& stream) {
  if (std::int64_t{s.nx} * s.ny <= std::numeric_limits<int>::max()) {
    range_of<int, items>(s, stream);
  } else {
    range_of<std::int64_t, items>(s, stream);
  }
}

// A row a team, of whatever size Kokkos chooses.
template <class T>
void teams(const Step<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Grids<DefaultLayout, T> grids(s);
  Kokkos::parallel_for(
      "portcost::heat2d::usual", Policy(kokkos_space(stream), s.ny, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int y = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, grids.nx),
                             [&](const int x) { grids.node(x, y); });
      });
}

using Kokkos::Iterate;
using Rank = Kokkos::Rank<2>;
using RankRight = Kokkos::Rank<2, Iterate::Right, Iterate::Right>;

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { nodes(s, on); }),
      usual(GoodTile::dial_xy,
            [](const auto& s, const Stream& on) {
              md_range<DefaultLayout, Rank>(s, on, GoodTile());
            }),
      usual(x_first ? "layout=right" : "layout=left",
            [](const auto& s, const Stream& on) { md_range<OtherLayout, Rank>(s, on, OwnTile()); }),
      usual(x_first ? "layout=right,iterate=right" : "layout=left,iterate=right",
            [](const auto& s, const Stream& on) {
              md_range<OtherLayout, RankRight>(s, on, OwnTile());
            }),
      usual("policy=range", [](const auto& s, const Stream& on) { range<1>(s, on); }),
      usual("policy=range,index=int64",
            [](const auto& s, const Stream& on) { range_of<std::int64_t, 1>(s, on); }),
      usual("policy=range,items=4", [](const auto& s, const Stream& on) { range<4>(s, on); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams(s, on); }),
  };
}

}  // namespace portcost::heat2d
