// SPDX-License-Identifier: Apache-2.0
// The one file that starts and ends Kokkos.
#include "variants/shared/kokkos_runtime.hpp"

#include <algorithm>
#include <map>

#include "variants/shared/kokkos_space.hpp"

namespace portcost {

namespace {

// One for each live stream that was requested.
std::map<const Stream*, KokkosSpace> spaces;

int team_threads = 1;

#if !PORTCOST_HAS_CUDA
using TeamPolicy = Kokkos::TeamPolicy<KokkosSpace>;
// For the query of the largest team.
struct Nothing {
  void operator()(const TeamPolicy::member_type&) const {}
};
#endif

}  // namespace

int host_team_threads() { return team_threads; }

int set_host_team_threads(int wanted) {
#if PORTCOST_HAS_CUDA
  const int most = 1;  // no team runs on the host
#else
  const int most = TeamPolicy(1, 1).team_size_max(Nothing(), Kokkos::ParallelForTag());
#endif
  team_threads = std::clamp(wanted, 1, most);
  return team_threads;
}

KokkosGuard::KokkosGuard(std::optional<int> device) {
  // Kokkos would warn that OMP_PROC_BIND is unset; binding is the user's business and the same for
  // both sides of a pair.
  compat::initialize_quietly(device);
}

KokkosGuard::~KokkosGuard() {
  spaces.clear();
  Kokkos::finalize();
}

const KokkosSpace& kokkos_space(const Stream& stream) {
  const auto found = spaces.find(&stream);
  if (found != spaces.end()) return found->second;
  stream.at_end([&stream] { spaces.erase(&stream); });
#ifdef KOKKOS_ENABLE_CUDA
  return spaces.emplace(&stream, KokkosSpace(stream.native())).first->second;
#else
  return spaces.emplace(&stream, KokkosSpace()).first->second;
#endif
}

}  // namespace portcost
