// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 3): Views,
// and a range over all nodes, without tiles or scratch. The form without documented options comes
// first, then the forms with options.
#include <cstdint>
#include <string_view>

#include "variants/jacobi/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::jacobi {

namespace {

using Space = KokkosSpace;

constexpr const char* label = "portcost::jacobi::usual";

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

// A grid, or the right side, with its frame of one node, by its row above the first.
template <class Layout, class T, class Node>
View2d<Layout, Node> framed(Node* row_before, const Sweep<T>& s) {
  return view_of<Layout>(row_before - 1, s.rows + 2, s.columns + 2, s.pitch);
}

// A node after a sweep: (x, y) of a View with LayoutLeft, (y, x) of a View with LayoutRight.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T next(const View2d<LayoutLeft, const T>& t,
                                   const View2d<LayoutLeft, const T>& right_side, Coefficients<T> c,
                                   int x, int y) {
  return relaxed(c, t(x, y - 1), t(x, y + 1), t(x - 1, y), t(x + 1, y),
                 source(c, right_side(x, y)));
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T next(const View2d<LayoutRight, const T>& t,
                                   const View2d<LayoutRight, const T>& right_side,
                                   Coefficients<T> c, int y, int x) {
  return relaxed(c, t(y - 1, x), t(y + 1, x), t(y, x - 1), t(y, x + 1),
                 source(c, right_side(y, x)));
}

// The form without options.
template <class T>
void nodes(const Sweep<T>& s, const Stream& stream) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  const auto in = framed<DefaultLayout>(s.row_in(-1), s);
  const auto right_side = framed<DefaultLayout>(s.row_right(-1), s);
  const auto out = framed<DefaultLayout>(s.row_out(-1), s);
  const Coefficients<T> c = s.c;
  Kokkos::parallel_for(
      label, Policy(kokkos_space(stream), {1, 1}, {out.extent_int(0) - 1, out.extent_int(1) - 1}),
      KOKKOS_LAMBDA(const int i, const int j) { out(i, j) = next(in, right_side, c, i, j); });
}

// The greatest residual: a parallel_reduce with a maximum over all nodes.
template <class T>
void greatest_residual(const Sweep<T>& s, T* into, const Stream& stream) {
  using Result =
      Kokkos::View<Bits<T>, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto in = framed<LayoutRight>(s.row_in(-1), s);
  const auto right_side = framed<LayoutRight>(s.row_right(-1), s);
  const Coefficients<T> c = s.c;
  const std::int64_t columns = s.columns;
  Kokkos::parallel_reduce(
      label, RangeOf<std::int64_t>(kokkos_space(stream), 0, columns * s.rows),
      KOKKOS_LAMBDA(const std::int64_t i, Bits<T>& greatest) {
        const int x = static_cast<int>(i % columns) + 1, y = static_cast<int>(i / columns) + 1;
        const T here = residual(c, in(y, x), in(y - 1, x), in(y + 1, x), in(y, x - 1), in(y, x + 1),
                                right_side(y, x));
        greatest = compat::max(greatest, bits_of(here));
      },
      Kokkos::Max<Bits<T>, Space::memory_space>(Result(reinterpret_cast<Bits<T>*>(into))));
}

// ---- With documented options set.

template <class Layout, class T>
struct Views {
  explicit Views(const Sweep<T>& s)
      : in(framed<Layout>(s.row_in(-1), s)),
        right_side(framed<Layout>(s.row_right(-1), s)),
        out(framed<Layout>(s.row_out(-1), s)),
        c(s.c) {}

  KOKKOS_FORCEINLINE_FUNCTION void node(int i, int j) const {
    out(i, j) = next(in, right_side, c, i, j);
  }

  View2d<Layout, const T> in, right_side;
  View2d<Layout, T> out;
  Coefficients<T> c;
};

template <class T, int first, int second>
void tiles(const Sweep<T>& s, const Stream& stream, PolicyTile<first, second>) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  const Views<DefaultLayout, T> views(s);
  Kokkos::parallel_for(
      label,
      Policy(kokkos_space(stream), {1, 1},
             {views.out.extent_int(0) - 1, views.out.extent_int(1) - 1}, {first, second}),
      KOKKOS_LAMBDA(const int i, const int j) { views.node(i, j); });
}

// One index for all nodes, row by row.
template <class Index, class T>
void range_of(const Sweep<T>& s, const Stream& stream) {
  const Views<LayoutRight, T> views(s);
  const auto columns = static_cast<Index>(s.columns);
  Kokkos::parallel_for(
      label, RangeOf<Index>(kokkos_space(stream), Index{0}, columns * static_cast<Index>(s.rows)),
      KOKKOS_LAMBDA(const Index i) {
        views.node(static_cast<int>(i / columns) + 1, static_cast<int>(i % columns) + 1);
      });
}

constexpr auto range = [](const auto& s, const Stream& on) {
  with_index(std::int64_t{s.columns} * s.rows, [&](auto i) { range_of<decltype(i)>(s, on); });
};

// A row a team, with the team size that Kokkos chooses.
template <class T>
void teams(const Sweep<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Views<LayoutRight, T> views(s);
  const int end = s.columns + 1;
  Kokkos::parallel_for(
      label, Policy(kokkos_space(stream), s.rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int y = team.league_rank() + 1;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1, end),
                             [&](const int x) { views.node(y, x); });
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& sweep) {
    return rung(works, "naive",
                [sweep]<class T>(const Task<T>& task, const Stream& on) {
                  carry_out(
                      task, 1, [&](const Sweep<T>& s, int) { sweep(s, on); },
                      [&](const Sweep<T>& s, T* into) { greatest_residual(s, into, on); });
                })
        .written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { nodes(s, on); }),
      usual(GoodTile::dial, [](const auto& s, const Stream& on) { tiles(s, on, GoodTile()); }),
      usual("policy=range", range),
      usual("policy=range,index=int64",
            [](const auto& s, const Stream& on) { range_of<std::int64_t>(s, on); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams(s, on); }),
  };
}

}  // namespace portcost::jacobi
