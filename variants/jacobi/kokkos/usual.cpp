// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3):
// Views, and a range over all nodes. No tile, no scratch. Each is beside the same with its
// documented dials turned.
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "variants/jacobi/problem.hpp"
#include "variants/kokkos_usual.hpp"

namespace portcost::jacobi {

namespace {

using Space = KokkosSpace;

// Both grids and the right side as Views with the frame, in the layout of the space: (x, y) with
// LayoutLeft, (y, x) with LayoutRight, so that neighbours along a row are neighbours in memory.
template <class T>
struct Views {
  static constexpr bool x_first = std::is_same_v<Space::array_layout, Kokkos::LayoutLeft>;
  template <class Node>
  using View = Kokkos::View<Node**, Space::array_layout, Space::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit Views(const Sweep<T>& s)
      : in(view(s.row_in(-1) - margin<T>, s)),
        right_side(view(s.row_right(-1) - margin<T>, s)),
        out(view(s.row_out(-1) - margin<T>, s)),
        c(s.c),
        rows(s.rows),
        columns(s.columns) {}
  template <class Node>
  static View<Node> view(Node* first, const Sweep<T>& s) {
    const auto pitch = static_cast<std::size_t>(s.pitch),
               rows = static_cast<std::size_t>(s.rows) + 2;
    return x_first ? View<Node>(first, pitch, rows) : View<Node>(first, rows, pitch);
  }

  KOKKOS_FUNCTION void node(int x, int y) const {
    at(out, x, y) = relaxed(c, at(in, x, y - 1), at(in, x, y + 1), at(in, x - 1, y),
                            at(in, x + 1, y), source(c, at(right_side, x, y)));
  }
  template <class Node>
  KOKKOS_FUNCTION static Node& at(const View<Node>& grid, int x, int y) {
    constexpr int before = margin<T>;
    if constexpr (x_first) {
      return grid(x + before, y + 1);
    } else {
      return grid(y + 1, x + before);
    }
  }

  View<const T> in, right_side;
  View<T> out;
  Coefficients<T> c;
  int rows, columns;
};

constexpr const char* label = "portcost::jacobi::usual";

template <class T, int tile_x, int tile_y>
void md_range(const Sweep<T>& s, const Stream& stream, PolicyTile<tile_x, tile_y>) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  using Point = typename Policy::point_type;
  const Views<T> views(s);
  const Space& space = kokkos_space(stream);
  if constexpr (Views<T>::x_first) {
    const Point end{s.columns, s.rows};
    Kokkos::parallel_for(
        label,
        tile_x == 0 ? Policy(space, Point{0, 0}, end)
                    : Policy(space, Point{0, 0}, end, {tile_x, tile_y}),
        KOKKOS_LAMBDA(const int x, const int y) { views.node(x, y); });
  } else {
    const Point end{s.rows, s.columns};
    Kokkos::parallel_for(
        label,
        tile_x == 0 ? Policy(space, Point{0, 0}, end)
                    : Policy(space, Point{0, 0}, end, {tile_y, tile_x}),
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

// In 32 bits, Kokkos's default on a GPU, where these are enough.
template <class T>
void range(const Sweep<T>& s, const Stream& stream) {
  if (std::int64_t{s.columns} * s.rows <= std::numeric_limits<int>::max()) {
    range_of<int>(s, stream);
  } else {
    range_of<std::int64_t>(s, stream);
  }
}

// A row a team, of whatever size Kokkos chooses.
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

// The greatest residual: a parallel_reduce with a maximum over all nodes.
template <class T>
void greatest_residual(const Sweep<T>& s, T* into, const Stream& stream) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  using Result =
      Kokkos::View<Bits<T>, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Views<T> v(s);
  const std::int64_t columns = s.columns;
  Kokkos::parallel_reduce(
      label, Range(kokkos_space(stream), 0, columns * s.rows),
      KOKKOS_LAMBDA(const std::int64_t i, Bits<T>& greatest) {
        const int x = static_cast<int>(i % columns), y = static_cast<int>(i / columns);
        const T here =
            residual(v.c, v.at(v.in, x, y), v.at(v.in, x, y - 1), v.at(v.in, x, y + 1),
                     v.at(v.in, x - 1, y), v.at(v.in, x + 1, y), v.at(v.right_side, x, y));
        greatest = compat::max(greatest, bits_of(here));
      },
      Kokkos::Max<Bits<T>, Space::memory_space>(Result(reinterpret_cast<Bits<T>*>(into))));
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
      usual("", [](const auto& s, const Stream& on) { md_range(s, on, OwnTile()); }),
      usual(GoodTile::dial_xy,
            [](const auto& s, const Stream& on) { md_range(s, on, GoodTile()); }),
      usual("policy=range", [](const auto& s, const Stream& on) { range(s, on); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams(s, on); }),
  };
}

}  // namespace portcost::jacobi
