// SPDX-License-Identifier: Apache-2.0
// Limits of the device: its links while both directions are busy.
#include <cstring>

#include "src/machine/limits_detail.hpp"
#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/memory/host_memory.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

constexpr int repeats = 8;

// One direction of a link: an array at each end, and a queue of its own.
class Direction {
 public:
  explicit Direction(bool to_device) : to_device_(to_device) {
    require(host_.kind() == HostKind::pinned, host_.fallback());
    std::memset(host_.data(), 1, host_.size());
    device_.poison(queue_);
    queue_.synchronize();
  }
  void copy() const {
    void* const to = to_device_ ? device_.data() : host_.data();
    const void* const from = to_device_ ? host_.data() : device_.data();
    const auto kind = to_device_ ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cuda_check(cudaMemcpyAsync(to, from, detail::link_bytes, kind, queue_.native()));
  }
  const Stream& queue() const { return queue_; }

 private:
  bool to_device_;
  Stream queue_{Place::device};
  HostMemory host_{detail::link_bytes, HostKind::pinned};
  Buffer<std::byte> device_{detail::link_bytes, Place::device};
};

}  // namespace

// Of four copies the other way, the timed one begins with the second and must end before the last.
template <bool to_device>
double detail::link_both_ways(const Stream&) {
  const Direction timed(to_device), other(!to_device);
  Event under_way(Place::device), begin(Place::device, true), end(Place::device, true),
      other_end(Place::device, true);
  double best_s = 0;
  for (int i = 0; i <= repeats; ++i) {
    other.copy();
    under_way.record(other.queue().native());
    for (int further = 0; further < 3; ++further) other.copy();
    other_end.record(other.queue().native());
    under_way.enqueue_wait(timed.queue().native());
    begin.record(timed.queue().native());
    timed.copy();
    end.record(timed.queue().native());
    timed.queue().synchronize();
    other.queue().synchronize();
    const double seconds = end.seconds_since(begin);
    require(other_end.seconds_since(begin) >= seconds,
            "of a link both ways, one direction is more than three times as fast as the other: "
            "while both are busy it cannot be measured");
    if (i == 1 || (i > 1 && seconds < best_s)) best_s = seconds;
  }
  return static_cast<double>(link_bytes) / best_s;
}

template double detail::link_both_ways<true>(const Stream&);
template double detail::link_both_ways<false>(const Stream&);

}  // namespace portcost
