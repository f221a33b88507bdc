// SPDX-License-Identifier: Apache-2.0
// Views of a row, and where the host's memory lies: host-pinned in Kokkos's words with a device.
#pragma once

#include "variants/shared/kokkos_space.hpp"

namespace portcost::transfer_batching {

using Space = KokkosSpace;
using Device = Space::memory_space;
#if PORTCOST_HAS_CUDA
using Host = Kokkos::SharedHostPinnedSpace;
#else
using Host = Kokkos::HostSpace;
#endif
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

template <class T, class Memory>
using Row = Kokkos::View<T*, Memory, Unmanaged>;

}  // namespace portcost::transfer_batching
