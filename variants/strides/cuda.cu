// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a warp has 32 neighbours of the copy, a thread four elements, all loaded
// before the first is stored.
#include "src/memory/cuda_check.hpp"
#include "variants/shared/cuda_bands.cuh"
#include "variants/shared/cuda_texture.cuh"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

template <Side side, class T>
__global__ void __launch_bounds__(threads) strided_kernel(Copies<T> s) {
  const int first = blockIdx.x * (threads * loads) + threadIdx.x;
  T own[loads] = {};
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int i = first + k * threads;
    if (i < s.n) own[k] = s.a[source<side>(s, i)];
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int i = first + k * threads;
    if (i < s.n) s.b[target<side>(s, i)] = own[k];
  }
}

template <bool padded, class T>
__global__ void __launch_bounds__(threads) rows_kernel(Copies<T> s, int first_line) {
  const int column = blockIdx.x * lanes + threadIdx.x;
  const int first = (first_line + blockIdx.y) * (warps * loads) + threadIdx.y;
  T own[loads] = {};
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int r = first + k * warps;
    if (r < s.rows && column < s.columns) own[k] = s.a[row_of<padded>(s, r) + column];
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int r = first + k * warps;
    if (r < s.rows && column < s.columns) s.b[row_of<padded>(s, r) + column] = own[k];
  }
}

template <class Read>
struct Gather {
  Read read;
  __device__ auto of(const auto& s, int i) const { return read(s.a + picked(s, i)); }
};

__constant__ Coefficients<float> constants_f32;
__constant__ Coefficients<double> constants_f64;
template <bool alike>
struct Scaled {
  static __device__ float of(const Copies<float>& s, int i) {
    return s.a[i] * constants_f32(which<alike>(i));
  }
  static __device__ double of(const Copies<double>& s, int i) {
    return s.a[i] * constants_f64(which<alike>(i));
  }
};

// b[i] = element.of(s, i).
template <class Element, class T>
__global__ void __launch_bounds__(threads) each_kernel(Copies<T> s, Element element) {
  const int first = blockIdx.x * (threads * loads) + threadIdx.x;
  T own[loads] = {};
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int i = first + k * threads;
    if (i < s.n) own[k] = element.of(s, i);
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int i = first + k * threads;
    if (i < s.n) s.b[i] = own[k];
  }
}

void launch_each(const auto& s, const Stream& stream, const auto& element) {
  const auto blocks = static_cast<unsigned>(ceil_div(s.n, threads * loads));
  each_kernel<<<blocks, threads, 0, stream.native()>>>(s, element);
  cuda_check(cudaGetLastError());
}
template <class Element>
constexpr auto each = [](const auto& s, const Stream& on) { launch_each(s, on, Element()); };
constexpr auto gather_texture = []<class T>(const Copies<T>& s,
                                            const Stream&) -> Launch<Copies<T>> {
  return [texels = texture_of(s.a, static_cast<std::size_t>(s.columns))](const Copies<T>& now,
                                                                         const Stream& on) {
    launch_each(now, on, Gather<Texels<T>>{*texels});
  };
};

template <Side side>
constexpr auto strided = [](const auto& s, const Stream& stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(s.n, threads * loads));
  strided_kernel<side><<<blocks, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

template <bool padded>
constexpr auto rows = [](const auto& s, const Stream& stream) {
  for_bands(ceil_div(s.columns, lanes), ceil_div(s.rows, warps * loads), [&](dim3 grid, int first) {
    rows_kernel<padded><<<grid, dim3(lanes, warps), 0, stream.native()>>>(s, first);
  });
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "reads", strided<Side::reads>),
          rung(works, "writes", strided<Side::writes>),
          rung(works, "both", strided<Side::both>),
          rung(works, "packed_rows", rows<false>).unless(no_rows),
          rung(works, "padded_rows", rows<true>).unless(no_rows),
          rung(works, "gather", each<Gather<Plain>>).unless(no_rows),
          rung(works, "gather_read_only", each<Gather<ReadOnly>>).unless(no_rows),
          rung(works, "gather_texture", gather_texture).unless(no_rows),
          rung(works, "scaled_alike", each<Scaled<true>>).unless(no_rows),
          rung(works, "scaled_apart", each<Scaled<false>>).unless(no_rows)};
}

}  // namespace portcost::strides
