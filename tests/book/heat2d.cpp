// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/heat2d/kokkos/book.hpp"

using namespace portcost;
using namespace heat2d;

void run() {
  constexpr int nx = 70, ny = 37, pitch = 96;
  constexpr Coefficients<float> c{0.2f, 0.1f};
  const book::Space space;
  const int threads = alone::team_size(4);
  Kokkos::View<float**, Kokkos::LayoutRight, book::Space> in("in", ny, pitch),
      out("out", ny, pitch);
  const auto given =
      alone::filled(in, [](int i) { return static_cast<float>(i * 37 % 101) / 101; });

  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(out, -1.0f);
    launch(book::Extents{nx, ny});
    const auto answer = alone::on_host(out);
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const bool edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
        const float wanted = edge ? given(y, x)
                                  : heat_step(c, given(y, x), given(y, x - 1), given(y, x + 1),
                                              given(y - 1, x), given(y + 1, x));
        alone::expect(answer(y, x) == wanted, step);
      }
    }
  };
  using In = book::Grid<const float>;
  using Out = book::Grid<float>;
  check("naive",
        [&](auto grid) { book::naive<false>(space, threads, 32, 8, In(in), Out(out), grid, c); });
  check("rows",
        [&](auto grid) { book::rows<false>(space, threads, 32, 8, In(in), Out(out), grid, c); });
  check("split_border", [&](auto grid) {
    book::naive<true>(space, threads, 32, 8, In(in), Out(out), grid, c);
    book::keep_edge(space, In(in), Out(out), grid);
  });
  check("full_halo",
        [&](auto grid) { book::full_halo(space, threads, In(in), Out(out), grid, c); });
  check("inner_halo",
        [&](auto grid) { book::inner_halo(space, threads, In(in), Out(out), grid, c); });
  check("sliding_strip",
        [&](auto grid) { book::sliding_strip(space, threads, In(in), Out(out), grid, c); });
  check("register_march", [&](auto grid) {
    using Pack = book::Pack<float>;
    const std::size_t packs = pitch / Pack::length;
    book::register_march(
        space, threads, book::Grid<const Pack>(reinterpret_cast<const Pack*>(in.data()), ny, packs),
        book::Grid<Pack>(reinterpret_cast<Pack*>(out.data()), ny, packs), grid, c);
  });
}
