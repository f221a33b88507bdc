// SPDX-License-Identifier: Apache-2.0
// Native GPU steps over processes: a GPU a process, halos by any path (src/distributed/path.hpp);
// and OpenMP on the cores next to the GPU.
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/jacobi/ranks_steps.hpp"

namespace portcost::jacobi {

Rungs cuda_ranks_rungs() {
  Rungs result = rungs_over_ranks(cuda_launches(), Place::device);
  result.push_back(hybrid_rung(cuda_launches(), openmp_launches()));
  return result;
}

}  // namespace portcost::jacobi
