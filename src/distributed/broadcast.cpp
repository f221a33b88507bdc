// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/broadcast.hpp"

#include <fmt/format.h>

#include "src/distributed/device_path.hpp"
#include "src/distributed/exchange.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/memory/buffer.hpp"

namespace portcost::distributed {

namespace {

// Why this place cannot take a path; empty: it can. Collective.
std::string refusal(const Communicator& ranks, Path path, Place place) {
  const auto known = broadcast_path_names;
  if (std::ranges::find(known, name(path)) == known.end()) {
    return fmt::format("{} has no broadcast: take the path automatic", name(path));
  }
  if (place == Place::host) return std::string(needs_gpus(path) ? hosts_refuse : "");
  if (path == Path::nccl) return why_no_nccl(ranks, all_of(ranks));
  return path == Path::device_pointers ? why_no_device_pointers() : "";
}

}  // namespace

Broadcast::Broadcast(const Communicator& ranks, std::size_t most_bytes, Path path,
                     const Stream& stream)
    : ranks_(ranks), most_bytes_(most_bytes), stream_(stream), path_(path) {
  const std::string why = refusal(ranks, path, stream.place());
  ranks.together([&] {
    if (!why.empty()) throw UsageError(why);
  });
  if (stream.place() == Place::host) {
    path_ = Path::host_memory;
    return;
  }
  if (path == Path::automatic) path_ = path_in_reach(ranks, all_of(ranks));
  ranks.together([&] {
    if (path_ == Path::host_memory) staging_ = HostMemory(most_bytes, HostKind::pinned);
  });
  if (path_ == Path::nccl) group_ = nccl_group(ranks, all_of(ranks));
}

void Broadcast::run(std::byte* data, std::size_t bytes, int root) {
  require(bytes <= most_bytes_, "a broadcast of more bytes than it was prepared for");
  sign_of_life();
  if (ranks_.size() == 1) return;
  if (group_) return broadcast(*group_, data, bytes, root, stream_);
  const bool staged = stream_.place() == Place::device && path_ == Path::host_memory;
  const bool mine = ranks_.rank() == root;
  std::byte* const from = staged ? staging_.data() : data;
  if (staged && mine) enqueue_copy(from, data, bytes, stream_);
  stream_.synchronize();  // `from` has the root's bytes; no kernel uses the receivers' buffers
  constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts in int
  for (std::size_t at = 0; at < bytes; at += most) {
    const int count = static_cast<int>(std::min(most, bytes - at));
    mpi_check(
        waiting([&] { return MPI_Bcast(from + at, count, MPI_BYTE, root, comm_of(ranks_)); }));
  }
  if (staged && !mine) enqueue_copy(data, from, bytes, stream_);
}

}  // namespace portcost::distributed
