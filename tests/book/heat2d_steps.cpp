// SPDX-License-Identifier: Apache-2.0
// heat2d_steps' kernels by the book, in a program of Kokkos alone.
#include "tests/book/alone.hpp"
#include "variants/heat2d_steps/kokkos/book.hpp"

using namespace portcost::heat2d_steps;

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int nx = 70, ny = 37, pitch = 96;
  constexpr Coefficients<float> c{0.2f, 0.1f};
  const book::Space space;
  using Pack = book::Pack<float>;
  Kokkos::View<float**, Kokkos::LayoutRight, book::Space> in("in", ny, pitch),
      out("out", ny, pitch);
  const auto given =
      alone::filled(in, [](int i) { return static_cast<float>(i * 37 % 101) / 101; });
  const book::Extents grid{nx, ny};
  const book::Grid<const float> from(in);
  const book::Grid<float> to(out);

  const auto check = [&](const char* step, int steps, const auto& launch) {
    Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> now("now", ny, pitch),
        next("next", ny, pitch);
    Kokkos::deep_copy(now, given);
    for (int k = 0; k < steps; ++k) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          next(y, x) = grid.on_edge(y, x) ? now(y, x)
                                          : heat_step(c, now(y, x), now(y, x - 1), now(y, x + 1),
                                                      now(y - 1, x), now(y + 1, x));
        }
      }
      Kokkos::deep_copy(now, next);
    }
    Kokkos::deep_copy(out, -1.0f);
    launch();
    const auto answer = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) alone::expect(answer(y, x) == now(y, x), step);
    }
  };
  check("one_step", 1, [&] { book::one_step(space, alone::team_size(8), from, to, grid, c); });
  check("overlapped", 3,
        [&] { book::overlapped(space, alone::team_size(8), 32, 16, 3, from, to, grid, c); });
  check("stream_y", 4, [&] {
    const book::Grid<const Pack> packs(reinterpret_cast<const Pack*>(in.data()), ny, pitch / 4);
    const book::Grid<Pack> stored(reinterpret_cast<Pack*>(out.data()), ny, pitch / 4);
    book::stream_y<4, float>(space, alone::team_size(5), 8, 16, packs, stored, grid, c);
  });
}
