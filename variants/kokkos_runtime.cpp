// SPDX-License-Identifier: Apache-2.0
// The one file that starts and ends Kokkos.
#include "variants/kokkos_runtime.hpp"

#include <memory>

#include "variants/kokkos_space.hpp"

namespace portcost {

namespace {

// The space of the stream asked for last: one stream serves all the pairs of a campaign.
struct Current {
  const Stream* stream = nullptr;
  std::unique_ptr<KokkosSpace> space;
};
Current current;

}  // namespace

KokkosGuard::KokkosGuard() {
  // Kokkos would warn that OMP_PROC_BIND is unset; binding is the user's business and the same for
  // both sides of a pair.
  compat::initialize_quietly();
}

KokkosGuard::~KokkosGuard() {
  current = {};
  Kokkos::finalize();
}

const KokkosSpace& kokkos_space(const Stream& stream) {
  if (current.stream != &stream) {
#ifdef KOKKOS_ENABLE_CUDA
    current.space = std::make_unique<KokkosSpace>(stream.native());
#else
    current.space = std::make_unique<KokkosSpace>();
#endif
    current.stream = &stream;
    stream.at_end([&stream] {
      if (current.stream == &stream) current = {};
    });
  }
  return *current.space;
}

}  // namespace portcost
