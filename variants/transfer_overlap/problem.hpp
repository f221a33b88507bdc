// SPDX-License-Identifier: Apache-2.0
// transfer_overlap: an array in host memory is copied to the device, changed there and copied back,
// whole or in chunks that overlap. Plain C++.
//
//   a(i) += sqrt(sin^2(i) + cos^2(i)),   i < n
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "src/contract/rung.hpp"
#include "variants/shared/fast_math.hpp"
#include "variants/shared/numbers.hpp"
#include "variants/transfer_overlap/rule.hpp"
#include "variants/transfer_overlap/schedule.hpp"

namespace portcost::transfer_overlap {

/// What the instance has beside the array. Memory in which kernels work: device memory, or on a
/// host a second array. Made when it is first asked for, because data may be larger than the
/// device. Throws Failure, which names the bytes, where there is not as much.
template <class T>
class Room {
 public:
  virtual ~Room() = default;
  virtual T* whole() = 0;  // n elements
  virtual T* ring() = 0;   // as many as ring's buffers have
  /// The host's own work, on `host_work` elements of its own, by all threads.
  virtual void work_of_host() = 0;
};

/// The problem as every variant receives it. On return a(i) is one more than before.
template <class T>
struct Overlap {
  T* a;         // on the host, 256-byte aligned; pinned where work runs on a device
  bool pinned;  // false where that was refused: copies then wait, and nothing overlaps
  Room<T>* room;
  Cut cut;
  bool fast;  // math=fast
  bool host_works;
};

/// A run whose calls come in an order that both models share, Order (schedule.hpp). Copies wait
/// where memory is not pinned, whatever the calls say. The host's own work comes behind all calls.
template <class Order, class Calls, class T>
std::unique_ptr<Execution> pipeline(const Overlap<T>& s, const Plan& plan,
                                    std::unique_ptr<Calls> calls) {
  const bool waits = calls->waits() || !s.pinned || s.host_works;
  return std::make_unique<Pipeline<Order, Calls>>(plan, waits, std::move(calls), [s] {
    if (s.host_works) s.room->work_of_host();
  });
}

/// The steps of a model: its Calls<T>(work, stream, plan, memory) in an Order, for all data at
/// once, in chunks, and in chunks that share buffers.
template <class Order, template <class> class Calls, class T>
std::unique_ptr<Execution> with_calls(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                      T* room) {
  return pipeline<Order>(s, plan, std::make_unique<Calls<T>>(s, on, plan, room));
}
template <template <class> class Calls>
inline constexpr auto whole_with = [](const auto& s, const Stream& on) {
  return with_calls<OneLoop, Calls>(s, on, s.cut.whole(), s.room->whole());
};
template <template <class> class Calls, class Order>
inline constexpr auto chunked_with = [](const auto& s, const Stream& on) {
  return with_calls<Order, Calls>(s, on, s.cut.chunked(), s.room->whole());
};
template <template <class> class Calls>
inline constexpr auto ring_with = [](const auto& s, const Stream& on) {
  return with_calls<OneLoop, Calls>(s, on, s.cut.ring(), s.room->ring());
};

/// Kernels: one element a thread. Blocks of 128 threads are what Kokkos takes by itself for kernels
/// of so few registers.
inline constexpr int kernel_threads = 128;

/// A launch has fewer than 2^31 blocks.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 37;

/// The input: a number of 20 bits in [0, 1), so that one more of it is a number of T, too.
template <class T>
constexpr T element(std::uint64_t seed, std::uint64_t i) {
  return static_cast<T>(random_bits(seed, i) >> 44) * T(0x1p-20);
}

/// What an answer is, because data may be larger than what a copy of it fits into: of each part of
/// so many elements the "least" and the "most" by which one has increased, and, up to so many
/// bytes, all elements ("out").
inline constexpr std::int64_t part_elements = std::int64_t{1} << 16;
inline constexpr std::int64_t most_bytes_kept = std::int64_t{1} << 30;

/// Why a step that has all data on the device at once does not take a problem; empty where it does.
std::string_view larger_than_device(const Problem&);
/// A place's steps with the reasons why each does not take a problem.
template <Place place>
Rungs with_reasons(Rungs rungs) {
  for (Rung& one : rungs) {
    one.unfit = [step = one.step](const Problem& p) -> std::string_view {
      if (!no_fast_functions<place>(p).empty()) return no_fast_functions<place>(p);
      if (step == "graph" && p.parameters.whole("host_work") > 0) {
        return "a graph has no work of the host: host_work=0";
      }
      return place == Place::host || step == "ring" ? "" : larger_than_device(p);
    };
  }
  return rungs;
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Overlap<float>, Overlap<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::transfer_overlap
