// SPDX-License-Identifier: Apache-2.0
// Portable copies of several neighbours as one, and scratch that is aligned for them.
#pragma once

#include <cstdint>

#include "variants/gauss/problem.hpp"
#include "variants/kokkos_team.hpp"

namespace portcost::gauss {

template <class T, int count>
KOKKOS_INLINE_FUNCTION void copy_pack(T* to, const T* from) {
  *reinterpret_cast<Pack<T, count>*>(to) = *reinterpret_cast<const Pack<T, count>*>(from);
}

/// Elements that aligned_scratch() may pass over. 32 bytes: a pack of four in f64.
inline constexpr int pack_bytes = 32;
template <class T, int bytes = pack_bytes>
inline constexpr int aligned_extra = bytes / static_cast<int>(sizeof(T));

/// The first `count` elements of a team's scratch that begin at a multiple of `bytes`.
template <class On, class T, int bytes = pack_bytes>
KOKKOS_INLINE_FUNCTION T* aligned_scratch(const typename On::Member& team, int count) {
  T* const scratch = On::template scratch<T>(team, count + aligned_extra<T, bytes>);
  const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(scratch) % bytes);
  return scratch + (bytes - past) % bytes / sizeof(T);
}

}  // namespace portcost::gauss
