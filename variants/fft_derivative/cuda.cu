// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: cuFFT, and kernels between transforms.
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/cuda_fft.cuh"

namespace portcost::fft_derivative {

namespace {

template <int n, class T>
__global__ void __launch_bounds__(fft::pass_threads, pass_teams_per_multiprocessor<T>)
    one_pass_kernel(const T* f, T* out, int lines, T unit) {
  __shared__ fft::Complex<T> scratch[fft::pass_slots];
  fft::Complex<T> z[1][fft::own_elements];
  one_pass<n>(
      z, static_cast<int>(blockIdx.x), lines, unit,
      [&](int line, int x) { return f[std::int64_t{line} * n + x]; },
      [&](int line, int x, T value) { out[std::int64_t{line} * n + x] = value; },
      [&](int slot) -> auto& { return scratch[slot]; },
      [](const auto& action) { action(static_cast<int>(threadIdx.x), 0); },
      [] { __syncthreads(); });
}

}  // namespace

Rungs cuda_rungs() {
  const auto modes = []<class T>(const Lines<T>& s, double factor, const Stream& on) {
    fft::by_cuda::for_modes(Derivation<T>(s, factor), on);
  };
  const auto pass = []<class T>(const Lines<T>& s, const Stream& on) {
    with_length(s.n, [&](auto length) {
      constexpr int n = decltype(length)::value;
      one_pass_kernel<n>
          <<<static_cast<unsigned>(teams_of<n>(s.lines)), fft::pass_threads, 0, on.native()>>>(
              s.f, s.out, s.lines, pass_unit<T>(n));
      cuda_check(cudaGetLastError());
    });
  };
  Rungs rungs = fft::where_present(
      Place::device,
      {rung(works, "separate", fft::separate(modes, fft::by_cuda::scale)),
       rung(works, "fused", fft::fused(modes)), rung(works, "transform", fft::transform),
       rung(works, "plan", fft::plan_anew)});
  rungs.push_back(rung(works, "one_pass", pass).unless(no_one_pass));
  return rungs;
}

}  // namespace portcost::fft_derivative
