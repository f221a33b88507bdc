// SPDX-License-Identifier: Apache-2.0
// Starts and ends Kokkos, for main programs, which must not include it.
#pragma once

#include <optional>

#include "src/memory/place.hpp"

namespace portcost {

/// Initialises Kokkos for its lifetime. There is at most one at a time; it is created before the
/// first Kokkos variant and outlives all buffers.
class KokkosGuard {
 public:
  /// On a GPU: uses `device`, if it is given.
  explicit KokkosGuard(std::optional<int> device = {});
  ~KokkosGuard();
  KokkosGuard(const KokkosGuard&) = delete;
  KokkosGuard& operator=(const KokkosGuard&) = delete;
};

/// Threads of a team on a host: one, unless a test has requested more.
int host_team_threads();
/// Requests `wanted` threads from the next launch on; returns the number granted, which Kokkos
/// limits by its own threads. Kokkos must have been started.
int set_host_team_threads(int wanted);

/// Where this build's Kokkos variants run.
constexpr Place kokkos_place() { return PORTCOST_HAS_CUDA ? Place::device : Place::host; }

}  // namespace portcost
