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
  std::size_t reserve(std::int64_t bytes) {
    constexpr std::size_t line = 256;
    const std::size_t at = size_;
    size_ += (static_cast<std::size_t>(bytes) + line - 1) / line * line;
    return at;
  }
  void allocate() {
    if (size_ > 0) memory_ = HostMemory(size_, HostKind::mapped);
  }
  /// The addresses at which MPI (or the host) and the device find it.
  std::byte* of_mpi(std::size_t at) const { return memory_.data() + at; }
  std::byte* of_device(std::size_t at) const { return memory_.on_device() + at; }

 private:
  std::size_t size_ = 0;
  HostMemory memory_;
};

}  // namespace portcost::distributed
