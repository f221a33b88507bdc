// SPDX-License-Identifier: Apache-2.0
// parallel_reduce over n numbers: the index in 32 and in 64 bits, and four numbers an index.
#include <cstdint>

#include "timing.hpp"

using Numbers = Kokkos::View<const float*>;
using Result = Kokkos::View<float>;

template <class Index, int items>
void run(const Numbers& in, const Result& sum) {
  const auto count = static_cast<Index>(in.extent(0) / items);
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Kokkos::IndexType<Index>>(0, count),
      KOKKOS_LAMBDA(Index i, float& mine) {
        for (int k = 0; k < items; ++k) mine += in(i + k * static_cast<std::size_t>(count));
      },
      sum);
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Numbers in = Kokkos::View<float*>("in", size_from(argc, argv, 1 << 28));
  const Result sum("sum");
  time("parallel_reduce, int", [&] { run<int, 1>(in, sum); });
  time("parallel_reduce, int64", [&] { run<std::int64_t, 1>(in, sum); });
  time("parallel_reduce, int, 4 numbers an index", [&] { run<int, 4>(in, sum); });
  time("parallel_reduce, int64, 4 numbers an index", [&] { run<std::int64_t, 4>(in, sum); });
}
