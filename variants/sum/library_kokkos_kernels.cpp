// SPDX-License-Identifier: Apache-2.0
// The sum of Kokkos Kernels. The result is a View that the device writes, so that nothing waits.
// Compiled where Kokkos Kernels was found.
#include <KokkosBlas1_sum.hpp>

#include "variants/shared/kokkos_space.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

using Memory = KokkosSpace::memory_space;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

// Older versions take no execution space. A host loses nothing by this: it has a single space.
template <class Out, class In>
void add_up(const KokkosSpace& space, const Out& out, const In& in) {
  if constexpr (requires { KokkosBlas::sum(space, out, in); }) {
    KokkosBlas::sum(space, out, in);
  } else {
    only_on_host<In>();
    KokkosBlas::sum(out, in);
  }
}

constexpr auto kokkos_blas = []<class T>(const Numbers<T>& s, const Stream& stream) {
  const Kokkos::View<const T*, Kokkos::LayoutLeft, Memory, Unmanaged> in(s.in, s.n);
  const Kokkos::View<T, Kokkos::LayoutLeft, Memory, Unmanaged> out(s.out);
  add_up(kokkos_space(stream), out, in);
};

}  // namespace

Rungs library_kokkos_kernels_rungs() { return {rung(works, "kokkos_blas", kokkos_blas)}; }

}  // namespace portcost::sum
