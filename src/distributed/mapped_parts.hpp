// SPDX-License-Identifier: Apache-2.0
// Parts of an array that kernels read or write where they lie, with other ranks' GPUs.
#pragma once

#include "src/distributed/array.hpp"
#include "src/distributed/path.hpp"

namespace portcost::distributed {

/// All parts of an array of devices, those of other ranks of this computer mapped by CUDA IPC into
/// this GPU's addresses.
class MappedParts {
 public:
  /// Collective. Throws SharedUsageError where a rank is on another computer, or a part lies on a
  /// host. The array outlives this. `patience_s`: how long a GPU waits for another in meet().
  explicit MappedParts(const ArrayBase& array, double patience_s = gpu_patience_s);
  ~MappedParts();
  MappedParts(MappedParts&&) noexcept;

  /// A part by its number, as its owner lays it out.
  const Part& part(int number) const;
  /// Enqueues a wait for all ranks' GPUs to have come here: what is enqueued later reads what
  /// others have written before, wherever it lies, and may overwrite what others have read before.
  /// Collective. Where
  /// one does not come in time, the next wait of the host for the stream throws with its name.
  void meet(const Stream& stream);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portcost::distributed
