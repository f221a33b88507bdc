// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: as many blocks as make the given threads of each multiprocessor, all of
// which are there at the same time.
#include "src/memory/cuda_check.hpp"
#include "variants/in_flight/problem.hpp"

namespace portcost::in_flight {

namespace {

template <int loads>
__global__ void __launch_bounds__(threads, most_threads / threads) read_kernel(Reading s) {
  constexpr int piece = threads * loads;
  const int whole = static_cast<int>(s.n / piece), teams = gridDim.x, team = blockIdx.x;
  std::uint32_t sum = 0;
  if (team == teams - 1) {  // first: after the loop it would take registers that the loads need
#pragma unroll 1
    for (std::int64_t i = std::int64_t{whole} * piece + threadIdx.x; i < s.n; i += threads) {
      sum += static_cast<std::uint32_t>(s.a[i]);
    }
  }
#pragma unroll 1
  for (int p = team; p < whole;) {
    const std::int32_t* const from = s.a + (p * piece + static_cast<int>(threadIdx.x));
    std::uint32_t own[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) own[k] = static_cast<std::uint32_t>(from[k * threads]);
    std::uint32_t all = 0;
#pragma unroll
    for (int k = 0; k < loads; ++k) all |= own[k];
#pragma unroll
    for (int k = 0; k < loads; ++k) sum += own[k];
    p += teams + no_step(all);
  }
  s.sums[team * threads + threadIdx.x] = sum;
}

template <int loads>
void read(const Reading& s, const Stream& stream) {
  read_kernel<loads>
      <<<static_cast<unsigned>(s.workers / threads), threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}

}  // namespace

Rungs cuda_rungs() {
  Rungs result{rung(works, "loads_1", read<1>), rung(works, "loads_2", read<2>),
               rung(works, "loads_4", read<4>), rung(works, "loads_8", read<8>),
               rung(works, "loads_16", read<16>)};
  for (Rung& one : result) one.unfit = no_whole_teams;
  return result;
}

}  // namespace portcost::in_flight
