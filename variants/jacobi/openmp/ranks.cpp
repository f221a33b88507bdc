// SPDX-License-Identifier: Apache-2.0
// Native CPU steps over processes: OpenMP inside MPI, which with one thread a process is plain MPI.
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/jacobi/ranks_steps.hpp"

namespace portcost::jacobi {

Rungs openmp_ranks_rungs() {
  Rungs result = rungs_over_ranks(openmp_launches(), Place::host);
  result.push_back(hybrid_rung(openmp_launches()));
  return result;
}

}  // namespace portcost::jacobi
