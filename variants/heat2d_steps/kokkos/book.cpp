// SPDX-License-Identifier: Apache-2.0
// Hands the harness's memory to the kernels of book.hpp.
#include "variants/heat2d_steps/kokkos/book.hpp"

#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::heat2d_steps {

namespace {

template <class T>
book::Grid<T> grid_of(T* first, std::uint32_t pitch, int rows) {
  return book::Grid<T>(first, static_cast<std::size_t>(rows), pitch);
}
template <class Pack, class T>
book::Grid<Pack> packs_of(T* first, std::uint32_t pitch, int rows) {
  return book::Grid<Pack>(reinterpret_cast<Pack*>(first), static_cast<std::size_t>(rows),
                          pitch * sizeof(T) / sizeof(Pack));
}

constexpr auto one_step = []<class T>(const Steps<T>& s, const Stream& on) {
  for_passes(s, 1, any_depth, [&](const Pass<T>& p, int) {
    book::one_step(kokkos_space(on), team_size(8), grid_of(p.in, p.pitch, p.ny),
                   grid_of(p.out, p.pitch, p.ny), book::Extents{p.nx, p.ny}, p.c);
  });
};

template <class T>
void overlapped(const Steps<T>& s, int depth, const Stream& on) {
  const TileShape shape = tile_shape(kokkos_shapes);
  for_passes(
      s, std::min(depth, tile_depth(kokkos_shapes)), any_depth, [&](const Pass<T>& p, int steps) {
        book::overlapped(kokkos_space(on), team_size(8), shape.width / static_cast<int>(sizeof(T)),
                         shape.height, steps, grid_of(p.in, p.pitch, p.ny),
                         grid_of(p.out, p.pitch, p.ny), book::Extents{p.nx, p.ny}, p.c);
      });
}

template <int steps, class T>
void stream_pass(const Pass<T>& p, const Stream& on) {
  using Pack = book::Pack<T>;
  const int strips = ceil_div(p.nx, strip<T, steps>);
  book::stream_y<steps, T>(kokkos_space(on), team_size(steps + 1), lanes * own / Pack::length,
                           stretch_of(strips, p.ny, steps),
                           packs_of<const Pack>(p.in, p.pitch, p.ny),
                           packs_of<Pack>(p.out, p.pitch, p.ny), book::Extents{p.nx, p.ny}, p.c);
}

constexpr auto stream_y = []<class T>(const Steps<T>& s, const Stream& on) {
  for_passes(s, s.depth, power_depth, [&](const Pass<T>& p, int steps) {
    if (steps == 8) return stream_pass<8>(p, on);
    if (steps == 4) return stream_pass<4>(p, on);
    if (steps == 2) return stream_pass<2>(p, on);
    stream_pass<1>(p, on);
  });
};

}  // namespace

Rungs kokkos_book_rungs() {
  const auto of = [](std::string_view name, const auto& f) {
    return rung(works, name, f).written(Way::book);
  };
  return {of("one_step", one_step),
          of("two_steps", [](const auto& s, const Stream& on) { overlapped(s, 2, on); }),
          of("overlapped", [](const auto& s, const Stream& on) { overlapped(s, s.depth, on); }),
          of("stream_y", stream_y)};
}

}  // namespace portcost::heat2d_steps
