// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 3): an
// MDRangePolicy over all elements of a matrix, and deep_copy between two layouts, without scratch.
// A batch is one launch a matrix.
#include <string_view>

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
using GoodTile = ShapeIn<kokkos_shapes, DeviceTile, HostTile>;

template <class Policy, class T, int first, int second>
void md_range(const Matrices<T>& s, const Stream& stream, PolicyTile<first, second>) {
  using Point = typename Policy::point_type;
  const Space& space = kokkos_space(stream);
  for (int m = 0; m < s.batch; ++m) {
    const auto a = view_of<DefaultLayout>(s.row_of_a(m, 0), s.ny, s.nx, s.nx);
    const auto b = view_of<DefaultLayout>(s.row_of_b(m, 0), s.nx, s.ny, s.ny);
    const Point begin{0, 0}, end{a.extent_int(0), a.extent_int(1)};
    Kokkos::parallel_for(
        "portcost::transpose::usual",
        first == 0 ? Policy(space, begin, end) : Policy(space, begin, end, {first, second}),
        KOKKOS_LAMBDA(const int i, const int j) { b(j, i) = a(i, j); });
  }
}

// The same bytes are a matrix in one layout and the transposed matrix in the other.
template <class T>
void between_layouts(const Matrices<T>& s, const Stream& stream) {
  const auto rows = static_cast<std::size_t>(s.ny), columns = static_cast<std::size_t>(s.nx);
  for (int m = 0; m < s.batch; ++m) {
    const View2d<Kokkos::LayoutRight, const T> a(s.row_of_a(m, 0), rows, columns);
    const View2d<Kokkos::LayoutLeft, T> b(s.row_of_b(m, 0), rows, columns);
    Kokkos::deep_copy(kokkos_space(stream), b, a);
  }
}

using Kokkos::Iterate;
using Plain = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
constexpr Iterate turned = default_is_left ? Iterate::Right : Iterate::Left;
using Turned = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2, turned, turned>>;

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { md_range<Plain>(s, on, OwnTile()); }),
      usual("index=int64",
            [](const auto& s, const Stream& on) {
              md_range<MDRangeOf<std::int64_t, 2>>(s, on, OwnTile());
            }),
      usual(GoodTile::dial,
            [](const auto& s, const Stream& on) { md_range<Plain>(s, on, GoodTile()); }),
      usual(default_is_left ? "iterate=right" : "iterate=left",
            [](const auto& s, const Stream& on) { md_range<Turned>(s, on, OwnTile()); }),
      usual("call=deep_copy", [](const auto& s, const Stream& on) { between_layouts(s, on); }),
  };
}

}  // namespace portcost::transpose
