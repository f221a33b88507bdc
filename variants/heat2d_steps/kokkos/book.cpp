// SPDX-License-Identifier: Apache-2.0
#include "variants/heat2d_steps/kokkos/book.hpp"

#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::heat2d_steps {

namespace {

// The pass with elements of type Element: nodes or packs.
template <template <class> class Element, class T>
book::Pass<T, Element<T>> given(const Pass<T>& s) {
  const std::size_t rows = static_cast<std::size_t>(s.ny),
                    length = s.pitch * sizeof(T) / sizeof(Element<T>);
  return {book::Grid<const Element<T>>(reinterpret_cast<const Element<T>*>(s.in), rows, length),
          book::Grid<Element<T>>(reinterpret_cast<Element<T>*>(s.out), rows, length), s.nx, s.ny,
          s.c};
}
template <class T>
using Node = T;

constexpr auto stream_y = []<class T>(const Run<T>& run, const Stream& stream) {
  const book::Space& space = kokkos_space(stream);
  const int all = processors(stream.place());
  if constexpr (kokkos_shapes == Place::host) {
    for_passes(
        run, [&](int left) { return host_depth(run.depth, left); },
        [&](const Pass<T>& s, int depth) {
          const int height = band_rows(s.ny, ceil_div(s.nx, chunk_columns), bands_a_thread * all);
          book::stream_in_cache(space, team_size(1), scratch_level, height, depth, given<Node>(s));
        });
  } else {
    for_stream_passes(run, [&]<int depth>(const Pass<T>& s) {
      using Shape = StreamShape<T, depth>;
      const int height =
          band_rows(s.ny, ceil_div(s.nx, Shape::columns), all * Shape::warps * Shape::waves);
      book::stream_y<depth>(space, team_size(lanes), height, given<book::Pack>(s));
    });
  }
};

constexpr auto overlapped = []<class T>(const Run<T>& run, const Stream& on) {
  for_passes(
      run, [&](int left) { return tile_depth(run.depth, left); },
      [&](const Pass<T>& s, int depth) {
        book::overlapped(kokkos_space(on), team_size(tile_warps), depth, given<book::Pack>(s));
      });
};

}  // namespace

Rungs kokkos_book_rungs() {
  Rungs result{rung(works, "one_step", of_single_steps(stream_y)).written(Way::book),
               rung(works, "stream_y", stream_y).written(Way::book)};
  if constexpr (kokkos_shapes == Place::device) {
    result.insert(result.begin() + 1, rung(works, "overlapped", overlapped).written(Way::book));
  }
  return result;
}

}  // namespace portcost::heat2d_steps
