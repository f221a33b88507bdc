// SPDX-License-Identifier: Apache-2.0
// Transfers from GPU to GPU, and which path can be taken. For the files of this folder.
#pragma once

#include "src/distributed/array.hpp"
#include "src/distributed/path.hpp"

namespace portcost::distributed {

/// Carries out the transfers between device parts of a plan.
class DevicePath : Uncopied {
 public:
  virtual ~DevicePath() = default;
  /// What comes after all ranks have made theirs: they tell each other what they have. Collective.
  virtual void meet(const Communicator& /*ranks*/) {}
  /// Makes all ready for two arrays: at first sight of them all ranks, also those without a device
  /// part, tell each other where they lie. Collective.
  virtual void bind(const ArrayBase& /*from*/, const ArrayBase& /*to*/) {}
  /// Enqueues an exchange of arrays that were bound last. What is enqueued on `stream` later finds
  /// the points that are received, and may overwrite those that are sent. Collective among ranks
  /// with device parts.
  virtual void enqueue(const ArrayBase& from, const ArrayBase& to, const Stream& stream) = 0;
  /// Whether that is all. Else the host waits for the GPU in enqueue(), and finish(), with the same
  /// stream, waits for the messages and enqueues the rest; test() says whether it would wait.
  virtual bool is_only_enqueued() const { return true; }
  virtual bool test() { return true; }
  virtual void finish(const Stream& /*stream*/) {}
};

/// Transfers that concern this rank, each with device parts at both ends; those between two ranks
/// have the same order on both. The arrays, which are not kept, are of the shapes of all that will
/// be exchanged. Collective. Throws SharedUsageError and SharedFailure, which name the ranks.
std::unique_ptr<DevicePath> make_device_path(Path path, const ArrayBase& from, const ArrayBase& to,
                                             const std::vector<Transfer>& transfers,
                                             const PathSettings& settings);

/// What automatic is between the GPUs of these ranks: host_memory, with a line that says so, where
/// NCCL cannot connect them. Collective.
Path path_in_reach(const Communicator& ranks, const std::vector<int>& members);

/// `wanted`, or what automatic is for these arrays. Collective. Throws SharedUsageError where that
/// cannot be: no part lies on a GPU, the MPI library takes no device pointers, there is no NCCL.
Path chosen_path(Path wanted, const ArrayBase& from, const ArrayBase& to);

/// All ranks, in order.
std::vector<int> all_of(const Communicator& ranks);
/// The ranks that have a device part in one of the arrays, in order.
std::vector<int> ranks_with_devices(const Processors& from, const Processors& to);

/// Whether this build has NCCL, and what to do where it has not.
bool has_nccl();
inline constexpr std::string_view needs_nccl =
    "NCCL was not found when this was built: install it (libnccl-dev of NVIDIA's packages), or "
    "name it by -DNCCL_ROOT=PREFIX, and build again; or take another path of halos";

class NcclGroup;
/// NCCL's communicator of these ranks, which lives as long as `ranks`: made at the first call. Null
/// for a rank that is none of them. Collective among all ranks; throws SharedFailure with what NCCL
/// says.
std::shared_ptr<NcclGroup> nccl_group(const Communicator& ranks, const std::vector<int>& members);
/// Enqueues a broadcast from rank `root`, a member, to all members. Collective among them.
void broadcast(NcclGroup& group, std::byte* data, std::size_t bytes, int root,
               const Stream& stream);

/// Why MPI cannot be given device pointers; empty: it can.
std::string why_no_device_pointers();
/// Why NCCL cannot be taken between the GPUs of these ranks; empty: it can. Collective, and equal
/// on all ranks.
std::string why_no_nccl(const Communicator& ranks, std::span<const int> members);

/// The two of `members` that have the same GPU, by a text for each rank of all that is equal for
/// one GPU alone; -1 where there are none.
struct SharedGpu {
  int first = -1, second = -1;
};
SharedGpu shared_gpu(std::span<const std::string> gpus, std::span<const int> members);

/// The first of `neighbours` that is on another computer than `rank`; -1: none. `nodes` has a
/// number for each rank, equal for ranks of one computer.
int first_elsewhere(std::span<const int> nodes, int rank, std::span<const int> neighbours);

namespace detail {
/// Closes what this process has mapped of arrays that are gone. New memory may lie at an address
/// that their owners have freed: all ranks call this before any of them opens a map.
void close_maps_of_gone();
/// This rank's path, before it meets the others'.
using PathMaker = std::unique_ptr<DevicePath>(const ArrayBase& from, const ArrayBase& to,
                                              const std::vector<Transfer>& transfers,
                                              const PathSettings& settings);
PathMaker make_pointers_path, make_nccl_path, make_peer_path, make_loading_path, make_storing_path;
}  // namespace detail

}  // namespace portcost::distributed
