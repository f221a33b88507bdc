// SPDX-License-Identifier: Apache-2.0
// transfer_bandwidth: one array of bytes copied between host memory of a stated kind and the
// device, or within the host. Plain C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/contract/rung.hpp"
#include "src/memory/host_memory.hpp"
#include "src/memory/place.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::transfer_bandwidth {

enum class Direction { to_device, to_host, within_host };

/// Both ends of a transfer, aligned to 256 bytes, pageable memory to 4096: as the runtime's copies
/// take them; `mapped`, the address of the host's end for kernels, or null; and
/// the kind that the host's end is, which may not be the one that was asked for.
struct Ends {
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::byte* mapped = nullptr;
  HostKind kind = HostKind::pageable;
};

/// The instance's memory. A kind is allocated when a variant that needs it is made ready, so both
/// sides of a pair have the same bytes.
class Arrays {
 public:
  virtual ~Arrays() = default;
  /// Source and target of transfers from or to host memory of a kind. Throws Failure where there is
  /// none.
  virtual Ends ends_of(HostKind kind, Direction direction) = 0;
  /// Called by each run: the answer will be found in `target`, one that ends_of() gave.
  virtual void answer_in(const std::byte* target) = 0;
  /// The same of memory of a variant's own.
  virtual void answer_in_own(const std::byte* target, Place place) = 0;
  /// What the host's ends turned out to be: kind, NUMA nodes, who touched them first. For people.
  virtual std::string described(HostKind kind, Direction direction) const = 0;
};

/// The problem as every variant receives it.
struct Transfer {
  std::size_t bytes;
  Arrays* arrays;
};

/// A transfer that is ready to run. `waits`: no runs can be queued ahead of the device.
template <class Move>
class Moving final : public Execution {
 public:
  Moving(const Transfer& transfer, std::byte* target, bool waits, Move move)
      : arrays_(transfer.arrays), target_(target), waits_(waits), move_(std::move(move)) {}
  void run(int) override {
    move_();
    arrays_->answer_in(target_);
  }
  bool queued_ahead() const override { return !waits_; }

 private:
  Arrays* arrays_;
  std::byte* target_;
  bool waits_;
  Move move_;
};

/// make(ends) gives the function that enqueues the transfer. `waits`: the call that it makes waits
/// for the copy. Others do with pageable memory, which the runtime stages.
template <class Make>
std::unique_ptr<Execution> moving(const Transfer& transfer, HostKind kind, Direction direction,
                                  bool waits, const Make& make) {
  const Ends ends = transfer.arrays->ends_of(kind, direction);
  auto move = make(ends);
  using Move = decltype(move);
  return std::make_unique<Moving<Move>>(transfer, ends.target,
                                        waits || ends.kind == HostKind::pageable, std::move(move));
}

/// A step on the device: a kind of memory, a direction, and whether the call waits for the copy.
struct Route {
  std::string_view step;
  HostKind kind;
  Direction direction;
  bool waits = false;
};

using enum HostKind;
using enum Direction;
/// By a call of both models.
inline constexpr Route pageable_to_device{"pageable_to_device", pageable, to_device};
inline constexpr Route pageable_to_host{"pageable_to_host", pageable, to_host};
inline constexpr Route pageable_to_device_waiting{"pageable_to_device_waiting", pageable, to_device,
                                                  true};
inline constexpr Route pageable_to_host_waiting{"pageable_to_host_waiting", pageable, to_host,
                                                true};
inline constexpr Route pinned_to_device{"pinned_to_device", pinned, to_device};
inline constexpr Route pinned_to_host{"pinned_to_host", pinned, to_host};
inline constexpr Route pinned_to_device_waiting{"pinned_to_device_waiting", pinned, to_device,
                                                true};
inline constexpr Route pinned_to_host_waiting{"pinned_to_host_waiting", pinned, to_host, true};
inline constexpr Route managed_to_device{"managed_to_device", managed, to_device};
inline constexpr Route managed_to_host{"managed_to_host", managed, to_host};
/// By a call; Kokkos has no memory space for them.
inline constexpr Route write_combined_to_device{"write_combined_to_device", write_combined,
                                                to_device};
inline constexpr Route write_combined_to_host{"write_combined_to_host", write_combined, to_host};
/// By a kernel that reads or writes the host's memory.
inline constexpr Route mapped_to_device{"mapped_to_device", mapped, to_device};
inline constexpr Route mapped_to_host{"mapped_to_host", mapped, to_host};
inline constexpr std::array routes{
    pageable_to_device, pageable_to_host, pageable_to_device_waiting, pageable_to_host_waiting,
    pinned_to_device,   pinned_to_host,   pinned_to_device_waiting,   pinned_to_host_waiting,
    managed_to_device,  managed_to_host,  write_combined_to_device,   write_combined_to_host,
    mapped_to_device,   mapped_to_host};

/// Within the host: an array of so many bytes or fewer is copied by one thread, because waking the
/// others takes longer.
inline constexpr std::size_t one_thread_bytes = std::size_t{1} << 16;

/// Mapped: 16 bytes a thread, in blocks of so many threads.
struct alignas(16) Pack {
  std::uint32_t words[4];
};
inline constexpr std::int64_t pack_bytes = sizeof(Pack);
inline constexpr int pack_threads = 256;

/// Both ends as a kernel has them.
struct KernelEnds {
  std::byte* target;
  const std::byte* source;
  std::int64_t bytes;

  PORTCOST_HOST_DEVICE std::int64_t packs() const { return ceil_div(bytes, pack_bytes); }
  /// Copies pack i; of one that is cut off, the bytes that there are.
  PORTCOST_HOST_DEVICE void move(std::int64_t i) const {
    const std::int64_t begin = i * pack_bytes;
    if (begin + pack_bytes <= bytes) {
      reinterpret_cast<Pack*>(target)[i] = reinterpret_cast<const Pack*>(source)[i];
      return;
    }
    for (std::int64_t at = begin; at < bytes; ++at) target[at] = source[at];
  }
};
inline KernelEnds kernel_ends(const Transfer& transfer, const Ends& ends, Direction direction) {
  const auto bytes = static_cast<std::int64_t>(transfer.bytes);
  if (direction == Direction::to_device) return {ends.target, ends.mapped, bytes};
  return {ends.mapped, ends.source, bytes};
}

/// The input: word `at`, four bytes of the array in the host's order; of the last one, as many as
/// there are.
constexpr std::uint32_t word_of(std::uint64_t seed, std::uint64_t at) {
  return static_cast<std::uint32_t>(random_bits(seed, at) >> 32);
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Transfer> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::transfer_bandwidth
