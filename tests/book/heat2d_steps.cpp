// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/book/alone.hpp"
#include "variants/heat2d_steps/kokkos/book.hpp"

using namespace portcost::heat2d_steps;

void run() {
  constexpr int nx = 150, ny = 70, pitch = 160;
  constexpr portcost::Coefficients<float> c{0.2f, 0.1f};
  const book::Space space;
  using Nodes = Kokkos::View<float**, Kokkos::LayoutRight, book::Space>;
  Nodes in("in", ny, pitch), out("out", ny, pitch);
  const auto given =
      alone::filled(in, [](int i) { return static_cast<float>(i * 37 % 101) / 101; });

  const auto check = [&](const char* step, int depth, const auto& launch) {
    Kokkos::deep_copy(out, -1.0f);
    launch();
    std::vector<float> now(given.data(), given.data() + given.size()), next = now;
    for (int k = 0; k < depth; ++k) {
      for (int at = 0; at < ny * pitch; ++at) {
        const int y = at / pitch, x = at % pitch;
        if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) continue;
        const float* const here = now.data() + at;
        next[at] = portcost::heat_step(c, *here, here[-1], here[1], *(here - pitch), here[pitch]);
      }
      now = next;
    }
    const auto answer = alone::on_host(out);
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) alone::expect(answer(y, x) == now[y * pitch + x], step);
    }
  };
  using Pack = book::Pack<float>;
  const book::Pass<float, Pack> packs{
      book::Grid<const Pack>(reinterpret_cast<const Pack*>(in.data()), ny, pitch / Pack::length),
      book::Grid<Pack>(reinterpret_cast<Pack*>(out.data()), ny, pitch / Pack::length), nx, ny, c};
  const book::Pass<float> nodes{book::Grid<const float>(in), book::Grid<float>(out), nx, ny, c};
  const int eight = alone::team_size(8), warp = alone::team_size(32);
  check("overlapped", 3, [&] { book::overlapped(space, eight, 3, packs); });
  check("one_step", 1, [&] { book::stream_y<1>(space, warp, 32, packs); });
  check("stream_y", 8, [&] { book::stream_y<8>(space, warp, 32, packs); });
  check("stream_y in a cache", 5,
        [&] { book::stream_in_cache(space, alone::team_size(1), 1, 32, 5, nodes); });
}
