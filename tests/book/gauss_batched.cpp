// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/gauss_batched/kokkos/book.hpp"

using namespace portcost::gauss_batched;

namespace {
constexpr int count = 37, refused = 5;  // a system whose second pivot is 0

// Every step on systems of n unknowns; lane_grid with `Grid`.
template <class Grid>
void check_all(int n) {
  const book::Space space;
  Kokkos::View<float***, Kokkos::LayoutRight, book::Space> a("a", count, n, n);
  Kokkos::View<int*, book::Space> bad("bad", count);
  const auto given = alone::filled(a, [n](int e) {
    const int s = e / (n * n), i = e / n % n, j = e % n;
    return s == refused && i < 2 ? 1 : (i == j ? n : 0) + static_cast<float>(e * 37 % 101) / 101;
  });
  auto wanted = Kokkos::create_mirror(Kokkos::HostSpace(), a);
  Kokkos::deep_copy(wanted, given);
  for (int s = 0; s < count; ++s) {
    for (int at = 0; at < n * n * n && s != refused; ++at) {
      const int k = at / (n * n), i = at / n % n, j = at % n;
      if (i <= k || j < k) continue;
      float& own = wanted(s, i, j);
      own = j == k ? multiplier(own, reciprocal(wanted(s, k, k)))
                   : eliminate(own, wanted(s, i, k), wanted(s, k, j));
    }
  }
  auto* const packs = reinterpret_cast<book::Pack<float>*>(a.data());
  const std::size_t size = n * n, of_row = n / 4;
  const book::Batch<float> b{a,
                             book::Global<float**>(a.data(), count, size),
                             book::Global<book::Pack<float>***>(packs, count, n, of_row),
                             bad,
                             count,
                             n,
                             1e-20f};
  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(a, given);
    Kokkos::deep_copy(bad, -1);
    launch();
    const auto answer = alone::on_host(a);
    const auto columns = alone::on_host(bad);
    for (int s = 0; s < count; ++s) {
      alone::expect(columns(s) == (s == refused && n > 1 ? 1 : -1), step);
      for (int e = 0; e < n * n && s != refused; ++e) {
        alone::expect(answer(s, e / n, e % n) == wanted(s, e / n, e % n), step);
      }
    }
  };
  check("thread_each", [&] { book::thread_each(space, alone::team_size(128), 16, b); });
  check("staged", [&] { book::staged(space, alone::team_size(32), 5, b); });
  check("staged_strips", [&] { book::staged_strips(space, 1, 0, b); });
  check("team_each", [&] { book::team_each(space, alone::team_size(4), b); });
  check("lane_grid", [&] { book::lane_grid<Grid>(space, alone::team_size(Grid::threads), b); });
}

}  // namespace

void run() {
  for (const int n : {1, 2, 3, 5, 8}) check_all<book::Grid<float, 8, 1, 2, 1, 24, 2>>(n);
  for (const int n : {9, 12, 16}) check_all<book::Grid<float, 16, 2, 2, 1, 16, 2>>(n);
}
