// SPDX-License-Identifier: Apache-2.0
// Native CPU steps over processes: OpenMP inside MPI, which with one thread a process is plain MPI.
#include "variants/transpose/openmp/blocked.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

template <class T>
void transpose_part(const Submatrix<T>& s, int batch, const Stream&) {
  blocked(s, batch);
}

}  // namespace

ModelLaunches openmp_launches() { return {transpose_part<float>, transpose_part<double>}; }

Rungs openmp_ranks_rungs() { return rungs_over_ranks(openmp_launches(), Place::host); }

}  // namespace portcost::transpose
