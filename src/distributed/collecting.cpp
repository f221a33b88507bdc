// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/collecting.hpp"

#include <cstring>
#include <vector>

#include "src/distributed/mpi_calls.hpp"

namespace portcost::distributed {

namespace {

constexpr int tag = 0;

// Of one plane each.
std::vector<Box> slabs_in_planes(Box box, std::int64_t element_bytes) {
  const std::int64_t end = box.end[0];
  std::vector<Box> result;
  for (; box.begin[0] < end; ++box.begin[0]) {
    box.end[0] = box.begin[0] + 1;
    const std::vector<Box> slabs = slabs_of(box, element_bytes);
    result.insert(result.end(), slabs.begin(), slabs.end());
  }
  return result;
}

// Where `slab` belongs in the dense array.
void put(const Box& slab, const Index& global, std::int64_t element_bytes, const std::byte* from,
         std::byte* to) {
  const std::int64_t row = slab.extent(2) * element_bytes;
  by_all_threads(slab.begin[1], slab.end[1], [&](std::int64_t r) {
    const std::int64_t at = (slab.begin[0] * global[1] + r) * global[2] + slab.begin[2];
    std::memcpy(to + at * element_bytes, from + (r - slab.begin[1]) * row,
                static_cast<std::size_t>(row));
  });
}

}  // namespace

void collect_bytes(const ArrayBase& array, std::byte* to) {
  const Processors& processors = array.processors();
  const Communicator& ranks = processors.ranks();
  const MPI_Comm comm = comm_of(ranks);
  const auto bytes = static_cast<std::int64_t>(array.element_bytes());
  const Distribution& distribution = array.shape().distribution;
  std::vector<std::byte> dense;
  for (int processor = 0; processor < processors.count(); ++processor) {
    const int owner = processors.rank_of(processor);
    if (owner != ranks.rank() && !ranks.is_first()) continue;
    for (const Box& slab : slabs_in_planes(distribution.corners(processor), bytes)) {
      const std::int64_t size = slab.volume() * bytes;
      dense.resize(static_cast<std::size_t>(size));
      if (owner == ranks.rank()) {
        download(array, part_of(array, processor), slab, dense.data());
        if (!ranks.is_first()) {
          const WaitsForOthers now;
          mpi_check(MPI_Send(dense.data(), static_cast<int>(size), MPI_BYTE, 0, tag, comm));
        }
      } else {
        const WaitsForOthers now;
        mpi_check(MPI_Recv(dense.data(), static_cast<int>(size), MPI_BYTE, owner, tag, comm,
                           MPI_STATUS_IGNORE));
      }
      if (ranks.is_first()) put(slab, distribution.global(), bytes, dense.data(), to);
    }
  }
}

}  // namespace portcost::distributed
