// SPDX-License-Identifier: Apache-2.0
#include "variants/random/kokkos/book.hpp"

#include "variants/random/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::random {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);

constexpr auto one_number = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  book::one_number<Rule>(kokkos_space(on), team_size(shape.threads), items_in(kokkos_shapes),
                         book::Array<Rule>(s.out, s.n), s.seed);
};
constexpr auto one_call = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  book::one_call<Rule>(kokkos_space(on), team_size(shape.threads), items_in(kokkos_shapes),
                       book::Array<Rule>(s.out, s.n), s.seed);
};
constexpr auto many_calls = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  // On a GPU a lane fills four groups of a tile, so that a team writes longer stretches of memory.
  constexpr int items = (kokkos_shapes == Place::device ? 4 : 1) * shape.groups;
  constexpr int tile = items * shape.calls * Rule::of_call;
  const int teams = teams_of(kokkos_shapes, ceil_div(s.n, std::uint64_t{tile}), s.processors);
  book::many_calls<Rule, shape.calls>(kokkos_space(on), team_size(shape.threads), teams, items,
                                      book::Array<Rule>(s.out, s.n), s.seed);
};

}  // namespace

Rungs kokkos_book_rungs() {
  return {rung(works, "one_number", one_number).written(Way::book),
          rung(works, "one_call", one_call).written(Way::book),
          rung(works, "many_calls", many_calls).written(Way::book)};
}

}  // namespace portcost::random
