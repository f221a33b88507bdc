// SPDX-License-Identifier: Apache-2.0
// Portable variants that read or write the host's memory in a kernel.
#include <cstdint>
#include <limits>
#include <memory>

#include "variants/transfer_bandwidth/kokkos/packs.hpp"

namespace portcost::transfer_bandwidth {

#if PORTCOST_HAS_CUDA

namespace {

using Space = KokkosSpace;

template <class Policy>
void copy_words(const KernelEnds& ends, const Space& space, std::int64_t words) {
  auto* const to = reinterpret_cast<std::uint32_t*>(ends.target);
  const auto* const from = reinterpret_cast<const std::uint32_t*>(ends.source);
  Kokkos::parallel_for(
      "portcost::transfer_bandwidth::words", Policy(space, 0, words),
      KOKKOS_LAMBDA(const std::int64_t i) { to[i] = from[i]; });
}

// Words, as one writes it first: in the space's own index type, as long as that reaches. The end of
// an array that has no whole words by another launch.
void by_words(const KernelEnds& ends, const Stream& on) {
  const Space& space = kokkos_space(on);
  const std::int64_t words = ends.bytes / 4, rest = ends.bytes % 4;
  if (words <= std::numeric_limits<int>::max()) {
    copy_words<Kokkos::RangePolicy<Space>>(ends, space, words);
  } else {
    copy_words<Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>>(ends, space, words);
  }
  if (rest == 0) return;
  Kokkos::parallel_for(
      "portcost::transfer_bandwidth::rest", Kokkos::RangePolicy<Space>(space, 0, rest),
      KOKKOS_LAMBDA(const std::int64_t i) {
        ends.target[4 * words + i] = ends.source[4 * words + i];
      });
}

// A pack an index, in 64 bits.
void by_packs(const KernelEnds& ends, const Stream& on) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "portcost::transfer_bandwidth::packs", Policy(kokkos_space(on), 0, ends.packs()),
      KOKKOS_LAMBDA(const std::int64_t i) { ends.move(i); });
}

using Kernel = void (*)(const KernelEnds&, const Stream&);

std::unique_ptr<Execution> moved_by(Kernel kernel, const Route& route, const Transfer& t,
                                    const Stream& on) {
  return moving(t, route.kind, route.direction, false, [&](const Ends& ends) {
    return [kernel, in_kernel = kernel_ends(t, ends, route.direction), stream = &on] {
      kernel(in_kernel, *stream);
    };
  });
}

auto by_kernel(const Route& route, Kernel kernel) {
  return [route, kernel](const Transfer& t, const Stream& on) {
    return moved_by(kernel, route, t, on);
  };
}

}  // namespace

#endif

Rungs kokkos_mapped_rungs() {
#if PORTCOST_HAS_CUDA
  return {
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, copy_packs)),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, copy_by_the_book))
          .written(Way::book),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, copy_packs)),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, copy_by_the_book)).written(Way::book),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, by_words)).written(Way::usual),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, by_words)).written(Way::usual),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, by_packs))
          .written(Way::usual, "items=pack"),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, by_packs))
          .written(Way::usual, "items=pack"),
      absent_rung("within_host", "this build's Kokkos variants run on the device")};
#else
  return {};  // algorithm.cpp says why
#endif
}

}  // namespace portcost::transfer_bandwidth
