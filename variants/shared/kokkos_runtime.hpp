// SPDX-License-Identifier: Apache-2.0
// Starting and ending Kokkos, for main programs that must not include it.
#pragma once

#include <optional>

#include "src/memory/place.hpp"

namespace portcost {

/// Initialises Kokkos for its lifetime. One at a time, made before the first Kokkos variant and
/// outliving all buffers.
class KokkosGuard {
 public:
  /// On a GPU: on that one, where it is named.
  explicit KokkosGuard(std::optional<int> device = {});
  ~KokkosGuard();
  KokkosGuard(const KokkosGuard&) = delete;
  KokkosGuard& operator=(const KokkosGuard&) = delete;
};

/// Threads of a team on a host: one, unless a test has requested more.
int host_team_threads();
/// Asks for `wanted` from the next launch on; returns how many there will be: no more than Kokkos
/// allows with the threads it has. Kokkos must have been started.
int set_host_team_threads(int wanted);

/// Where this build's Kokkos variants run.
constexpr Place kokkos_place() { return PORTCOST_HAS_CUDA ? Place::device : Place::host; }

}  // namespace portcost
