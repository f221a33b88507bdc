// SPDX-License-Identifier: Apache-2.0
// Memory of one rank copied to all ranks, on hosts or on GPUs.
#pragma once

#include "src/distributed/communicator.hpp"
#include "src/distributed/path.hpp"
#include "src/memory/host_memory.hpp"

namespace portcost::distributed {

class NcclGroup;

class Broadcast : Uncopied {
 public:
  /// Of at most `most_bytes` in the stream's place. Collective. Throws SharedUsageError where GPUs
  /// cannot take `path`: it is automatic or host_memory, and on GPUs device_pointers or nccl.
  Broadcast(const Communicator& ranks, std::size_t most_bytes, Path path, const Stream& stream);

  /// `bytes` at `data` become those of rank `root`. Collective. What is enqueued on the stream
  /// later finds them; by nccl that is only enqueued, else the host waits for the stream and for
  /// MPI.
  void run(std::byte* data, std::size_t bytes, int root);
  Path path() const { return path_; }

 private:
  const Communicator& ranks_;
  const Stream& stream_;
  Path path_;
  HostMemory staging_;  // of host_memory on a GPU
  std::shared_ptr<NcclGroup> group_;
};

}  // namespace portcost::distributed
