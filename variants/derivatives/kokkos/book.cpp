// SPDX-License-Identifier: Apache-2.0
#include "variants/derivatives/kokkos/book.hpp"

#include "variants/derivatives/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::derivatives {

namespace {

template <class T>
book::Field<T> field_of(const Field<T>& s) {
  const auto extent = [&](int axis) { return static_cast<std::size_t>(s.extent(axis)); };
  const bool three = s.kind == all_three || s.kind == stretched;
  book::Field<T> result{book::Grid<const T>(s.f, extent(2), extent(1), extent(0)),
                        book::Answer<T>(s.out, three ? 3 : 1, extent(2), extent(1), extent(0)),
                        {},
                        {s.w[0], s.w[1], s.w[2]}};
  for (int axis = 0; axis < 3 && s.metric[axis] != nullptr; ++axis) {
    result.metric[axis] = book::Metric<T>(s.metric[axis], extent(axis));
  }
  return result;
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto naive = [](auto kind, const auto& s, const Stream& on) {
    if constexpr (kokkos_shapes == Place::host) {
      book::rows<decltype(kind)::value>(kokkos_space(on), team_size(8), field_of(s));
    } else {
      book::naive<decltype(kind)::value>(kokkos_space(on), team_size(8), field_of(s));
    }
  };
  const auto pencils = [](auto axis, auto width, const auto& s, const Stream& on) {
    book::pencils<decltype(axis)::value, decltype(width)::value>(kokkos_space(on), team_size(8),
                                                                 field_of(s));
  };
  const auto march_z = [](const auto& s, const Stream& on) {
    with_piece<16>(s, [&](auto piece) {
      constexpr int of = decltype(piece)::value;
      book::march_z<of>(kokkos_space(on), team_size(16), stretch_of<March<of>>(s.nx, s.ny, s.nz),
                        field_of(s));
    });
  };
  const auto wide = [](auto axis, auto, const auto& s, const Stream& on) {
    constexpr int along = decltype(axis)::value;
    with_piece<along == 0 ? 16 : 8>(s, [&](auto piece) {
      constexpr int of = decltype(piece)::value;
      if constexpr (along == 0) {
        book::wide_x<of>(kokkos_space(on), team_size(16), field_of(s));
      } else {
        book::wide_column<along, of>(kokkos_space(on), team_size(8), field_of(s));
      }
    });
  };
  const auto planes = [](auto kind, const auto& s, const Stream& on) {
    with_piece<8>(s, [&](auto piece) {
      using Shape = Planes<decltype(piece)::value>;
      book::planes<decltype(kind)::value, decltype(piece)::value>(
          kokkos_space(on), team_size(threads), stretch_of<Shape>(s.nx, s.ny, s.nz), field_of(s));
    });
  };
  const auto step = [](std::string_view name, const auto& f) {
    return rung(works, name, f).written(Way::book);
  };
  return {step("naive", of_kind(naive)),
          step("tile", of_axis<few>(pencils)).unless(one_axis),
          step("long_pencils", of_axis<many>(pencils)).unless(y_or_z),
          step("march_z", march_z).unless(z_alone),
          step("wide", of_axis<1>(wide)).unless(one_axis),
          step("all_three", of<all_three, stretched>(planes)).unless(three_alone),
          step("laplacian", of<laplacian>(planes)).unless(laplacian_alone)};
}

}  // namespace portcost::derivatives
