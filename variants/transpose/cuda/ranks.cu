// SPDX-License-Identifier: Apache-2.0
// Native GPU steps over processes: a GPU a process, whose blocks are transposed by the kernel of
// whole_sectors, since they begin anywhere in a row.
#include "variants/transpose/cuda/bands.cuh"
#include "variants/transpose/cuda/whole_sectors.cuh"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

// Down the rows first: in a matrix whose rows lie with several ranks, near and far ones are read at
// the same time.
template <template <class> class At, class T>
void transpose_tiles(const At<T>& s, int batch, const Stream& stream) {
  using Shape = SectorShape<T>;
  using Order = typename Shape::Order;
  const int columns = ceil_div(s.nx, Shape::tile), lines = Shape::lines(s.ny, s.step_b());
  for_bands(Order::fast(columns, lines), Order::slow(columns, lines), batch,
            [&](dim3 grid, int line, int m) {
              sectors_kernel<<<grid, dim3(lanes, Shape::warps), 0, stream.native()>>>(s, line, m);
            });
}

}  // namespace

ModelLaunches cuda_launches() {
  return {transpose_tiles<Submatrix, float>, transpose_tiles<Submatrix, double>};
}

Rungs cuda_ranks_rungs() {
  Rungs result = rungs_over_ranks(cuda_launches(), Place::device);
  result.push_back(
      direct_rung({transpose_tiles<RowsOfRanks, float>, transpose_tiles<RowsOfRanks, double>}));
  return result;
}

}  // namespace portcost::transpose
