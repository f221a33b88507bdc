// SPDX-License-Identifier: Apache-2.0
// The kernel that reads other GPUs' points where they lie, and the flags by which GPUs wait for
// each other. For the files of this folder; plain C++.
#pragma once

#include <cstdint>

#include "src/distributed/box_copies.hpp"
#include "src/memory/stream.hpp"

namespace portcost::distributed {

/// Numbers of exchanges, which grow: the last one for which something holds. A flag is written by
/// one GPU and read by one other, and lies alone on a line of 128 bytes in the reader's memory.
struct alignas(128) Flag {
  unsigned long long number;
};

/// The flags between this GPU and a neighbour: null where nothing moves in that direction.
///   ready: the points of the writer are as they are to be read
///   read:  the writer has read the points of the other, who may overwrite them
struct NeighbourFlags {
  Flag *ready_there, *read_here;  // of what the neighbour reads from here
  Flag *read_there, *ready_here;  // of what is read from the neighbour
};

/// A box of a neighbour's memory, or of this GPU's own, that is copied to this GPU's.
struct DirectCopy {
  BoxCopy copy;
  int neighbour = 0;  // its number among the flags
};

/// What the blocks of a launch tell each other; 0 before the first one and after each.
struct DirectState {
  unsigned begun, ended;  // blocks
  int failed;             // stays: 1 + the neighbour that was waited for in vain
};

/// All that a launch is given, in memory of this GPU; `failure` in mapped host memory. Copies are
/// counted in words.
struct DirectLoads {
  const DirectCopy* copies;
  int count;
  const NeighbourFlags* neighbours;
  int neighbour_count;
  DirectState* state;
  int* failure;
  unsigned long long number;  // of this exchange, from 1
  std::int64_t patience_ns;
  int sharing;  // ranks with this GPU
};

/// Enqueues the kernel: says that this GPU's points are ready, waits for each neighbour's, copies,
/// says that it has read them, and ends when the neighbours have read this GPU's.
void enqueue_direct_loads(const DirectLoads& loads, const detail::Words& words,
                          const Stream& stream);

}  // namespace portcost::distributed
