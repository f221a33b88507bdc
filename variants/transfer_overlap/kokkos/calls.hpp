// SPDX-License-Identifier: Apache-2.0
// What a call is in Kokkos: a deep_copy or a parallel_for on an execution-space instance.
#pragma once

#include <vector>

#include "variants/kokkos_space.hpp"
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

using Space = KokkosSpace;
using Device = Space::memory_space;
#if PORTCOST_HAS_CUDA
using Host = Kokkos::SharedHostPinnedSpace;
#else
using Host = Kokkos::HostSpace;
#endif

template <class T, class Memory>
using Elements = Kokkos::View<T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The Views of a piece's two ends.
template <class T>
Elements<T, Host> on_host(T* a, const Piece& p) {
  return Elements<T, Host>(a + p.first, static_cast<std::size_t>(p.count));
}
template <class T>
Elements<T, Device> on_device(T* room, const Piece& p) {
  return Elements<T, Device>(room + p.at, static_cast<std::size_t>(p.count));
}

/// The work on elements first .. first + count - 1 of the array, which `data` has.
template <class T>
struct Increase {
  Elements<T, Device> data;
  std::int64_t first;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i) const {
    data(i) = increased(data(i), static_cast<T>(first + i));
  }
};

}  // namespace portcost::transfer_overlap
