// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/summation/kokkos/book.hpp"

#include "variants/shared/kokkos_space.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
constexpr int items = static_cast<int>(shape.items()), bytes = static_cast<int>(shape.pack_bytes);

template <class Step, class T>
void add(Step, const Numbers<T>& s, const Stream& on) {
  using Sum = typename Step::template Of<T>;
  const auto add_teams = [&](const Launched<T>& one, int teams) {
    book::add_teams<Step, items>(
        kokkos_space(on), teams, team_size(threads), one.rows,
        book::Numbers<T, bytes>(one.in, one.n),
        book::Vector<Sum>(static_cast<Sum*>(one.partials), static_cast<std::size_t>(teams)),
        book::Vector<T>(one.out, one.out != nullptr ? 2 : 0));
  };
  launch_all(Step(), s, add_teams, [&](const Sum* from, int teams) {
    book::add_partials<Step>(kokkos_space(on), team_size(threads),
                             book::Vector<const Sum>(from, static_cast<std::size_t>(teams)),
                             book::Vector<T>(s.out, 2));
  });
}

template <class T>
void add(Serial, const Numbers<T>& s, const Stream& on) {
  book::serial(kokkos_space(on), book::Vector<const T>(s.in, s.n), book::Vector<T>(s.out, 2));
}

}  // namespace

Rungs kokkos_book_rungs() {
  return each_method([]<class Step>(Step, std::string_view name) {
    return rung(works, name, [](const auto& s, const Stream& on) { add(Step(), s, on); })
        .written(Way::book);
  });
}

}  // namespace portcost::summation
