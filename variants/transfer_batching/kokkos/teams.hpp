// SPDX-License-Identifier: Apache-2.0
// Rows that teams move, tuned and by the book: a thread an element, as the native kernel.
#pragma once

#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_batching/kokkos/book.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

template <class Moved>
struct RowTeams {
  using On = Teams<kernel_threads / 32, 0, Lanes::one>;
  using Index = On::Index;
  Moved rows;
  std::int64_t elements;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::int64_t first = std::int64_t{team.league_rank()} * kernel_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{kernel_threads}), [&](Index item) {
      if (first + item < elements) rows.move(first + item);
    });
  }
};

template <class Moved>
void move_by_teams(const Moved& rows, const Stream& on) {
  using Made = RowTeams<Moved>;
  static_assert(most_elements / kernel_threads <= Made::On::most_teams);
  const std::int64_t league = ceil_div(rows.elements(), std::int64_t{kernel_threads});
  Kokkos::parallel_for("portcost::transfer_batching::rows",
                       Made::On::policy(on, static_cast<int>(league)), Made{rows, rows.elements()});
}

/// By the book, with the memory as Views.
static_assert(kernel_threads == 256, "as book.hpp has them");
template <class T>
book::Rows<T> rows_of(T* first, std::int64_t count, std::int64_t pitch) {
  return book::Rows<T>(first, static_cast<std::size_t>(count), static_cast<std::size_t>(pitch));
}
template <class T>
void move_by_the_book(const Rows<T>& s, const Stream& on) {
  book::move_rows<T>(kokkos_space(on), team_size(kernel_threads / 32),
                     static_cast<std::size_t>(s.n), rows_of(s.from, s.count, s.from_pitch),
                     rows_of(s.to, s.count, s.to_pitch));
}
template <class T>
void move_by_the_book(const Arrays<T>& s, const Stream& on) {
  const book::Row<const book::Array<T>> arrays(reinterpret_cast<const book::Array<T>*>(s.from),
                                               static_cast<std::size_t>(s.count));
  book::move_arrays<T>(kokkos_space(on), team_size(kernel_threads / 32),
                       static_cast<std::size_t>(s.n), arrays, rows_of(s.to, s.count, s.to_pitch));
}

}  // namespace portcost::transfer_batching
