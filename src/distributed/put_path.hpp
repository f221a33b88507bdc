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
  /// The arrays, which are not kept, are of the shapes of all that will be exchanged. Collective.
  PutPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
          const std::vector<int>& sources, const std::vector<int>& targets);
  ~PutPath();

  /// At first sight of `to`, all ranks tell each other where its parts lie. Collective.
  void bind(const ArrayBase& to);
  /// Lets the source ranks write to the array that was bound last, and writes to the target ranks'.
  /// May wait until the target ranks have begun, too.
  void begin(const ArrayBase& from);
  /// Whether all source ranks have written.
  bool test();
  void end();

 private:
  struct Put {
    int from, to, rank;
    OwnedType source, target;  // relative to a part's first ghost point
  };
  enum class State { idle, writing, exposed, failed };
  void complete();

  const Communicator& ranks_;
  std::size_t element_bytes_;
  std::vector<Put> puts_;
  OwnedGroup sources_, targets_;
  MPI_Win window_ = MPI_WIN_NULL;
  // Of each array, by its identity, for each rank the addresses of the parts.
  std::map<std::uint64_t, std::vector<std::vector<MPI_Aint>>> addresses_;
  const std::vector<std::vector<MPI_Aint>>* bound_ = nullptr;
  std::vector<const std::byte*> attached_;
  State state_ = State::idle;
};

}  // namespace portcost::distributed
