// SPDX-License-Identifier: Apache-2.0
// NCCL's communicators, one for each set of ranks. For the files of this folder.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "src/distributed/communicator.hpp"

namespace portcost::distributed {

/// Whether this build has NCCL, and what to do where it has not.
bool has_nccl();
inline constexpr std::string_view needs_nccl =
    "NCCL was not found when this was built: install it (libnccl-dev of NVIDIA's packages), or "
    "name it by -DNCCL_ROOT=PREFIX, and build again; or take another path of halos";

/// A message to or from a member, by its rank among all: `bytes` of device memory.
struct NcclMessage {
  int rank;
  std::byte* memory;
  std::size_t bytes;
};

/// A communicator of NCCL among some ranks, with the devices that these have in use.
class NcclGroup {
 public:
  virtual ~NcclGroup() = default;
  /// Enqueues all of them as one group. Collective among the members; each message of one rank has
  /// its counterpart on the other. Throws Failure with what NCCL says.
  virtual void exchange(std::span<const NcclMessage> sent, std::span<const NcclMessage> received,
                        const Stream& stream) = 0;
};

/// That of these ranks, which lives as long as `ranks`: made at the first call. Null for a rank
/// that is none of them. Collective among all ranks; throws SharedFailure with what NCCL says.
std::shared_ptr<NcclGroup> nccl_group(const Communicator& ranks, const std::vector<int>& members);

}  // namespace portcost::distributed
