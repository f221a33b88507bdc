// SPDX-License-Identifier: Apache-2.0
// launches by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A team has 256
// numbers; the table is part of the functor.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/launches/rule.hpp"

namespace portcost::launches::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Numbers = Kokkos::View<std::uint32_t*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// What follows each kernel: nothing, a fence of the instance, or a fence of all instances.
enum class Then { nothing, fence_instance, fence_device };

/// Maps x `kernels` times: x(i) = next(x(i), table[i % words]). Instances take the kernels in turn;
/// several need a fence.
template <std::size_t words>
void in_turn(const std::vector<Space>& spaces, int team_size, int kernels, Numbers x,
             Kokkos::Array<std::uint32_t, words> table, Then then = Then::nothing) {
  const int n = static_cast<int>(x.extent(0));
  const auto map = KOKKOS_LAMBDA(const Teams::member_type& team) {
    const int first = team.league_rank() * 256;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 256), [&](int id) {
      const int i = first + id;
      if (i < n) x(i) = next(x(i), table[i % int{words}]);
    });
  };
  std::vector<Teams> policies;
  for (const Space& space : spaces) {
    policies.emplace_back(space, n / 256 + (n % 256 != 0), team_size, 1);
  }
  for (int k = 0; k < kernels; ++k) {
    const std::size_t at = static_cast<std::size_t>(k) % spaces.size();
    Kokkos::parallel_for("launches::book::in_turn", policies[at], map);
    if (then == Then::fence_instance) spaces[at].fence();
    if (then == Then::fence_device) Kokkos::fence();
  }
}

}  // namespace portcost::launches::book
