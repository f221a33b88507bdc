// SPDX-License-Identifier: Apache-2.0
// For the Kokkos variants: the execution space on the harness's stream, and where it runs. This
// header and the other kokkos_*.hpp of this folder but kokkos_runtime.hpp are the headers outside
// the variants that include Kokkos; only Kokkos sources may include them.
#pragma once

#include <Kokkos_Core.hpp>

#include "src/memory/place.hpp"
#include "src/memory/stream.hpp"
#include "variants/shared/kokkos_compat.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

using KokkosSpace = Kokkos::DefaultExecutionSpace;

/// True when this build's Kokkos runs on the host, where a team has host_team_threads() threads of
/// one lane.
inline constexpr bool kokkos_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, KokkosSpace::memory_space>::accessible;

/// For code that allows a single execution space only, as on a host: with T, a template parameter
/// of the caller, it does not compile for a device.
template <class T>
constexpr void only_on_host() {
  static_assert(kokkos_on_host && sizeof(T) > 0,
                "work without an execution space would leave the stream of this device: use a "
                "library (Kokkos Kernels 4.2 or later) whose calls take one");
}

/// The place whose shapes the kernels use: where they run. The tests build the kernels a second
/// time on a host with a device's shapes (PORTCOST_DEVICE_SHAPES): teams of several threads then
/// run the GPU's code, so that a missing barrier shows without a GPU.
#ifdef PORTCOST_DEVICE_SHAPES
inline constexpr Place kokkos_shapes = Place::device;
#else
inline constexpr Place kokkos_shapes = kokkos_on_host ? Place::host : Place::device;
#endif

/// The execution space on `stream`, built once a stream and kept until Kokkos ends, because
/// building one allocates and destroying one waits.
const KokkosSpace& kokkos_space(const Stream& stream);

/// Threads of a team in plain Kokkos: `threads` on a GPU. On a host one, unless a test has
/// requested more, because threads of a team wait for each other at every barrier.
inline int team_size(int threads) { return kokkos_on_host ? host_team_threads() : threads; }

/// The level of scratch for tiles. Since Kokkos 5 level 0 of a host backend holds 32 KiB; level 1
/// is the same memory there and holds more.
inline constexpr int scratch_level = kokkos_on_host ? 1 : 0;

/// Resets a counter of teams to its value before the first ticket. No other team can still take a
/// ticket, so a plain store suffices, as in CUDA. By the rules of C++ it races with the atomic
/// additions, which only the counter's own order puts before it (tests/tsan.supp).
KOKKOS_INLINE_FUNCTION void reset_ticket(unsigned* arrived) { *arrived = 0; }

}  // namespace portcost
