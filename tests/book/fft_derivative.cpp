// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/fft_derivative/kokkos/book.hpp"

using namespace portcost::fft_derivative;

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 90, lines = 77, modes = n / 2 + 1;
  using Mode = portcost::fft::Complex<double>;
  const book::Space space;
  const int team = alone::team_size(8);
  Kokkos::View<Mode**, Kokkos::LayoutRight, book::Space> spectrum("spectrum", lines, modes);
  const auto given = alone::filled(spectrum, [](int i) { return Mode{i * 0.5, 7.0 - i}; });
  book::derive(space, team, book::Spectrum<double>(spectrum), n, 0.25);
  const auto left = alone::on_host(spectrum);
  for (int line = 0; line < lines; ++line) {
    for (int k = 0; k < modes; ++k) {
      const Mode z = given(line, k), found = left(line, k);
      const double by = k == n / 2 ? 0 : 0.25 * k;
      alone::expect(found.re == -by * z.im && found.im == by * z.re, "derive");
    }
  }

  Kokkos::View<double*, book::Space> numbers("numbers", 9001);
  alone::filled(numbers, [](int i) { return i; });
  book::scale(space, team, book::Numbers<double>(numbers), 0.5);
  const auto scaled = alone::on_host(numbers);
  for (int i = 0; i < 9001; ++i) {
    alone::expect(scaled(static_cast<std::size_t>(i)) == 0.5 * i, "scale");
  }
}
