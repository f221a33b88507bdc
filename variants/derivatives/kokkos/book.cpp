// SPDX-License-Identifier: Apache-2.0
// Hands the harness's memory to the kernels of book.hpp.
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
  for (int axis = 0; axis < 3 && s.metric != nullptr; ++axis) {
    result.metric[axis] = book::Metric<T>(s.metric_of(axis), extent(axis));
  }
  return result;
}

// f(space, team size, field, work).
template <class F>
Rung step(std::string_view name, int team, const F& f) {
  return rung(works, name,
              [=](const auto& s, const Stream& on) {
                f(kokkos_space(on), team_size(team), field_of(s), s);
              })
      .written(Way::book);
}

constexpr auto naive = [](const auto& space, int team, const auto& field, const auto& s) {
  with_kind(s.kind, [&](auto kind) {
    if constexpr (kokkos_shapes == Place::host) {
      book::rows<decltype(kind)::value>(space, team, field);
    } else {
      book::naive<decltype(kind)::value>(space, team, field);
    }
  });
};
template <int width, class T>
void pencils(const book::Space& space, int team, const book::Field<T>& field, Kind kind) {
  with_axis(kind,
            [&](auto axis) { book::pencils<decltype(axis)::value, width>(space, team, field); });
}
constexpr auto march_z = [](const auto& space, int team, const auto& field, const auto& s) {
  book::march_z(space, team, stretch_of(march_box, s.nx, s.ny, s.nz), field);
};
template <int kind, class T>
void planes(const book::Space& space, int team, const book::Field<T>& field, const Field<T>& s) {
  book::planes<kind>(space, team, stretch_of(Planes::box, s.nx, s.ny, s.nz), field);
}

}  // namespace

Rungs kokkos_book_rungs() {
  return {
      step("naive", 8, naive),
      step("tile", 8,
           [](const auto& space, int team, const auto& field, const auto& s) {
             pencils<few>(space, team, field, s.kind);
           })
          .unless(no_axis),
      step("long_pencils", 8,
           [](const auto& space, int team, const auto& field, const auto& s) {
             pencils<many>(space, team, field, s.kind);
           })
          .unless(no_long_pencils),
      step("march_z", 8, march_z).unless(not_along_z),
      step("all_three", threads, [](const auto&... given) { planes<book::all_three>(given...); })
          .unless(not_all_three),
      step("laplacian", threads, [](const auto&... given) {
        planes<book::laplacian>(given...);
      }).unless(not_laplacian)};
}

}  // namespace portcost::derivatives
