// SPDX-License-Identifier: Apache-2.0
// Included before all else in builds with ThreadSanitizer, Kokkos's own sources among them.
// ThreadSanitizer passes over fences, and would report every message that a fence orders: those of
// tickets, and of Kokkos's team barriers. Here a fence that releases hands all that its thread has
// seen to every later fence that acquires. That is more order than the language promises, so races
// between threads that have both fenced can be missed; what no fence orders is still found.
#pragma once

#include <sanitizer/tsan_interface.h>

inline char portcost_fences;

inline void portcost_fence(int order) {
  if (order != __ATOMIC_RELEASE) __tsan_acquire(&portcost_fences);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (order != __ATOMIC_ACQUIRE) __tsan_release(&portcost_fences);
}

#define __atomic_thread_fence(...) portcost_fence(__VA_ARGS__)
#define __sync_synchronize() portcost_fence(__ATOMIC_SEQ_CST)

// Before version 4 Kokkos writes fences and atomic operations in assembler, or by builtins, unseen.
#if __has_include(<Kokkos_Macros.hpp>)
#include <Kokkos_Macros.hpp>
#undef KOKKOS_ENABLE_ASM
#endif
