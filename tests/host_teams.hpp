// SPDX-License-Identifier: Apache-2.0
// Kokkos's teams of several threads on a host, where a missing barrier shows.
#pragma once

#include "tests/support.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::test {

/// Teams of so many threads for its lifetime.
class HostTeams {
 public:
  explicit HostTeams(int threads) {
    if (set_host_team_threads(threads) == threads) return;
    set_host_team_threads(1);
    skip_or_fail("Kokkos has fewer threads than such a team: set OMP_NUM_THREADS=4");
  }
  ~HostTeams() { set_host_team_threads(1); }
  HostTeams(const HostTeams&) = delete;
  HostTeams& operator=(const HostTeams&) = delete;
};

}  // namespace portcost::test
