// SPDX-License-Identifier: Apache-2.0
// Boxes of parts as MPI's derived types. For the files of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "src/distributed/array.hpp"
#include "src/distributed/mpi_calls.hpp"

namespace portcost::distributed {

/// `bytes` bytes, of which an array's elements consist.
OwnedType element_type(std::int64_t bytes);

/// A box of an array that has the points `within`, in rows of `pitch` elements; not committed.
OwnedType subarray(const Box& box, const Box& within, std::int64_t pitch, MPI_Datatype element);

/// What one neighbour gets or sends: pieces of memory at absolute addresses, in the order of the
/// transfers, as one type.
class Pieces {
 public:
  void add(const Part& part, const Box& box, std::int64_t element_bytes);
  /// The same points, dense.
  void add(const std::byte* dense, const Box& box, std::int64_t element_bytes);
  /// All of them; committed.
  OwnedType together() const;

 private:
  void add(const void* address, OwnedType type);
  std::vector<OwnedType> types_;
  std::vector<MPI_Aint> addresses_;
};

/// One side of a neighbourhood collective, as MPI wants its arguments. They live as long as a
/// request.
struct Side {
  explicit Side(const std::map<int, Pieces>& of_ranks);

  std::vector<OwnedType> types;
  std::vector<MPI_Datatype> handles;
  std::vector<int> counts;
  std::vector<MPI_Aint> offsets;
};

}  // namespace portcost::distributed
