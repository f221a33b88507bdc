// SPDX-License-Identifier: Apache-2.0
#include "variants/strides/kokkos/book.hpp"

#include "variants/shared/kokkos_space.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

// On a host a lane takes one element after another.
constexpr int count = kokkos_shapes == Place::device ? loads : 1;
constexpr int stretch_here = stretch(kokkos_shapes);
constexpr TileShape tile_here = tile_shape(kokkos_shapes);

template <class Element>
book::Dense<Element> dense(Element* first, int n) {
  return book::Dense<Element>(first, static_cast<std::size_t>(n));
}
template <class Element, class T>
book::Strided<Element> strided(Element* first, const Copies<T>& s) {
  return book::Strided<Element>(
      first + s.offset,
      Kokkos::LayoutStride(static_cast<std::size_t>(s.n), static_cast<std::size_t>(s.stride)));
}
template <bool padded, class Element, class T>
book::Rows<Element> rows_of(Element* first, const Copies<T>& s) {
  return book::Rows<Element>(first, static_cast<std::size_t>(s.rows),
                             static_cast<std::size_t>(padded ? s.pitch : s.columns));
}

template <Side side>
constexpr auto copy_line = [](const auto& s, const Stream& on) {
  const auto copy = [&](const auto& from, const auto& to) {
    book::copy_line<stretch_here / count, count>(kokkos_space(on), team_size(8), from, to);
  };
  if constexpr (kokkos_on_host) {  // so that the compiler knows a stride of 1
    if (s.stride == 1) {
      return copy(dense(s.a + source<side>(s, 0), s.n), dense(s.b + target<side>(s, 0), s.n));
    }
  }
  if constexpr (side == Side::reads) {
    copy(strided(s.a, s), dense(s.b, s.n));
  } else if constexpr (side == Side::writes) {
    copy(dense(s.a, s.n), strided(s.b, s));
  } else {
    copy(strided(s.a, s), strided(s.b, s));
  }
};

template <bool padded>
constexpr auto copy_rows = []<class T>(const Copies<T>& s, const Stream& on) {
  book::copy_rows<tile_here.columns, tile_here.rows / count, count, T>(
      kokkos_space(on), team_size(8), s.columns, rows_of<padded>(s.a, s), rows_of<padded>(s.b, s));
};

template <class F>
Rung step(std::string_view name, const F& f) {
  return rung(works, name, f).written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  return {step("reads", copy_line<Side::reads>), step("writes", copy_line<Side::writes>),
          step("both", copy_line<Side::both>),
          step("packed_rows", copy_rows<false>).unless(no_rows),
          step("padded_rows", copy_rows<true>).unless(no_rows)};
}

}  // namespace portcost::strides
