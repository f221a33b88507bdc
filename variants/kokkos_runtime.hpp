// SPDX-License-Identifier: Apache-2.0
// Starting and ending Kokkos, for main programs that must not include it.
#pragma once

#include "src/place.hpp"

namespace portcost {

/// Initialises Kokkos for its lifetime. One at a time, made before the first Kokkos variant and
/// outliving all buffers.
class KokkosGuard {
 public:
  KokkosGuard();
  ~KokkosGuard();
  KokkosGuard(const KokkosGuard&) = delete;
  KokkosGuard& operator=(const KokkosGuard&) = delete;
};

/// Where this build's Kokkos variants run.
constexpr Place kokkos_place() { return PORTCOST_HAS_CUDA ? Place::device : Place::host; }

}  // namespace portcost
