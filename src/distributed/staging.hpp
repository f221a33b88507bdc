// SPDX-License-Identifier: Apache-2.0
// Packed memory between a device and MPI, or between a device and its host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/memory/host_memory.hpp"

namespace portcost::distributed {

/// Dense memory of the host into which a kernel packs over the link and from which MPI sends, and
/// the reverse.
class Staging {
 public:
  /// Takes so many bytes more. Returns where they begin.
  std::size_t reserve(std::int64_t bytes);
  void allocate();
  /// The addresses at which MPI (or the host) and the device find it.
  std::byte* of_mpi(std::size_t at) const;
  std::byte* of_device(std::size_t at) const;

 private:
  std::size_t size_ = 0;
  HostMemory memory_;
};

}  // namespace portcost::distributed
