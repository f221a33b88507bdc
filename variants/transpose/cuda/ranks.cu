// SPDX-License-Identifier: Apache-2.0
// Native GPU steps over processes: a GPU a process. The kernel of whole_sectors transposes the
// blocks, since they begin anywhere in a row.
#include <utility>

#include "variants/transpose/cuda/whole_sectors.cuh"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

ModelLaunches cuda_launches() {
  return {launch_sectors<Submatrix, float>, launch_sectors<Submatrix, double>};
}

Rungs cuda_ranks_rungs() {
  Rungs result = rungs_over_ranks(cuda_launches(), Place::device);
  for (Rung& one :
       direct_rungs({launch_sectors<RowsOfRanks, float>, launch_sectors<RowsOfRanks, double>},
                    {launch_sectors<RowsToRanks, float>, launch_sectors<RowsToRanks, double>})) {
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace portcost::transpose
