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
  /// Prepares broadcasts of at most `most_bytes` bytes in the stream's place. Collective. `path` is
  /// one of broadcast_path_names; throws SharedUsageError where this place cannot take it.
  Broadcast(const Communicator& ranks, std::size_t most_bytes, Path path, const Stream& stream);

  /// Copies `bytes` bytes at `data` of rank `root` to `data` of every rank. Collective. Work that
  /// is enqueued on the stream later sees the bytes. nccl only enqueues the copy; on other paths
  /// the host waits for the stream and for MPI.
  void run(std::byte* data, std::size_t bytes, int root);
  Path path() const { return path_; }

 private:
  const Communicator& ranks_;
  std::size_t most_bytes_;
  const Stream& stream_;
  Path path_;
  HostMemory staging_;  // of host_memory on a GPU
  std::shared_ptr<NcclGroup> group_;
};

}  // namespace portcost::distributed
