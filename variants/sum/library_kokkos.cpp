// SPDX-License-Identifier: Apache-2.0
// Kokkos's own sum, the idiom everyone writes. It leaves the result in a View where the device can
// write it, so that nothing waits.
#include "variants/kokkos_space.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

using Memory = KokkosSpace::memory_space;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

template <class T, class Index>
void reduce_range(const Numbers<T>& s, const Stream& stream) {
  const Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<Index>> policy(
      kokkos_space(stream), Index{0}, static_cast<Index>(s.n));
  const T* const in = s.in;
  Kokkos::parallel_reduce(
      "portcost::sum::kokkos_range", policy,
      KOKKOS_LAMBDA(const Index i, T& total) { total += in[i]; },
      Kokkos::View<T, Memory, Unmanaged>(s.out));
}

// Kokkos counts in the policy's type: in 32 bits where they are enough.
template <class T>
void kokkos_range(const Numbers<T>& s, const Stream& stream) {
  if (s.n <= std::numeric_limits<int>::max()) {
    reduce_range<T, int>(s, stream);
  } else {
    reduce_range<T, std::int64_t>(s, stream);
  }
}

}  // namespace

Rungs library_kokkos_rungs() {
  return {
      rung(works, "kokkos_range", [](const auto& s, const Stream& on) { kokkos_range(s, on); })};
}

}  // namespace portcost::sum
