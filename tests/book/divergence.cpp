// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "tests/book/alone.hpp"
#include "variants/divergence/kokkos/book.hpp"

using namespace portcost::divergence;

void run() {
  constexpr int n = 1025 + 37, trip = 2, diverging = 5;
  const book::Space space;
  const int threads = alone::team_size(8);
  const Kokkos::View<float*, book::Space> in("in", n), out("out", n);
  const auto given =
      alone::filled(in, [](int i) { return static_cast<float>(i * 37 % 101) / 101; });

  // trips(class) and other(class): how often, and by which branch, a number is mapped.
  const auto check = [&](const char* step, auto uniform, const auto& body, const auto& trips,
                         const auto& other) {
    Kokkos::deep_copy(out, -9.0f);
    book::map_tiles<uniform.value>(step, space, threads, book::Numbers<const float>(in),
                                   book::Numbers<float>(out), body);
    const auto answer = alone::on_host(out);
    for (int i = 0; i < n; ++i) {
      float x = given(i);
      for (int k = 0; k < trips(i % 32) * trip; ++k) {
        x = other(i % 32) ? else_stretch(x) : then_stretch(x);
      }
      alone::expect(answer(i) == x, step);
    }
  };
  const auto eight = [](int) { return 8; };
  const auto by_class = [](int number_class) { return 6 + number_class % 3; };
  const auto few = [](int number_class) { return number_class < diverging; };
  const auto none = [](int) { return false; };
  const book::Branch branch{diverging, trip};
  check("uniform", std::true_type(), branch, eight, few);
  check("if_else", std::false_type(), branch, eight, few);
  check("loop_678", std::false_type(), book::Loop{trip}, by_class, none);
  check("loop_uniform", std::false_type(), book::UniformLoop{trip}, by_class, none);
}
