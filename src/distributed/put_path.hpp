// SPDX-License-Identifier: Apache-2.0
// Transfers by MPI_Put (path `one_sided`): the sender writes to its neighbours' arrays in host
// memory. For the files of this folder.
#pragma once

#include <map>

#include "src/distributed/array.hpp"
#include "src/distributed/mpi_calls.hpp"

namespace portcost::distributed {

struct OwnedGroup : Owned<MPI_Group, MPI_Group_free> {
  OwnedGroup() : Owned(MPI_GROUP_NULL) {}
};

class PutPath : Uncopied {
 public:
  /// `transfers` go to other ranks, `targets`; `sources` send to this one. All parts lie on hosts.
  /// Collective.
  PutPath(const Processors& senders, const Processors& receivers, std::vector<Transfer> transfers,
          const std::vector<int>& sources, const std::vector<int>& targets);
  ~PutPath();

  /// At first sight of `to`, all ranks tell each other where its parts lie. Collective.
  void bind(const ArrayBase& to);
  /// Allows neighbours to write to the array that was bound last, and writes to theirs.
  void begin(const ArrayBase& from, const ArrayBase& to);
  /// Whether all neighbours have written.
  bool test();
  void end();

 private:
  struct Known {
    std::weak_ptr<const void> life;
    std::vector<std::byte*> mine;
    std::vector<std::vector<MPI_Aint>> addresses;  // of each rank, of its parts
  };
  void forget(const Known& known);

  const Processors& senders_;
  const Processors& receivers_;
  std::vector<Transfer> transfers_;
  OwnedGroup sources_, targets_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::map<std::uint64_t, Known> known_;  // by the array's identity
  bool exposed_ = false;
};

}  // namespace portcost::distributed
