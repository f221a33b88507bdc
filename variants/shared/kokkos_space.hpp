// SPDX-License-Identifier: Apache-2.0
// Common to the Kokkos variants: the execution space on the harness's stream, and where it runs.
// With kokkos_compat.hpp, which it includes, and kokkos_team.hpp, kokkos_tiles.hpp,
// kokkos_usual.hpp and kokkos_graph.hpp, the headers outside the variants that include Kokkos; only
// Kokkos sources may include them.
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

/// To be called where only one execution space may exist, as on a host: with T, a parameter of the
/// caller's template, it refuses to be compiled for a device.
template <class T>
constexpr void only_on_host() {
  static_assert(kokkos_on_host && sizeof(T) > 0,
                "work without an execution space would leave the stream of this device: use a "
                "library (Kokkos Kernels 4.2 or later) whose calls take one");
}

/// The place whose shapes and ways the kernels take: where they run. The tests build them a second
/// time on a host with a device's (PORTCOST_DEVICE_SHAPES): what only a GPU would run is run there
/// by teams of several threads, so that a missing barrier shows without one.
#ifdef PORTCOST_DEVICE_SHAPES
inline constexpr Place kokkos_shapes = Place::device;
#else
inline constexpr Place kokkos_shapes = kokkos_on_host ? Place::host : Place::device;
#endif

/// The execution space on `stream`, built once a stream and kept until Kokkos ends: building one
/// allocates and, at its end, waits.
const KokkosSpace& kokkos_space(const Stream& stream);

/// Threads of a team in plain Kokkos: `threads` on a GPU. On a host one, because threads of a team
/// wait for each other at every barrier, unless a test has requested more.
inline int team_size(int threads) { return kokkos_on_host ? host_team_threads() : threads; }

/// The level of scratch that tiles lie in. Since Kokkos 5 level 0 of a host backend holds 32 KiB;
/// level 1 is the same memory there and holds more.
inline constexpr int scratch_level = kokkos_on_host ? 1 : 0;

/// A counter of teams is as it was before the first one has taken a ticket. No other team can still
/// take one, so a plain store does, as in CUDA. By the rules of C++ it races with their atomic
/// additions, which nothing but the counter's own order puts before it (tests/tsan.supp).
KOKKOS_INLINE_FUNCTION void reset_ticket(unsigned* arrived) { *arrived = 0; }

}  // namespace portcost
