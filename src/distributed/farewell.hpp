// SPDX-License-Identifier: Apache-2.0
// Ranks that have mapped each other's memory, or opened each other's events, part.
#pragma once

#include <optional>
#include <vector>

#include "src/distributed/communicator.hpp"

namespace portcost::distributed {

/// Memory that a process has shared by CUDA IPC may be freed only when those that have mapped it
/// have closed it.
class Farewell {
 public:
  /// Of this rank and its partners, which have it for one, too. Collective among all `ranks`.
  void meet(const Communicator& ranks, std::vector<int> partners);
  /// This rank has closed what it had of theirs. Returns when the partners have said the same: what
  /// they had of this rank's may go. Some that say nothing are given up after gpu_patience_s; where
  /// an exception goes through here they may be gone, and none is waited for.
  void part() noexcept;

 private:
  std::optional<Communicator> ranks_;
  std::vector<int> partners_;
};

}  // namespace portcost::distributed
