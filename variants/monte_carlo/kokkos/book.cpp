// SPDX-License-Identifier: Apache-2.0
#include "variants/monte_carlo/kokkos/book.hpp"

#include "variants/monte_carlo/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::monte_carlo {

namespace {

constexpr Place place = kokkos_shapes;
constexpr Shape shape = shape_in(place);

template <class T>
book::Pairs<T> pairs_of(const Drawing<T>& s) {
  return book::Pairs<T>(s.pairs, s.seed);
}
int threads() { return team_size(shape.threads); }
template <class T>
void add_partials(const Drawing<T>& s, const book::Sums& partials, const Stream& on) {
  book::add_partials(kokkos_space(on), threads(), partials, book::Hits(s.hits));
}
template <class T>
book::Sums sums_of(const Drawing<T>& s, std::uint64_t teams) {
  return book::Sums(s.partials, teams);
}

constexpr auto one_pair = []<class T>(const Drawing<T>& s, const Stream& on) {
  const book::Sums partials = sums_of(s, teams_of_one_pair<T>(place, s.pairs));
  book::one_pair(kokkos_space(on), threads(), shape.items, pairs_of(s), partials);
  add_partials(s, partials, on);
};
constexpr auto many_pairs = []<class T>(const Drawing<T>& s, const Stream& on) {
  const book::Sums partials = sums_of(s, teams_of(place, s.processors));
  book::many_pairs<T, shape.calls>(kokkos_space(on), threads(), pairs_of(s), partials);
  add_partials(s, partials, on);
};
constexpr auto stored = []<class T>(const Drawing<T>& s, const Stream& on) {
  const int teams = teams_of(place, s.processors);
  const book::Sums partials = sums_of(s, teams);
  const book::Numbers<T> numbers(s.numbers, s.pairs);
  book::generate(kokkos_space(on), threads(), teams, pairs_of(s), numbers);
  book::count(kokkos_space(on), threads(), numbers, partials);
  add_partials(s, partials, on);
};
constexpr auto block_atomics = []<class T>(const Drawing<T>& s, const Stream& on) {
  book::block_atomics<T, shape.calls>(kokkos_space(on), threads(), teams_of(place, s.processors),
                                      pairs_of(s), book::Hits(s.hits));
};

}  // namespace

Rungs kokkos_book_rungs() {
  return {rung(works, "one_pair", one_pair).written(Way::book),
          rung(works, "many_pairs", many_pairs).written(Way::book),
          rung(works, "stored", stored).written(Way::book).unless(too_many_to_store),
          rung(works, "block_atomics", block_atomics).written(Way::book)};
}

}  // namespace portcost::monte_carlo
