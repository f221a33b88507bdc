// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3):
// three-dimensional Views, and a range over all nodes. No tile, no scratch.
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "src/support/error.hpp"
#include "variants/derivatives/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::derivatives {

/// The extents of the dial's tile along x, y and z in each place.
struct DeviceTile {
  static constexpr int x = 64, y = 4, z = 1;
  static constexpr std::string_view dial = "tile=64x4x1";
};
struct HostTile {
  static constexpr int x = 4096, y = 16, z = 1;
  static constexpr std::string_view dial = "tile=4096x16x1";
};
struct OwnTile {
  static constexpr int x = 0, y = 0, z = 0;
};

namespace {

using Space = KokkosSpace;
using DefaultLayout = Space::array_layout;
constexpr bool left = std::is_same_v<DefaultLayout, Kokkos::LayoutLeft>;
using OtherLayout = std::conditional_t<left, Kokkos::LayoutRight, Kokkos::LayoutLeft>;

template <class Data, class Layout>
using View =
    Kokkos::View<Data, Layout, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// The field and its derivatives. Neighbours along x are neighbours in memory whatever the layout:
// the indices are (x, y, z, which) with LayoutLeft, and (which, z, y, x) with LayoutRight.
template <class Layout, Kind kind, class T>
struct Grids {
  static constexpr bool x_first = std::is_same_v<Layout, Kokkos::LayoutLeft>;
  using Given = View<const T***, Layout>;
  using Made = View<T****, Layout>;

  explicit Grids(const Field<T>& s) : given(s) {
    const auto nx = static_cast<std::size_t>(s.nx), ny = static_cast<std::size_t>(s.ny),
               nz = static_cast<std::size_t>(s.nz);
    constexpr std::size_t fields = kind == all_three ? 3 : 1;
    in = Given(s.f, x_first ? nx : nz, ny, x_first ? nz : nx);
    out = Made(s.out, x_first ? nx : fields, x_first ? ny : nz, x_first ? nz : ny,
               x_first ? fields : nx);
  }

  KOKKOS_FORCEINLINE_FUNCTION T f(int x, int y, int z) const {
    return x_first ? in(x, y, z) : in(z, y, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION T& of(int which, int x, int y, int z) const {
    return x_first ? out(x, y, z, which) : out(which, z, y, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void along(int axis, int x, int y, int z, T (&nodes)[nine]) const {
    for (int k = 0; k < nine; ++k) {
      const int away = k - reach;
      nodes[k] = axis == 0   ? f(wrapped(x + away, given.nx), y, z)
                 : axis == 1 ? f(x, wrapped(y + away, given.ny), z)
                             : f(x, y, wrapped(z + away, given.nz));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void first(int axis, int which, int x, int y, int z) const {
    T nodes[nine];
    along(axis, x, y, z, nodes);
    T d = first_difference(given.w[axis], nodes);
    if (given.metric != nullptr) d = given.metric_of(axis)[coordinate({x, y, z}, axis)] * d;
    of(which, x, y, z) = d;
  }
  KOKKOS_FORCEINLINE_FUNCTION void node(int x, int y, int z) const {
    if constexpr (kind < all_three) {
      first(kind, 0, x, y, z);
    } else if constexpr (kind == all_three) {
      for (int axis = 0; axis < 3; ++axis) first(axis, axis, x, y, z);
    } else {
      T sum[3];
      for (int axis = 0; axis < 3; ++axis) {
        T nodes[nine];
        along(axis, x, y, z, nodes);
        sum[axis] = second_difference(given.w[axis], nodes);
      }
      of(0, x, y, z) = sum[0] + sum[1] + sum[2];
    }
  }

  Given in;
  Made out;
  Field<T> given;
};

template <class Layout, class Tile, Kind kind, class T>
void md_range(const Field<T>& s, const Stream& stream) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<3>>;
  using Point = typename Policy::point_type;
  const Grids<Layout, kind, T> grids(s);
  constexpr bool x_first = Grids<Layout, kind, T>::x_first;
  const Point begin{0, 0, 0}, end{x_first ? s.nx : s.nz, s.ny, x_first ? s.nz : s.nx};
  const auto body = KOKKOS_LAMBDA(const int i, const int y, const int k) {
    grids.node(x_first ? i : k, y, x_first ? k : i);
  };
  if constexpr (Tile::x == 0) {
    Kokkos::parallel_for("portcost::derivatives::usual", Policy(kokkos_space(stream), begin, end),
                         body);
  } else {
    Kokkos::parallel_for(
        "portcost::derivatives::usual",
        Policy(kokkos_space(stream), begin, end,
               {x_first ? Tile::x : Tile::z, Tile::y, x_first ? Tile::z : Tile::x}),
        body);
  }
}

// One index for all nodes, row by row.
template <class Index, Kind kind, class T>
void range_of(const Field<T>& s, const Stream& stream) {
  const Grids<DefaultLayout, kind, T> grids(s);
  const auto nx = static_cast<Index>(s.nx), ny = static_cast<Index>(s.ny);
  Kokkos::parallel_for(
      "portcost::derivatives::usual",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>(kokkos_space(stream), Index{0},
                                                           static_cast<Index>(s.size())),
      KOKKOS_LAMBDA(const Index i) {
        const Index row = i / nx;
        grids.node(static_cast<int>(i % nx), static_cast<int>(row % ny),
                   static_cast<int>(row / ny));
      });
}
// In 32 bits, Kokkos's default on a GPU, where these are enough.
template <Kind kind, class T>
void range(const Field<T>& s, const Stream& stream) {
  if (s.size() <= static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    range_of<int, kind>(s, stream);
  } else {
    range_of<std::int64_t, kind>(s, stream);
  }
}

// A row along x a team, of whatever size Kokkos chooses.
template <Kind kind, class T>
void teams(const Field<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Grids<DefaultLayout, kind, T> grids(s);
  require(std::int64_t{s.ny} * s.nz <= std::int64_t{1} << 30, "more rows than a league can hold");
  Kokkos::parallel_for(
      "portcost::derivatives::usual", Policy(kokkos_space(stream), s.ny * s.nz, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int y = team.league_rank() % grids.given.ny, z = team.league_rank() / grids.given.ny;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, grids.given.nx),
                             [&](const int x) { grids.node(x, y, z); });
      });
}

using GoodTile = ShapeIn<kokkos_shapes, DeviceTile, HostTile>;

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive",
                [f](const auto& s, const Stream& on) {
                  with_kind(s.kind, [&](auto kind) { f(kind, s, on); });
                })
        .written(Way::usual, dials);
  };
  return {usual("",
                [](auto kind, const auto& s, const Stream& on) {
                  md_range<DefaultLayout, OwnTile, decltype(kind)::value>(s, on);
                }),
          usual(GoodTile::dial,
                [](auto kind, const auto& s, const Stream& on) {
                  md_range<DefaultLayout, GoodTile, decltype(kind)::value>(s, on);
                }),
          usual(left ? "layout=right" : "layout=left",
                [](auto kind, const auto& s, const Stream& on) {
                  md_range<OtherLayout, OwnTile, decltype(kind)::value>(s, on);
                }),
          usual("policy=range", [](auto kind, const auto& s,
                                   const Stream& on) { range<decltype(kind)::value>(s, on); }),
          usual("policy=team", [](auto kind, const auto& s, const Stream& on) {
            teams<decltype(kind)::value>(s, on);
          })};
}

}  // namespace portcost::derivatives
