// SPDX-License-Identifier: Apache-2.0
#include "variants/heat2d/kokkos/book.hpp"

#include "variants/heat2d/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::heat2d {

namespace {

template <class T>
book::Grid<T> grid_of(T* first, std::uint32_t pitch, int rows) {
  return book::Grid<T>(first, static_cast<std::size_t>(rows), pitch);
}
template <class Pack, class T>
book::Grid<Pack> packs_of(const book::Grid<T>& grid) {
  return book::Grid<Pack>(reinterpret_cast<Pack*>(grid.data()), grid.extent(0),
                          grid.extent(1) * sizeof(T) / sizeof(Pack));
}

// f(space, team size, in, out, extents, coefficients).
template <class F>
Rung step(std::string_view name, int team, const F& f) {
  return rung(works, name,
              [=](const auto& s, const Stream& on) {
                f(kokkos_space(on), team_size(team), grid_of(s.in, s.pitch, s.ny),
                  grid_of(s.out, s.pitch, s.ny), book::Extents{s.nx, s.ny}, s.c);
              })
      .written(Way::book);
}

template <bool inner, class... Given>
void nodes(const KokkosSpace& space, int team, const Given&... given) {
  constexpr NaiveShape shape = naive_shape(kokkos_shapes);
  if constexpr (kokkos_shapes == Place::host) {
    book::rows<inner>(space, team, shape.x, shape.y, given...);
  } else {
    book::naive<inner>(space, team, shape.x, shape.y, given...);
  }
}

std::string_view no_lecture(const Problem& p) {
  return is_lecture(p) ? "book.hpp has four rows a thread alone: block=four_rows" : "";
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto naive = [](const auto&... given) { nodes<false>(given...); };
  const auto split_border = [](const auto& space, int team, const auto& in, const auto& out,
                               const book::Extents& grid, const auto& c) {
    nodes<true>(space, team, in, out, grid, c);
    book::keep_edge(space, in, out, grid);
  };
  const auto blocked = [](const auto& space, int team, const auto&... given) {
    book::rows<false>(space, team, block_x, block_y, given...);
  };
  const auto register_march = []<class T>(const auto& space, int team,
                                          const book::Grid<const T>& in, const book::Grid<T>& out,
                                          const auto&... given) {
    book::register_march(space, team, packs_of<const book::Pack<T>>(in),
                         packs_of<book::Pack<T>>(out), given...);
  };
  Rungs result{
      step("naive", 8, naive),
      step("split_border", 8, split_border),
      step("full_halo", 4, [](const auto&... given) { book::full_halo(given...); })
          .unless(no_lecture),
      step("inner_halo", 4, [](const auto&... given) { book::inner_halo(given...); })
          .unless(no_lecture),
      step("sliding_strip", 4, [](const auto&... given) { book::sliding_strip(given...); }),
      step("register_march", 4, register_march)};
  if constexpr (kokkos_on_host) result.insert(result.begin() + 2, step("blocked", 8, blocked));
  return result;
}

}  // namespace portcost::heat2d
