// SPDX-License-Identifier: Apache-2.0
// The ways in which points travel from one GPU to another's, by their names. Needs no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace portcost::distributed {

/// How a device part's points go to a device part of another rank: README.md says of each what
/// happens, who waits, and where it can be taken; or, one_sided, how a host's points go to a host
/// of another rank. Between a host and anything else, and from GPU to GPU by host_memory and
/// device_pointers, MPI carries points.
enum class Path {  // from nccl on: GPU to GPU without MPI
  automatic,
  host_memory,
  one_sided,
  device_pointers,
  nccl,
  peer_copies,
  direct_loads,
  direct_stores
};

/// In the order of Path, as parameters name them.
inline constexpr std::array<std::string_view, 8> path_names{
    "automatic", "host_memory", "one_sided",    "device_pointers",
    "nccl",      "peer_copies", "direct_loads", "direct_stores"};
/// Those that a Broadcast can take.
inline constexpr std::array<std::string_view, 4> broadcast_path_names{"automatic", "host_memory",
                                                                      "device_pointers", "nccl"};
constexpr std::string_view name(Path path) { return path_names[static_cast<std::size_t>(path)]; }

/// Whether points go from GPU to GPU without MPI. Whatever lies before is then waited for by the
/// GPU alone: an exchange is only enqueued.
constexpr bool is_between_gpus(Path path) { return path >= Path::nccl; }
/// Whether a path is of GPUs, and nothing else can take it.
constexpr bool needs_gpus(Path path) {
  return is_between_gpus(path) || path == Path::device_pointers;
}
/// Why a host does not take a path of GPUs.
inline constexpr std::string_view hosts_refuse =
    "that path is from GPU to GPU: on hosts take automatic or host_memory";
/// Why a GPU does not take one_sided.
inline constexpr std::string_view gpus_refuse =
    "one_sided is a path between hosts: on GPUs take automatic or host_memory";

/// Seconds that a GPU waits for another one before that is an error, where nothing else is said.
/// (The command waits so long for a sign of life.)
inline double gpu_patience_s = 60;

struct PathSettings {
  /// Also from a GPU to itself, where else a kernel copies: to test a path with one process.
  bool own_too = false;
  /// direct_loads, direct_stores: seconds that a GPU waits for another one before that is an error.
  double patience_s = gpu_patience_s;
};

}  // namespace portcost::distributed
