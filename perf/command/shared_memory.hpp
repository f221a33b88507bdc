// SPDX-License-Identifier: Apache-2.0
// Memory that a process shares with the children it forks.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <type_traits>

#include "src/support/error.hpp"

namespace portcost {

/// One T that this process and all children it forks see. Pages that nobody writes to take no
/// memory.
template <class T>
class Shared {
 public:
  static_assert(std::is_trivially_destructible_v<T>);
  Shared() {
    void* const memory =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw Failure(
          fmt::format("no memory to share with another process ({})", std::strerror(errno)));
    }
    value_ = new (memory) T;
  }
  ~Shared() { munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T* get() const { return value_; }

 private:
  T* value_;
};

}  // namespace portcost
