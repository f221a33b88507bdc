// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 3): Views,
// and a range over all nodes, without tiles or scratch. The form without documented options comes
// first, then the forms with options.
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "variants/jacobi/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::jacobi {

namespace {

using Space = KokkosSpace;

constexpr const char* label = "portcost::jacobi::usual";

// A grid, or the right side, with its frame.
template <class T>
using Framed = Plane<T, Space::array_layout, margin<std::remove_const_t<T>>, 1>;
template <class Node, class T>
Framed<Node> framed(Node* row_before, const Sweep<T>& s) {
  return {row_before - margin<T>, static_cast<std::size_t>(s.pitch),
          static_cast<std::size_t>(s.rows) + 2};
}

// The form without options.
template <class T>
void nodes(const Sweep<T>& s, const Stream& stream) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  const auto in = framed(s.row_in(-1), s), right_side = framed(s.row_right(-1), s);
  const auto out = framed(s.row_out(-1), s);
  const Coefficients<T> c = s.c;
  Kokkos::parallel_for(
      label,
      Policy(kokkos_space(stream), {0, 0},
             {x_first ? s.columns : s.rows, x_first ? s.rows : s.columns}),
      KOKKOS_LAMBDA(const int i, const int j) {
        const int x = x_first ? i : j, y = x_first ? j : i;
        out(x, y) = relaxed(c, in(x, y - 1), in(x, y + 1), in(x - 1, y), in(x + 1, y),
                            source(c, right_side(x, y)));
      });
}

// The greatest residual: a parallel_reduce with a maximum over all nodes.
template <class T>
void greatest_residual(const Sweep<T>& s, T* into, const Stream& stream) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  using Result =
      Kokkos::View<Bits<T>, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto in = framed(s.row_in(-1), s), right_side = framed(s.row_right(-1), s);
  const Coefficients<T> c = s.c;
  const std::int64_t columns = s.columns;
  Kokkos::parallel_reduce(
      label, Range(kokkos_space(stream), 0, columns * s.rows),
      KOKKOS_LAMBDA(const std::int64_t i, Bits<T>& greatest) {
        const int x = static_cast<int>(i % columns), y = static_cast<int>(i / columns);
        const T here = residual(c, in(x, y), in(x, y - 1), in(x, y + 1), in(x - 1, y), in(x + 1, y),
                                right_side(x, y));
        greatest = compat::max(greatest, bits_of(here));
      },
      Kokkos::Max<Bits<T>, Space::memory_space>(Result(reinterpret_cast<Bits<T>*>(into))));
}

// ---- With documented options set.

template <class T>
struct Views {
  explicit Views(const Sweep<T>& s)
      : in(framed(s.row_in(-1), s)),
        right_side(framed(s.row_right(-1), s)),
        out(framed(s.row_out(-1), s)),
        c(s.c),
        rows(s.rows),
        columns(s.columns) {}

  KOKKOS_FORCEINLINE_FUNCTION void node(int x, int y) const {
    out(x, y) = relaxed(c, in(x, y - 1), in(x, y + 1), in(x - 1, y), in(x + 1, y),
                        source(c, right_side(x, y)));
  }

  Framed<const T> in, right_side;
  Framed<T> out;
  Coefficients<T> c;
  int rows, columns;
};

template <class T, int tile_x, int tile_y>
void tiles(const Sweep<T>& s, const Stream& stream, PolicyTile<tile_x, tile_y>) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  using Point = typename Policy::point_type;
  const Views<T> views(s);
  const Space& space = kokkos_space(stream);
  if constexpr (x_first) {
    Kokkos::parallel_for(
        label, Policy(space, Point{0, 0}, Point{s.columns, s.rows}, {tile_x, tile_y}),
        KOKKOS_LAMBDA(const int x, const int y) { views.node(x, y); });
  } else {
    Kokkos::parallel_for(
        label, Policy(space, Point{0, 0}, Point{s.rows, s.columns}, {tile_y, tile_x}),
        KOKKOS_LAMBDA(const int y, const int x) { views.node(x, y); });
  }
}

// One index for all nodes, row by row.
template <class Index, class T>
void range_of(const Sweep<T>& s, const Stream& stream) {
  const Views<T> views(s);
  const auto columns = static_cast<Index>(s.columns);
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>(kokkos_space(stream), Index{0},
                                                           columns * static_cast<Index>(s.rows)),
      KOKKOS_LAMBDA(const Index i) {
        views.node(static_cast<int>(i % columns), static_cast<int>(i / columns));
      });
}

// With 32-bit indices, Kokkos's default on a GPU, where these are enough.
template <class T>
void range(const Sweep<T>& s, const Stream& stream) {
  if (std::int64_t{s.columns} * s.rows <= std::numeric_limits<int>::max()) {
    range_of<int>(s, stream);
  } else {
    range_of<std::int64_t>(s, stream);
  }
}

// A row a team, with the team size that Kokkos chooses.
template <class T>
void teams(const Sweep<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Views<T> views(s);
  Kokkos::parallel_for(
      label, Policy(kokkos_space(stream), s.rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int y = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, views.columns),
                             [&](const int x) { views.node(x, y); });
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
      usual(GoodTile::dial_xy, [](const auto& s, const Stream& on) { tiles(s, on, GoodTile()); }),
      usual("policy=range", [](const auto& s, const Stream& on) { range(s, on); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams(s, on); }),
  };
}

}  // namespace portcost::jacobi
