// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 3): an
// MDRangePolicy over all elements of a matrix, and deep_copy between two layouts, without scratch.
// A batch is one launch a matrix.
#include <string_view>
#include <type_traits>

#include "variants/shared/kokkos_usual.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// The tile of the dial, in each place.
struct DeviceTile : PolicyTile<32, 8> {
  static constexpr std::string_view dial = "tile=32x8";
};
struct HostTile : PolicyTile<64, 64> {
  static constexpr std::string_view dial = "tile=64x64";
};

namespace {

using Space = KokkosSpace;
using DefaultLayout = Space::array_layout;
constexpr bool left = std::is_same_v<DefaultLayout, Kokkos::LayoutLeft>;

template <class Element, class Layout>
using View =
    Kokkos::View<Element**, Layout, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// Both matrices as Views of one layout: with LayoutLeft the first index runs along a row.
template <class T>
struct Two {
  Two(const Matrices<T>& s, int matrix)
      : a(s.row_of_a(matrix, 0), first(s.nx, s.ny), first(s.ny, s.nx)),
        b(s.row_of_b(matrix, 0), first(s.ny, s.nx), first(s.nx, s.ny)) {}
  static std::size_t first(int of_left, int of_right) {
    return static_cast<std::size_t>(left ? of_left : of_right);
  }
  View<const T, DefaultLayout> a;
  View<T, DefaultLayout> b;
};

using GoodTile = ShapeIn<kokkos_shapes, DeviceTile, HostTile>;

template <class Rank, class T, int first, int second>
void md_range(const Matrices<T>& s, const Stream& stream, PolicyTile<first, second>) {
  using Policy = Kokkos::MDRangePolicy<Space, Rank>;
  using Point = typename Policy::point_type;
  const Space& space = kokkos_space(stream);
  for (int m = 0; m < s.batch; ++m) {
    const Two<T> views(s, m);
    const Point begin{0, 0}, end{left ? s.nx : s.ny, left ? s.ny : s.nx};
    Kokkos::parallel_for(
        "portcost::transpose::usual",
        first == 0 ? Policy(space, begin, end) : Policy(space, begin, end, {first, second}),
        KOKKOS_LAMBDA(const int i, const int j) { views.b(j, i) = views.a(i, j); });
  }
}

// The same bytes are a matrix in one layout and the transposed matrix in the other.
template <class T>
void between_layouts(const Matrices<T>& s, const Stream& stream) {
  const auto rows = static_cast<std::size_t>(s.ny), columns = static_cast<std::size_t>(s.nx);
  for (int m = 0; m < s.batch; ++m) {
    const View<const T, Kokkos::LayoutRight> a(s.row_of_a(m, 0), rows, columns);
    const View<T, Kokkos::LayoutLeft> b(s.row_of_b(m, 0), rows, columns);
    Kokkos::deep_copy(kokkos_space(stream), b, a);
  }
}

using Kokkos::Iterate;
using Rank = Kokkos::Rank<2>;
constexpr Iterate turned = left ? Iterate::Right : Iterate::Left;
using OtherRank = Kokkos::Rank<2, turned, turned>;

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { md_range<Rank>(s, on, OwnTile()); }),
      usual(GoodTile::dial,
            [](const auto& s, const Stream& on) { md_range<Rank>(s, on, GoodTile()); }),
      usual(left ? "iterate=right" : "iterate=left",
            [](const auto& s, const Stream& on) { md_range<OtherRank>(s, on, OwnTile()); }),
      usual("call=deep_copy", [](const auto& s, const Stream& on) { between_layouts(s, on); }),
  };
}

}  // namespace portcost::transpose
