// SPDX-License-Identifier: Apache-2.0
// A copy of an n x n matrix by an MDRangePolicy: the default tile, tiles of 64 x 4 and 32 x 8, and
// a RangePolicy with one division an element, beside deep_copy.
#include "timing.hpp"

using Matrix = Kokkos::View<float**, Kokkos::LayoutLeft>;
using Policy = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;

void run(const Matrix& in, const Matrix& out, const Policy& policy) {
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(int i, int j) { out(i, j) = in(i, j); });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = size_from(argc, argv, 14400);
  const Matrix in("in", n, n), out("out", n, n);
  time("MDRangePolicy, default tile", [&] { run(in, out, Policy({0, 0}, {n, n})); });
  time("MDRangePolicy, tile 64 x 4", [&] { run(in, out, Policy({0, 0}, {n, n}, {64, 4})); });
  time("MDRangePolicy, tile 32 x 8", [&] { run(in, out, Policy({0, 0}, {n, n}, {32, 8})); });
  time("RangePolicy, i % n and i / n", [&] {
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Kokkos::IndexType<int>>(0, n * n),
        KOKKOS_LAMBDA(int i) { out(i % n, i / n) = in(i % n, i / n); });
  });
  time("deep_copy", [&] { Kokkos::deep_copy(out, in); });
}
