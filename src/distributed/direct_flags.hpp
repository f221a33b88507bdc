// SPDX-License-Identifier: Apache-2.0
// How the GPUs of ranks of one computer wait for each other without their hosts, and the kernel
// that reads or writes other GPUs' points in their place. For the files of this folder.
#pragma once

#include "src/distributed/box_copies.hpp"
#include "src/distributed/communicator.hpp"
#include "src/memory/host_memory.hpp"
#include "src/memory/shared_device.hpp"

namespace portcost::distributed {

/// Numbers of exchanges, which grow: the last one for which something holds. A flag is written by
/// one GPU and read by one other, and lies alone on a line of 128 bytes in the reader's memory.
struct alignas(128) Flag {
  unsigned long long number;
};

/// The flags between this GPU and a neighbour: null where nothing moves in that direction. Of two
/// GPUs one is the mover, which loads points from the other's memory or stores points to it.
///   ready: the mover may load the other's points, or overwrite them
///   moved: the mover has moved all points; the other may go on
struct NeighbourFlags {
  Flag *ready_there, *moved_here;  // where the neighbour moves
  Flag *moved_there, *ready_here;  // where this GPU moves
};

/// A box that is copied between this GPU's memory and a neighbour's, or within this GPU's.
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
struct DirectMoves {
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

/// Enqueues the kernel, which sets `ready`, waits for each neighbour's `ready`, copies, sets
/// `moved` and waits for each neighbour's `moved`.
void enqueue_direct_moves(const DirectMoves& moves, const detail::Words& words,
                          const Stream& stream);

/// What a rank and another one, or itself, have to do with each other.
struct DirectNeighbour {
  int rank;
  bool moves = false;     // it moves points of this rank's memory
  bool is_moved = false;  // this rank moves points of its memory
};

/// The flags of a rank's GPU, which its neighbours write, and the number of the last exchange.
class DirectFlags : Uncopied {
 public:
  /// `neighbours` are ordered by rank, and know of each other. `stream`: the GPU's; not used where
  /// there is no neighbour.
  DirectFlags(const Communicator& ranks, std::vector<DirectNeighbour> neighbours, double patience_s,
              const Stream* stream);
  /// Tells each other where the flags lie. Collective, also for ranks without neighbours.
  void meet();

  bool empty() const { return neighbours_.empty(); }
  int index_of(int rank) const;
  /// What the next launch is given; with its copies, in this GPU's memory.
  DirectMoves next(std::span<const DirectCopy> copies);
  /// Closes what it has of its neighbours', and returns when they have closed what they have of
  /// this rank's: its flags, and arrays that are reached in their place. When no launch is under
  /// way.
  void part() noexcept;
  /// Throws Failure, which names the rank, where one was waited for in vain.
  void check() const;

 private:
  // The two flags that a neighbour writes here.
  struct FlagPair {
    Flag ready, moved;
  };
  // A pair as its owner offers it to the neighbour that writes it.
  struct Offered {
    int writer;
    SharedHandle flags;  // all of the owner's
  };
  void open(const std::vector<std::vector<Offered>>& all);

  const Communicator& ranks_;
  std::vector<DirectNeighbour> neighbours_;
  double patience_s_;
  int sharing_ = 1;  // ranks with this GPU
  Buffer<FlagPair> flags_;
  Buffer<DirectState> state_;
  HostMemory failure_;
  int* failed_neighbour_ = nullptr;  // the same, as the device reaches it
  std::vector<MappedMemory> mapped_;
  Farewell farewell_;
  Buffer<NeighbourFlags> table_;
  unsigned long long number_ = 0;
  std::shared_ptr<Check> watched_;
};

}  // namespace portcost::distributed
