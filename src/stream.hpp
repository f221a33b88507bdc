// SPDX-License-Identifier: Apache-2.0
// One in-order queue of work. On the host, work is done when its call returns and the queue is
// always empty.
#pragma once

#include "src/place.hpp"

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

 private:
  Place place_;
  CUstream_st* native_ = nullptr;
};

}  // namespace portcost
