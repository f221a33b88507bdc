// SPDX-License-Identifier: Apache-2.0
// Host memory of a stated kind: what a transfer's rate depends on. Move-only, freed with its owner.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace portcost {

/// pageable: what malloc gives. pinned: its pages cannot be paged out, so a GPU's copy engine reads
/// and writes them itself. write_combined: pinned, and past the host's caches: the host writes it
/// fast and reads it slowly. mapped: pinned, with an address by which kernels reach it over the
/// link. managed: pages move between host and GPU; these prefer the host.
enum class HostKind { pageable, pinned, write_combined, mapped, managed };
constexpr std::string_view name(HostKind kind) {
  constexpr std::array<std::string_view, 5> names{"pageable", "pinned", "write-combined", "mapped",
                                                  "managed"};
  return names.at(static_cast<std::size_t>(kind));
}

/// What is done where mapped memory is refused: nothing replaces it, or pageable memory does, for
/// those that copy it and need no kernel to reach it.
enum class Refused { throws, pageable };

/// Pinned memory of so many bytes or more is first touched by all threads, in huge pages where the
/// system has them, and then registered with CUDA. The runtime's own allocation does all of that in
/// one thread: tens of seconds for 64 GiB.
inline constexpr std::size_t registered_bytes = std::size_t{4} << 30;

/// `size()` bytes on the host, aligned to 256, pageable ones to 4096. Contents are undefined until
/// written.
///
/// Where pinned or write-combined memory is refused, pageable memory is taken instead, and that is
/// said on the standard error output: kind() tells which one it is. A kernel cannot do with another
/// kind than mapped or managed, so these throw Failure, which names the bytes and the reason,
/// unless Refused::pageable is said of mapped memory. So does any kind that has more bytes than the
/// system calls available.
class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(std::size_t bytes, HostKind wanted, Refused refused = Refused::throws);
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept { swap(other); }
  HostMemory& operator=(HostMemory&& other) noexcept {
    HostMemory(std::move(other)).swap(*this);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() const { return {data_, size_}; }
  /// The kind that it is, and the one that was asked for.
  HostKind kind() const { return kind_; }
  HostKind wanted() const { return wanted_; }
  /// True of much pinned memory: all threads have touched it (registered_bytes).
  bool registered() const { return registered_; }
  /// Why kind() is not wanted(), in one line; empty where it is.
  const std::string& fallback() const { return fallback_; }
  /// Why no kernel reaches it, and the remedy where mapped memory was refused; empty where one
  /// does.
  std::string out_of_reach() const;
  /// The address by which a kernel reaches it. Throws Failure with out_of_reach().
  std::byte* on_device() const;

  void swap(HostMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(kind_, other.kind_);
    std::swap(wanted_, other.wanted_);
    std::swap(registered_, other.registered_);
    fallback_.swap(other.fallback_);
  }

 private:
  bool take(std::size_t rounded, std::string& refusal);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  HostKind kind_ = HostKind::pageable, wanted_ = HostKind::pageable;
  bool registered_ = false;  // the system's memory, which CUDA has pinned
  std::string fallback_;
};

/// Begin and end of a part of [0, bytes), of `part` among `parts`: whole pages, but for the end.
std::pair<std::size_t, std::size_t> page_part(std::size_t bytes, int part, int parts);

/// Calls f(begin, end) for these parts, one an OpenMP thread. Who first touches memory so and
/// copies it so has each thread copy what lies nearest to it.
void for_page_parts(std::size_t bytes, const std::function<void(std::size_t, std::size_t)>& f);

/// Where memory that has been touched lies: "NUMA node 0", "NUMA nodes 0 and 1", or "NUMA node
/// unknown" where the kernel does not tell. Looks at 64 pages, spread over all.
std::string numa_nodes(std::span<const std::byte> memory);

}  // namespace portcost
