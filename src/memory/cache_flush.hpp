// SPDX-License-Identifier: Apache-2.0
// Empties the last cache of what earlier work left there.
#pragma once

#include "src/memory/buffer.hpp"

namespace portcost {

/// Size of the last cache of a place in bytes: L2 on the device; on the host what
/// PORTCOST_LAST_CACHE_MIB says (a virtual machine may report a cache that it has a small share
/// of), else the largest that the system reports, or 32 MiB when it reports none.
std::size_t last_cache_bytes(Place place);

/// Overwrites a buffer, then reads another, so that the cache ends up holding clean lines of no
/// use: work that follows pays for its own traffic, and not for writing back what the flush left.
/// Each buffer is as large as the last cache; on a device, where that takes microseconds, twice as
/// large.
class CacheFlush {
 public:
  /// Bytes that a flush moves on the host: lines that are written are read first.
  static double host_traffic() { return 3.0 * static_cast<double>(last_cache_bytes(Place::host)); }

  explicit CacheFlush(Place place);
  void enqueue(const Stream& stream);

 private:
  Buffer<unsigned> written_;
  Buffer<unsigned> read_;
  Buffer<unsigned> sink_;
  unsigned round_ = 0;
};

namespace detail {
void flush_on_device(unsigned* written, const unsigned* read, unsigned* sink, std::size_t count,
                     unsigned round, const Stream& stream);
}  // namespace detail

}  // namespace portcost
