// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/fft_convolution/kokkos/book.hpp"

using namespace portcost::fft_convolution;

void run() {
  constexpr int rows = 77, modes = 46;
  using Mode = portcost::fft::Complex<double>;
  using Modes = Kokkos::View<Mode**, Kokkos::LayoutRight, book::Space>;
  const book::Space space;
  const int team = alone::team_size(8);
  const Modes spectrum("spectrum", rows, modes), kernel("kernel", rows, modes);
  const auto a = alone::filled(spectrum, [](int i) { return Mode{i * 0.5, 7.0 - i}; });
  const auto b = alone::filled(kernel, [](int i) { return Mode{i % 5 - 2.0, i % 3 + 1.0}; });
  book::multiply(space, team, book::Spectrum<Mode>(spectrum), book::Spectrum<const Mode>(kernel),
                 0.25);
  const auto left = alone::on_host(spectrum);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < modes; ++k) {
      const Mode x = a(row, k), y = b(row, k), found = left(row, k);
      alone::expect(found.re == (x.re * y.re - x.im * y.im) / 4 &&
                        found.im == (x.re * y.im + x.im * y.re) / 4,
                    "multiply");
    }
  }

  // Column c is a wave: its mode 3 c modulo n is n, the others are 0.
  constexpr int n = 64;
  const auto angle = [](int i) {
    return 2 * 3.14159265358979323846 * (3 * (i % modes) * (i / modes) % n) / n;
  };
  Kokkos::View<Mode***, Kokkos::LayoutRight, book::Space> waves("waves", 1, n, modes);
  const auto before = alone::filled(waves, [&](int i) {
    return Mode{std::cos(angle(i)), std::sin(angle(i))};
  });
  portcost::fft::over_axis(n, modes, [&](auto pass) {
    const book::Matrices<double> all(waves.data(), pass.matrices, pass.n, pass.columns);
    book::multiply_axis(space, alone::team_size(portcost::fft::pass_threads), pass, all,
                        book::Spectrum<const Mode>(kernel), 0.25);
  });
  const auto after = alone::on_host(waves);
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < modes; ++k) {
      const Mode x = before(0, row, k), y = b(3 * k % n, k), found = after(0, row, k);
      alone::expect(std::abs(found.re - n * (x.re * y.re - x.im * y.im) / 4) < 1e-11 &&
                        std::abs(found.im - n * (x.re * y.im + x.im * y.re) / 4) < 1e-11,
                    "fused_axis");
    }
  }

  alone::check_scale([&](const auto& numbers, double by) {
    book::scale(space, team, book::Numbers<double>(numbers), by);
  });
}
