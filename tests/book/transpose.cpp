// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/transpose/kokkos/book.hpp"

using namespace portcost::transpose;
using T = float;
using Owned = Kokkos::View<T***, Kokkos::LayoutRight, book::Space>;
using Batch = book::Batch<T>;
using Size = book::Size;

// Runs f on three matrices `a`. Their transposed ones are in `b` then, or in `a`.
template <class F>
void check(const char* step, int rows, int columns, const F& f, bool in_place = false) {
  const Owned a("a", 3, rows, columns), b("b", 3, columns, rows);
  const auto given = alone::filled(a, [](int i) { return static_cast<T>(i); });
  f(Batch(a), Batch(b), Size{3, rows, columns});
  const auto found = alone::on_host(in_place ? a : b);
  for (int line = 0; line < 3 * rows; ++line) {
    const int m = line / rows, i = line % rows;
    for (int j = 0; j < columns; ++j) alone::expect(found(m, j, i) == given(m, i, j), step);
  }
}

book::Batch<book::Pack<T>> packs(const Batch& a) {
  using Pack = book::Pack<T>;
  return book::Batch<Pack>(reinterpret_cast<Pack*>(a.data()), 3, a.extent(1), a.extent(2) / 4);
}

void run() {
  const book::Space space;
  const int team = alone::team_size(8), halves = alone::team_size(16);
  const auto tiled = [&](auto... all) { book::tiled<33, false, T>(space, team, all...); };
  check("tiled", 37, 70, tiled);
  check("diagonal", 37, 101, [&](auto... all) { book::tiled<33, true, T>(space, team, all...); });
  check("flat", 37, 70, [&](Batch a, Batch b, Size s) {
    const Owned c("c", 3, 70, 37);
    book::flat<false, 32, 32, 4, T>(space, team, a, c, s);
    book::flat<true, 40, 1, 1, T>(space, team, c, b, s.transposed());
  });
  check("blocked", 300, 270, [&](auto... all) { book::blocked<T>(space, team, all...); });
  // Rows 0 to 29, 30 to 59 and 60 to 66 lie apart.
  check("whole_sectors", 67, 131, [&](Batch a, Batch b, Size s) {
    const Owned parts[] = {Owned("0", 3, 30, 131), Owned("1", 3, 30, 131), Owned("2", 3, 7, 131)};
    book::SplitBatch<T> split{{}, 3, 30, 7, 2, 131};
    for (int p = 0; p < 3; ++p) split.first[p] = parts[p].data();
    const Owned c("c", 3, 131, 67);
    book::whole_sectors<T, 0, true>(space, team, a, Batch(c), s, 0, 7);
    book::whole_sectors<T, 0, false>(space, team, Batch(c), split, s.transposed(), 0, 7);
    book::whole_sectors<T, 0, true>(space, team, split, b, s, 0, 7);
  });
  check("wide", 68, 132,
        [&](Batch a, Batch b, Size s) { book::wide<T>(space, halves, packs(a), packs(b), s); });
  check("registers", 68, 132,
        [&](Batch a, Batch b, Size s) { book::registers<T>(space, packs(a), packs(b), s); });
  check("registers of elements", 67, 131,
        [&](auto... all) { book::registers_of_elements<T>(space, all...); });
  check("whole_matrices", 36, 42, [&](Batch a, Batch b, Size s) {
    book::whole_matrices<T>(space, team, book::Line<const T>(a.data(), a.size()),
                            book::Line<T>(b.data(), b.size()), s);
  });
  const auto in_place = [&](const char* step, int n, const auto& kernel) {
    check(
        step, n, n, [&](Batch a, Batch, Size s) { kernel(a, s); }, true);
  };
  in_place("in_place", 101, [&](auto... all) { book::in_place(space, team, all...); });
  in_place("blocked", 600, [&](auto... all) { book::in_place_blocked(space, team, all...); });
  in_place("squares", 132,
           [&](Batch a, Size s) { book::in_place_registers<T>(space, packs(a), s); });
  in_place("elements", 131,
           [&](auto... all) { book::in_place_registers_of_elements<T>(space, all...); });
}
