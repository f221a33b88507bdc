// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/broadcast.hpp"

#include <fmt/format.h>

#include <numeric>

#include "src/distributed/device_path.hpp"
#include "src/distributed/exchange.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/memory/buffer.hpp"

namespace portcost::distributed {

namespace {

std::vector<int> all_of(const Communicator& ranks) {
  std::vector<int> result(static_cast<std::size_t>(ranks.size()));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

// Why GPUs cannot take a path; empty: they can. Collective.
std::string refusal(const Communicator& ranks, Path path) {
  if (path == Path::nccl) return why_no_nccl(ranks, all_of(ranks));
  if (path == Path::device_pointers && !takes_device_pointers()) {
    return fmt::format("{} does not take device pointers: take the path automatic or host_memory",
                       mpi_library());
  }
  const bool known = path == Path::host_memory || path == Path::device_pointers;
  return known ? "" : fmt::format("{} has no broadcast: take automatic or nccl", name(path));
}

}  // namespace

Broadcast::Broadcast(const Communicator& ranks, std::size_t most_bytes, Path path,
                     const Stream& stream)
    : ranks_(ranks), stream_(stream), path_(path) {
  if (stream.place() == Place::host) {
    ranks.together([&] {
      if (needs_gpus(path)) throw UsageError(std::string(hosts_refuse));
    });
    path_ = Path::host_memory;
    return;
  }
  if (path == Path::automatic) path_ = automatic_path(ranks);
  const std::string why = refusal(ranks, path_);
  ranks.together([&] {
    if (!why.empty()) throw UsageError(why);
    if (path_ == Path::host_memory) staging_ = HostMemory(most_bytes, HostKind::pinned);
  });
  if (path_ == Path::nccl) group_ = nccl_group(ranks, all_of(ranks));
}

void Broadcast::run(std::byte* data, std::size_t bytes, int root) {
  sign_of_life();
  if (ranks_.size() == 1) return;
  if (group_) return broadcast(*group_, data, bytes, root, stream_);
  const bool staged = staging_.size() > 0, mine = ranks_.rank() == root;
  std::byte* const from = staged ? staging_.data() : data;
  if (staged && mine) enqueue_copy(from, data, bytes, stream_);
  stream_.synchronize();  // the root's bytes are there, and nobody uses the others'
  constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts in int
  for (std::size_t at = 0; at < bytes; at += most) {
    const int count = static_cast<int>(std::min(most, bytes - at));
    mpi_check(
        waiting([&] { return MPI_Bcast(from + at, count, MPI_BYTE, root, comm_of(ranks_)); }));
  }
  if (staged && !mine) enqueue_copy(data, from, bytes, stream_);
}

}  // namespace portcost::distributed
