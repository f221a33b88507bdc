// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/gauss_batched/kokkos/book.hpp"

#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::gauss_batched {

namespace {

constexpr bool device_shapes = kokkos_shapes == Place::device;

template <class T>
book::Batch<T> batch_of(const Batch<T>& b) {
  const std::size_t count = b.count, n = b.n;
  auto* const packs = reinterpret_cast<book::Pack<T>*>(b.a);
  return {book::Global<T***>(b.a, count, n, n),
          book::Global<T**>(b.a, count, n * n),
          book::Global<book::Pack<T>***>(packs, count, n, n * sizeof(T) / 16),
          book::Global<int*>(b.bad_pivot, count),
          b.count,
          b.n,
          b.tiny};
}

template <class F>
Rung step(std::string_view name, const F& f) {
  return rung(works, name,
              [f](const auto& b, const Stream& on) { f(kokkos_space(on), batch_of(b)); })
      .written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto thread_each = [](const auto& space, const auto& b) {
    book::thread_each(space, team_size(lanes * each_warps), each_systems(kokkos_shapes), b);
  };
  const auto staged = []<class T>(const auto& space, const book::Batch<T>& b) {
    if constexpr (device_shapes) {
      book::staged(space, team_size(lanes), staged_systems<T>(b.n), b);
    } else {
      book::staged_strips(space, team_size(1), scratch_level, b);
    }
  };
  Rungs result{step("thread_each", thread_each), step("staged", staged)};
  if constexpr (device_shapes) {
    const auto team_each = [](const auto& space, const auto& b) {
      book::team_each(space, team_size(team_warps), b);
    };
    const auto lane_grid = []<class T>(const auto& space, const book::Batch<T>& b) {
      with_grid<T>(b.n, [&]<class Shape>(Shape) {
        using Grid = book::Grid<T, Shape::n, Shape::down, Shape::across, Shape::warps, Shape::teams,
                                Shape::together>;
        book::lane_grid<Grid>(space, team_size(Grid::threads), b);
      });
    };
    result.push_back(step("team_each", team_each));
    result.push_back(step("lane_grid", lane_grid));
  }
  return result;
}

}  // namespace portcost::gauss_batched
