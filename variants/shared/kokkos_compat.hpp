// SPDX-License-Identifier: Apache-2.0
// The differences between versions of Kokkos, from 3.4 on, under one name each, so that no variant
// tests for a version. Where Kokkos has the function, the name is Kokkos's own. On a GPU every
// supported version has all of them: the substitutes are for hosts.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>

#if KOKKOS_VERSION < 40100
#include <atomic>
#endif

namespace portcost::compat {

#if KOKKOS_VERSION >= 30700

using Kokkos::max;
using Kokkos::min;

/// Initialises Kokkos, on `device` if it is given, and suppresses its warnings.
inline void initialize_quietly(std::optional<int> device) {
  auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
  if (device) settings.set_device_id(*device);
  Kokkos::initialize(settings);
}

#else

template <class T>
constexpr KOKKOS_INLINE_FUNCTION const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr KOKKOS_INLINE_FUNCTION const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}

inline void initialize_quietly(std::optional<int> device) {
  Kokkos::InitArguments arguments;
  if (device) arguments.device_id = *device;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
}

#endif

#if KOKKOS_VERSION >= 40100

using Kokkos::atomic_inc;
using Kokkos::atomic_load;

#else

// Before 4.1 only builds with desul, which was optional, have these two.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_inc(T* at) {
  Kokkos::atomic_add(at, T(1));
}
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_load(T* at) {
  return std::atomic_ref<T>(*at).load(std::memory_order_relaxed);
}

#endif

}  // namespace portcost::compat
