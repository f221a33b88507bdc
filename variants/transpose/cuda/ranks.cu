// SPDX-License-Identifier: Apache-2.0
// Native GPU steps over processes: a GPU a process, whose blocks are transposed by the kernel of
// whole_sectors, since they begin anywhere in a row.
#include "variants/transpose/cuda/whole_sectors.cuh"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

// In a matrix whose rows lie with several ranks, near and far rows are read at the same time, since
// tiles go down the rows first.
ModelLaunches cuda_launches() {
  return {launch_sectors<Submatrix, float>, launch_sectors<Submatrix, double>};
}

Rungs cuda_ranks_rungs() {
  Rungs result = rungs_over_ranks(cuda_launches(), Place::device);
  result.push_back(
      direct_rung({launch_sectors<RowsOfRanks, float>, launch_sectors<RowsOfRanks, double>}));
  return result;
}

}  // namespace portcost::transpose
