// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tests/book/alone.hpp"
#include "variants/jacobi/kokkos/book.hpp"

using namespace portcost::jacobi;

constexpr int nodes_y = 43, nodes_x = 1333, pitch = 1376, margin = 32;
constexpr Coefficients<float> c{4, 16, 0.025f};
using Pack = book::Pack<float>;

void run() {
  const book::Space space;
  using Nodes = Kokkos::View<float**, Kokkos::LayoutRight, book::Space>;
  const Nodes in("in", nodes_y + 2, pitch), out("out", nodes_y + 2, pitch),
      right("right", nodes_y + 2, pitch);
  const auto draw = [](int i) { return static_cast<float>(i * 37 % 101) / 101; };
  auto now = alone::filled(in, draw);
  const auto added = alone::filled(right, draw), first = alone::filled(out, draw);
  const auto sweep = [&](auto element) {
    using Element = decltype(element);
    constexpr std::size_t columns = pitch * sizeof(float) / sizeof(Element);
    const auto grid = [&]<class E>(E*, const Nodes& all) {
      return book::Grid<E>{
          typename book::Grid<E>::View(reinterpret_cast<E*>(all.data()), nodes_y + 2, columns)};
    };
    const Element* const read = nullptr;
    Element* const written = nullptr;
    return book::Sweep<float, Element>{
        grid(read, in), grid(written, out), grid(read, right), nodes_y, nodes_x, c};
  };
  const auto s = sweep(float());
  const auto packs = sweep(Pack());

  const auto at = [](const auto& view, int y, int x) -> float& { return view(y + 1, x + margin); };
  const auto before = alone::filled(in, draw);
  int made = 0;  // sweeps of `now`
  const auto check = [&](const char* step, int sweeps, const Nodes& answer, const auto& launch) {
    for (; made < sweeps; ++made) {
      Kokkos::deep_copy(before, now);
      for (int y = 0; y < nodes_y; ++y) {
        for (int x = 0; x < nodes_x; ++x) {
          at(now, y, x) =
              relaxed(c, at(before, y - 1, x), at(before, y + 1, x), at(before, y, x - 1),
                      at(before, y, x + 1), source(c, at(added, y, x)));
        }
      }
    }
    alone::filled(in, draw);
    alone::filled(out, draw);
    launch();
    const auto found = alone::on_host(answer);
    for (int y = 0; y < nodes_y; ++y) {
      for (int x = 0; x < nodes_x; ++x) alone::expect(at(found, y, x) == at(now, y, x), step);
    }
  };
  const auto many = [&](auto depth) {
    using Kernel = book::ManySteps<depth.value, float>;
    check("many_steps", depth.value, out, [&] {
      book::many_steps<depth.value>(space, alone::team_size(Kernel::threads), 32, packs);
    });
    check("many_steps in a cache", depth.value, out,
          [&] { book::many_steps_in_cache(space, 1, 1, 19, depth.value, s); });
  };
  check("naive", 1, out, [&] { book::naive(space, alone::team_size(8), 32, 8, s); });
  check("three_rows", 1, in, [&] {
    const Kokkos::View<float***, Kokkos::LayoutRight, book::Space> kept("kept", 4, 4, pitch);
    book::three_rows(space, 1, book::Grid<float>{in}, book::KeptRows<float>(kept), s);
  });
  check("device", 1, out, [&] { book::device(space, alone::team_size(512), s); });
  check("register_march", 1, out, [&] { book::register_march(space, alone::team_size(4), packs); });
  many(std::integral_constant<int, 1>());
  many(std::integral_constant<int, 2>());
  many(std::integral_constant<int, 8>());

  const Kokkos::View<unsigned, book::Space> bits("bits");
  float greatest = 0;
  alone::filled(in, draw);
  for (int y = 0; y < nodes_y; ++y) {
    for (int x = 0; x < nodes_x; ++x) {
      greatest =
          std::max(greatest, residual(c, at(first, y, x), at(first, y - 1, x), at(first, y + 1, x),
                                      at(first, y, x - 1), at(first, y, x + 1), at(added, y, x)));
    }
  }
  const auto expect = [&](const char* step) {
    unsigned answer = 0, wanted = 0;
    Kokkos::deep_copy(answer, bits);
    std::memcpy(&wanted, &greatest, sizeof(wanted));
    alone::expect(answer == wanted, step);
  };
  book::residual_of_columns<float>(space, bits, s);
  expect("residual of columns");
  book::residual_of_rows<float>(space, bits, s);
  expect("residual of rows");
}
