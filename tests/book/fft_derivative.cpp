// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/fft_derivative/kokkos/book.hpp"

using namespace portcost::fft_derivative;

void run() {
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

  alone::check_scale([&](const auto& numbers, double by) {
    book::scale(space, team, book::Numbers<double>(numbers), by);
  });

  // Waves of line % 20 + 1 periods, whose derivative is known.
  constexpr int length = 128, count = 37;
  constexpr double turn = 2 * 3.14159265358979323846;
  const auto angle = [](int line, int x) { return turn * ((line % 20 + 1) * x % length) / length; };
  Kokkos::View<double**, Kokkos::LayoutRight, book::Space> f("f", count, length),
      out("out", count, length);
  alone::filled(f, [&](int i) { return std::sin(angle(i / length, i % length)); });
  book::derive_lines<length>(space, alone::team_size(portcost::fft::pass_threads),
                             book::Lines<const double>(f), book::Lines<double>(out), turn / length);
  const auto slopes = alone::on_host(out);
  for (int line = 0; line < count; ++line) {
    for (int x = 0; x < length; ++x) {
      const double right = turn * (line % 20 + 1) * std::cos(angle(line, x));
      alone::expect(std::abs(slopes(line, x) - right) < 1e-11, "one_pass");
    }
  }
}
