// SPDX-License-Identifier: Apache-2.0
// One in-order queue of work. On the host, work is done when its call returns and the queue is
// always empty.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "src/memory/place.hpp"

struct CUstream_st;

namespace portcost {

/// Owns one CUDA stream on the device; nothing on the host. Both sides of a pair are enqueued on
/// the same one.
class Stream {
 public:
  explicit Stream(Place place);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Place place() const { return place_; }
  /// The cudaStream_t; null on the host.
  CUstream_st* native() const { return native_; }
  /// Blocks until everything enqueued is done; throws Failure with the first error the work met.
  void synchronize() const;
  /// Has `f` called before the stream ends: for what was built on it and must not outlive it.
  void at_end(std::function<void()> f) const { at_end_.push_back(std::move(f)); }

 private:
  Place place_;
  CUstream_st* native_ = nullptr;
  mutable std::vector<std::function<void()>> at_end_;
};

}  // namespace portcost
