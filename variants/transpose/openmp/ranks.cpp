// SPDX-License-Identifier: Apache-2.0
// Native CPU steps over processes: OpenMP inside MPI, which with one thread a process is plain MPI.
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

Rungs openmp_ranks_rungs() { return rungs_over_ranks(openmp_launches(), Place::host); }

}  // namespace portcost::transpose
