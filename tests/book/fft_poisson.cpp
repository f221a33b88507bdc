// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/fft_poisson/kokkos/book.hpp"

using namespace portcost::fft_poisson;

void run() {
  constexpr int ny = 11, nz = 7, rows = ny * nz, modes = 46;
  using Mode = portcost::fft::Complex<double>;
  const book::Space space;
  const int team = alone::team_size(8);
  Kokkos::View<Mode**, Kokkos::LayoutRight, book::Space> spectrum("spectrum", rows, modes);
  Kokkos::View<double*, book::Space> x("x", modes), y("y", ny), z("z", nz);
  for (const auto& axis : {x, y, z}) alone::filled(axis, [](int i) { return i * 8.0; });
  const auto given = alone::filled(spectrum, [](int i) { return Mode{i * 0.5, 7.0 - i}; });
  using Axis = book::Numbers<const double>;
  book::invert(space, team, book::Spectrum<double>(spectrum), Axis(x), Axis(y), Axis(z), 0.25);
  const auto left = alone::on_host(spectrum);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < modes; ++k) {
      const int sum = k + row % ny + row / ny;
      const double by = sum == 0 ? 0 : 0.25 / (8.0 * sum);
      alone::expect(
          left(row, k).re == by * given(row, k).re && left(row, k).im == by * given(row, k).im,
          "invert");
    }
  }

  // Column c is a wave: its mode 7 c modulo n is n, the others are 0.
  for (const int n : {64, 1024}) {
    constexpr int columns = modes * 2;
    const auto angle = [n](int i) {
      const int row = i / columns, c = i % columns;
      return 2 * 3.14159265358979323846 * (7 * c * row % n) / n;
    };
    Kokkos::View<Mode***, Kokkos::LayoutRight, book::Space> waves("waves", 1, n, columns);
    const auto before = alone::filled(waves, [&](int i) {
      return Mode{std::cos(angle(i)), std::sin(angle(i))};
    });
    Kokkos::View<double*, book::Space> axis("axis", n);
    alone::filled(axis, [](int i) { return i * 8.0 + 1; });
    portcost::fft::over_axis(n, columns, [&](auto pass) {
      const book::Matrices<double> all(waves.data(), pass.matrices, pass.n, pass.columns);
      book::invert_axis(space, alone::team_size(portcost::fft::pass_threads), pass, all, Axis(x),
                        Axis(y), Axis(axis), 0.25);
    });
    const auto after = alone::on_host(waves);
    for (int i = 0; i < n * columns; ++i) {
      const int row = i / columns, c = i % columns;
      const double by = 0.25 * n / (8.0 * (c % modes + c / modes + 7 * c % n) + 1);
      const Mode given_wave = before(0, row, c), found = after(0, row, c);
      alone::expect(std::abs(found.re - by * given_wave.re) < 1e-12 * n &&
                        std::abs(found.im - by * given_wave.im) < 1e-12 * n,
                    "fused_axis");
    }
  }

  alone::check_scale([&](const auto& numbers, double by) {
    book::scale(space, team, book::Numbers<double>(numbers), by);
  });
}
