// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/derivatives/kokkos/book.hpp"

using namespace portcost::derivatives;

void run() {
  constexpr int nx = 70, ny = 37, nz = 41;
  const book::Space space;
  Kokkos::View<float***, Kokkos::LayoutRight, book::Space> f("f", nz, ny, nx);
  Kokkos::View<float****, Kokkos::LayoutRight, book::Space> out("out", 3, nz, ny, nx);
  const auto given = alone::filled(f, [](int i) { return static_cast<float>(i * 37 % 101) / 101; });
  book::Field<float> field{book::Grid<const float>(f), book::Answer<float>(out), {}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    field.w[axis] = {-2.75f, {0.75f, -0.25f, 0.03125f, -0.00390625f}};
  }

  const auto check = [&](const char* step, int kind, const auto& launch) {
    Kokkos::deep_copy(out, -1.0f);
    launch();
    const auto answer = alone::on_host(out);
    for (int i = 0; i < nx * ny * nz; ++i) {
      const int x = i % nx, y = i / nx % ny, z = i / nx / ny;
      float first[3], second[3];
      for (int axis = 0; axis < 3; ++axis) {
        float of[nine];
        for (int k = 0; k < nine; ++k) {
          const int away = k - reach;
          of[k] = given(axis == 2 ? (z + away + nz) % nz : z, axis == 1 ? (y + away + ny) % ny : y,
                        axis == 0 ? (x + away + nx) % nx : x);
        }
        first[axis] = first_difference(field.w[axis], of);
        second[axis] = second_difference(field.w[axis], of);
      }
      for (int w = 0; w < (kind == book::all_three ? 3 : 1); ++w) {
        alone::expect(
            answer(w, z, y, x) == (kind == book::laplacian   ? second[0] + second[1] + second[2]
                                   : kind == book::all_three ? first[w]
                                                             : first[kind]),
            step);
      }
    }
  };
  const int eight = alone::team_size(8), all = alone::team_size(256);
  check("naive x", 0, [&] { book::naive<0>(space, eight, field); });
  check("naive, all three", 3, [&] { book::naive<3>(space, eight, field); });
  check("rows y", 1, [&] { book::rows<1>(space, eight, field); });
  check("rows, Laplacian", 4, [&] { book::rows<4>(space, eight, field); });
  check("tile x", 0, [&] { book::pencils<0, 4>(space, eight, field); });
  check("tile y", 1, [&] { book::pencils<1, 4>(space, eight, field); });
  check("long_pencils z", 2, [&] { book::pencils<2, 32>(space, eight, field); });
  check("march_z", 2, [&] { book::march_z<2>(space, alone::team_size(16), 16, field); });
  check("wide x", 0, [&] { book::wide_x<1>(space, alone::team_size(16), field); });
  check("wide y", 1, [&] { book::wide_column<1, 2>(space, eight, field); });
  check("wide z", 2, [&] { book::wide_column<2, 1>(space, eight, field); });
  check("all_three", 3, [&] { book::planes<3, 2>(space, all, 16, field); });
  check("laplacian", 4, [&] { book::planes<4, 1>(space, all, 32, field); });
}
