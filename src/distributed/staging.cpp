// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/staging.hpp"

namespace portcost::distributed {

std::size_t Staging::reserve(std::int64_t bytes) {
  constexpr std::size_t line = 256;
  const std::size_t at = size_;
  size_ += (static_cast<std::size_t>(bytes) + line - 1) / line * line;
  return at;
}

void Staging::allocate() {
  if (size_ > 0) memory_ = HostMemory(size_, HostKind::mapped);
}

std::byte* Staging::of_mpi(std::size_t at) const { return memory_.data() + at; }
std::byte* Staging::of_device(std::size_t at) const { return memory_.on_device() + at; }

}  // namespace portcost::distributed
