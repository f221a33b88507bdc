// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3):
// three-dimensional Views, and a range over all nodes. No tile, no scratch.
#include <cstdint>
#include <string_view>

#include "src/support/error.hpp"
#include "variants/derivatives/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::derivatives {

using Policy = Kokkos::MDRangePolicy<KokkosSpace, Kokkos::Rank<3>>;
using Tile = Policy::tile_type;
struct DeviceTile {
  static constexpr Tile extents{64, 4, 1};
  static constexpr std::string_view dial = "tile=64x4x1";
};
struct HostTile {
  static constexpr Tile extents{1, 16, 4096};
  static constexpr std::string_view dial = "tile=1x16x4096";
};

namespace {

using Space = KokkosSpace;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

template <class Data, class Layout>
using View =
    Kokkos::View<Data, Layout, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

constexpr const char* label = "portcost::derivatives::usual";

// The field f(i, j, k), and for each of these indices the derivative along it, its weights and its
// metric (empty on a uniform grid). The indices are (x, y, z) with LayoutLeft and (z, y, x) with
// LayoutRight: x is contiguous in memory.
template <class Layout, Kind kind, class T>
struct Grids {
  using In = View<const T***, Layout>;
  using Out = View<T***, Layout>;
  using Metric = View<const T*, Layout>;

  KOKKOS_FUNCTION static constexpr int index_of(int axis) {
    return std::is_same_v<Layout, LayoutLeft> ? axis : 2 - axis;
  }

  explicit Grids(const Field<T>& s) {
    std::size_t n[3];
    for (int axis = 0; axis < 3; ++axis) {
      n[index_of(axis)] = static_cast<std::size_t>(s.extent(axis));
    }
    f = In(s.f, n[0], n[1], n[2]);
    for (int axis = 0; axis < 3; ++axis) {
      const int index = index_of(axis);
      T* const first = s.out + (kind == all_three ? static_cast<std::size_t>(axis) : 0) * s.size();
      out[index] = Out(first, n[0], n[1], n[2]);
      if (s.metric[axis] != nullptr) metric[index] = Metric(s.metric[axis], n[index]);
      w[index] = s.w[axis];
    }
  }

  // The nine nodes around f(i, j, k) along an index.
  KOKKOS_FORCEINLINE_FUNCTION void around(int index, int i, int j, int k, T (&nodes)[nine]) const {
    for (int m = 0; m < nine; ++m) {
      const int away = m - reach;
      nodes[m] = index == 0   ? f(wrapped(i + away, f.extent_int(0)), j, k)
                 : index == 1 ? f(i, wrapped(j + away, f.extent_int(1)), k)
                              : f(i, j, wrapped(k + away, f.extent_int(2)));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void first(int index, int i, int j, int k) const {
    T nodes[nine];
    around(index, i, j, k, nodes);
    T d = first_difference(w[index], nodes);
    if (metric[index].extent(0) > 0) d = metric[index](index == 0 ? i : index == 1 ? j : k) * d;
    out[index](i, j, k) = d;
  }
  KOKKOS_FORCEINLINE_FUNCTION T second(int index, int i, int j, int k) const {
    T nodes[nine];
    around(index, i, j, k, nodes);
    return second_difference(w[index], nodes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void node(int i, int j, int k) const {
    if constexpr (kind < all_three) {
      first(index_of(kind), i, j, k);
    } else if constexpr (kind == all_three) {
      for (int index = 0; index < 3; ++index) first(index, i, j, k);
    } else {  // summed in the same order with either layout
      out[0](i, j, k) = second(index_of(along_x), i, j, k) + second(index_of(along_y), i, j, k) +
                        second(index_of(along_z), i, j, k);
    }
  }

  In f;
  Out out[3];
  Metric metric[3];
  Weights<T> w[3];
};

template <class Layout, Kind kind, class T>
void md_range(Constant<kind>, const Field<T>& s, const Stream& stream, const Tile& tile) {
  const Grids<Layout, kind, T> grids(s);
  const auto& f = grids.f;
  Kokkos::parallel_for(
      label,
      Policy(kokkos_space(stream), {0, 0, 0}, {f.extent_int(0), f.extent_int(1), f.extent_int(2)},
             tile),
      KOKKOS_LAMBDA(const int i, const int j, const int k) { grids.node(i, j, k); });
}

// One index for all nodes, row by row.
template <class Index, Kind kind, class T>
void range_of(Constant<kind>, const Field<T>& s, const Stream& stream) {
  const Grids<LayoutRight, kind, T> grids(s);
  const auto nx = static_cast<Index>(s.nx), ny = static_cast<Index>(s.ny);
  Kokkos::parallel_for(
      label, RangeOf<Index>(kokkos_space(stream), Index{0}, static_cast<Index>(s.size())),
      KOKKOS_LAMBDA(const Index i) {
        const Index row = i / nx;
        grids.node(static_cast<int>(row / ny), static_cast<int>(row % ny),
                   static_cast<int>(i % nx));
      });
}

constexpr auto range = [](auto kind, const auto& s, const Stream& on) {
  with_index(static_cast<std::int64_t>(s.size()),
             [&](auto i) { range_of<decltype(i)>(kind, s, on); });
};

// A row along x a team, of whatever size Kokkos chooses.
template <Kind kind, class T>
void teams(Constant<kind>, const Field<T>& s, const Stream& stream) {
  using Teams = Kokkos::TeamPolicy<Space>;
  const Grids<LayoutRight, kind, T> grids(s);
  const int nx = s.nx, ny = s.ny;
  require(std::int64_t{ny} * s.nz <= std::int64_t{1} << 30, "more rows than a league can hold");
  Kokkos::parallel_for(
      label, Teams(kokkos_space(stream), ny * s.nz, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Teams::member_type& team) {
        const int z = team.league_rank() / ny, y = team.league_rank() % ny;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, nx),
                             [&](const int x) { grids.node(z, y, x); });
      });
}

using GoodTile = ShapeIn<kokkos_shapes, DeviceTile, HostTile>;

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive", of_kind(f)).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto&... work) { md_range<DefaultLayout>(work..., Tile{}); }),
      usual(GoodTile::dial,
            [](const auto&... work) { md_range<DefaultLayout>(work..., GoodTile::extents); }),
      usual(default_is_left ? "layout=right" : "layout=left",
            [](const auto&... work) { md_range<OtherLayout>(work..., Tile{}); }),
      usual("policy=range", range),
      usual("policy=range,index=int64",
            [](const auto&... work) { range_of<std::int64_t>(work...); }),
      usual("policy=team", [](const auto&... work) { teams(work...); }),
  };
}

}  // namespace portcost::derivatives
